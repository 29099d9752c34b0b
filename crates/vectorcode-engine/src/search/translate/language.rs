//! Recognises the language of a query by its script, its function words, and the words in the translation tables.
//!
//! A query in English, or one that consists only of names, must not be mistaken for another language, so evidence is
//! counted for both sides. A plain ASCII query without a function word of another language is not examined further,
//! which costs only a microsecond.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use super::table::{self, Table};
use super::word::{fold, is_accent, is_spaceless};

/// The same words that the training script removes: `code: word word`, one language per line.
const FUNCTION_WORDS: &str = include_str!("../../../models/function_words.txt");
const ENGLISH: &str = "the of to and for with without is are was were be been being it its this that these those as if then than so such \
    do does did can could may might must should will would has have had you your we our they their he she my us there here what which \
    who whose when where why how all any each some more most other into onto over under about between during before after up down out \
    off again only same too very just also in on at by from an or not no me am man die war hat her his want make get find use used using \
    let when while plus via per main on an a i";
/// The weight of a function word, of a word that a table contains as written, and of a word that matches only by its
/// stem. Stems also match across related languages.
const FUNCTION_WORD: u32 = 2;
const EXACT_WORD: u32 = 2;
const FORM: u32 = 1;
const ENOUGH: u32 = 3;
/// Maximum number of Latin-script languages to examine, those with most function words in the query; others are never
/// close.
const MAX_CANDIDATES: usize = 5;
/// The language of a query shows within this many words.
const MAX_WORDS: usize = 80;

pub(super) enum Recognised {
    /// English, or nothing but names.
    English,
    Language(&'static Table),
    NoTable,
}

struct FunctionWords {
    languages: Vec<&'static str>,
    /// For each word, one bit per language.
    of_word: HashMap<&'static str, u32>,
}

static FUNCTIONS: LazyLock<FunctionWords> = LazyLock::new(|| {
    let (mut languages, mut of_word) = (Vec::new(), HashMap::new());
    for line in FUNCTION_WORDS.lines().filter(|line| !line.starts_with('#')) {
        let Some((language, words)) = line.split_once(':') else { continue };
        let bit = 1 << languages.len();
        languages.push(language);
        for word in words.split_whitespace() {
            *of_word.entry(word).or_default() |= bit;
        }
    }
    FunctionWords { languages, of_word }
});

static ENGLISH_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| ENGLISH.split_whitespace().collect());

/// Whether a lower-case word is a function word in some language.
pub(super) fn is_function_word(word: &str) -> bool {
    FUNCTIONS.of_word.contains_key(fold(word).as_str())
}

/// Whether a folded word is a function word in this language.
pub(super) fn is_function_word_of(language: &str, word: &str) -> bool {
    let place = FUNCTIONS.languages.iter().position(|known| *known == language);
    place.is_some_and(|place| FUNCTIONS.of_word.get(word).is_some_and(|mask| mask >> place & 1 == 1))
}

pub(super) fn recognise(text: &str) -> Recognised {
    match script(text) {
        Script::Other => Recognised::NoTable,
        Script::One(language) => {
            table::of_language(language).map_or(Recognised::NoTable, Recognised::Language)
        }
        Script::Chinese => {
            table::of_language(chinese(text)).map_or(Recognised::NoTable, Recognised::Language)
        }
        Script::Latin => latin(text),
    }
}

enum Script {
    Latin,
    One(&'static str),
    Chinese,
    /// The script of a language without a table.
    Other,
}

/// With more than this many Latin letters for each letter of another script, the text is English and quotes
/// something; with fewer, the Latin words are names in a query.
const QUOTED: usize = 10;

/// The script of a query.
fn script(text: &str) -> Script {
    if text.is_ascii() {
        return Script::Latin;
    }
    let (mut latin, mut other, mut foreign) = (0, 0, 0);
    let (mut chinese, mut found) = (false, None);
    for letter in text.chars().filter(|letter| letter.is_alphabetic()) {
        let language = match letter {
            'a'..='z' | 'A'..='Z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => {
                latin += 1;
                continue;
            }
            '\u{3400}'..='\u{9fff}' => None,
            '\u{3040}'..='\u{30ff}' => Some("ja"),
            '\u{ac00}'..='\u{d7af}' => Some("ko"),
            'і' | 'ї' | 'є' | 'ґ' | 'І' | 'Ї' | 'Є' => Some("uk"),
            '\u{400}'..='\u{4ff}' => Some("ru"),
            '\u{600}'..='\u{6ff}' => Some("ar"),
            '\u{900}'..='\u{97f}' => Some("hi"),
            _ => {
                other += 1;
                continue;
            }
        };
        foreign += 1;
        chinese |= language.is_none();
        // Ukrainian uses all Russian letters but four, so one Ukrainian letter decides.
        found = if language == Some("uk") { language } else { found.or(language) };
    }
    match found {
        _ if latin > QUOTED * (foreign + other) => Script::Latin,
        Some(language) => Script::One(language),
        None if chinese => Script::Chinese,
        // One Greek letter in a formula does not make a query Greek.
        None if other > latin && other > 3 => Script::Other,
        None => Script::Latin,
    }
}

/// Simplified or traditional Chinese: the table that splits the text into fewer pieces, with less left over.
fn chinese(text: &str) -> &'static str {
    let cost = |language: &str| {
        table::of_language(language).map_or(usize::MAX, |table| cost_of_cutting(table, text))
    };
    if cost("zh-hant") < cost("zh") { "zh-hant" } else { "zh" }
}

