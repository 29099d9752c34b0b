//! The part of the walk that records definitions and outline entries.

use std::ops::Range;

use tree_sitter::Node;
use vectorcode_core::{Definition, DefinitionKind};

use super::scope::NewScope;
use super::signature::signature;
use super::walk::{Walk, Wrap, trimmed};
use super::{Entry, EntryRole};
use crate::languages::{FoundDefinition, Labeler};

/// Maximum depth of configuration keys that become definitions.
const MAX_SECTION_DEPTH: usize = 2;
/// Minimum size of a block that gets an outline entry.
const MIN_BLOCK_BYTES: usize = 100;

impl<'t> Walk<'t, '_> {
    /// Records a definition or a scope. Returns whether the walk should visit the children of the node.
    pub fn define(&mut self, node: Node<'t>, found: &FoundDefinition<'t>, depth: u32, start: usize) -> bool {
        if found.kind == Some(DefinitionKind::Section) && self.scopes.len() >= MAX_SECTION_DEPTH {
            return false;
        }
        let kind = found.kind.and_then(|kind| self.scopes.settle(kind));
        let is_local = found.kind.is_some() && kind.is_none();
        if is_local || self.scopes.are_full() || found.name.is_empty() {
            return true;
        }
        self.note_name(node, found);
        let (mut entry, wrapper) = self.entry(node, found, depth, start);
        self.clip_above(entry.bytes.start, node.start_byte());
        if let Some(clause_of) = self.clause_of(kind, &entry, found) {
            self.scopes
                .open(&NewScope { definition: Some(clause_of), ..NewScope::of(depth, found, entry.is_test) });
            return true;
        }
        let definition = kind.map(|kind| (self.push_definition(kind, found, &entry), kind));
        entry.definition = definition.map(|(index, _)| index);
        let (is_test, comment) = (entry.is_test, entry.bytes.start..node.start_byte());
        if self.deserves_entry(kind) {
            self.push_entry(entry, wrapper);
        }
        self.scopes.open(&NewScope { definition, ..NewScope::of(depth, found, is_test) });
        let documented = self.text.get(comment.clone()).unwrap_or_default();
        self.locals.declare_documented(documented, comment.end, &self.scopes);
        true
    }

    /// If this is another clause of the previous function, extends that function to include it and returns it.
    fn clause_of(
        &mut self,
        kind: Option<DefinitionKind>,
        entry: &Entry,
        found: &FoundDefinition<'t>,
    ) -> Option<(u32, DefinitionKind)> {
        let kind = kind.filter(|_| self.syntax.joins_clauses)?;
        let above = self.found.outline.last_mut()?;
        let index = above.definition?;
        let definition = self.found.definitions.get_mut(index as usize)?;
        let is_clause =
            definition.kind == kind && definition.qualified == self.scopes.qualify(found.within, found.name);
        if !is_clause {
            return None;
        }
        above.bytes.end = entry.bytes.end;
        definition.span = self.lines.span(&above.bytes);
        Some((index, kind))
    }

    /// Remembers the position of the name and the parts of the definition that contain types.
    fn note_name(&mut self, node: Node<'t>, found: &FoundDefinition<'t>) {
        // The name of an `impl` block is a use of its type.
        if found.kind.is_some() || self.wanted.is_empty() {
            self.last_name = self.offset(found.name);
        }
        for field in self.syntax.type_fields {
            let region = self.fields.child(node, field);
            self.add_type_region(region);
        }
    }

    fn entry(
        &mut self,
        node: Node<'t>,
        found: &FoundDefinition<'t>,
        depth: u32,
        start: usize,
    ) -> (Entry, Option<usize>) {
        let wrap = self.take_wrap(node, depth);
        let bytes = wrap
            .as_ref()
            .map_or_else(|| trimmed(self.text, start..node.end_byte()), |wrap| wrap.bytes.clone());
        let on_one_line = |head: &usize| !self.text[*head..node.start_byte()].contains('\n');
        let head = wrap.as_ref().map(|wrap| wrap.head).filter(on_one_line).unwrap_or(node.start_byte());
        let body = found.body.or_else(|| self.fields.child(node, "body").map(|body| body.start_byte()));
        let marked = self.has_test_mark(bytes.start..self.last_name);
        let kind = found.node_kind.or(wrap.as_ref().and_then(|wrap| wrap.kind)).unwrap_or(node.kind_id());
        let entry = Entry {
            bytes,
            kind: self.table.kind_name(kind),
            wrappers: wrap.as_ref().map_or([None; 2], |wrap| self.kinds_of(wrap)),
            definition: None,
            label: self.range_of(found.name),
            head,
            body,
            role: EntryRole::Item,
            is_test: found.is_test || marked || self.scopes.is_test(),
        };
        (entry, wrap.and_then(|wrap| wrap.entry))
    }

    fn kinds_of(&self, wrap: &Wrap) -> [Option<&'static str>; 2] {
        [Some(wrap.node_kind), wrap.kind].map(|kind| kind.map(|kind| self.table.kind_name(kind)))
    }

    fn push_definition(&mut self, kind: DefinitionKind, found: &FoundDefinition<'t>, entry: &Entry) -> u32 {
        let mut signature = signature(self.text, entry.head..entry.bytes.end, entry.body);
        let typed = found.cast.filter(|written| !written.contains('\n') && !signature.contains(written));
        if let Some(at) = signature.find(found.name).filter(|_| typed.is_some()) {
            signature.insert_str(at + found.name.len(), &format!(": {}", typed.unwrap_or_default()));
        }
        self.found.definitions.push(Definition {
            name: found.name.to_owned(),
            qualified: self.scopes.qualify(found.within, found.name),
            kind,
            signature,
            span: self.lines.span(&entry.bytes),
            name_line: found.name_line as u32 + 1,
        });
        self.found.definitions.len() as u32 - 1
    }

    /// Ends previous entries where the comments of this item start. Some grammars include those comments in the
    /// previous item.
    fn clip_above(&mut self, start: usize, node_start: usize) {
        for above in self.found.outline.iter_mut().rev().take_while(|above| above.bytes.end <= node_start) {
            if above.bytes.end <= start || above.bytes.start >= start {
                break;
            }
            above.bytes = trimmed(self.text, above.bytes.start..start);
            let definition =
                above.definition.and_then(|index| self.found.definitions.get_mut(index as usize));
            if let Some(definition) = definition {
                definition.span = self.lines.span(&above.bytes);
            }
        }
    }

    /// Fields and constants of a type get no entry of their own: they stay in the chunk with the head of the type.
    fn deserves_entry(&self, kind: Option<DefinitionKind>) -> bool {
        match kind {
            Some(DefinitionKind::Field) => false,
            Some(DefinitionKind::Constant) => !self.scopes.inside_type(),
            _ => true,
        }
    }

    /// Adds an entry, or replaces the entry of its wrapper.
    fn push_entry(&mut self, entry: Entry, wrapper: Option<usize>) {
        match wrapper {
            Some(index) => self.found.outline[index] = entry,
            None => self.found.outline.push(entry),
        }
    }

    /// Adds an entry for a block without a definition, if it is large enough.
    pub fn add_block(&mut self, node: Node<'t>, labeler: Labeler, start: usize) {
        if node.end_byte() - start >= MIN_BLOCK_BYTES {
            self.push_unnamed(node, labeler(node, self.text), start, EntryRole::Item);
        }
    }

    /// Adds an entry without a definition.
    pub fn push_unnamed(&mut self, node: Node<'t>, label: Option<&'t str>, start: usize, role: EntryRole) {
        self.found.outline.push(Entry {
            bytes: trimmed(self.text, start..node.end_byte()),
            kind: self.table.kind_name(node.kind_id()),
            wrappers: [None; 2],
            definition: None,
            label: label.and_then(|label| self.range_of(label)),
            head: node.start_byte(),
            body: None,
            role,
            is_test: self.scopes.is_test(),
        });
    }

    fn has_test_mark(&self, head: Range<usize>) -> bool {
        let marks = self.syntax.test_marks;
        !marks.is_empty()
            && self.text.get(head).is_some_and(|head| {
                head.lines().any(|line| marks.iter().any(|mark| line.trim_start().starts_with(mark)))
            })
    }

    /// The position of a part of the text.
    fn range_of(&self, part: &str) -> Option<Range<usize>> {
        let start = self.offset(part);
        (start < self.text.len()).then(|| start..start + part.len())
    }

    pub fn offset(&self, part: &str) -> usize {
        (part.as_ptr() as usize).wrapping_sub(self.text.as_ptr() as usize)
    }
}
