//! How to interpret a syntax tree: one rule per node kind, resolved once per language to a table indexed by kind id.
//!
//! A rule says what a node means (it defines, calls or imports something). The walk in `extract` does the rest. Where
//! a field name is not enough for a grammar, a rule holds a function.

use std::ops::Range;
use std::sync::OnceLock;

use tree_sitter::Node;
use vectorcode_core::{Definition, DefinitionKind, Import, ReferenceKind};
use vectorcode_grammars::Grammar;

/// A grammar and its rules.
pub(crate) struct Syntax {
    grammar: &'static Grammar,
    rules: &'static [(&'static str, Rule)],
    /// Fields of a definition node that name types: base classes, implemented interfaces.
    pub type_fields: &'static [&'static str],
    /// Prefixes of the attribute or decorator line above a test item, or of its first line: `#[test]`.
    pub test_marks: &'static [&'static str],
    /// Whether adjacent functions with the same name are clauses of one definition.
    pub joins_clauses: bool,
    /// Nodes that declare local variables and parameters.
    locals: &'static [(&'static str, Local)],
    /// Finds imports that depend on the whole file: the package it belongs to, statements inside macros.
    pub file_importer: Option<FileImporter>,
    /// The role of a name inside a node of this kind, in this field of it. An empty field matches any. See [`NameRole`].
    pub name_roles: &'static [(&'static str, &'static str, NameRole)],
    /// Nodes that list the bases of a type: what it extends, implements or mixes in.
    bases: &'static [(&'static str, BaseFinder)],
    /// Nodes inside a base list whose names are not bases, by kind and field: type arguments. An empty field matches any.
    pub no_bases: &'static [(&'static str, &'static str)],
    /// Finds parts of a text that must be hidden from the parser, because the grammar would misread them.
    hidden: Option<HiddenFinder>,
    table: OnceLock<Option<Table>>,
}

