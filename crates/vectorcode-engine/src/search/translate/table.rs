//! The tables in the binary: for each word of a language the English words that it stands for.
//!
//! `training/translate/pack.py` describes the file. A section is unpacked when its language is first asked for (about a
//! millisecond), and kept.

use std::collections::HashSet;
use std::io::Read;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use flate2::read::ZlibDecoder;

use super::word::key;

static FILE: &[u8] = include_bytes!("../../../models/translations.bin");
const ENGLISH: &str = "en";
/// Pieces of a text without spaces are no longer.
const LONGEST_PIECE: usize = 8;
/// The letters that join the parts of a German, Dutch or Swedish compound.
const JOINTS: [&str; 6] = ["", "s", "es", "n", "en", "e"];
const COMPOUNDING: [&str; 3] = ["de", "nl", "sv"];
const MIN_PART: usize = 4;

/// The words of one language.
#[derive(Debug)]
pub(super) struct Table {
    pub language: &'static str,
    text: String,
    /// Where each line lies, in the order of its word.
    lines: Vec<Range<usize>>,
    endings: Vec<Range<usize>>,
    beginnings: Vec<Range<usize>>,
}

struct Section {
    language: &'static str,
    bytes: Range<usize>,
    table: OnceLock<Table>,
}

static SECTIONS: LazyLock<Vec<Section>> = LazyLock::new(|| {
    let (length, rest) = FILE.split_first_chunk().expect("the file begins with the length of its header");
    let (header, _) = rest.split_at(u32::from_le_bytes(*length) as usize);
    let begin = 4 + header.len();
    let header = std::str::from_utf8(header).expect("the header is text");
    header.lines().map(|line| section(line, begin)).collect()
});

fn section(line: &'static str, begin: usize) -> Section {
    let mut fields = line.split(' ');
    let language = fields.next().unwrap_or_default();
    let mut place =
        || begin + fields.next().and_then(|field| field.parse::<usize>().ok()).expect("a place is a number");
    Section { language, bytes: place()..place(), table: OnceLock::new() }
}

/// The table of a language; `None` where the binary has none.
pub(super) fn of_language(language: &str) -> Option<&'static Table> {
    let section = SECTIONS.iter().find(|section| section.language == language)?;
    Some(section.table.get_or_init(|| Table::read(section.language, unpack(&section.bytes))))
}

/// Whether English texts have a word, in lower case.
pub(super) fn is_english(word: &str) -> bool {
    static WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
        let section = SECTIONS.iter().find(|section| section.language == ENGLISH);
        let text = section.map(|section| unpack(&section.bytes)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    });
    WORDS.contains(word)
}

fn unpack(bytes: &Range<usize>) -> String {
    let mut text = String::new();
    ZlibDecoder::new(&FILE[bytes.clone()])
        .read_to_string(&mut text)
        .expect("the sections were packed by the recipe");
    text
}

impl Table {
    fn read(language: &'static str, text: String) -> Self {
        let mut lines = line_ranges(&text);
        let heads: Vec<Range<usize>> = lines.drain(..2.min(lines.len())).collect();
        let parts =
            |place: usize| heads.get(place).map_or_else(Vec::new, |line| word_ranges(&text, line.clone()));
        let (endings, beginnings) = (parts(0), parts(1));
        Self { language, text, lines, endings, beginnings }
    }

    /// The English words of a word as it is written, folded; `None` where the table does not have it.
    pub fn word(&self, word: &str) -> Option<Vec<&str>> {
        let name_of = |line: &Range<usize>| self.text[line.clone()].split(' ').next().unwrap_or_default();
        let found = self.lines.binary_search_by(|line| name_of(line).as_bytes().cmp(word.as_bytes())).ok()?;
        Some(self.text[self.lines[found].clone()].split(' ').skip(1).collect())
    }

    /// The English words of a word in any of its forms.
    pub fn form(&self, word: &str) -> Option<Vec<&str>> {
        self.word(&format!("+{}", self.key(word)))
    }

    fn key<'w>(&self, word: &'w str) -> &'w str {
        let text = |ranges: &[Range<usize>]| {
            ranges.iter().map(|range| &self.text[range.clone()]).collect::<Vec<_>>()
        };
        key(word, &text(&self.endings), &text(&self.beginnings))
    }

    /// The English words of the two parts of a compound. Of several ways to cut it the one with the longest shorter part is right most often.
    pub fn compound(&self, word: &str) -> Option<Vec<&str>> {
        if !COMPOUNDING.contains(&self.language) || !word.is_ascii() || word.len() < 2 * MIN_PART {
            return None;
        }
        let cuts = (MIN_PART..=word.len() - 3).filter_map(|at| {
            let left = JOINTS.iter().find_map(|joint| self.part(word[..at].strip_suffix(joint)?))?;
            let right = self.part(&word[at..])?;
            Some((at.min(word.len() - at), [left, right].concat()))
        });
        cuts.max_by_key(|(shorter, _)| *shorter).map(|(_, words)| words)
    }

    fn part(&self, part: &str) -> Option<Vec<&str>> {
        let found = if part.len() < 3 { None } else { self.word(part).or_else(|| self.form(part)) };
        found.filter(|words| !words.is_empty())
    }

    /// The length of the longest piece that a text without spaces begins with, and its English words.
    pub fn first_piece(&self, run: &str, is_known: impl Fn(&str) -> bool) -> Option<(usize, Vec<&str>)> {
        let ends: Vec<usize> =
            run.char_indices().take(LONGEST_PIECE).map(|(at, letter)| at + letter.len_utf8()).collect();
        ends.into_iter().rev().find_map(|end| {
            let piece = &run[..end];
            if is_known(piece) { Some((end, Vec::new())) } else { self.word(piece).map(|words| (end, words)) }
        })
    }
}

fn line_ranges(text: &str) -> Vec<Range<usize>> {
    let mut start = 0;
    text.split('\n')
        .map(|line| {
            let range = start..start + line.len();
            start = range.end + 1;
            range
        })
        .collect()
}

fn word_ranges(text: &str, line: Range<usize>) -> Vec<Range<usize>> {
    let begin = line.start;
    let words = text[line].split(' ').filter(|word| !word.is_empty());
    words
        .map(|word| {
            let start = word.as_ptr() as usize - text.as_ptr() as usize;
            debug_assert!(start >= begin);
            start..start + word.len()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_section_can_be_read_and_is_sorted() {
        for section in SECTIONS.iter().filter(|section| section.language != ENGLISH) {
            let table = of_language(section.language).unwrap();
            assert!(table.lines.len() > 500, "{}", section.language);
            let names: Vec<&[u8]> = table
                .lines
                .iter()
                .map(|line| table.text[line.clone()].split(' ').next().unwrap().as_bytes())
                .collect();
            assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "{}", section.language);
        }
        assert!(is_english("validate") && !is_english("validieren"));
        assert!(of_language("xx").is_none());
    }

    #[test]
    fn the_tables_take_at_most_six_megabytes() {
        assert!(FILE.len() <= 6_000_000, "{}", FILE.len());
    }
}
