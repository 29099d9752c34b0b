//! The walk over the syntax tree. The language's rules say what a node means, and the walk decides what to record.

use std::collections::HashSet;
use std::ops::Range;

use tree_sitter::Node;

use super::fields::Fields;
use super::local::Locals;
use super::scope::Scopes;
use super::wanted_names::WantedNames;
use super::{EntryRole, Extracted};
use crate::languages::{Callee, FoundDefinition, Meaning, Rule, Syntax, Table};
use crate::lines::Lines;

/// Maximum depth of a definition below its wrapper: `export` > `const` > declarator.
const MAX_WRAP_DEPTH: u32 = 2;

/// Extracts definitions, references, imports and the outline from a tree. If `wanted` contains names, the references are all
/// occurrences of these names, and nothing else.
pub(crate) fn extract<'t>(
    root: Node<'t>,
    lines: &Lines<'t>,
    syntax: &Syntax,
    table: &Table,
    wanted: &[String],
) -> Extracted {
    let mut walk = Walk::new(lines, syntax, table, wanted);
    let mut cursor = root.walk();
    let mut depth = 0;
    loop {
        let node = cursor.node();
        let descend = depth == 0 || !node.is_named() || walk.visit(node, depth);
        if descend && cursor.goto_first_child() {
            depth += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return walk.found;
            }
            depth -= 1;
        }
        walk.leave(depth);
    }
}

/// The state of a walk. The modules `define` and `refer` handle definitions and references.
pub(super) struct Walk<'t, 's> {
    pub text: &'t str,
    pub lines: &'s Lines<'t>,
    pub syntax: &'s Syntax,
    pub table: &'s Table,
    pub found: Extracted,
    pub scopes: Scopes,
    pub locals: Locals<'t>,
    pub fields: Fields,
    lead: Option<Lead>,
    wrap: Option<Wrap>,
    /// Depth of the nodes that count as the top level of the file.
    top: u32,
    /// Regions in which identifiers are types. Regions that the walk has left are removed when the next one is added.
    pub type_regions: Vec<Range<usize>>,
    /// Regions in which types are bases of the enclosing type, removed in the same way.
    pub base_regions: Vec<Range<usize>>,
    /// Offset of the name of the latest definition. It must not be recorded as a reference.
    pub last_name: usize,
    /// Types already recorded, with their enclosing definition and the type that they are a base of. One reference each is
    /// enough.
    pub types_seen: HashSet<(Option<u32>, &'t str, Option<String>)>,
    pub wanted: WantedNames<'t, 's>,
}

/// Comments, attributes and decorators whose item has not been visited yet.
struct Lead {
    start: usize,
    end: usize,
    last_line: usize,
}

/// A node around a definition. The definition takes the byte range of this node.
pub(super) struct Wrap {
    depth: u32,
    pub bytes: Range<usize>,
    /// Start of the node itself, after comments.
    pub head: usize,
    /// The id of its own node kind.
    pub node_kind: u16,
    /// The id of the node kind that the definition takes from it, if any.
    pub kind: Option<u16>,
    /// Index of its outline entry, if it is at the top level.
    pub entry: Option<usize>,
}

impl<'t, 's> Walk<'t, 's> {
    fn new(lines: &'s Lines<'t>, syntax: &'s Syntax, table: &'s Table, wanted: &'s [String]) -> Self {
        Self {
            text: lines.text,
            lines,
            syntax,
            table,
            found: Extracted::default(),
            scopes: Scopes::default(),
            locals: Locals::default(),
            fields: Fields::default(),
            lead: None,
            wrap: None,
            top: 1,
            type_regions: Vec::new(),
            base_regions: Vec::new(),
            last_name: usize::MAX,
            types_seen: HashSet::new(),
            wanted: WantedNames::new(wanted),
        }
    }

