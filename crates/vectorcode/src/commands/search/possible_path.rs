//! Detects a last query word that may have been meant as a path: `search "expired token" src/auht`.

use std::path::Path;

use vectorcode_core::api::SearchResponse;

/// A last word that names no existing file or folder, in a position where a path is allowed.
#[derive(Clone, Copy, Debug)]
pub struct PossiblePath<'a> {
    word: &'a str,
    /// It looks like a path, or follows a quoted query; such a word is rarely part of the query.
    is_likely_path: bool,
}

impl<'a> PossiblePath<'a> {
    /// The last of several words, after existing paths have been split off.
    pub fn of(words: &'a [String]) -> Option<Self> {
        let (first, rest) = words.split_first()?;
        let word = rest.last().filter(|word| !word.contains(char::is_whitespace))?;
        let is_path = word.contains(std::path::is_separator) || word.starts_with('.');
        (!Path::new(word).exists())
            .then(|| Self { word, is_likely_path: is_path || first.contains(char::is_whitespace) })
    }

    /// Good results need no hint, unless the word was most likely meant as a path.
    pub fn is_worth_a_hint(&self, response: &SearchResponse) -> bool {
        self.is_likely_path || response.weak || response.hits.is_empty()
    }

    pub fn hint(&self) -> String {
        format!("There is no file or folder `{0}` here, so `{0}` was searched for as a word.", self.word)
    }
}
