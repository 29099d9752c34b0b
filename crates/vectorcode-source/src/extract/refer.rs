//! The part of the walk that records references: calls and uses of types.

use std::ops::Range;

use tree_sitter::Node;
use vectorcode_core::{Reference, ReferenceKind};

use super::walk::Walk;
use crate::languages::Callee;

/// Maximum length of a stored receiver. A longer one is not useful and is replaced by `…`.
const MAX_RECEIVER_BYTES: usize = 80;

/// How many parent nodes to check. Expressions that compute a base class are seldom nested deeper.
const MAX_CLIMB: usize = 12;

impl<'t> Walk<'t, '_> {
    pub fn add_call(&mut self, node: Node<'t>, callee: Option<Callee<'t>>) {
        // In some grammars the head of a definition looks like a call. It is not a reference.
        let is_use =
            |callee: &Callee<'t>| !callee.name.is_empty() && self.offset(callee.name) != self.last_name;
        let Some(callee) = callee.filter(is_use) else { return };
        if !self.wanted.is_empty() {
            if !self.wanted.has(callee.name) {
                return;
            }
            self.wanted.note_call(self.offset(callee.name));
            if callee.receiver.is_none() && self.wanted.is_bound(callee.name) {
                return;
            }
        }
        // In Ruby, a call without arguments looks like a variable.
        let is_bare_name = node.byte_range().len() == callee.name.len();
        if is_bare_name && self.locals.hold(callee.name, node.start_byte()) {
            return;
        }
        self.found.references.push(Reference {
            name: callee.name.to_owned(),
            receiver: callee.receiver.map(|receiver| self.receiver(receiver, node.start_byte())),
            kind: ReferenceKind::Call,
            // The line of the name. In a chain of calls, the call itself starts on an earlier line.
            line: self.lines.line_of(self.offset(callee.name)) as u32 + 1,
            enclosing: self.scopes.definition(),
        });
    }

    pub fn receiver(&self, receiver: &'t str, at: usize) -> String {
        let described = self.locals.described(receiver, at);
        readable(described.as_deref().unwrap_or(receiver))
    }

    /// Adds a region in which identifiers are types.
    pub fn add_type_region(&mut self, region: Option<Node<'t>>) {
        if let Some(region) = region {
            self.type_regions.retain(|open| open.end > region.start_byte());
            self.type_regions.push(region.byte_range());
        }
    }

    pub fn is_in_type_region(&self, node: Node<'t>) -> bool {
        let at = node.start_byte();
        self.type_regions.iter().any(|region| region.contains(&at))
    }

    /// Adds a region in which types are bases.
    pub fn add_base_region(&mut self, region: Node<'t>) {
        self.base_regions.retain(|open| open.end > region.start_byte());
        self.base_regions.push(region.byte_range());
        self.add_type_region(Some(region));
    }

    /// Whether a name is a base of the enclosing type. Type arguments of a base are not bases.
    pub fn is_base(&self, node: Node<'t>) -> bool {
        let is_inside = |node: Node<'t>| {
            let inside =
                |region: &Range<usize>| region.start <= node.start_byte() && node.end_byte() <= region.end;
            self.base_regions.iter().any(inside)
        };
        let mut child = node;
        for _ in 0..MAX_CLIMB {
            let Some(parent) = is_inside(child).then(|| child.parent()).flatten() else { break };
            let is_here = |field: &str| {
                field.is_empty()
                    || parent.children_by_field_name(field, &mut parent.walk()).any(|other| other == child)
            };
            let mut but = self.syntax.no_bases.iter().filter(|(kind, _)| *kind == parent.kind());
            if but.any(|(_, field)| is_here(field)) && is_inside(parent) {
                return false;
            }
            child = parent;
        }
        // If it did not step up at all, it was not in such a region; if it stepped up too often, it is not in the head of a
        // type.
        child != node && !is_inside(child)
    }

    /// Records a reference to a type. A single letter is taken as a type parameter and is not recorded.
    pub fn add_type(&mut self, node: Node<'t>) {
        let name = self.text.get(node.byte_range()).unwrap_or_default();
        if name.len() <= 1 || node.start_byte() == self.last_name || !self.wanted.is_empty() {
            return;
        }
        let enclosing = self.scopes.definition();
        let kind = if self.is_base(node) { ReferenceKind::Base } else { ReferenceKind::Type };
        let receiver = self.receiver_of_type(node, kind);
        let seen = Some(kind).filter(|kind| *kind == ReferenceKind::Base);
        let seen = seen.map(|_| receiver.clone().unwrap_or_default());
        if self.types_seen.insert((enclosing, name, seen)) {
            let line = node.start_position().row as u32 + 1;
            self.found.references.push(Reference { name: name.to_owned(), receiver, kind, line, enclosing });
        }
    }

    /// The path before a type. For a base that is declared apart from the type's definition, also the type that it applies
    /// to.
    pub fn receiver_of_type(&self, node: Node<'t>, kind: ReferenceKind) -> Option<String> {
        let path = path_before(&self.text[..node.start_byte()]);
        let to = self.scopes.extended_type().filter(|_| kind == ReferenceKind::Base);
        to.map(|to| Reference::applied(path, to)).or_else(|| path.map(str::to_owned))
    }
}

fn readable(receiver: &str) -> String {
    let plain = receiver.len() <= MAX_RECEIVER_BYTES && !receiver.contains('\n');
    if plain { receiver.to_owned() } else { "…".to_owned() }
}

/// The path at the end of the text before a type: `std::fs` for `File` in `x: std::fs::File`.
fn path_before(text: &str) -> Option<&str> {
    let path = text.strip_suffix("::").or_else(|| text.strip_suffix('.'))?;
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    let start = path.char_indices().rev().take_while(|(_, c)| is_path(*c)).last().map(|(at, _)| at)?;
    Some(path[start..].trim_start_matches(':')).filter(|path| !path.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_type_is_what_stands_before_it() {
        assert_eq!(path_before("x: std::fs::"), Some("std::fs"));
        assert_eq!(path_before("var x http."), Some("http"));
        assert_eq!(path_before("x: "), None);
        assert_eq!(path_before("::"), None);
    }
}
