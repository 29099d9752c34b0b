//! Local variables and parameters. Their declarations describe the receivers of method calls.
//!
//! `gateway.charge()` alone does not show which `charge` is called. If the enclosing function declares `gateway`,
//! the receiver is stored as its declaration describes it: `gateway: Gateway` when it has a type, `connect()` or
//! `self.gateway` when it has a value.

use tree_sitter::Node;

use super::fields::Fields;
use super::scope::Scopes;
use crate::languages::{Local, slice};

/// Keywords in the position of a type that mean that the type is inferred from the value.
const NO_TYPES: [&str; 5] = ["var", "auto", "val", "let", "final"];

/// The names declared in the open functions, innermost last.
#[derive(Default)]
pub(super) struct Locals<'t>(Vec<Declared<'t>>);

struct Declared<'t> {
    name: &'t str,
    annotation: Option<&'t str>,
    value: Option<&'t str>,
    /// End of the declaration. Before it, the name refers to something else.
    end: usize,
    /// Number of open scopes at the declaration.
    scopes: usize,
}

impl<'t> Locals<'t> {
    /// Adds a declaration if it is inside a function.
    pub fn declare(
        &mut self,
        node: Node<'t>,
        local: Local,
        fields: &mut Fields,
        text: &'t str,
        scopes: &Scopes,
    ) {
        if scopes.is_in_function() {
            read(node, local, fields, text, scopes.len(), &mut self.0);
        }
    }

    /// Adds the parameters whose types are in the doc comment of a function, as in JavaScript and PHP. The comment
    /// ends at `end`.
    pub fn declare_documented(&mut self, comment: &'t str, end: usize, scopes: &Scopes) {
        if scopes.is_in_function() {
            let parameters = comment.split("@param").skip(1).filter_map(documented);
            self.0.extend(parameters.map(|(name, annotation)| Declared {
                name,
                annotation: Some(annotation),
                value: None,
                end,
                scopes: scopes.len(),
            }));
        }
    }

    /// Removes the declarations of scopes that have been closed.
    pub fn close(&mut self, scopes: &Scopes) {
        while self.0.pop_if(|local| local.scopes > scopes.len()).is_some() {}
    }

    /// Whether a variable of this name is declared before `at`.
    pub fn hold(&self, name: &str, at: usize) -> bool {
        self.find(name, at).is_some()
    }

    fn find(&self, name: &str, at: usize) -> Option<&Declared<'t>> {
        self.0.iter().rev().find(|local| local.name == name && local.end <= at)
    }

    /// The receiver with its leading variable replaced by that variable's type or value, if it is declared: `gateway:
    /// Gateway`, `connect().queue`, or `Shop{}.queue` for `shop.queue` with `shop: Shop`.
    pub fn described(&self, receiver: &str, at: usize) -> Option<String> {
        self.described_in(receiver, at, MAX_DECLARATIONS)
    }

    fn described_in(&self, receiver: &str, at: usize, declarations: u32) -> Option<String> {
        let receiver = receiver.trim_start_matches('$');
        let end = receiver.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(receiver.len());
        let (name, rest) = receiver.split_at(end);
        let is_path = rest.is_empty() || rest.starts_with(['.', '?', '!']) || rest.starts_with("->");
        let local = self.find(name, at).filter(|_| is_path)?;
        if let Some(annotation) = local.annotation {
            let is_whole = rest.is_empty();
            return Some(if is_whole {
                format!("{name}: {annotation}")
            } else {
                format!("{annotation}{{}}{rest}")
            });
        }
        let value = skeleton(local.value?);
        // The value may begin with another variable, which was declared earlier.
        let before = local.end.saturating_sub(1);
        let further = declarations.checked_sub(1).and_then(|left| self.described_in(&value, before, left));
        let value = match further {
            Some(further) if !rest.is_empty() => typed_head(further),
            Some(further) => further,
            None => value,
        };
        Some(value + rest)
    }
}

/// How many declarations to follow from a variable to its type.
const MAX_DECLARATIONS: u32 = 3;

/// `Gateway{}` for `gateway: Gateway`, to start a longer path with.
fn typed_head(described: String) -> String {
    match described.split_once(": ") {
        Some((_, annotation)) => format!("{annotation}{{}}"),
        None => described,
    }
}