/// 1 for each piece, and 3 for each character that is in no piece.
fn cost_of_cutting(table: &'static Table, text: &str) -> usize {
    let mut cost = 0;
    for run in text.split(|letter| !is_spaceless(letter)) {
        let mut rest = run;
        while let Some(first) = rest.chars().next() {
            let piece = table.first_piece(rest, |_| false).map(|(end, _)| end);
            cost += if piece.is_some() { 1 } else { 3 };
            rest = &rest[piece.unwrap_or(first.len_utf8())..];
        }
    }
    cost
}

/// The language of a query in Latin letters.
fn latin(text: &str) -> Recognised {
    let words = plain_words(text);
    let has_accents = text
        .chars()
        .any(|letter| matches!(letter, '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}') || is_accent(letter));
    let candidates = candidates(&words, has_accents);
    let tables = candidates.into_iter().filter_map(table::of_language);
    let judged = tables.map(|table| (Evidence::of(table, &words), table));
    let best = judged.reduce(|best, other| if other.0.margin() > best.0.margin() { other } else { best });
    match best {
        Some((evidence, _)) if has_accents && evidence.is_of_no_table() => Recognised::NoTable,
        Some((evidence, table)) if evidence.is_enough(has_accents) => Recognised::Language(table),
        _ => Recognised::English,
    }
}

/// The languages that a query in Latin letters may be in, likeliest first.
fn candidates(words: &[String], has_accents: bool) -> Vec<&'static str> {
    let hits = |bit: usize| words.iter().filter(|word| is_evidence_of(word, bit)).count();
    let mut candidates: Vec<(usize, &str)> =
        FUNCTIONS.languages.iter().enumerate().map(|(bit, language)| (hits(bit), *language)).collect();
    let has_hits = candidates.iter().any(|(hits, _)| *hits > 0);
    // A single plain word is a name.
    if !has_accents && (words.len() < 2 || !has_hits && !is_mostly_unknown(words)) {
        return Vec::new();
    }
    candidates.sort_by_key(|(hits, _)| std::cmp::Reverse(*hits));
    if has_hits {
        candidates.retain(|(hits, _)| *hits > 0);
        candidates.truncate(MAX_CANDIDATES);
    }
    candidates.into_iter().map(|(_, language)| language).collect()
}

/// Whether most words are not English, which may be a query without function words and accents. Names look like that
/// too.
fn is_mostly_unknown(words: &[String]) -> bool {
    let is_small = |word: &str| ENGLISH_WORDS.contains(word);
    // Most English queries contain a word such as "the" or "how" and are rejected here.
    if words.iter().any(|word| is_small(word) && !FUNCTIONS.of_word.contains_key(word.as_str())) {
        return false;
    }
    let unknown =
        words.iter().filter(|word| word.len() > 3 && !is_small(word) && !table::is_english(word)).count();
    unknown >= 2 && unknown * 2 > words.iter().filter(|word| word.len() > 1).count()
}

/// Ignores single letters: as function words they are articles in many languages, and they are variables in all.
fn is_evidence_of(word: &str, bit: usize) -> bool {
    word.len() > 1
        && !ENGLISH_WORDS.contains(word)
        && FUNCTIONS.of_word.get(word).is_some_and(|mask| mask >> bit & 1 == 1)
}

/// The words of a text, folded, without those that look like code.
fn plain_words(text: &str) -> Vec<String> {
    let tokens = text.split_whitespace().filter(|token| !looks_like_code(token));
    let words =
        tokens.flat_map(|token| token.split(|letter: char| !letter.is_alphabetic() && !is_accent(letter)));
    words.filter(|word| !word.is_empty()).take(MAX_WORDS).map(fold).collect()
}

/// Whether a token is an identifier, a path or a call rather than a word. A full stop at its end does not count.
pub(super) fn looks_like_code(token: &str) -> bool {
    let token = token.trim_matches(|letter: char| letter.is_ascii_punctuation() && letter != '_');
    let has_hump = || {
        token.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
    };
    token.is_ascii()
        && (token.contains(|letter: char| "_./\\:@#$=<>()[]{}".contains(letter) || letter.is_ascii_digit())
            || has_hump())
}

/// The evidence for a language and for English.
#[derive(Clone, Copy, Default)]
struct Evidence {
    foreign: u32,
    english: u32,
    /// Words that can be translated. Without any there is nothing to gain, and "pour de facto" would count as French.
    words: u32,
    /// Words that are neither in the language nor in English.
    unknown: u32,
}

impl Evidence {
    fn of(table: &'static Table, words: &[String]) -> Self {
        let mut evidence = Self::default();
        for word in words.iter().filter(|word| word.len() > 1) {
            let is_function = is_function_word_of(table.language, word);
            if ENGLISH_WORDS.contains(word.as_str()) {
                evidence.english += if is_function { 0 } else { FUNCTION_WORD };
            } else if is_function {
                evidence.foreign += FUNCTION_WORD;
            } else if table::is_english(word) {
                evidence.english += 1;
            } else if table.word(word).is_some() {
                evidence.foreign += EXACT_WORD;
                evidence.words += 1;
            } else if table.form(word).or_else(|| table.compound(word)).is_some() {
                evidence.foreign += FORM;
                evidence.words += 1;
            } else {
                evidence.unknown += 1;
            }
        }
        evidence
    }

    fn margin(self) -> i64 {
        i64::from(self.foreign) - i64::from(self.english)
    }

    /// Whether most words belong to a language without a table, such as Finnish, where a stem of another language
    /// matches by chance.
    fn is_of_no_table(self) -> bool {
        self.unknown >= ENOUGH && self.unknown > self.english && 2 * self.unknown > self.foreign
    }

    fn is_enough(self, has_accents: bool) -> bool {
        let is_foreign = self.foreign >= ENOUGH && self.foreign > self.english;
        (self.words > 0 || has_accents)
            && (is_foreign || (has_accents && self.foreign > 0 && self.english == 0))
    }
}
