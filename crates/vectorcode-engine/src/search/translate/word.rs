//! Normalises words in the same way as the tables: lower case, no accents, and without the endings of the language.
//!
//! `training/translate/words.py` has the same rules; a word that the two treat differently is not found.

use unicode_normalization::UnicodeNormalization;

const MIN_STEM: usize = 3;
/// A long ending must leave more: without `ado`, `estado` would become `est`.
const MIN_LONG_STEM: usize = 4;

/// Whether this letter belongs to a script that writes words without spaces, or joins particles to them (Korean).
pub(super) fn is_spaceless(letter: char) -> bool {
    matches!(letter, '\u{3005}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// Lower case without accents. Kana, Hangul and Devanagari keep their marks, because without them they are other
/// letters.
pub(super) fn fold(word: &str) -> String {
    if word.is_ascii() {
        return word.to_ascii_lowercase();
    }
    let mut plain = String::with_capacity(word.len());
    for letter in word.to_lowercase().chars() {
        match letter {
            'ß' => plain.push_str("ss"),
            'ł' => plain.push('l'),
            'ø' => plain.push('o'),
            'đ' => plain.push('d'),
            'ı' => plain.push('i'),
            'æ' => plain.push_str("ae"),
            'œ' => plain.push_str("oe"),
            other => plain.push(other),
        }
    }
    plain.nfd().filter(|letter| !is_accent(*letter)).nfc().collect()
}

pub(super) fn is_accent(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// What the forms of a folded word have in common, after removing the endings and prefixes of its language. Both
/// lists are sorted longest first.
pub(super) fn key<'w>(word: &'w str, endings: &[&str], beginnings: &[&str]) -> &'w str {
    let letters = |text: &str| text.chars().count();
    let mut begins = beginnings.iter().filter_map(|beginning| word.strip_prefix(beginning));
    let word = begins.find(|rest| letters(rest) >= MIN_STEM).unwrap_or(word);
    let least = |ending: &str| if letters(ending) < 3 { MIN_STEM } else { MIN_LONG_STEM };
    let cut = |ending: &&str| word.strip_suffix(ending).filter(|rest| letters(rest) >= least(ending));
    endings.iter().find_map(cut).unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accents_and_case_do_not_matter() {
        assert_eq!(fold("Größe"), "grosse");
        assert_eq!(fold("CONFIGURACIÓN"), "configuracion");
        assert_eq!(fold("Йод"), "иод");
        assert_eq!(fold("が"), "が");
    }

    #[test]
    fn endings_are_cut_while_enough_is_left() {
        let endings = ["ado", "os", "o"];
        assert_eq!(key("estado", &endings, &[]), "estad");
        assert_eq!(key("validado", &endings, &[]), "valid");
        assert_eq!(key("los", &endings, &[]), "los");
        assert_eq!(key("الملف", &[], &["ال"]), "ملف");
    }
}