/// The meaning of a node kind.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// No meaning of its own, but its children may have one.
    Descend,
    /// No meaning, and its children are not visited.
    Skip,
    /// Its children are treated as children of its parent: a root inside the root.
    Transparent,
    /// Defines the name in its `name` field.
    Define(DefinitionKind),
    /// Defines what the function finds, if anything.
    DefineBy(Definer),
    /// Wraps a definition and extends its range: `export`, decorators, `template<...>`.
    Wrap,
    /// A [`Rule::Wrap`] that also determines the kind of the definition: `const ( ... )` around single constants.
    Group,
    /// A comment, attribute or decorator. It belongs to the item after it.
    Lead,
    /// A [`Rule::Lead`] if the first function returns true, otherwise what the second function decides.
    LeadOr(fn(Node<'_>, &str) -> bool, Decider),
    /// A node that gets its own chunk but defines nothing. The function may find a label for it.
    Block(Labeler),
    /// A function without a name. Definitions inside it are local to it.
    Anonymous,
    /// A call. The callee is in this field.
    Call(&'static str),
    /// A call whose callee is found by the function.
    CallBy(Caller),
    /// The name of a type.
    Type,
    /// A node whose field with this name is a region like [`Rule::TypeRegion`].
    TypeIn(&'static str),
    /// A region in which every [`Rule::TypeName`] is a type.
    TypeRegion,
    /// An identifier that is a type only inside a [`Rule::TypeRegion`] or a type field.
    TypeName,
    /// Imports other modules.
    Import(Importer),
    /// Decided by the function, for node kinds whose meaning depends on their content.
    Decide(Decider),
}

/// The role of a name, by its position in the syntax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameRole {
    /// The name of what is declared here, or a label: not a use of anything.
    Name,
    /// Declares a parameter or variable of the enclosing function.
    Binding,
    /// Declares that the name refers to a variable outside the function: `global NAME`.
    Outer,
    /// Part of a pattern: declares a variable, unless it is capitalised like a type.
    Pattern,
    /// The name of a field in a literal or pattern whose type is not known.
    Key,
    /// The name of a field that a pattern takes from a value: `{ retry }` in `const { retry } = shop`. Unless another name
    /// follows it, it also declares a variable.
    Unpacked,
    /// A token inside a macro.
    Macro,
    Use(ReferenceKind),
}

/// The fields of a declaration that contain the name, type and value of a local variable. Empty if there is none. The name
/// may also be the first child.
#[derive(Clone, Copy)]
pub(crate) struct Local {
    pub name: &'static str,
    pub annotation: &'static str,
    pub value: &'static str,
}

impl Local {
    pub const fn new(name: &'static str, annotation: &'static str, value: &'static str) -> Self {
        Self { name, annotation, value }
    }
}

/// The result of a [`Decider`] for a node.
pub(crate) enum Meaning<'t> {
    Nothing,
    Define(FoundDefinition<'t>),
    Call(Callee<'t>),
    Import(Vec<Import>),
    Wrap,
}

impl<'t> Meaning<'t> {
    pub fn define(found: Option<FoundDefinition<'t>>) -> Self {
        found.map_or(Self::Nothing, Self::Define)
    }

    pub fn call(callee: Option<Callee<'t>>) -> Self {
        callee.map_or(Self::Nothing, Self::Call)
    }
}

pub(crate) type Definer = for<'t> fn(Node<'t>, &'t str) -> Option<FoundDefinition<'t>>;
pub(crate) type Caller = for<'t> fn(Node<'t>, &'t str) -> Option<Callee<'t>>;
pub(crate) type Labeler = for<'t> fn(Node<'t>, &'t str) -> Option<&'t str>;
pub(crate) type Decider = for<'t> fn(Node<'t>, &'t str) -> Meaning<'t>;
pub(crate) type Importer = fn(Node<'_>, &str, &mut Vec<Import>);
/// Finds the part of a node that lists bases.
pub(crate) type BaseFinder = for<'t> fn(Node<'t>, &str) -> Option<Node<'t>>;
pub(crate) type HiddenFinder = fn(&str) -> Vec<Range<usize>>;
pub(crate) type FileImporter = fn(Node<'_>, &str, &[Definition]) -> Vec<Import>;

/// A definition found by a [`Definer`].
pub(crate) struct FoundDefinition<'t> {
    /// `None` for a scope that qualifies names but is not a definition, such as an `impl` block.
    pub kind: Option<DefinitionKind>,
    pub name: &'t str,
    pub name_line: usize,
    /// A scope that is written in the definition itself instead of around it: a Go receiver, `Foo::` in C++.
    pub within: Option<&'t str>,
    /// Start of the body, if it is not the `body` field.
    pub body: Option<usize>,
    /// The id of the node kind to report, if it is not that of the node.
    pub node_kind: Option<u16>,
    pub is_test: bool,
    /// The type that the value is cast to, which may not be on the definition's first line.
    pub cast: Option<&'t str>,
    /// Whether names inside are qualified with this name. False for a namespace that spans whole files, which adds no
    /// information.
    pub qualifies: bool,
}

impl<'t> FoundDefinition<'t> {
    pub fn new(kind: DefinitionKind, name: Node<'t>, text: &'t str) -> Self {
        Self {
            kind: Some(kind),
            name: slice(name, text),
            name_line: name.start_position().row,
            within: None,
            body: None,
            node_kind: None,
            is_test: false,
            cast: None,
            qualifies: true,
        }
    }

    pub fn scope(name: Node<'t>, text: &'t str) -> Self {
        Self { kind: None, ..Self::new(DefinitionKind::Module, name, text) }
    }
}

/// The callee of a call: its name and its qualifier.
pub(crate) struct Callee<'t> {
    pub name: &'t str,
    pub receiver: Option<&'t str>,
}

impl<'t> Callee<'t> {
    /// Splits `mailer.queue.send` into `send` and the part before it. Type arguments are removed.
    pub fn parse(path: &'t str) -> Option<Self> {
        let path = without_type_arguments(path);
        let start = path.rfind(|c: char| !is_name_char(c)).map_or(0, |at| at + char_len(path, at));
        let (before, name) = path.split_at(start);
        let before = before.trim_end_matches(|c: char| ".:->?!&".contains(c) || c.is_whitespace());
        let receiver = (!before.is_empty()).then_some(before);
        (!name.is_empty()).then_some(Self { name, receiver })
    }
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn char_len(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(1, char::len_utf8)
}

/// Removes type arguments: `collect` from `collect::<Vec<_>>`.
fn without_type_arguments(path: &str) -> &str {
    if !path.ends_with('>') || path.ends_with("->") {
        return path;
    }
    let mut depth = 0;
    for (at, byte) in path.bytes().enumerate().rev() {
        match byte {
            b'>' => depth += 1,
            b'<' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return path[..at].trim_end_matches(':');
        }
    }
    path
}

/// The rules of a language, indexed by the ids of its grammar.
pub(crate) struct Table {
    pub grammar: &'static Grammar,
    pub language: &'static tree_sitter::Language,
    rules: Vec<Rule>,
    locals: Vec<Option<Local>>,
    bases: Vec<Option<BaseFinder>>,
}

impl Table {
    pub fn bases(&self, kind_id: u16) -> Option<BaseFinder> {
        self.bases.get(usize::from(kind_id)).copied().flatten()
    }

    pub fn rule(&self, kind_id: u16) -> Rule {
        self.rules.get(usize::from(kind_id)).copied().unwrap_or(Rule::Descend)
    }

    /// The name of a node kind. It outlives the tree, unlike the name that a node gives.
    pub fn kind_name(&self, kind_id: u16) -> &'static str {
        self.language.node_kind_for_id(kind_id).unwrap_or("ERROR")
    }

    pub fn local(&self, kind_id: u16) -> Option<Local> {
        self.locals.get(usize::from(kind_id)).copied().flatten()
    }
}

impl Syntax {
    /// The kinds of definitions that a node of this kind always creates.
    pub fn definitions_by<'n>(&self, node_kind: &'n str) -> impl Iterator<Item = DefinitionKind> + use<'n> {
        self.rules.iter().filter_map(move |(name, rule)| match rule {
            Rule::Define(kind) if *name == node_kind => Some(*kind),
            _ => None,
        })
    }

    pub const fn new(grammar: &'static Grammar, rules: &'static [(&'static str, Rule)]) -> Self {
        Self {
            grammar,
            rules,
            type_fields: &[],
            test_marks: &[],
            joins_clauses: false,
            locals: &[],
            file_importer: None,
            name_roles: &[],
            bases: &[],
            no_bases: &[],
            hidden: None,
            table: OnceLock::new(),
        }
    }

    /// See [`Syntax::type_fields`].
    pub const fn with_type_fields(mut self, fields: &'static [&'static str]) -> Self {
        self.type_fields = fields;
        self
    }

    /// See [`Syntax::test_marks`].
    pub const fn with_test_marks(mut self, marks: &'static [&'static str]) -> Self {
        self.test_marks = marks;
        self
    }

    /// See [`Syntax::joins_clauses`].
    pub const fn with_joined_clauses(mut self) -> Self {
        self.joins_clauses = true;
        self
    }

    /// See [`Syntax::locals`].
    pub const fn with_locals(mut self, locals: &'static [(&'static str, Local)]) -> Self {
        self.locals = locals;
        self
    }

    /// See [`Syntax::file_importer`].
    pub const fn with_file_importer(mut self, importer: FileImporter) -> Self {
        self.file_importer = Some(importer);
        self
    }

    /// See [`Syntax::name_roles`].
    pub const fn with_name_roles(
        mut self,
        name_roles: &'static [(&'static str, &'static str, NameRole)],
    ) -> Self {
        self.name_roles = name_roles;
        self
    }

    /// See [`Syntax::bases`] and [`Syntax::no_bases`].
    pub const fn with_bases(
        mut self,
        bases: &'static [(&'static str, BaseFinder)],
        but: &'static [(&'static str, &'static str)],
    ) -> Self {
        self.bases = bases;
        self.no_bases = but;
        self
    }

    /// See [`Syntax::hidden`].
    pub const fn with_hidden(mut self, finder: HiddenFinder) -> Self {
        self.hidden = Some(finder);
        self
    }

    /// The parts of a text to hide from the parser.
    pub fn hidden_in(&self, text: &str) -> Vec<Range<usize>> {
        self.hidden.map_or_else(Vec::new, |find| find(text))
    }

    pub fn has_grammar(&self) -> bool {
        self.grammar.is_included()
    }

    /// The resolved rules; `None` if the build does not include the grammar.
    pub fn table(&self) -> Option<&Table> {
        self.table.get_or_init(|| self.grammar.language().map(|language| self.resolve(language))).as_ref()
    }

    fn resolve(&self, language: &'static tree_sitter::Language) -> Table {
        let ids = 0..language.node_kind_count() as u16;
        let kinds: Vec<Option<&str>> =
            ids.map(|id| language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id))).collect();
        Table {
            grammar: self.grammar,
            language,
            rules: by_kind(&kinds, self.rules).map(|rule| rule.unwrap_or(Rule::Descend)).collect(),
            locals: by_kind(&kinds, self.locals).collect(),
            bases: by_kind(&kinds, self.bases).collect(),
        }
    }
}

