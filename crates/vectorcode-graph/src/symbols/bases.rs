//! The types that a type extends or implements, as the head of its definition names them.
//!
//! Only text is looked at, with the few rules that all languages share. Type arguments are no bases: a
//! `class Reader extends Adapter<Element>` is an `Adapter` and no `Element`.

use vectorcode_core::{Definition, DefinitionKind};

use super::types::places;

/// What follows them says something about type parameters, or names subtypes.
const ENDS: [&str; 2] = ["where", "permits"];

/// Whether the head of a type names `base` after its own name: `class A extends B`, `class A(B)`, `class A : B`.
pub fn extends(definition: &Definition, base: &str) -> bool {
    bases(definition).iter().any(|name| name == base)
}

/// Whether a name in the head of a type stands for something other than a base: a type argument, or the type of a parameter.
pub(super) fn names_no_base(definition: &Definition, name: &str) -> bool {
    places(&definition.signature, name).next().is_some() && !extends(definition, name)
}

fn bases(definition: &Definition) -> Vec<String> {
    let head = without_arguments(&definition.signature);
    let Some((_, own_name_end)) = places(&head, &definition.name).next() else { return Vec::new() };
    let after = &head[own_name_end..];
    let end = ENDS.iter().filter_map(|word| Some(places(after, word).next()?.0)).min();
    let (plain, in_parentheses) = split_parentheses(&after[..end.unwrap_or(after.len())]);
    let mut bases: Vec<String> = words(&plain).map(str::to_owned).collect();
    // The parentheses of other kinds hold fields: `struct Id(Uuid)`.
    if definition.kind == DefinitionKind::Class {
        for list in &in_parentheses {
            add_listed(list, &mut bases);
        }
    }
    bases
}

/// Adds the bases of a list like `Base, module.Other, mixin(Third)`. Parameters, which have a type or modifier, and named
/// arguments are none.
fn add_listed(list: &str, bases: &mut Vec<String>) {
    let (plain, groups) = split_parentheses(list);
    let mut groups = groups.iter();
    for item in plain.split(',') {
        let arguments: Vec<&String> = item.matches("()").filter_map(|_| groups.next()).collect();
        let path = item.trim().trim_end_matches("()");
        if path.contains(|c| !is_word(c) && c != '.') {
            continue;
        }
        if arguments.is_empty() {
            bases.extend(path.rsplit('.').next().map(str::to_owned));
        }
        for list in arguments {
            add_listed(list, bases);
        }
    }
}

/// A text with `()` in place of each outermost pair of parentheses, and what was between them.
fn split_parentheses(text: &str) -> (String, Vec<String>) {
    let (mut plain, mut groups, mut depth) = (String::new(), Vec::<String>::new(), 0_usize);
    for c in text.chars() {
        let was_outside = depth == 0;
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        match groups.last_mut() {
            _ if was_outside && depth > 0 => {
                plain.push_str("()");
                groups.push(String::new());
            }
            Some(group) if depth > 0 => group.push(c),
            _ if was_outside => plain.push(c),
            _ => {}
        }
    }
    (plain, groups)
}

/// Without what stands in `<...>` and `[...]`. The `<` of Ruby's `class A < B` has spaces around it; that of Scala's bound in
/// `[T <: B]` ends with the bracket around it.
fn without_arguments(signature: &str) -> String {
    let (mut text, mut open, mut before) = (String::new(), Vec::new(), ' ');
    let mut rest = signature.chars().peekable();
    while let Some(c) = rest.next() {
        let is_apart = before == ' ' && rest.peek().is_none_or(|next| *next == ' ');
        match c {
            '[' => open.push(c),
            '<' if !is_apart => open.push(c),
            ']' => open.truncate(open.iter().rposition(|bracket| *bracket == '[').unwrap_or(0)),
            '>' if open.last() == Some(&'<') && !matches!(before, '-' | '=') => open.truncate(open.len() - 1),
            _ if open.is_empty() => text.push(c),
            _ => {}
        }
        before = c;
    }
    text
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_word(c)).filter(|word| !word.is_empty())
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use vectorcode_core::Span;

    use super::*;

    fn of(kind: DefinitionKind, signature: &str) -> String {
        let definition = Definition {
            name: "A".into(),
            qualified: "A".into(),
            kind,
            signature: signature.into(),
            span: Span { start_line: 1, end_line: 1, byte_start: 0, byte_end: 1 },
            name_line: 1,
        };
        let is_base = |name: &String| name.starts_with(char::is_uppercase);
        bases(&definition).into_iter().filter(is_base).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn bases_are_the_heads_of_types() {
        use DefinitionKind::{Class, Interface, Struct, Trait};
        for (kind, signature, expected) in [
            (Class, "class A<T extends X> extends B<Y> implements C<Z, Map<X, Y>>, D", "B C D"),
            (Interface, "public sealed interface A extends B permits X, Y", "B"),
            (Class, "public record A(X x, Y<Z> y) implements B", "B"),
            (Class, "class A<T : X>(val x: Y = Y(Z), f: (X, Y) -> Z) : B<Y>(x), C by x where T : Z", "B C"),
            (Class, "internal class A<T>(X x) : B<Y>(x), C where T : Z", "B C"),
            (Class, "case class A[T <: X](x: Y)(implicit z: Z) extends B[Y](x) with C[Z]", "B C"),
            (Class, "class A(B, module.C, Generic[T], metaclass=X)", "B C Generic"),
            (Class, "class A extends Mixin(B)", "Mixin B"),
            (Class, "template <typename X> class A<Y> final : public ns::B<Z>, C", "B C"),
            (Class, "class A<T>: B<X>, C where T: Z", "B C"),
            (Class, "class A < B", "B"),
            (Trait, "pub trait A<X>: B<Y> + C where Self: Sized", "B C"),
            (Struct, "pub struct A(X)", ""),
        ] {
            assert_eq!(of(kind, signature), expected, "{signature}");
        }
    }
}
