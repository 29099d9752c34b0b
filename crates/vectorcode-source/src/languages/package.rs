//! Finds the package, namespace or module that a file declares, and the names that the file defines in it.
//!
//! Reported as an import of kind `package`, because import resolution needs both sides: the import and its target.

use tree_sitter::Node;
use vectorcode_core::{Definition, DefinitionKind as Kind, Import};

use super::syntax::{import, slice};

/// How to find the package clauses at the top of a file. Clauses may be nested: `a` and `a.b`.
pub(crate) struct Clauses {
    /// The node kinds of a clause.
    pub kinds: &'static [&'static str],
    /// The node kinds of the name in a clause.
    pub names: &'static [&'static str],
    /// The node kinds of a body that may contain further clauses.
    pub bodies: &'static [&'static str],
    /// The separator between the names of nested clauses.
    pub separator: &'static str,
    /// Whether consecutive clauses are nested: Scala's `package a` followed by `package b`.
    pub chained: bool,
}

impl Clauses {
    /// The packages of a file, each with `names`. A file that has names but no package clause belongs to the unnamed
    /// package.
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
        // The last of several consecutive clauses is the innermost.
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

    /// Collects the clauses inside the body of a package, or the package itself if there are none.
    fn collect_or(&self, package: Import, body: Node<'_>, text: &str, found: &mut Vec<Import>) {
        let known = found.len();
        self.collect(body, &package.specifier, text, found);
        if found.len() == known {
            found.push(package);
        }
    }
}

/// The names that a file defines at top level. Definitions in a namespace count as top level.
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
