//! WordPiece, the tokenizer of BERT and its descendants: splits text into words, and each word into the longest known pieces.
//!
//! Reads `tokenizer.json` and yields the same ids as Hugging Face's implementation, with one intended difference: names of
//! special tokens (`[SEP]`) in a text are ordinary text. The crate `tokenizers` would add 30 packages, for kinds of tokenizers
//! that no supported model uses.

use rustc_hash::FxHashMap;
use serde::Deserialize;
use unicode_categories::UnicodeCategories;
use unicode_normalization::char::decompose_canonical;

/// The tokens that open and close every sequence: the names of BERT, then those of MPNet.
const START_AND_END: [(&str, &str); 2] = [("[CLS]", "[SEP]"), ("<s>", "</s>")];

/// A WordPiece vocabulary with BERT's rules for splitting and folding text.
pub(crate) struct WordPiece {
    vocabulary: FxHashMap<String, u32>,
    /// Length of the longest piece in bytes; longer ones need not be looked up.
    longest_piece: usize,
    continuation: String,
    max_word_chars: usize,
    folding: Folding,
    start: u32,
    end: u32,
    unknown: u32,
}

/// The token ids of a text, or of two texts that the model reads together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TokenPair {
    pub ids: Vec<u32>,
    /// Index at which the second text begins; the number of ids if there is only one text.
    pub second: usize,
}

impl TokenPair {
    pub(super) fn alone(ids: Vec<u32>) -> Self {
        Self { second: ids.len(), ids }
    }
}

/// The part of `tokenizer.json` that this kind of tokenizer uses.
#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Normalizer,
    pre_tokenizer: PreTokenizer,
    model: Model,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Normalizer {
    #[serde(rename = "BertNormalizer")]
    Bert { clean_text: bool, handle_chinese_chars: bool, strip_accents: Option<bool>, lowercase: bool },
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum PreTokenizer {
    #[serde(rename = "BertPreTokenizer")]
    Bert,
}

#[derive(Deserialize)]
struct Model {
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
    vocab: FxHashMap<String, u32>,
}

/// How characters are normalised before the text is split into words.
#[derive(Clone, Copy)]
struct Folding {
    clean: bool,
    split_ideographs: bool,
    strip_accents: bool,
    lowercase: bool,
}

impl WordPiece {
    /// Parses a `tokenizer.json`.
    pub(crate) fn parse(json: &str) -> Result<Self, String> {
        let TokenizerFile { normalizer, pre_tokenizer: PreTokenizer::Bert, model } =
            serde_json::from_str(json).map_err(|error| unsupported(json, &error))?;
        let Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase } = normalizer;
        let id = |token: &str| model.vocab.get(token).copied();
        let missing = |what: &str| format!("the vocabulary has no {what} token");
        let (start, end) = START_AND_END
            .into_iter()
            .find_map(|(start, end)| id(start).zip(id(end)))
            .ok_or_else(|| missing("[CLS] and [SEP]"))?;
        Ok(Self {
            start,
            end,
            unknown: id(&model.unk_token).ok_or_else(|| missing(&model.unk_token))?,
            longest_piece: model.vocab.keys().map(String::len).max().unwrap_or(0),
            vocabulary: model.vocab,
            continuation: model.continuing_subword_prefix,
            max_word_chars: model.max_input_chars_per_word,
            folding: Folding {
                clean: clean_text,
                split_ideographs: handle_chinese_chars,
                strip_accents: strip_accents.unwrap_or(lowercase),
                lowercase,
            },
        })
    }

    /// The ids of `text` between the ids that open and close a sequence, at most `max_tokens` in total.
    pub(super) fn encode(&self, text: &str, max_tokens: usize) -> Vec<u32> {
        let mut pieces = Pieces::new(self, max_tokens.saturating_sub(1));
        for char in text.chars() {
            pieces.read(char);
            if pieces.is_full() {
                break;
            }
        }
        pieces.finish()
    }

    /// The ids of two texts as BERT reads them together, at most `max_tokens` in total. A long first text leaves half of them for
    /// the second.
    pub(crate) fn encode_pair(&self, first: &str, second: &str, max_tokens: usize) -> TokenPair {
        let mut ids = self.encode(first, max_tokens / 2);
        let start = ids.len();
        // The second text has no opening token of its own: the closing token of the first separates them.
        ids.extend_from_slice(&self.encode(second, max_tokens.saturating_sub(start) + 1)[1..]);
        TokenPair { ids, second: start }
    }

    /// The id and end of the longest known prefix of `text` that is longer than `mark` bytes.
    fn longest_prefix(&self, text: &str, mark: usize) -> Option<(u32, usize)> {
        (mark + 1..=text.len().min(self.longest_piece))
            .rev()
            .filter(|end| text.is_char_boundary(*end))
            .find_map(|end| self.vocabulary.get(&text[..end]).map(|id| (*id, end)))
    }
}

/// Why `json` cannot be used. Names the type of its model if that is the reason.
fn unsupported(json: &str, error: &serde_json::Error) -> String {
    let kind = serde_json::from_str::<serde_json::Value>(json)
        .ok()
        .and_then(|file| file.pointer("/model/type")?.as_str().map(String::from));
    match kind {
        Some(kind) if kind != "WordPiece" => {
            format!("tokenizers of type {kind} are not supported, only WordPiece (BERT)")
        }
        _ => format!("not the tokenizer.json of a BERT-like model: {error}"),
    }
}

/// Encodes one text, character by character.
struct Pieces<'t> {
    tokenizer: &'t WordPiece,
    ids: Vec<u32>,
    limit: usize,
    /// The current word, after folding.
    word: String,
    /// The part of it that has no pieces yet, after the prefix of continuations (`##`).
    rest: String,
}

