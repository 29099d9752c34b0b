//! Walks a syntax tree and assigns token classes. Most classes follow from the node kind. The language's rules determine
//! which names are functions and types. For other names, the naming convention decides.

use std::collections::HashMap;

use tree_sitter::{Node, TreeCursor};
use vectorcode_core::{ContentClass, DefinitionKind, Token, TokenClass};

use super::paint::Brush;
use super::rule::{HighlightRule, HighlightRules};
use crate::languages::{Callee, FoundDefinition, Language, Meaning, Rule, Syntax, Table};

/// Field names that grammars use for the right side of `a.b`.
const MEMBER_FIELDS: &[&str] = &["field", "attribute", "property", "member", "suffix"];

pub(super) fn tokens(
    root: Node<'_>,
    text: &str,
    language: &Language,
    syntax: &Syntax,
    table: &Table,
) -> Vec<Token> {
    let mut walk = Walk {
        text,
        syntax,
        table,
        is_data: language.class == ContentClass::Config,
        rules: HighlightRules::default(),
        brush: Brush::new(text),
        open: Vec::new(),
        known: HashMap::new(),
    };
    walk.run(&mut root.walk());
    walk.brush.finish()
}

struct Walk<'t> {
    text: &'t str,
    syntax: &'t Syntax,
    table: &'t Table,
    /// Whether this is a configuration file, in which keys are highlighted as properties.
    is_data: bool,
    rules: HighlightRules,
    brush: Brush<'t>,
    open: Vec<Region<'t>>,
    /// Classes of names that a rule has decided, by the start offset of the name.
    known: HashMap<usize, TokenClass>,
}

/// A node that contains the current position of the walk.
#[derive(Clone, Copy, Default)]
struct Region<'t> {
    class: Option<TokenClass>,
    /// Nodes inside have no class of their own, except code inside a string.
    sealed: bool,
    /// Only nodes with `HighlightRule::All` inside have a class of their own, such as strings, numbers and comments.
    guarded: bool,
    /// Whether names inside are types.
    types: bool,
    /// The field of this node in which names are types.
    type_field: Option<&'t str>,
}

