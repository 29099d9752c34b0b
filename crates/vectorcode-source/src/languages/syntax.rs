//! How a syntax tree is read: one rule per node kind, resolved to a table by kind id once per language.
//!
//! A rule says what a node means (it defines something, calls something, imports something); the walk in
//! `extract` does the rest. Where a grammar needs more than a field name, a rule holds a function.

use std::sync::OnceLock;

use tree_sitter::Node;
use vectorcode_core::{Definition, DefinitionKind, Import};
use vectorcode_grammars::Grammar;

/// A grammar and its rules.
pub(crate) struct Syntax {
    grammar: &'static Grammar,
    rules: &'static [(&'static str, Rule)],
    /// Fields of a definition's node that name types: base classes, implemented interfaces.
    pub type_fields: &'static [&'static str],
    /// What a line of attributes or decorators above (or the first line of) a test item begins with: `#[test]`.
    pub test_marks: &'static [&'static str],
    /// Neighbouring functions of one name are clauses of one definition.
    pub joins_clauses: bool,
    /// Nodes that declare local variables and parameters.
    locals: &'static [(&'static str, Local)],
    /// Imports that only the file as a whole tells: the package it belongs to, statements inside macros.
    pub file_importer: Option<FileImporter>,
    table: OnceLock<Option<Table>>,
}

/// What a node of some kind means.
#[derive(Clone, Copy)]
pub(crate) enum Rule {
    /// Means nothing itself; its children may.
    Descend,
    /// Means nothing and holds nothing.
    Skip,
    /// Its children count as children of the node above: a root inside the root.
    Transparent,
    /// Defines what its `name` field says.
    Define(DefinitionKind),
    /// Defines what the function finds, if anything.
    DefineBy(Definer),
    /// Stands around a definition that reaches as far as it does: `export`, decorators, `template<...>`.
    Wrap,
    /// A [`Rule::Wrap`] that also gives the definition its kind: `const ( ... )` around single constants.
    Group,
    /// A comment, attribute or decorator: belongs to the item below it.
    Lead,
    /// A [`Rule::Lead`] when the first function says so, else what the second decides.
    LeadOr(fn(Node<'_>, &str) -> bool, Decider),
    /// A piece worth a chunk of its own that defines nothing, with a label where the function finds one.
    Block(Labeler),
    /// A function without a name: what it defines is local to it.
    Anonymous,
    /// A call, whose callee stands in this field.
    Call(&'static str),
    /// A call whose callee the function finds.
    CallBy(Caller),
    /// The name of a type.
    Type,
    /// A node whose field of this name is a region like [`Rule::TypeRegion`].
    TypeIn(&'static str),
    /// A region in which every [`Rule::TypeName`] is a type.
    TypeRegion,
    /// An identifier, a type only inside a [`Rule::TypeRegion`] or a type field.
    TypeName,
    /// Brings in other modules.
    Import(Importer),
    /// What the function says, for nodes that mean different things by their content.
    Decide(Decider),
}

/// Which fields of a declaration tell the name, the type and the value of a local variable; empty for none. The name may
/// also be the first child.
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

/// What a [`Decider`] makes of a node.
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
pub(crate) type FileImporter = fn(Node<'_>, &str, &[Definition]) -> Vec<Import>;

/// A definition, as a [`Definer`] reports it.
pub(crate) struct FoundDefinition<'t> {
    /// `None` for a scope that qualifies names but defines nothing, such as an `impl` block.
    pub kind: Option<DefinitionKind>,
    pub name: &'t str,
    pub name_line: usize,
    /// A scope that is written at the definition and not around it: a Go receiver, `Foo::` in C++.
    pub within: Option<&'t str>,
    /// Where the body begins, when not at the `body` field.
    pub body: Option<usize>,
    /// The node kind to report, when not the node's own.
    pub node_kind: Option<&'t str>,
    pub is_test: bool,
    /// Whether names inside carry its name; a namespace that spans whole files says nothing about them.
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
            qualifies: true,
        }
    }

    pub fn scope(name: Node<'t>, text: &'t str) -> Self {
        Self { kind: None, ..Self::new(DefinitionKind::Module, name, text) }
    }
}

/// What is called: a name, and what stands before it.
pub(crate) struct Callee<'t> {
    pub name: &'t str,
    pub receiver: Option<&'t str>,
}

impl<'t> Callee<'t> {
    /// Splits `mailer.queue.send` into `send` and what stands before it; type arguments are left out.
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

/// `collect::<Vec<_>>` without its `::<Vec<_>>`.
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

/// The rules of a language by the ids of its grammar.
pub(crate) struct Table {
    pub language: &'static tree_sitter::Language,
    rules: Vec<Rule>,
    locals: Vec<Option<Local>>,
}

impl Table {
    pub fn rule(&self, kind_id: u16) -> Rule {
        self.rules.get(usize::from(kind_id)).copied().unwrap_or(Rule::Descend)
    }