    /// Handles a named node. Returns whether the walk should visit its children.
    fn visit(&mut self, node: Node<'t>, depth: u32) -> bool {
        if let Some(local) = self.table.local(node.kind_id()) {
            self.locals.declare(node, local, &mut self.fields, self.text, &self.scopes);
        }
        let descend = self.enter(node, self.table.rule(node.kind_id()), depth);
        if let Some(region) = self.table.bases(node.kind_id()).and_then(|find| find(node, self.text)) {
            self.add_base_region(region);
        }
        if self.wanted.is_empty() {
            return descend;
        }
        if node.child_count() == 0 {
            self.visit_leaf(node);
        }
        descend || node.start_byte() < self.wanted.end_of_import()
    }

    fn enter(&mut self, node: Node<'t>, rule: Rule, depth: u32) -> bool {
        if self.is_lead(node, rule) {
            self.extend_lead(node);
            // Decorators can contain calls. The attributes of Elixir contain no code that runs.
            return matches!(rule, Rule::Lead);
        }
        let start = self.take_lead(node, rule);
        let entries = self.found.outline.len();
        let imports = self.found.imports.len();
        let descend = self.apply(node, rule, depth, start);
        // A leaf node at the top level is a keyword or the name of a condition, not a statement.
        if depth == self.top && self.found.outline.len() == entries && node.child_count() > 0 {
            let imported = self.found.imports.len() > imports;
            self.push_unnamed(node, None, start, if imported { EntryRole::Import } else { EntryRole::Loose });
        }
        descend
    }

    /// Closes the scopes that were opened at `depth` or deeper.
    fn leave(&mut self, depth: u32) {
        self.scopes.close(depth);
        self.locals.close(&self.scopes);
        self.wanted.close(self.scopes.len());
        self.top = self.top.min(depth.max(1));
    }

    fn apply(&mut self, node: Node<'t>, rule: Rule, depth: u32, start: usize) -> bool {
        match rule {
            Rule::Descend | Rule::Lead => true,
            Rule::Skip => false,
            Rule::Transparent => {
                self.top += u32::from(depth == self.top);
                true
            }
            Rule::Define(kind) => {
                let name = self.fields.child(node, "name");
                let found = name.map(|name| FoundDefinition::new(kind, name, self.text));
                found.is_none_or(|found| self.define(node, &found, depth, start))
            }
            Rule::DefineBy(definer) => {
                definer(node, self.text).is_none_or(|found| self.define(node, &found, depth, start))
            }
            Rule::Wrap => self.wrap(node, None, depth, start),
            Rule::Group => self.wrap(node, Some(node.kind_id()), depth, start),
            Rule::Block(labeler) => {
                self.add_block(node, labeler, start);
                true
            }
            Rule::Anonymous => {
                self.scopes.open_anonymous(depth);
                true
            }
            Rule::Call(field) => {
                let callee = self.fields.child(node, field).and_then(|callee| self.callee(callee));
                self.add_call(node, callee);
                true
            }
            Rule::CallBy(caller) => {
                self.add_call(node, caller(node, self.text));
                true
            }
            Rule::Type => {
                self.add_type(node);
                false
            }
            Rule::TypeIn(field) => {
                let region = self.fields.child(node, field);
                self.add_type_region(region);
                true
            }
            Rule::TypeRegion => {
                self.add_type_region(Some(node));
                true
            }
            Rule::TypeName => {
                if self.is_in_type_region(node) {
                    self.add_type(node);
                }
                false
            }
            Rule::Import(importer) => {
                importer(node, self.text, &mut self.found.imports);
                self.wanted.note_import(node.end_byte());
                false
            }
            Rule::Decide(decider) | Rule::LeadOr(_, decider) => {
                self.decide(node, decider(node, self.text), depth, start)
            }
        }
    }

