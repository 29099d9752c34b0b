//! The part of the walk that records every occurrence of the wanted names, whatever it is used for.
//!
//! The index contains only calls, types and bases. A query for the uses of a name wants the others too, so the few files that
//! contain the name are parsed again: storing every identifier would double the size of the index.

use tree_sitter::Node;
use vectorcode_core::{Reference, ReferenceKind};

use super::walk::Walk;
use crate::languages::{NameRole, slice};

/// Stands for an unknown receiver.
const UNKNOWN: &str = "…";
/// How many ancestors of a name are checked for its role in the syntax.
const MAX_CLIMB: usize = 8;
/// Substrings of the kinds of leaf nodes that contain text instead of names.
const TEXT_KINDS: [&str; 6] = ["string", "comment", "content", "fragment", "text", "char"];

impl<'t> Walk<'t, '_> {
    /// Handles a node without children.
    pub fn visit_leaf(&mut self, node: Node<'t>) {
        let name = slice(node, self.text);
        let at = node.start_byte();
        if !self.wanted.has(name) || self.wanted.is_called(at) {
            return;
        }
        let is_text = TEXT_KINDS.iter().any(|kind| node.kind().contains(kind));
        if is_text && !self.is_in_type_region(node) {
            return;
        }
        let is_base = self.is_base(node);
        let role = if is_base { Some(NameRole::Use(ReferenceKind::Base)) } else { self.role(node) };
        let receiver = match role {
            Some(NameRole::Key) => Some(UNKNOWN),
            Some(NameRole::Unpacked) => Some(self.unpacked_from(node).unwrap_or(UNKNOWN)),
            _ => self.receiver_of(node),
        };
        let kind = match role {
            _ if at < self.wanted.end_of_import() => ReferenceKind::Import,
            Some(NameRole::Name | NameRole::Macro | NameRole::Pattern) => return,
            // `global name`: it must be edited when the name changes.
            Some(NameRole::Outer) => {
                self.wanted.note_outer(name, self.scopes.len());
                ReferenceKind::Value
            }
            Some(NameRole::Binding) if receiver.is_some() || self.wanted.is_outer(name) => {
                ReferenceKind::Write
            }
            // A function named after its variable. The walk is already inside that function.
            Some(NameRole::Binding) if at == self.last_name => return,
            Some(NameRole::Binding) if self.scopes.is_in_function() => {
                self.wanted.bind(name, self.scopes.len());
                return;
            }
            Some(NameRole::Binding | NameRole::Key) => ReferenceKind::Write,
            Some(NameRole::Unpacked) => {
                if self.scopes.is_in_function() && !self.text[node.end_byte()..].trim_start().starts_with(':')
                {
                    self.wanted.bind(name, self.scopes.len());
                }
                ReferenceKind::Read
            }
            Some(NameRole::Use(kind)) => kind,
            None if self.is_type_name(node) => ReferenceKind::Type,
            None => ReferenceKind::Value,
        };
        let is_local = receiver.is_none()
            && !self.wanted.is_outer(name)
            && matches!(kind, ReferenceKind::Value | ReferenceKind::Call | ReferenceKind::Write)
            && (self.wanted.is_bound(name) || self.locals.hold(name, at));
        if is_local || at == self.last_name {
            return;
        }
        self.found.references.push(Reference {
            name: name.to_owned(),
            receiver: match kind {
                ReferenceKind::Base => self.receiver_of_type(node, kind),
                _ => receiver.map(|receiver| self.receiver(receiver, at)),
            },
            kind,
            line: node.start_position().row as u32 + 1,
            enclosing: self.scopes.definition(),
        });
    }

    /// The value or type that a pattern takes a field from. Only for a pattern that is not nested in another.
    fn unpacked_from(&mut self, node: Node<'t>) -> Option<&'t str> {
        let mut parents = std::iter::successors(node.parent(), Node::parent).take(MAX_CLIMB);
        let pattern = parents.find(|parent| parent.parent().is_some_and(|around| self.declares(around)))?;
        let declaration = pattern.parent()?;
        let local = self.table.local(declaration.kind_id())?;
        let is_direct = node.parent() == Some(pattern) || node.parent()?.parent() == Some(pattern);
        let annotation = self.fields.child(declaration, local.annotation);
        let from = annotation.or_else(|| self.fields.child(declaration, local.value))?;
        is_direct.then(|| slice(from, self.text))
    }

    fn declares(&self, node: Node<'t>) -> bool {
        self.table.local(node.kind_id()).is_some()
    }

    /// The role that the nearest enclosing node with a rule gives to a name.
    fn role(&self, node: Node<'t>) -> Option<NameRole> {
        let name_roles = self.syntax.name_roles;
        let mut child = node;
        if let Some(role) =
            name_roles.iter().find(|(kind, field, _)| field.is_empty() && *kind == node.kind())
        {
            return Some(self.settled(role.2, node));
        }
        for _ in 0..MAX_CLIMB {
            let parent = child.parent()?;
            let is_here = |field: &str| {
                field.is_empty()
                    || parent.children_by_field_name(field, &mut parent.walk()).any(|other| other == child)
            };
            let found = name_roles.iter().find(|(kind, field, _)| *kind == parent.kind() && is_here(field));
            if let Some((.., role)) = found {
                return Some(self.settled(*role, node));
            }
            child = parent;
        }
        None
    }

    /// The final role. Inside a macro, only parentheses after a name are evidence. A value in the position of a type is a
    /// type.
    fn settled(&self, role: NameRole, node: Node<'t>) -> NameRole {
        let is_called = || self.text[node.end_byte()..].starts_with('(');
        match role {
            // The call is recorded together with its arguments.
            NameRole::Macro if is_called() => NameRole::Name,
            NameRole::Macro => NameRole::Use(ReferenceKind::Value),
            NameRole::Pattern if slice(node, self.text).starts_with(char::is_uppercase) => {
                NameRole::Use(ReferenceKind::Value)
            }
            NameRole::Pattern => NameRole::Binding,
            NameRole::Use(ReferenceKind::Value) if self.is_type_name(node) => {
                NameRole::Use(ReferenceKind::Type)
            }
            role => role,
        }
    }

    fn is_type_name(&self, node: Node<'t>) -> bool {
        node.kind() == "type_identifier" || self.is_in_type_region(node)
    }

    /// The expression before the name, if a dot or another member operator separates them.
    fn receiver_of(&self, node: Node<'t>) -> Option<&'t str> {
        let before = self.text.get(..node.start_byte())?;
        let bare = before.trim_end();
        // The arrow of a return type is followed by a space.
        let is_member = bare.ends_with('.') || bare.ends_with("::") || before.ends_with("->");
        if !is_member || bare.ends_with("..") {
            return None;
        }
        let start = node.parent().map_or(0, |parent| parent.start_byte());
        let text =
            bare.get(start..).unwrap_or_default().trim_end_matches(['.', ':', '>', '-', '?', '!', ' ', '\n']);
        let text = if text.is_empty() || text.contains('{') { path_at_end(bare) } else { text };
        Some(text)
    }
}

/// The path at the end of a text: `a.b` for `f(a.b.`.
fn path_at_end(text: &str) -> &str {
    let path = text.trim_end_matches(['.', ':', '>', '-', '?', '!']);
    let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '.');
    let start =
        path.char_indices().rev().take_while(|(_, c)| is_path(*c)).last().map_or(path.len(), |(at, _)| at);
    if start == path.len() { UNKNOWN } else { path[start..].trim_start_matches([':', '.']) }
}
