//! What may help somebody whose search found little: another spelling, or another language.

use vectorcode_core::api::{SearchRequest, SearchTarget};
use vectorcode_core::config::ProviderName;
use vectorcode_core::stem::stem;

use super::Engine;
use crate::EngineError;
use crate::search::{QueryWord, content_words};

/// A best score below this means that nothing really fits: of the first results above it, most are right.
pub(crate) const POOR: f32 = 0.5;
/// A longer text is pasted, and its words are right as they are: they belong to other programs.
const MOST_WORDS: usize = 16;
/// More suggestions than this are no help.
const MAX_SPELLINGS: usize = 3;

/// Frequent words of languages that people ask in, that neither English nor code has.
const FOREIGN_WORDS: &str = "donde dónde cómo como está están los las una para por qué cuál el se función archivo \
    wo wie wird werden der das ein eine ist sind nicht und oder für mit von auf \
    où comment est sont les des une dans pour avec qui que le la du \
    onde são não uma dos fazer dove sono gli della viene waar hoe het een wordt van \
    gdzie jest jak nerede nasıl";

const FOREIGN_NOTE: &str =
    "The bundled models know English and code; the same question in English may find more.";

impl Engine {
    /// Notes for a query in words whose best result has a poor score, or 0 for none.
    pub(crate) fn hints(&self, request: &SearchRequest, best: f32) -> Result<Vec<String>, EngineError> {
        let SearchTarget::Query(text) = &request.target else { return Ok(Vec::new()) };
        if request.cursor.is_some() || best >= POOR {
            return Ok(Vec::new());
        }
        let is_bundled = self.config().provider.name == ProviderName::default();
        let note = if is_english(text) {
            self.spelling_note(text)?
        } else {
            // Words of another language are not English ones misspelt.
            is_bundled.then(|| FOREIGN_NOTE.to_owned())
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
        // An inflected form of the same word is no misspelling.
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

/// A guess from letters and frequent words; two words, or one beside a letter that English lacks, make another language.
fn is_english(text: &str) -> bool {
    let letters = || text.chars().filter(|character| character.is_alphabetic());
    let foreign_letters = letters().filter(|letter| !letter.is_ascii()).count();
    // Scripts other than Latin, where a third of the letters may be names out of the code.
    if foreign_letters * 3 > letters().count() {
        return false;
    }
    let words = text.split_whitespace().map(str::to_lowercase);
    let known: Vec<&str> = FOREIGN_WORDS.split_whitespace().collect();
    let foreign =
        words.filter(|word| known.contains(&word.trim_matches(|c: char| !c.is_alphabetic()))).count();
    foreign + usize::from(foreign_letters > 0) < 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_in_other_languages_are_recognised() {
        for text in [
            "dónde se firman las sesiones",
            "wo werden die Sitzungen signiert",
            "où sont signées les sessions",
            "会话在哪里签名",
            "где подписываются сессии",
        ] {
            assert!(!is_english(text), "{text}");
        }
        for text in
            ["where are sessions signed", "parse el tag", "naïve bayes", "Map<K, V>", "", "let x = das"]
        {
            assert!(is_english(text), "{text}");
        }
    }
}
