//! Looks up child nodes by field name.

use tree_sitter::Node;

/// The numeric ids of fields, cached. Tree-sitter finds a field by comparing its name with all others, and a walk needs the
/// same few at every call and definition.
#[derive(Debug, Default)]
pub(super) struct Fields(Vec<(&'static str, Option<u16>)>);

impl Fields {
    pub fn child<'t>(&mut self, node: Node<'t>, name: &'static str) -> Option<Node<'t>> {
        let known = self.0.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        node.child_by_field_id(known.unwrap_or_else(|| self.add(node, name))?)
    }

    /// The id of a field; `None` if the grammar has no such field.
    fn add(&mut self, node: Node<'_>, name: &'static str) -> Option<u16> {
        let number = node.language().field_id_for_name(name).map(Into::into);
        self.0.push((name, number));
        number
    }
}
