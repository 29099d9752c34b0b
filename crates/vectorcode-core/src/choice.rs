//! Closed lists of words: search modes, kinds of definitions, graph actions and so on.
//!
//! Each list is written once, with [`choices!`](crate::choices). Its words, aliases and descriptions become the command
//! line's possible values, the JSON schemas of the server, and the messages about words that are not in the list.

use std::fmt;

/// A closed list of words.
pub trait Choice: Copy + Eq + fmt::Debug + Send + Sync + 'static {
    /// What such a word is called in a message: "search mode".
    const NOUN: &'static str;

    /// Every choice, in the order in which people see them.
    const CHOICES: &'static [Self];

    /// The word itself, as it is printed, stored and sent.
    fn as_str(self) -> &'static str;

    /// Other words with the same meaning, which are accepted but never printed.
    fn aliases(self) -> &'static [&'static str];

    /// What it means, as a phrase without a full stop.
    fn description(self) -> &'static str;

    /// Finds the choice with this word or alias, ignoring case.
    fn parse(word: &str) -> Option<Self> {
        let matches = |known: &str| known.eq_ignore_ascii_case(word);
        let is_it =
            |choice: &&Self| matches(choice.as_str()) || choice.aliases().iter().any(|alias| matches(alias));
        Self::CHOICES.iter().find(is_it).copied()
    }
}

/// A word that is not in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownChoice {
    pub noun: &'static str,
    pub word: String,
    pub known: Vec<&'static str>,
}

impl UnknownChoice {
    pub fn of<C: Choice>(word: &str) -> Self {
        let known = C::CHOICES.iter().map(|choice| choice.as_str()).collect();
        Self { noun: C::NOUN, word: word.into(), known }
    }
}

impl fmt::Display for UnknownChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { noun, word, known } = self;
        write!(f, "{word:?} is not a {noun}; use one of: {}", known.join(", "))
    }
}

impl std::error::Error for UnknownChoice {}

/// Declares an enum whose variants are words to choose from:
///
/// ```
/// vectorcode_core::choices! {
///     /// How the answer is written.
///     #[derive(Default)]
///     pub enum Format: "output format" {
///         #[default]
///         Text = "text", "For people";
///         Json = "json" | "js", "For programs";
///     }
/// }
/// assert_eq!(Format::parse("JS"), Some(Format::Json));
/// assert_eq!(Format::WORDS, ["text", "json"]);
/// ```
///
/// The enum gets `ALL`, `WORDS`, `as_str`, `parse`, [`Choice`], `Display`, `FromStr`, serde and a plain `enum` as its JSON
/// schema, because some agents reject the `oneOf` that schemars derives for variants with descriptions.
#[macro_export]
macro_rules! choices {
    (
        $(#[$attribute:meta])*
        pub enum $name:ident: $noun:literal {
            $($(#[$variant_attribute:meta])* $variant:ident = $word:literal $(| $alias:literal)*, $description:literal;)+
        }
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, ::serde::Serialize, ::serde::Deserialize)]
        pub enum $name {
            $(
                #[doc = $description]
                $(#[$variant_attribute])*
                #[serde(rename = $word $(, alias = $alias)*)]
                $variant,
            )+
        }

        impl $name {
            /// Every choice, in the order in which people see them.
            pub const ALL: [Self; [$($word),+].len()] = [$(Self::$variant),+];

            /// The word of each choice.
            pub const WORDS: [&'static str; Self::ALL.len()] = [$($word),+];

            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }

            /// Finds the choice with this word or alias, ignoring case.
            pub fn parse(word: &str) -> Option<Self> {
                <Self as $crate::Choice>::parse(word)
            }
        }

        impl $crate::Choice for $name {
            const NOUN: &'static str = $noun;
            const CHOICES: &'static [Self] = &Self::ALL;

            fn as_str(self) -> &'static str {
                self.as_str()
            }

            fn aliases(self) -> &'static [&'static str] {
                match self {
                    $(Self::$variant => &[$($alias),*],)+
                }
            }

            fn description(self) -> &'static str {
                match self {
                    $(Self::$variant => $description,)+
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = $crate::UnknownChoice;

            fn from_str(word: &str) -> ::std::result::Result<Self, Self::Err> {
                Self::parse(word).ok_or_else(|| $crate::UnknownChoice::of::<Self>(word))
            }
        }

        impl ::schemars::JsonSchema for $name {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                stringify!($name).into()
            }

            fn json_schema(_: &mut ::schemars::SchemaGenerator) -> ::schemars::Schema {
                ::schemars::json_schema!({"type": "string", "enum": Self::WORDS})
            }
        }
    };
}

#[cfg(test)]
mod tests {
    use crate::DefinitionKind;
    use crate::api::{
        ArtifactFilter, ClassFilter, ContextAction, GraphAction, GraphFormat, SearchMode, TestFilter,
    };
    use crate::config::{Pooling, ProviderName};
    use crate::{Choice, ContentClass};

    fn check<C: Choice + serde::Serialize + serde::de::DeserializeOwned>() {
        let mut seen = std::collections::BTreeSet::new();
        for choice in C::CHOICES {
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.as_str());
            assert!(!choice.description().is_empty() && !choice.description().ends_with('.'), "{choice:?}");
            for word in choice.aliases().iter().chain([&choice.as_str()]) {
                assert!(seen.insert(*word), "{word} means two things");
                assert_eq!(C::parse(&word.to_uppercase()), Some(*choice));
                assert_eq!(serde_json::from_value::<C>((*word).into()).unwrap(), *choice);
            }
        }
        assert_eq!(C::parse("no such word"), None);
    }

    #[test]
    fn every_list_reads_back_what_it_writes() {
        check::<SearchMode>();
        check::<ClassFilter>();
        check::<TestFilter>();
        check::<ArtifactFilter>();
        check::<ContextAction>();
        check::<GraphAction>();
        check::<GraphFormat>();
        check::<DefinitionKind>();
        check::<ContentClass>();
        check::<ProviderName>();
        check::<Pooling>();
    }

    #[test]
    fn an_unknown_word_is_answered_with_the_known_ones() {
        let error = "slow".parse::<SearchMode>().unwrap_err();
        assert_eq!(error.to_string(), "\"slow\" is not a search mode; use one of: auto, fast, semantic");
    }

    #[test]
    fn schemas_are_plain_lists_of_words() {
        let schema = schemars::schema_for!(SearchMode);
        assert_eq!(schema.get("enum").unwrap(), &serde_json::json!(["auto", "fast", "semantic"]));
        assert_eq!(schema.get("oneOf"), None);
    }
}
