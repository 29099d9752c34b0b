//! Maps the kind of a node to how it is highlighted. Grammars use similar names for their node kinds, so one table
//! works for all of them.

use tree_sitter::Node;
use vectorcode_core::TokenClass;

/// How nodes of a kind are highlighted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HighlightRule {
    /// No class of its own: it takes the class of its parent.
    Plain,
    /// A name or a literal. Its position and its spelling decide the class.
    Name,
    /// This class for the node and everything inside it, except inside a [`HighlightRule::Code`].
    All(TokenClass),
    /// This class for the node, except for strings, numbers and comments inside it.
    Around(TokenClass),
    /// This class if the node has no children, unless a parent has already decided the class.
    Leaf(TokenClass),
    /// Code inside a string, such as an interpolation.
    Code,
}

const CODE_IN_STRING: &[&str] = &[
    "interpolation",
    "string_interpolation",
    "template_substitution",
    "interpolated_expression",
    "simple_expansion",
    "expansion",
    "command_substitution",
    "formatting_expression",
];

const STRING_PARTS: &[&str] = &[
    "string",
    "heredoc_body",
    "nowdoc",
    "regex",
    "quote_scalar",
    "block_scalar",
    "character",
    "charlist",
    "sigil",
];

const STRINGS: &[&str] =
    &["char_literal", "rune_literal", "char", "attribute_value", "quoted_attribute_value"];

const ATTRIBUTES: &[&str] = &[
    "attribute_item",
    "inner_attribute_item",
    "decorator",
    "annotation",
    "marker_annotation",
    "attribute_list",
    "attribute_declaration",
];

const NUMBER_PARTS: &[&str] = &["number", "integer", "float"];

const NUMBERS: &[&str] =
    &["int_literal", "real_literal", "hex_literal", "bin_literal", "color_value", "complex"];

const CONSTANTS: &[&str] = &[
    "true",
    "false",
    "null",
    "nil",
    "none",
    "None",
    "True",
    "False",
    "NULL",
    "nullptr",
    "undefined",
    "atom",
    "NaN",
    "simple_symbol",
    "hash_key_symbol",
    "id_name",
    "inf",
    "na",
    "dots",
];

const CONSTANT_PARTS: &[&str] = &["boolean", "bool_literal", "null_literal", "null_scalar"];

const TYPES: &[&str] = &[
    "type_identifier",
    "primitive_type",
    "predefined_type",
    "builtin_type",
    "integral_type",
    "floating_point_type",
    "boolean_type",
    "void_type",
    "implicit_type",
    "class_name",
    "constructor",
    "alias",
    "namespace_identifier",
    "sized_type_specifier",
];

const PROPERTIES: &[&str] = &[
    "field_identifier",
    "property_identifier",
    "shorthand_property_identifier",
    "shorthand_property_identifier_pattern",
    "private_property_identifier",
    "property_name",
    "feature_name",
    "attribute_name",
    "bare_key",
    "quoted_key",
    "instance_variable",
    "class_variable",
    "global_variable",
    "variable_name",
    "keyword",
];

const KEYWORDS: &[&str] = &[
    "self",
    "super",
    "this",
    "crate",
    "mutable_specifier",
    "tag_name",
    "at_keyword",
    "important",
    "preproc_directive",
    "doctype",
    "self_expression",
    "this_expression",
    "super_expression",
    "base",
];

const NAMES: &[&str] =
    &["name", "variable", "constant", "word", "simple_identifier", "operator_identifier", "literal"];

impl HighlightRule {
    /// The rule for a named node of the grammar.
    fn of_named(kind: &str) -> Self {
        use TokenClass as Class;
        let has = |parts: &[&str]| parts.iter().any(|part| kind.contains(part));
        match kind {
            _ if CODE_IN_STRING.contains(&kind) => Self::Code,
            "marginalia" | "haddock" | "shebang" | "hash_bang_line" => Self::All(Class::Comment),
            _ if kind.contains("comment") => Self::All(Class::Comment),
            _ if TYPES.contains(&kind) => Self::All(Class::Type),
            _ if kind.ends_with("_type") => Self::Plain,
            "function_name" => Self::Leaf(Class::Function),
            _ if CONSTANTS.contains(&kind) || has(CONSTANT_PARTS) => Self::Leaf(Class::Constant),
            _ if STRINGS.contains(&kind) || has(STRING_PARTS) => Self::All(Class::String),
            _ if NUMBERS.contains(&kind) || has(NUMBER_PARTS) => Self::All(Class::Number),
            _ if ATTRIBUTES.contains(&kind) => Self::Around(Class::Attribute),
            _ if PROPERTIES.contains(&kind) => Self::Leaf(Class::Property),
            _ if KEYWORDS.contains(&kind) || kind.starts_with("keyword_") => Self::Leaf(Class::Keyword),
            _ if NAMES.contains(&kind) || kind.ends_with("identifier") => Self::Name,
            _ => Self::Plain,
        }
    }

    /// The rule for an anonymous node, which is a literal token of the grammar: a keyword or punctuation.
    fn of_token(text: &str) -> Self {
        let word = text.trim_start_matches(['@', '#']);
        if CONSTANTS.contains(&word) {
            Self::Leaf(TokenClass::Constant)
        } else if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            Self::Leaf(TokenClass::Keyword)
        } else {
            Self::Plain
        }
    }
}

/// Cache of the rules for the node kinds that a walk has visited.
#[derive(Default)]
pub(super) struct HighlightRules(Vec<Option<HighlightRule>>);

impl HighlightRules {
    pub fn of(&mut self, node: Node<'_>) -> HighlightRule {
        let id = usize::from(node.kind_id());
        if self.0.len() <= id {
            self.0.resize(id + 1, None);
        }
        let rule = || {
            if node.is_named() {
                HighlightRule::of_named(node.kind())
            } else {
                HighlightRule::of_token(node.kind())
            }
        };
        *self.0[id].get_or_insert_with(rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_many_grammars_read_alike() {
        for kind in ["line_comment", "block_comment", "comment", "html_comment"] {
            assert_eq!(HighlightRule::of_named(kind), HighlightRule::All(TokenClass::Comment), "{kind}");
        }
        for kind in
            ["string", "raw_string_literal", "interpreted_string_literal", "template_string", "char_literal"]
        {
            assert_eq!(HighlightRule::of_named(kind), HighlightRule::All(TokenClass::String), "{kind}");
        }
        for kind in ["integer_literal", "float_literal", "number", "decimal_integer_literal", "int_literal"] {
            assert_eq!(HighlightRule::of_named(kind), HighlightRule::All(TokenClass::Number), "{kind}");
        }
        assert_eq!(HighlightRule::of_named("floating_point_type"), HighlightRule::All(TokenClass::Type));
        assert_eq!(HighlightRule::of_named("string_type"), HighlightRule::Plain);
    }

    #[test]
    fn spelled_tokens_are_keywords_or_nothing() {
        assert_eq!(HighlightRule::of_token("return"), HighlightRule::Leaf(TokenClass::Keyword));
        assert_eq!(HighlightRule::of_token("#include"), HighlightRule::Leaf(TokenClass::Keyword));
        assert_eq!(HighlightRule::of_token("null"), HighlightRule::Leaf(TokenClass::Constant));
        assert_eq!(HighlightRule::of_token("=>"), HighlightRule::Plain);
    }
}
