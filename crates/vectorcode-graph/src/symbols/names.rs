//! Qualified names: `Shop.Retrier.run` has the owner `Shop.Retrier`, whose last part is `Retrier`.

use vectorcode_core::{Definition, DefinitionKind, LanguageTraits, ReferenceKind, bare_name};

/// The qualified name of what a definition belongs to; empty at the top level.
pub(super) fn owner(definition: &Definition) -> &str {
    definition
        .qualified
        .strip_suffix(definition.name.as_str())
        .map_or("", |owner| owner.trim_end_matches('.'))
}

/// The bare name of the type that a definition belongs to.
pub(super) fn owner_type(definition: &Definition) -> &str {
    bare_name(owner(definition))
}

/// A scope and all enclosing ones, innermost first. The last one is the file itself (empty).
pub(super) fn scopes(qualified: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(qualified), |scope| {
        (!scope.is_empty()).then(|| scope.rsplit_once('.').map_or("", |(around, _)| around))
    })
}

/// Whether two definitions in a file are parts of one symbol, such as overloads. A field and a method with the same name are two
/// symbols, and so are a type and a function in some languages.
pub(super) fn is_same_symbol(one: &Definition, other: &Definition, traits: &LanguageTraits) -> bool {
    let is_field = |definition: &Definition| definition.kind == DefinitionKind::Field;
    one.qualified == other.qualified
        && is_field(one) == is_field(other)
        && (!traits.types_are_apart || is_type(one.kind) == is_type(other.kind))
}

pub(super) fn is_type(kind: DefinitionKind) -> bool {
    use DefinitionKind::{Class, Enum, Interface, Module, Struct, Trait, Type};
    matches!(kind, Class | Struct | Enum | Interface | Trait | Type | Module)
}

/// Whether a reference of this kind can mean a definition of that kind.
pub(super) fn can_mean(used: ReferenceKind, kind: DefinitionKind) -> bool {
    use DefinitionKind::{Constant, Field, Function, Macro, Method, Module, Section, Variable};
    match used {
        // Modules can be mixed in.
        ReferenceKind::Base => is_type(kind),
        ReferenceKind::Type | ReferenceKind::Construction => is_type(kind) && kind != Module,
        ReferenceKind::Value | ReferenceKind::Read | ReferenceKind::Write | ReferenceKind::Import => {
            !matches!(kind, Section | Module)
        }
        ReferenceKind::Call | ReferenceKind::Decorator => match kind {
            Function | Method | Macro | Variable | Constant => true,
            Field | Section | Module => false,
            other => is_type(other),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_go_outwards_to_the_file() {
        assert_eq!(
            scopes("Shop.Retrier.run").collect::<Vec<_>>(),
            ["Shop.Retrier.run", "Shop.Retrier", "Shop", ""]
        );
        assert_eq!(scopes("").collect::<Vec<_>>(), [""]);
    }
}