impl<'t> Pieces<'t> {
    fn new(tokenizer: &'t WordPiece, limit: usize) -> Self {
        let ids = vec![tokenizer.start];
        Self { tokenizer, ids, limit, word: String::new(), rest: String::new() }
    }

    fn is_full(&self) -> bool {
        self.ids.len() >= self.limit
    }

    fn finish(mut self) -> Vec<u32> {
        self.end_word();
        self.ids.truncate(self.limit);
        self.ids.push(self.tokenizer.end);
        self.ids
    }

    fn read(&mut self, char: char) {
        let folding = self.tokenizer.folding;
        if folding.clean && is_control(char) {
            return;
        }
        if char.is_ascii() {
            self.push(if folding.lowercase { char.to_ascii_lowercase() } else { char });
        } else if folding.split_ideographs && is_ideograph(char) {
            self.end_word();
            folding.fold(char, |folded| self.push(folded));
            self.end_word();
        } else {
            folding.fold(char, |folded| self.push(folded));
        }
    }

    fn push(&mut self, char: char) {
        if char.is_whitespace() {
            self.end_word();
        } else if char.is_ascii_punctuation() || (!char.is_ascii() && char.is_punctuation()) {
            self.end_word();
            self.word.push(char);
            self.end_word();
        } else {
            self.word.push(char);
        }
    }

    /// Adds the pieces of the current word, or the unknown token if the word has no known pieces.
    fn end_word(&mut self) {
        if self.word.is_empty() {
            return;
        }
        let before = self.ids.len();
        let too_long = self.word.chars().count() > self.tokenizer.max_word_chars;
        if too_long || !self.add_pieces() {
            self.ids.truncate(before);
            self.ids.push(self.tokenizer.unknown);
        }
        self.word.clear();
    }

    fn add_pieces(&mut self) -> bool {
        let mut at = 0;
        while at < self.word.len() {
            self.rest.clear();
            if at > 0 {
                self.rest.push_str(&self.tokenizer.continuation);
            }
            let mark = self.rest.len();
            self.rest.push_str(&self.word[at..]);
            let Some((id, end)) = self.tokenizer.longest_prefix(&self.rest, mark) else {
                return false;
            };
            self.ids.push(id);
            at += end - mark;
        }
        true
    }
}

impl Folding {
    fn fold(self, char: char, mut each: impl FnMut(char)) {
        let mut lower = |char: char| {
            if self.lowercase {
                char.to_lowercase().for_each(&mut each);
            } else {
                each(char);
            }
        };
        if self.strip_accents {
            decompose_canonical(char, |part| {
                if !part.is_mark_nonspacing() {
                    lower(part);
                }
            });
        } else {
            lower(char);
        }
    }
}

/// Characters to drop: Unicode category "other", except the three that separate words.
fn is_control(char: char) -> bool {
    match char {
        '\t' | '\n' | '\r' => false,
        '\0' | '\u{fffd}' => true,
        _ if char.is_ascii() => char.is_ascii_control(),
        _ => char.is_other(),
    }
}

/// The ideographs that BERT treats as words of their own.
fn is_ideograph(char: char) -> bool {
    matches!(u32::from(char),
        0x4E00..=0x9FFF | 0x3400..=0x4DBF | 0x20000..=0x2A6DF | 0x2A700..=0x2B73F | 0x2B740..=0x2B81F
        | 0x2B920..=0x2CEAF | 0xF900..=0xFAFF | 0x2F800..=0x2FA1F)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokenizer() -> WordPiece {
        WordPiece::parse(include_str!("../../models/code-minilm-l4/tokenizer.json")).unwrap()
    }

    /// Ids from Hugging Face's `tokenizers`, for the bundled `tokenizer.json`.
    #[test]
    fn equals_the_reference_implementation_on_awkward_text() {
        let cases: Vec<(String, Vec<u32>)> =
            serde_json::from_str(include_str!("../../tests/it/wordpiece.json")).unwrap();
        let tokenizer = tokenizer();
        assert!(cases.len() > 30);
        for (text, ids) in cases {
            assert_eq!(tokenizer.encode(&text, 256), ids, "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_cut_and_still_closed() {
        let tokenizer = tokenizer();
        let ids = tokenizer.encode(&"authentication ".repeat(500), 16);
        assert_eq!(ids.len(), 16);
        assert_eq!((ids[0], ids[15]), (tokenizer.start, tokenizer.end));
        assert_eq!(tokenizer.encode("", 16), [tokenizer.start, tokenizer.end]);
    }

    #[test]
    fn two_texts_share_one_sequence() {
        let tokenizer = tokenizer();
        let pair = tokenizer.encode_pair("open a file", "fn open", 32);
        let (first, second) = (tokenizer.encode("open a file", 32), tokenizer.encode("fn open", 32));
        assert_eq!(pair.ids, [&first[..], &second[1..]].concat());
        assert_eq!(pair.second, first.len());
        let long = "word ".repeat(100);
        let cut = tokenizer.encode_pair(&long, &long, 20);
        assert_eq!((cut.ids.len(), cut.second), (20, 10));
        assert_eq!(tokenizer.encode_pair("a", &long, 20).ids.len(), 20);
    }

    #[test]
    fn other_kinds_are_refused_by_name() {
        let problem = WordPiece::parse(r#"{"model": {"type": "Unigram", "vocab": []}}"#).err().unwrap();
        assert!(problem.contains("Unigram") && problem.contains("WordPiece"), "{problem}");
    }
}
