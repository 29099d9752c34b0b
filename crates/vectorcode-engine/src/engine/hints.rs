//! Hints for a search that found little: another spelling, or another language.

use vectorcode_core::api::{SearchRequest, SearchTarget};
use vectorcode_core::config::ProviderName;
use vectorcode_core::stem::stem;

use super::Engine;
use crate::error::EngineError;
use crate::search::{English, QueryWord, content_words, to_english};

/// A best score below this means that nothing really matches: of the first results that score above it, most are
/// relevant.
pub(crate) const POOR: f32 = 0.5;
/// A longer query is pasted text whose words should not be corrected: they belong to other programs.
const MOST_WORDS: usize = 16;
/// More suggestions than this do not help.
const MAX_SPELLINGS: usize = 3;

const NO_TABLE_NOTE: &str = "The bundled models know English and code, and this language has no translation table: ask in English, \
    or set a provider that knows it (`vectorcode config set --user provider.name ollama`).";

impl Engine {
    /// Notes for a text query whose best result scores poorly; `best` is 0 if there are no results.
    pub(crate) fn hints(&self, request: &SearchRequest, best: f32) -> Result<Vec<String>, EngineError> {
        let SearchTarget::Query(text) = &request.target else { return Ok(Vec::new()) };
        if request.cursor.is_some() || best >= POOR {
            return Ok(Vec::new());
        }
        let is_bundled = self.config().provider.name == ProviderName::default();
        let note = match to_english(text) {
            English::AsAsked => self.spelling_note(text)?,
            // Words of another language are not misspelt English.
            English::Words(english) => is_bundled.then(|| read_as_note(&english)),
            English::Unknown => is_bundled.then(|| NO_TABLE_NOTE.to_owned()),
        };
        Ok(note.into_iter().collect())
    }

    fn spelling_note(&self, text: &str) -> Result<Option<String>, EngineError> {
        let written = content_words(text);
        if written.len() > MOST_WORDS {
            return Ok(None);
        }
        let words: Vec<&str> = written.iter().map(|written| written.word.as_str()).collect();
        let near = self.reader()?.spellings_of(&words)?;
        // An inflected form of the same word is not a misspelling.
        let other =
            |near: Option<String>, written: &QueryWord| near.filter(|near| stem(near) != written.stem);
        let spellings: Vec<String> = near
            .into_iter()
            .zip(&written)
            .filter_map(|(near, written)| Some(format!("`{}` for `{}`", other(near, written)?, written.word)))
            .take(MAX_SPELLINGS)
            .collect();
        Ok((!spellings.is_empty()).then(|| format!("Did you mean {}?", spellings.join(", "))))
    }
}

fn read_as_note(english: &str) -> String {
    let words: Vec<String> =
        content_words(english).into_iter().map(|word| word.word).take(MOST_WORDS).collect();
    format!("Read as `{}`; the same question in English may find more.", words.join(" "))
}