/// Adds the names that a node declares. If a pattern declares several, each gets the type or value of the whole pattern. If a
/// function returns a store and an error, both names get both types, but only one of the types has the method that is called.
fn read<'t>(
    node: Node<'t>,
    local: Local,
    fields: &mut Fields,
    text: &'t str,
    scopes: usize,
    declared: &mut Vec<Declared<'t>>,
) {
    let annotation = fields.child(node, local.annotation);
    let Some(declarator) = fields.child(node, local.name).or_else(|| first_but(node, annotation)) else {
        return;
    };
    let name = fields.child(declarator, "name").or_else(|| fields.child(declarator, "declarator"));
    let value = fields
        .child(node, local.value)
        .or_else(|| fields.child(declarator, "value"))
        .or_else(|| first_but(declarator, name).filter(|_| name.is_some()));
    let annotation =
        annotation.map(|node| slice(node, text).trim_start_matches([':', ' '])).filter(|text| is_type(text));
    let value = value.map(|node| slice(node, text));
    let end = node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte());
    let pattern = slice(name.unwrap_or(declarator), text).trim_matches(['(', ')', '[', ']']);
    let names = pattern.split(',').filter_map(plain_name);
    declared.extend(names.map(|name| Declared { name, annotation, value, end, scopes }));
}

/// The name and type of a parameter from the text after `@param`: `{Gateway} gateway`, `Gateway $gateway`.
fn documented(text: &str) -> Option<(&str, &str)> {
    let text = text.lines().next()?.trim();
    let (annotation, name) = match text.strip_prefix('{') {
        Some(text) => text.split_once('}')?,
        None => text.split_once('$')?,
    };
    let name = name.trim_start_matches([' ', '[', '$']);
    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
    (end > 0 && is_type(annotation.trim())).then(|| (&name[..end], annotation.trim()))
}

fn first_but<'t>(node: Node<'t>, other: Option<Node<'t>>) -> Option<Node<'t>> {
    node.named_children(&mut node.walk()).find(|child| Some(*child) != other)
}

fn is_type(text: &str) -> bool {
    !text.is_empty() && !NO_TYPES.contains(&text)
}

/// The name in a part of a pattern: `store` for `mut store`, `*store` and `$store`.
fn plain_name(part: &str) -> Option<&str> {
    let part = part.trim();
    let name = part.strip_prefix("mut ").unwrap_or(part).trim_start_matches(['&', '*', '$', ' ']);
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    (!name.is_empty() && name.chars().all(is_name)).then_some(name)
}

/// An expression without the contents of its brackets: `Client::new().with()` for `Client::new(url).with(a, b)?`. The type in
/// `shop.(Shop)` is kept.
fn skeleton(value: &str) -> String {
    let mut skeleton = String::new();
    let mut depth = 0_usize;
    let mut is_assertion = false;
    for c in value.chars() {
        match c {
            '(' | '[' | '{' => {
                if depth == 0 {
                    is_assertion = c == '(' && skeleton.ends_with('.');
                    skeleton.push(c);
                }
                depth += 1;
            }
            ')' | ']' | '}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    skeleton.push(c);
                }
            }
            '\n' => {}
            c if depth == 0 || (depth == 1 && is_assertion) => skeleton.push(c),
            _ => {}
        }
    }
    skeleton.trim_end_matches(['?', '!', ';', ' ']).trim_end_matches(".await").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_reduced_to_what_is_called() {
        assert_eq!(skeleton("Client::new(url, &[1, 2]).with(|x| { x })?"), "Client::new().with()");
        assert_eq!(skeleton("await shop.open({ a: (1) })"), "await shop.open()");
        assert_eq!(skeleton("Retry { limit: 3 }"), "Retry {}");
        assert_eq!(skeleton("self.gateway"), "self.gateway");
        assert_eq!(skeleton("u.layer.(*Shop)"), "u.layer.(*Shop)");
        assert_eq!(skeleton("connect(a).await?"), "connect()");
    }

    #[test]
    fn a_receiver_begins_with_the_type_or_value_of_its_variable() {
        let declared = |name, annotation, value, end| Declared { name, annotation, value, end, scopes: 1 };
        let locals = Locals(vec![
            declared("shop", Some("Shop"), None, 10),
            declared("client", None, Some("shop.client(1)"), 20),
            declared("queue", None, Some("connect()"), 30),
        ]);
        let described = |receiver| locals.described(receiver, 40).unwrap_or_default();
        assert_eq!(described("shop"), "shop: Shop");
        assert_eq!(described("shop.queue"), "Shop{}.queue");
        assert_eq!(described("client"), "Shop{}.client()");
        assert_eq!(described("queue.first"), "connect().first");
        assert_eq!(described("shop[0]"), "");
        assert_eq!(described("other.queue"), "");
    }

    #[test]
    fn comments_tell_types_of_parameters() {
        assert_eq!(documented(" {Gateway} gateway pays"), Some(("gateway", "Gateway")));
        assert_eq!(documented(" {Gateway=} [gateway=null]"), Some(("gateway", "Gateway=")));
        assert_eq!(documented(" ?Gateway $gateway"), Some(("gateway", "?Gateway")));
        assert_eq!(documented(" gateway pays"), None);
    }

    #[test]
    fn names_are_found_in_patterns() {
        assert_eq!(plain_name("mut store"), Some("store"));
        assert_eq!(plain_name("$store"), Some("store"));
        assert_eq!(plain_name("Some(store)"), None);
        assert_eq!(plain_name("{ store }"), None);
    }
}
