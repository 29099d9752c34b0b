//! Parsers and help texts for option values that several commands share.

use std::fmt::Display;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vectorcode_core::{Choice, UnknownChoice};

/// Parses a maximum count, which must be at least 1.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("must be at least 1".into()),
        Ok(number) => Ok(number),
        Err(_) => Err("not a whole number".into()),
    }
}

/// Parses a duration: `90s`, `5m`, `12h`, `30d`; a bare number is in seconds.
pub fn duration_value(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        _ => return Err("use s, m, h or d, as in 5m".into()),
    };
    let number: u32 = digits.parse().map_err(|_| "write it as a number and a unit, as in 5m".to_owned())?;
    Ok(Duration::from_secs(u64::from(number) * seconds))
}

/// Appends a default to a help text, for defaults that settings can change and clap therefore does not know.
pub fn with_default(help: &str, default: impl Display) -> String {
    format!("{help} [default: {default}]")
}

/// Parses one of a fixed list of words. Help and errors show the list with descriptions.
pub fn choice<C: Choice>() -> impl TypedValueParser<Value = C> {
    let value =
        |choice: &C| PossibleValue::new(choice.as_str()).aliases(choice.aliases()).help(choice.description());
    PossibleValuesParser::new(C::CHOICES.iter().map(value))
        .try_map(|word| C::parse(&word).ok_or_else(|| UnknownChoice::of::<C>(&word)))
}