    fn decide(&mut self, node: Node<'t>, meaning: Meaning<'t>, depth: u32, start: usize) -> bool {
        match meaning {
            Meaning::Nothing => true,
            Meaning::Wrap => self.wrap(node, None, depth, start),
            Meaning::Define(found) => self.define(node, &found, depth, start),
            Meaning::Call(callee) => {
                self.add_call(node, Some(callee));
                true
            }
            Meaning::Import(imports) => {
                self.found.imports.extend(imports);
                self.wanted.note_import(node.end_byte());
                false
            }
        }
    }

    fn callee(&self, node: Node<'t>) -> Option<Callee<'t>> {
        Callee::parse(self.text.get(node.byte_range())?)
    }
}

/// Comments and wrappers, which extend the byte range of an item.
impl<'t> Walk<'t, '_> {
    fn is_lead(&self, node: Node<'t>, rule: Rule) -> bool {
        match rule {
            Rule::Lead => true,
            Rule::LeadOr(is_lead, _) => is_lead(node, self.text),
            _ => false,
        }
    }

    fn extend_lead(&mut self, node: Node<'t>) {
        let bytes = trimmed(self.text, node.byte_range());
        let lines = self.lines.touched(&bytes);
        match &mut self.lead {
            Some(lead) if bytes.start < lead.end => {}
            Some(lead) if lines.start <= lead.last_line + 1 => {
                lead.end = bytes.end;
                lead.last_line = lines.end - 1;
            }
            // A trailing comment after code on the same line belongs to that code.
            _ if self.text[self.lines.start(lines.start)..bytes.start].trim().is_empty() => {
                self.lead = Some(Lead { start: bytes.start, end: bytes.end, last_line: lines.end - 1 });
            }
            _ => {}
        }
    }

    /// Start of the item at `node`, including the comments above it.
    fn take_lead(&mut self, node: Node<'t>, rule: Rule) -> usize {
        let start = node.start_byte();
        let Some(lead) = &self.lead else { return start };
        let (lead_start, is_inside) = (lead.start, start < lead.end);
        let is_below = !is_inside && node.start_position().row <= lead.last_line + 1;
        // Keep the lead while the nodes inside a decorator are visited. A node without a meaning leaves it to its
        // first child.
        let keeps_waiting = is_inside || (is_below && matches!(rule, Rule::Descend | Rule::Transparent));
        if !keeps_waiting {
            self.lead = None;
        }
        if is_below { lead_start } else { start }
    }

    /// Opens a wrapper. Inside an open wrapper it only sets the kind of that one, if it has none.
    fn wrap(&mut self, node: Node<'t>, kind: Option<u16>, depth: u32, start: usize) -> bool {
        match &mut self.wrap {
            Some(outer) if node.start_byte() < outer.bytes.end => outer.kind = outer.kind.or(kind),
            _ => {
                let entry = (depth == self.top).then_some(self.found.outline.len());
                if entry.is_some() {
                    self.push_unnamed(node, None, start, EntryRole::Loose);
                }
                let bytes = trimmed(self.text, start..node.end_byte());
                let (head, node_kind) = (node.start_byte(), node.kind_id());
                self.wrap = Some(Wrap { depth, bytes, head, node_kind, kind, entry });
            }
        }
        true
    }

    /// Takes the wrapper around a definition at `depth`. A wrapper belongs to one definition only.
    pub fn take_wrap(&mut self, node: Node<'t>, depth: u32) -> Option<Wrap> {
        self.wrap
            .take()
            .filter(|wrap| node.end_byte() <= wrap.bytes.end && depth <= wrap.depth + MAX_WRAP_DEPTH)
    }
}

/// A range without trailing whitespace. Some grammars include the line ending in a comment node.
pub(super) fn trimmed(text: &str, bytes: Range<usize>) -> Range<usize> {
    // In code with syntax errors, the end of a node may be inside a character.
    let end = text.floor_char_boundary(bytes.end);
    let length = text.get(bytes.start..end).map_or(0, |text| text.trim_end().len());
    bytes.start..bytes.start + length
}