    pub fn local(&self, kind_id: u16) -> Option<Local> {
        self.locals.get(usize::from(kind_id)).copied().flatten()
    }
}

impl Syntax {
    pub const fn new(grammar: &'static Grammar, rules: &'static [(&'static str, Rule)]) -> Self {
        Self {
            grammar,
            rules,
            type_fields: &[],
            test_marks: &[],
            joins_clauses: false,
            locals: &[],
            file_importer: None,
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

    pub fn has_grammar(&self) -> bool {
        self.grammar.is_included()
    }

    /// The resolved rules; `None` in a build without the grammar.
    pub fn table(&self) -> Option<&Table> {
        self.table.get_or_init(|| self.grammar.language().map(|language| self.resolve(language))).as_ref()
    }

    fn resolve(&self, language: &'static tree_sitter::Language) -> Table {
        let kinds = (0..language.node_kind_count() as u16)
            .map(|id| language.node_kind_for_id(id).filter(|_| language.node_kind_is_named(id)));
        let (rules, locals) = kinds
            .map(|kind| {
                (
                    kind.and_then(|kind| of(self.rules, kind)).unwrap_or(Rule::Descend),
                    kind.and_then(|kind| of(self.locals, kind)),
                )
            })
            .unzip();
        Table { language, rules, locals }
    }
}

fn of<T: Copy>(list: &[(&str, T)], kind: &str) -> Option<T> {
    list.iter().find(|(name, _)| *name == kind).map(|(_, of_kind)| *of_kind)
}

impl std::fmt::Debug for Syntax {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Syntax").field("rules", &self.rules.len()).finish_non_exhaustive()
    }
}

/// The text of a node; empty if the tree and the text do not belong together.
pub(crate) fn slice<'t>(node: Node<'_>, text: &'t str) -> &'t str {
    text.get(node.byte_range()).unwrap_or_default()
}

/// The text of a field's node.
pub(crate) fn field_text<'t>(node: Node<'_>, field: &str, text: &'t str) -> Option<&'t str> {
    node.child_by_field_name(field).map(|child| slice(child, text))
}

/// The named child that is farthest in front, by which many grammars mark the callee.
pub(crate) fn first_child_callee<'t>(node: Node<'t>, text: &'t str) -> Option<Callee<'t>> {
    Callee::parse(slice(node.named_child(0)?, text))
}

/// Whether a keyword stands before the name of a definition: `interface` in `sealed interface Shape`.
pub(crate) fn has_keyword(node: Node<'_>, name: Node<'_>, keyword: &str, text: &str) -> bool {
    let head = text.get(node.start_byte()..name.start_byte()).unwrap_or_default();
    head.split_whitespace().any(|word| word == keyword)
}

/// The first named child of one of `kinds`.
pub(crate) fn child_of_kind<'t>(node: Node<'t>, kinds: &[&str]) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| kinds.contains(&child.kind()))
}

/// Text without the quotes around it.
pub(crate) fn unquoted(text: &str) -> &str {
    text.trim_matches(['"', '\'', '`'])
}

/// A name as it is called here, with its other name where it comes from: `here=there`.
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