/// Looks up each node kind in a list.
fn by_kind<'k, T: Copy>(
    kinds: &'k [Option<&str>],
    list: &'k [(&str, T)],
) -> impl Iterator<Item = Option<T>> + 'k {
    let of = |kind: &str| list.iter().find(|(name, _)| *name == kind).map(|(_, of_kind)| *of_kind);
    kinds.iter().map(move |kind| kind.and_then(of))
}

impl std::fmt::Debug for Syntax {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Syntax").field("rules", &self.rules.len()).finish_non_exhaustive()
    }
}

/// The text of a node. Empty if the tree was not parsed from this text.
pub(crate) fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The text of a field's node.
pub(crate) fn field_text<'t>(node: Node<'_>, field: &str, text: &'t str) -> Option<&'t str> {
    node.child_by_field_name(field).map(|child| slice(child, text))
}

/// The first named child as the callee. Many grammars put the callee there.
pub(crate) fn first_child_callee<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    Callee::parse(slice(node.named_child(0)?, text))
}

/// Whether a keyword comes before the name of a definition: `interface` in `sealed interface Shape`.
pub(crate) fn has_keyword(node: Node<'_>, name: Node<'_>, keyword: &str, text: &str) -> bool {
    let head = text.get(node.start_byte()..name.start_byte()).unwrap_or_default();
    head.split_whitespace().any(|word| word == keyword)
}

/// The first named child of one of `kinds`.
pub(crate) fn child_of_kind<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| kinds.contains(&child.kind()))
}

/// The whole node lists bases.
#[expect(clippy::unnecessary_wraps, reason = "other finders look for a part of the node, and may find none")]
pub(crate) fn whole<'t>(node: Node<'t>, _: &str) -> Option<Node<'t>> {
    Some(node)
}

/// Text without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// A renamed import, as local name and original name: `here=there`.
pub(crate) fn renamed(here: &str, there: &str) -> String {
    if here == there { here.to_owned() } else { format!("{here}={there}") }
}

/// An import of a whole module.
pub(crate) fn import(node: Node<'_>, kind: &str, specifier: &str) -> Import {
    Import {
        specifier: specifier.to_owned(),
        names: Vec::new(),
        line: node.start_position().row as u32 + 1,
        kind: kind.to_owned(),
    }
}
