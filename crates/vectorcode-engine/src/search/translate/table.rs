//! The tables in the binary: for each word of a language the English words that it stands for.
//!
//! `training/translate/pack.py` describes the file. It is sorted text, searched where it lies: a command asks one question, and
//! unpacking its language took longer than the rest of the search.

use std::cmp::Ordering;
use std::ops::Range;
use std::sync::LazyLock;

use vectorcode_core::stem::stem;

use super::word::key;

static FILE: &str = include_str!("../../../models/translations.txt");
const ENGLISH: &str = "en";
/// Pieces of a text without spaces are no longer.
const LONGEST_PIECE: usize = 8;
/// The letters that join the parts of a German, Dutch or Swedish compound.
const JOINTS: [&str; 6] = ["", "s", "es", "n", "en", "e"];
const COMPOUNDING: [&str; 3] = ["de", "nl", "sv"];
const MIN_PART: usize = 4;

type EnglishWords = Vec<&'static str>;

/// The words of one language.
#[derive(Debug)]
pub(super) struct Table {
    pub language: &'static str,
    endings: Vec<&'static str>,
    beginnings: Vec<&'static str>,
    lines: SortedLines,
}

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let (header, body) = FILE.split_once('\n').expect("the first line says where the sections are");
    let mut fields = header.split(' ');
    std::iter::from_fn(|| {
        let language = fields.next()?;
        let mut place = || fields.next().and_then(|field| field.parse().ok()).expect("a place is a number");
        let section: Range<usize> = place()..place();
        Some(Table::read(language, &body[section]))
    })
    .collect()
});

/// The table of a language; `None` where the binary has none.
pub(super) fn of_language(language: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.language == language)
}

/// Whether English texts have a word, in lower case.
pub(super) fn is_english(word: &str) -> bool {
    of_language(ENGLISH).is_some_and(|table| table.lines.find(word).is_some())
}

impl Table {
    /// A line with the endings of its words, one with the beginnings, and the words.
    fn read(language: &'static str, text: &'static str) -> Self {
        let mut parts = text.splitn(3, '\n');
        let mut part = || parts.next().expect("the recipe writes three parts");
        let words = |line: &'static str| line.split_whitespace().collect();
        Self { language, endings: words(part()), beginnings: words(part()), lines: SortedLines(part()) }
    }

    /// What a word means, in any of its forms; nothing where the table knows that it tells nothing, and `None` where it does not have it.
    pub fn meaning(&self, word: &str) -> Option<EnglishWords> {
        let exact = self.word(word);
        // The form of a rare word is the better known one.
        let whole = exact.clone().filter(|words| !words.is_empty()).or_else(|| self.form(word));
        match (whole, self.compound(word)) {
            (Some(whole), Some(parts)) => Some(prefer_parts(whole, parts)),
            (whole, parts) => parts.or(whole).or(exact),
        }
    }

    /// The English words of a word as it is written, folded.
    pub fn word(&self, word: &str) -> Option<EnglishWords> {
        self.lines.find(word).map(|words| words.split_whitespace().collect())
    }

    /// The English words of a word in any of its forms.
    pub fn form(&self, word: &str) -> Option<EnglishWords> {
        self.word(&format!("+{}", key(word, &self.endings, &self.beginnings)))
    }

    /// The English words of the two parts of a compound. Of several ways to cut it the one with the longest shorter part is right most often.
    pub fn compound(&self, word: &str) -> Option<EnglishWords> {
        if !COMPOUNDING.contains(&self.language) || !word.is_ascii() || word.len() < 2 * MIN_PART {
            return None;
        }
        let cuts = (MIN_PART..=word.len() - MIN_PART).filter_map(|at| {
            let left = JOINTS.iter().find_map(|joint| self.part(word[..at].strip_suffix(joint)?))?;
            let right = self.part(&word[at..])?;
            Some((at.min(word.len() - at), [left, right].concat()))
        });
        cuts.max_by_key(|(shorter, _)| *shorter).map(|(_, words)| words)
    }

    fn part(&self, part: &str) -> Option<EnglishWords> {
        let found = if part.len() < 3 { None } else { self.word(part).or_else(|| self.form(part)) };
        found.filter(|words| !words.is_empty())
    }

    /// The length of the longest piece that a text without spaces begins with, and its English words.
    pub fn first_piece(&self, run: &str, is_known: impl Fn(&str) -> bool) -> Option<(usize, EnglishWords)> {
        let mut ends = ends_of_letters(run, LONGEST_PIECE);
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let piece = &run[..end];
            let meaning = if is_known(piece) { Some(Vec::new()) } else { self.piece(piece) };
            meaning.map(|words| (end, words))
        })
    }

    fn piece(&self, piece: &str) -> Option<EnglishWords> {
        let whole = self.word(piece)?;
        let inner = ends_of_letters(piece, LONGEST_PIECE).into_iter().filter(|at| *at < piece.len());
        let halves = inner.filter_map(|at| {
            let half = |half: &str| self.piece(half).filter(|words| !words.is_empty());
            Some([half(&piece[..at])?, half(&piece[at..])?].concat())
        });
        Some(halves.fold(whole, prefer_parts))
    }
}

/// Alignment gave many compounds only one of their words ("Fehlerbehandlung" is "handling"): such a whole tells less than its parts.
fn prefer_parts(whole: EnglishWords, parts: EnglishWords) -> EnglishWords {
    let has = |parts: &EnglishWords, word: &str| parts.iter().any(|part| stem(part) == stem(word));
    if whole.iter().all(|word| has(&parts, word)) { parts } else { whole }
}

fn ends_of_letters(text: &str, count: usize) -> Vec<usize> {
    text.char_indices().take(count).map(|(at, letter)| at + letter.len_utf8()).collect()
}

/// Lines in the order of the bytes of their first word.
#[derive(Clone, Copy, Debug)]
struct SortedLines(&'static str);

impl SortedLines {
    /// What stands behind a word in its line.
    fn find(self, word: &str) -> Option<&'static str> {
        let mut rest = self.0;
        while !rest.is_empty() {
            let middle = rest.floor_char_boundary(rest.len() / 2);
            let start = rest[..middle].rfind('\n').map_or(0, |at| at + 1);
            let end = rest[middle..].find('\n').map_or(rest.len(), |at| middle + at);
            let (name, words) = rest[start..end].split_once(' ').unwrap_or((&rest[start..end], ""));
            match name.as_bytes().cmp(word.as_bytes()) {
                Ordering::Equal => return Some(words),
                Ordering::Less => rest = rest.get(end + 1..).unwrap_or_default(),
                Ordering::Greater => rest = &rest[..start.saturating_sub(1)],
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_sorted_and_every_line_is_found() {
        for table in TABLES.iter() {
            let lines: Vec<&str> = table.lines.0.split('\n').collect();
            let names: Vec<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
            assert!(names.len() > 500, "{}", table.language);
            assert!(
                names.windows(2).all(|pair| pair[0].as_bytes() < pair[1].as_bytes()),
                "{}",
                table.language
            );
            for (name, line) in names.iter().zip(&lines).step_by(7) {
                assert_eq!(
                    table.lines.find(name),
                    Some(line[name.len()..].trim_start()),
                    "{}",
                    table.language
                );
            }
            assert_eq!(table.lines.find("zzzzz"), None);
        }
        assert!(is_english("validate") && !is_english("validieren") && !is_english(""));
        assert!(of_language("xx").is_none());
    }

    #[test]
    fn the_tables_take_at_most_six_megabytes() {
        assert!(FILE.len() <= 6_000_000, "{}", FILE.len());
    }
}
