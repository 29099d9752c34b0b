//! The scopes that are open at a point of the walk. They decide the qualified names and kinds of definitions inside.

use std::borrow::Cow;

use vectorcode_core::DefinitionKind;

use crate::languages::FoundDefinition;

/// Maximum number of nested scopes. Definitions that are nested deeper are not recorded.
const MAX_OPEN: usize = 64;

/// The open scopes, outermost first.
#[derive(Default)]
pub(super) struct Scopes {
    open: Vec<Scope>,
    /// The names of the open scopes, joined by dots.
    path: String,
}

struct Scope {
    depth: u32,
    definition: Option<u32>,
    holds: Holds,
    is_test: bool,
    /// Length of the path before this scope was opened.
    outer_path: usize,
}

/// The role of the definitions inside a scope.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Holds {
    /// In a type: functions are methods, variables are fields.
    Members,
    /// In a function: variables are local and are not recorded.
    Locals,
    /// In a module or a section: definitions keep their kind.
    Items,
}

impl Holds {
    fn of(kind: Option<DefinitionKind>) -> Self {
        use DefinitionKind as Kind;
        match kind {
            Some(Kind::Function | Kind::Method | Kind::Macro) => Self::Locals,
            Some(Kind::Module | Kind::Section) => Self::Items,
            _ => Self::Members,
        }
    }
}

/// A scope to open.
pub(super) struct NewScope<'t> {
    pub depth: u32,
    /// Its definition. `None` for an `impl` block.
    pub definition: Option<(u32, DefinitionKind)>,
    /// Its own name. `within` is the scope written before it.
    pub name: &'t str,
    pub within: Option<&'t str>,
    /// Whether its name is part of the qualified names inside.
    pub qualifies: bool,
    pub is_test: bool,
}

impl<'t> NewScope<'t> {
    pub fn of(depth: u32, found: &FoundDefinition<'t>, is_test: bool) -> Self {
        let (name, within, qualifies) = (found.name, found.within, found.qualifies);
        Self { depth, definition: None, name, within, qualifies, is_test }
    }
}

impl Scopes {
    pub fn len(&self) -> usize {
        self.open.len()
    }

    pub fn are_full(&self) -> bool {
        self.open.len() >= MAX_OPEN
    }

    pub fn is_test(&self) -> bool {
        self.open.last().is_some_and(|scope| scope.is_test)
    }

    pub fn inside_type(&self) -> bool {
        self.innermost() == Holds::Members
    }

    /// Whether a declaration at this point is local to a function.
    pub fn is_in_function(&self) -> bool {
        self.innermost() == Holds::Locals
    }

    /// The type that this point belongs to, if the type is defined elsewhere: `Log` in `impl Read for Log`.
    pub fn extended_type(&self) -> Option<&str> {
        let innermost = self.open.last()?;
        let is_apart = innermost.definition.is_none() && innermost.holds == Holds::Members;
        self.path.rsplit('.').next().filter(|name| is_apart && !name.is_empty())
    }

    /// The innermost definition that contains this point.
    pub fn definition(&self) -> Option<u32> {
        self.open.iter().rev().find_map(|scope| scope.definition)
    }

    /// The kind that a definition of `kind` has at this point. `None` when it is local to a function.
    pub fn settle(&self, kind: DefinitionKind) -> Option<DefinitionKind> {
        use DefinitionKind as Kind;
        match (self.innermost(), kind) {
            (Holds::Locals, Kind::Variable | Kind::Constant | Kind::Field) => None,
            (Holds::Members, Kind::Function) => Some(Kind::Method),
            (Holds::Members, Kind::Variable) => Some(Kind::Field),
            (_, kind) => Some(kind),
        }
    }

    /// The qualified name: `UserService.authenticate`.
    pub fn qualify(&self, within: Option<&str>, name: &str) -> String {
        let mut qualified = self.path.clone();
        for part in within.into_iter().chain([name]) {
            push_name(&mut qualified, part);
        }
        qualified
    }

    pub fn open(&mut self, scope: &NewScope<'_>) {
        let outer_path = self.path.len();
        if scope.qualifies {
            for part in scope.within.into_iter().chain([scope.name]) {
                push_name(&mut self.path, part);
            }
        }
        self.open.push(Scope {
            depth: scope.depth,
            definition: scope.definition.map(|(index, _)| index),
            holds: Holds::of(scope.definition.map(|(_, kind)| kind)),
            is_test: scope.is_test,
            outer_path,
        });
    }

    /// Opens the scope of an anonymous function.
    pub fn open_anonymous(&mut self, depth: u32) {
        if !self.are_full() {
            let (outer_path, is_test) = (self.path.len(), self.is_test());
            self.open.push(Scope { depth, definition: None, holds: Holds::Locals, is_test, outer_path });
        }
    }

    /// Closes every scope that was opened at `depth` or deeper.
    pub fn close(&mut self, depth: u32) {
        while let Some(scope) = self.open.pop_if(|scope| scope.depth >= depth) {
            self.path.truncate(scope.outer_path);
        }
    }

    fn innermost(&self) -> Holds {
        self.open.last().map_or(Holds::Items, |scope| scope.holds)
    }
}

/// Appends a name to a path. If the name is itself a path (`shop::payments`), its separators become dots, and type arguments
/// are removed.
fn push_name(path: &mut String, name: &str) {
    if !path.is_empty() {
        path.push('.');
    }
    let bare = if name.contains("::") { without_arguments(name) } else { Cow::Borrowed(name) };
    let is_path = !bare.contains(' ') && (bare.contains("::") || bare.contains('\\'));
    if is_path {
        path.push_str(&bare.replace("::", ".").replace('\\', "."));
    } else {
        path.push_str(name);
    }
}

/// `List::Iterator` for `List<K, V>::Iterator`.
fn without_arguments(name: &str) -> Cow<'_, str> {
    if !name.contains('<') {
        return Cow::Borrowed(name);
    }
    let mut depth = 0;
    let is_outside = |c: &char| {
        depth += i32::from(*c == '<');
        let is_outside = depth == 0;
        depth -= i32::from(*c == '>');
        is_outside
    };
    Cow::Owned(name.chars().filter(is_outside).collect())
}
