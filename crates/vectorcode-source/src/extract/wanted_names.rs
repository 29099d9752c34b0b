//! The names whose uses are wanted, and what the walk has learned about them.

/// The names whose uses are wanted, and what the walk has learned about them.
#[derive(Default)]
pub(super) struct WantedNames<'t, 's> {
    names: &'s [String],
    /// The positions of names that are called, so that they are not also recorded as other uses.
    called: Vec<usize>,
    /// The end of the import statement that the walk is in.
    import_end: usize,
    /// Wanted names that are parameters or variables of the open functions, with the number of enclosing scopes.
    bound: Vec<(&'t str, usize)>,
    /// Wanted names that the open functions declare to be outer variables, with the number of enclosing scopes.
    outer: Vec<(&'t str, usize)>,
}

impl<'t, 's> WantedNames<'t, 's> {
    pub fn new(names: &'s [String]) -> Self {
        Self { names, ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|wanted| wanted == name)
    }

    pub fn close(&mut self, scopes: usize) {
        for names in [&mut self.bound, &mut self.outer] {
            while names.pop_if(|(_, around)| *around > scopes).is_some() {}
        }
    }

    /// Whether an enclosing function has a variable of this name.
    pub fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|(bound, _)| *bound == name)
    }

    /// Whether an enclosing function declares that the name refers to an outer variable.
    pub fn is_outer(&self, name: &str) -> bool {
        self.outer.iter().any(|(outer, _)| *outer == name)
    }

    pub fn bind(&mut self, name: &'t str, scopes: usize) {
        self.bound.push((name, scopes));
    }

    pub fn note_outer(&mut self, name: &'t str, scopes: usize) {
        self.outer.push((name, scopes));
    }

    pub fn is_called(&self, at: usize) -> bool {
        self.called.contains(&at)
    }

    pub fn note_call(&mut self, at: usize) {
        self.called.push(at);
    }

    pub fn note_import(&mut self, end: usize) {
        self.import_end = end;
    }

    pub fn end_of_import(&self) -> usize {
        self.import_end
    }
}