impl<'t> Walk<'t> {
    fn run(&mut self, cursor: &mut TreeCursor<'t>) {
        loop {
            self.enter(cursor.node(), cursor.field_name());
            if cursor.goto_first_child() {
                continue;
            }
            self.leave(cursor.node());
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
                self.leave(cursor.node());
            }
        }
    }

    fn enter(&mut self, node: Node<'t>, field: Option<&'t str>) {
        let around = self.open.last().copied().unwrap_or_default();
        self.brush.paint_to(node.start_byte(), around.class);
        let rule = if node.is_named() { self.table.rule(node.kind_id()) } else { Rule::Descend };
        if !around.sealed {
            self.learn(node, rule);
        }
        let mut region = self.region(node, field, rule, around);
        region.types |= self.opens_types(rule, field, around);
        if let Rule::TypeIn(field) = rule {
            region.type_field = Some(field);
        }
        self.open.push(region);
    }

    fn leave(&mut self, node: Node<'t>) {
        let class = self.open.pop().and_then(|region| region.class);
        self.brush.paint_to(node.end_byte(), class);
    }

    fn region(&mut self, node: Node<'t>, field: Option<&str>, rule: Rule, around: Region<'t>) -> Region<'t> {
        let inside = Region { type_field: None, ..around };
        let with = |class| Region { class: Some(class), ..inside };
        let highlight = self.rules.of(node);
        if self.is_data && field == Some("key") {
            return Region { sealed: true, ..with(TokenClass::Property) };
        }
        match highlight {
            HighlightRule::Code if around.class == Some(TokenClass::String) => Region::default(),
            _ if around.sealed => inside,
            HighlightRule::All(class) => Region { sealed: true, ..with(class) },
            _ if around.guarded => inside,
            HighlightRule::Around(class) => Region { guarded: true, ..with(class) },
            HighlightRule::Leaf(class) if node.child_count() == 0 => {
                with(self.known.get(&node.start_byte()).copied().unwrap_or(class))
            }
            HighlightRule::Name => Region { class: self.name_class(node, field, rule, around), ..inside },
            HighlightRule::Leaf(_) | HighlightRule::Plain | HighlightRule::Code => inside,
        }
    }

    fn name_class(
        &self,
        node: Node<'t>,
        field: Option<&str>,
        rule: Rule,
        around: Region<'t>,
    ) -> Option<TokenClass> {
        if node.child_count() > 0 {
            return around.class;
        }
        if let Some(class) = self.known.get(&node.start_byte()) {
            return Some(*class);
        }
        let is_type = matches!(rule, Rule::Type) || (around.types && matches!(rule, Rule::TypeName));
        if is_type {
            return Some(TokenClass::Type);
        }
        if field.is_some_and(|field| MEMBER_FIELDS.contains(&field)) || is_accessed_member(node, field) {
            return Some(TokenClass::Property);
        }
        by_fashion(self.text.get(node.byte_range()).unwrap_or_default()).or(around.class)
    }

    fn opens_types(&self, rule: Rule, field: Option<&str>, around: Region<'t>) -> bool {
        let by_field = field.is_some()
            && (field == around.type_field
                || field.is_some_and(|field| self.syntax.type_fields.contains(&field)));
        matches!(rule, Rule::TypeRegion) || by_field
    }

    /// Stores the classes of the names that the rule of this node decides.
    fn learn(&mut self, node: Node<'t>, rule: Rule) {
        match rule {
            Rule::Define(kind) => {
                let name = node.child_by_field_name("name");
                self.learn_definition(name.map(|name| FoundDefinition::new(kind, name, self.text)));
            }
            Rule::DefineBy(definer) => self.learn_definition(definer(node, self.text)),
            Rule::Call(field) => {
                let callee =
                    node.child_by_field_name(field).and_then(|callee| self.text.get(callee.byte_range()));
                self.learn_call(callee.and_then(Callee::parse));
            }
            Rule::CallBy(caller) => self.learn_call(caller(node, self.text)),
            Rule::Decide(decider) | Rule::LeadOr(_, decider) => {
                self.learn_meaning(node, decider(node, self.text));
            }
            _ => {}
        }
    }

    /// A node that looks like a call but is not one is highlighted as a keyword: `def` in Elixir, `require` in Ruby.
    fn learn_meaning(&mut self, node: Node<'t>, meaning: Meaning<'t>) {
        let looks_like_a_call = matches!(node.kind(), "call" | "command");
        if looks_like_a_call && !matches!(meaning, Meaning::Call(_)) {
            self.known.insert(node.start_byte(), TokenClass::Keyword);
        }
        match meaning {
            Meaning::Define(found) => self.learn_definition(Some(found)),
            Meaning::Call(callee) => self.learn_call(Some(callee)),
            Meaning::Nothing | Meaning::Import(_) | Meaning::Wrap => {}
        }
    }

    fn learn_definition(&mut self, found: Option<FoundDefinition<'t>>) {
        let Some(found) = found else { return };
        if let Some((start, class)) = self.offset(found.name).zip(found.kind.and_then(class_of)) {
            self.known.insert(start, class);
        }
    }

    fn learn_call(&mut self, callee: Option<Callee<'t>>) {
        if let Some(start) = callee.and_then(|callee| self.offset(callee.name)) {
            self.known.entry(start).or_insert(TokenClass::Function);
        }
    }

    /// The offset of a slice of the text.
    fn offset(&self, part: &str) -> Option<usize> {
        let start = (part.as_ptr() as usize).checked_sub(self.text.as_ptr() as usize)?;
        (start < self.text.len()).then_some(start)
    }
}

/// Whether the node is `b` of `a.b`, in grammars that name this field `name`.
fn is_accessed_member(node: Node<'_>, field: Option<&str>) -> bool {
    field == Some("name") && node.parent().is_some_and(|parent| parent.kind().contains("member_access"))
}

fn class_of(kind: DefinitionKind) -> Option<TokenClass> {
    use DefinitionKind as Kind;
    match kind {
        Kind::Function | Kind::Method | Kind::Macro => Some(TokenClass::Function),
        Kind::Class
        | Kind::Struct
        | Kind::Enum
        | Kind::Interface
        | Kind::Trait
        | Kind::Type
        | Kind::Module => Some(TokenClass::Type),
        Kind::Constant => Some(TokenClass::Constant),
        Kind::Field => Some(TokenClass::Property),
        Kind::Variable | Kind::Section => None,
    }
}

/// The class by naming convention: in most languages `MAX_SIZE` is a constant and `Duration` a type.
fn by_fashion(name: &str) -> Option<TokenClass> {
    match name.as_bytes().first()? {
        b'"' | b'\'' => return Some(TokenClass::String),
        b'0'..=b'9' => return Some(TokenClass::Number),
        _ => {}
    }
    let mut letters = name.chars().filter(|c| c.is_alphabetic());
    if !letters.next()?.is_uppercase() {
        return None;
    }
    if letters.clone().any(char::is_lowercase) {
        return Some(TokenClass::Type);
    }
    letters.next().map(|_| TokenClass::Constant)
}
