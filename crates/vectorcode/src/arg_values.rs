//! How values of options are parsed and described, where several commands do it alike.

use std::fmt::Display;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vectorcode_core::{Choice, UnknownChoice};

/// Parses the maximum number of something. Zero of them is never what is wanted.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a whole number".into()),
    }
}

/// A help text with a default that settings may change, and that clap therefore does not know.
pub fn with_default(help: &str, default: impl Display) -> String {
    format!("{help} [default: {default}]")
}

/// Reads one word of a list. Help and errors show the list with its descriptions.
pub fn choice<C: Choice>() -> impl TypedValueParser<Value = C> {
    let value =
        |choice: &C| PossibleValue::new(choice.as_str()).aliases(choice.aliases()).help(choice.description());
    PossibleValuesParser::new(C::CHOICES.iter().map(value))
        .try_map(|word| C::parse(&word).ok_or_else(|| UnknownChoice::of::<C>(&word)))
}
