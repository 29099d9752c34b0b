//! The names whose uses are looked for, and what the walk knows of them.

/// The names that are looked for, and what the walk knows of them.
#[derive(Default)]
pub(super) struct Wanted<'t, 's> {
    names: &'s [String],
    /// The positions of the names of calls, so that they are not counted as other uses too.
    called: Vec<usize>,
    /// The end of the import statement that the walk is in.
    import_end: usize,
    /// Parameters and variables of the open functions that have one of the names, with the number of scopes around them.
    bound: Vec<(&'t str, usize)>,
    /// The same of names that the open functions have from outside.
    outer: Vec<(&'t str, usize)>,
}

impl<'t, 's> Wanted<'t, 's> {
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

    /// Whether a function around this point has a variable of this name.
    pub fn is_bound(&self, name: &str) -> bool {
        self.bound.iter().any(|(bound, _)| *bound == name)
    }

    /// A function around this point says that it means a variable from outside.
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
