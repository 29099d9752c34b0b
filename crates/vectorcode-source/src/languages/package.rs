//! To which package, namespace or module a file says it belongs, and what it offers there.
//!
//! Told as an import of kind `package`, because it is the other end of one: whoever resolves imports needs both.

use tree_sitter::Node;
use vectorcode_core::{Definition, DefinitionKind as Kind, Import};

use super::syntax::{import, slice};

/// The clauses of one kind at the top of a file, each inside those that it stands in: `a` and `a.b`.
pub(crate) struct Clauses {
    /// The node kinds of a clause.
    pub kinds: &'static [&'static str],
    /// The node kinds of the name inside.
    pub names: &'static [&'static str],
    /// The node kinds of a body that may hold further clauses.
    pub bodies: &'static [&'static str],
    /// What stands between the names of nested clauses.
    pub separator: &'static str,
    /// Whether one clause after another goes deeper: Scala's `package a` and then `package b`.
    pub chained: bool,
}

impl Clauses {
    /// The packages of a file, each with `names`; a file that names none but has names belongs to the one without a
    /// name.
    pub fn find(&self, root: Node<'_>, text: &str, names: &[String]) -> Vec<Import> {
        let mut found = Vec::new();
        self.collect(root, "", text, &mut found);
        if found.is_empty() && !names.is_empty() {
            found.push(import(root, "package", ""));
        }
        found.into_iter().map(|package| Import { names: names.to_vec(), ..package }).collect()
    }

    fn collect(&self, node: Node<'_>, outer: &str, text: &str, found: &mut Vec<Import>) {
        let mut path = outer.to_owned();
        // Of clauses that follow each other, the last is the innermost.
        let mut last = None;
        for clause in node.named_children(&mut node.walk()).filter(|child| self.kinds.contains(&child.kind()))
        {
            let mut parts = clause.walk();
            let Some(name) = clause.named_children(&mut parts).find(|part| self.names.contains(&part.kind()))
            else {
                continue;
            };
            let name = slice(name, text);
            let inner =
                if path.is_empty() { name.to_owned() } else { [&path, self.separator, name].concat() };
            let package = import(clause, "package", &inner);
            let mut parts = clause.walk();
            match clause.named_children(&mut parts).find(|part| self.bodies.contains(&part.kind())) {
                Some(body) => self.collect_or(package, body, text, found),
                None if self.chained => {
                    path = inner;
                    last = Some(package);
                }
                None => found.push(package),
            }
        }
        found.extend(last);
    }

    /// The clauses inside the body of a package, or the package itself when there are none.
    fn collect_or(&self, package: Import, body: Node<'_>, text: &str, found: &mut Vec<Import>) {
        let known = found.len();
        self.collect(body, &package.specifier, text, found);
        if found.len() == known {
            found.push(package);
        }
    }
}

/// The names that a file defines outside of other definitions; a namespace counts as outside.
pub(crate) fn top_level_names(definitions: &[Definition]) -> Vec<String> {
    let mut names = Vec::new();
    let mut covered = 0;
    for definition in definitions {
        if definition.span.byte_start < covered {
            continue;
        }
        if definition.kind != Kind::Module {
            covered = definition.span.byte_end;
        }
        if !definition.name.contains(char::is_whitespace) {
            names.push(definition.name.clone());
        }
    }
    names.sort();
    names.dedup();
    names
}
