//! The translation tables in the binary: for each word of a language its English translations.
//!
//! `training/translate/pack.py` describes the file: sorted text, which the build script compresses in blocks. A block
//! is decompressed when a word is first looked up in it.

use std::cmp::Ordering;
use std::io::Read as _;
use std::sync::{LazyLock, OnceLock};

use flate2::read::DeflateDecoder;
use vectorcode_core::stem::stem;

use super::word::key;

static PACKED: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/translations.packed"));
/// Language, endings, prefixes and blocks.
type PackedTable = (&'static str, &'static str, &'static str, &'static [PackedBlock]);
/// The first word of a block and its compressed length. The blocks follow each other in `PACKED`.
type PackedBlock = (&'static str, usize);
static PACKED_TABLES: &[PackedTable] = &include!(concat!(env!("OUT_DIR"), "/translations.rs"));
const ENGLISH: &str = "en";
/// Maximum length of a piece in a text without spaces.
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
    blocks: Vec<Block>,
}

/// Some lines, sorted by the bytes of their first words.
#[derive(Debug)]
struct Block {
    first: &'static str,
    packed: &'static [u8],
    lines: OnceLock<String>,
}

static TABLES: LazyLock<Vec<Table>> = LazyLock::new(|| {
    let mut rest = PACKED;
    let mut block = |(first, length): &PackedBlock| {
        let packed = rest.split_off(..*length).expect("the blocks are as long as the build says");
        Block { first, packed, lines: OnceLock::new() }
    };
    let words = |line: &'static str| line.split_whitespace().collect();
    let tables = PACKED_TABLES.iter().map(|(language, endings, beginnings, blocks)| Table {
        language,
        endings: words(endings),
        beginnings: words(beginnings),
        blocks: blocks.iter().map(&mut block).collect(),
    });
    tables.collect()
});

/// The table of a language; `None` if the binary has none.
pub(super) fn of_language(language: &str) -> Option<&'static Table> {
    TABLES.iter().find(|table| table.language == language)
}

/// Whether a lower-case word occurs in English texts.
pub(super) fn is_english(word: &str) -> bool {
    of_language(ENGLISH).is_some_and(|table| table.line(word).is_some())
}

impl Table {
    /// The translations of a word in any of its forms; empty if the table marks it as meaningless, and `None` if it
    /// is unknown.
    pub fn meaning(&'static self, word: &str) -> Option<EnglishWords> {
        let exact = self.word(word);
        // If the exact word is marked as meaningless, its stem is used.
        let whole = exact.clone().filter(|words| !words.is_empty()).or_else(|| self.form(word));
        match (whole, self.compound(word)) {
            (Some(whole), Some(parts)) => Some(prefer_parts(whole, parts)),
            (whole, parts) => parts.or(whole).or(exact),
        }
    }

    /// The English translations of a folded word exactly as written.
    pub fn word(&'static self, word: &str) -> Option<EnglishWords> {
        self.line(word).map(|words| words.split_whitespace().collect())
    }

    /// The text after a word in its line.
    fn line(&'static self, word: &str) -> Option<&'static str> {
        let after = self.blocks.partition_point(|block| block.first.as_bytes() <= word.as_bytes());
        find(self.blocks[..after].last()?.lines(), word)
    }

    /// The English translations of a word in any of its forms.
    pub fn form(&'static self, word: &str) -> Option<EnglishWords> {
        self.word(&format!("+{}", key(word, &self.endings, &self.beginnings)))
    }

    /// The English translations of the two parts of a compound. Of several ways to split it, the one with the longest
    /// shorter part is right most often.
    pub fn compound(&'static self, word: &str) -> Option<EnglishWords> {
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

    fn part(&'static self, part: &str) -> Option<EnglishWords> {
        let found = if part.len() < 3 { None } else { self.word(part).or_else(|| self.form(part)) };
        found.filter(|words| !words.is_empty())
    }

    /// The longest piece at the start of a text without spaces: its length and English translations.
    pub fn first_piece(
        &'static self,
        run: &str,
        is_known: impl Fn(&str) -> bool,
    ) -> Option<(usize, EnglishWords)> {
        let mut ends = ends_of_letters(run, LONGEST_PIECE);
        ends.reverse();
        ends.into_iter().find_map(|end| {
            let piece = &run[..end];
            let meaning = if is_known(piece) { Some(Vec::new()) } else { self.piece(piece) };
            meaning.map(|words| (end, words))
        })
    }

    fn piece(&'static self, piece: &str) -> Option<EnglishWords> {
        let whole = self.word(piece)?;
        let inner = ends_of_letters(piece, LONGEST_PIECE).into_iter().filter(|at| *at < piece.len());
        let halves = inner.filter_map(|at| {
            let half = |half: &str| self.piece(half).filter(|words| !words.is_empty());
            Some([half(&piece[..at])?, half(&piece[at..])?].concat())
        });
        Some(halves.fold(whole, prefer_parts))
    }
}

/// Word alignment gave many compounds only one of their meanings ("Fehlerbehandlung" is just "handling"); then the
/// parts are preferred.
fn prefer_parts(whole: EnglishWords, parts: EnglishWords) -> EnglishWords {
    let has = |parts: &EnglishWords, word: &str| parts.iter().any(|part| stem(part) == stem(word));
    if whole.iter().all(|word| has(&parts, word)) { parts } else { whole }
}

fn ends_of_letters(text: &str, count: usize) -> Vec<usize> {
    text.char_indices().take(count).map(|(at, letter)| at + letter.len_utf8()).collect()
}

impl Block {
    fn lines(&'static self) -> &'static str {
        self.lines.get_or_init(|| {
            let mut lines = String::new();
            DeflateDecoder::new(self.packed)
                .read_to_string(&mut lines)
                .expect("the build packed whole blocks");
            lines
        })
    }
}

/// The text after a word in its line; `lines` are sorted by their first words.
fn find(mut lines: &'static str, word: &str) -> Option<&'static str> {
    while !lines.is_empty() {
        let middle = lines.floor_char_boundary(lines.len() / 2);
        let start = lines[..middle].rfind('\n').map_or(0, |at| at + 1);
        let end = lines[middle..].find('\n').map_or(lines.len(), |at| middle + at);
        let (name, words) = lines[start..end].split_once(' ').unwrap_or((&lines[start..end], ""));
        match name.as_bytes().cmp(word.as_bytes()) {
            Ordering::Equal => return Some(words),
            Ordering::Less => lines = lines.get(end + 1..).unwrap_or_default(),
            Ordering::Greater => lines = &lines[..start.saturating_sub(1)],
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_is_sorted_and_every_line_is_found() {
        for table in TABLES.iter() {
            let lines: Vec<&str> = table.blocks.iter().flat_map(|block| block.lines().split('\n')).collect();
            let names: Vec<&str> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
            assert!(names.len() > 500, "{}", table.language);
            assert!(
                names.windows(2).all(|pair| pair[0].as_bytes() < pair[1].as_bytes()),
                "{}",
                table.language
            );
            for (name, line) in names.iter().zip(&lines).step_by(7) {
                assert_eq!(table.line(name), Some(line[name.len()..].trim_start()), "{}", table.language);
            }
            assert_eq!(table.line("zzzzz"), None);
            assert_eq!(table.line(""), None);
        }
        assert!(is_english("validate") && !is_english("validieren") && !is_english(""));
        assert!(of_language("xx").is_none());
    }

    #[test]
    fn the_tables_take_at_most_two_megabytes() {
        assert!(PACKED.len() <= 2_000_000, "{}", PACKED.len());
    }
}
