//! How well a name matches the one that is looked up, and the restrictions of a definition lookup.

use std::collections::HashSet;

use vectorcode_core::words;

use super::row_bitmap::RowBitmap;

/// A broad match is limited to this many names, the best ones.
pub(crate) const MAX_NAMES: usize = 2000;

/// The restrictions of a lookup.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Restriction<'r> {
    /// The chunks that may contain the definition; `None` for all.
    pub allowed: Option<&'r RowBitmap>,
    /// The kind of the definition, or the syntax kind of its chunk, must be one of these; empty for all.
    pub kinds: &'r [String],
}

/// The distinct words of a name. A name without words (`_`) is its own word.
pub(crate) fn words_of(name: &str) -> HashSet<String> {
    let mut words: HashSet<String> = words::lowercase_words(name).into_iter().collect();
    if words.is_empty() {
        words.insert(name.to_lowercase());
    }
    words
}

/// The similarity of two lower-case names: 1 for equal names; a typo scores higher than a part of a longer name.
pub(crate) fn likeness(wanted: &str, name: &str) -> Option<f32> {
    if wanted.is_empty() {
        return None;
    }
    let slips = if wanted.len() < 4 {
        0
    } else if wanted.len() < 8 {
        1
    } else {
        2
    };
    if let Some(distance) = edit_distance(wanted.as_bytes(), name.as_bytes(), slips) {
        return Some(1.0 - distance as f32 / (wanted.len() + 1) as f32);
    }
    name.contains(wanted).then(|| 0.6 * wanted.len() as f32 / name.len() as f32)
}

/// The optimal string alignment distance (Levenshtein distance in which a swap of neighbours counts as one edit); `None` if it
/// exceeds `limit`. Not the one of `strsim`: a lookup compares every name of the index, and this one gives up on most of them
/// after the first rows.
fn edit_distance(a: &[u8], b: &[u8], limit: usize) -> Option<usize> {
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        if row.iter().all(|distance| *distance > limit) {
            return None;
        }
        before = std::mem::replace(&mut last, row);
    }
    last.last().copied().filter(|distance| *distance <= limit)
}

/// The last part of a qualified name: `authenticate` of `UserService.authenticate`, whatever separator the language uses.
pub(crate) fn last_segment(name: &str) -> &str {
    name.rsplit(SEPARATORS).next().unwrap_or(name)
}

const SEPARATORS: [char; 5] = ['.', ':', '#', '/', '\\'];

/// 1 for the exact name, less if the case differs or only the end matches; `None` if the scopes differ.
pub(crate) fn exact_score(text: &str, name: &str, qualified: &str) -> Option<f32> {
    if text == name || text == qualified {
        return Some(1.0);
    }
    if !segments(qualified).ends_with(&segments(text)) {
        return None;
    }
    Some(if qualified.ends_with(text) { 0.95 } else { 0.9 })
}

fn segments(name: &str) -> Vec<String> {
    name.split(SEPARATORS).filter(|part| !part.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_keyboard_are_near() {
        assert_eq!(edit_distance(b"retry", b"rerty", 2), Some(1));
        assert_eq!(edit_distance(b"retry", b"retries", 2), None);
        assert_eq!(edit_distance(b"authenticate", b"autenticat", 2), Some(2));
        assert_eq!(edit_distance(b"", b"", 0), Some(0));
    }

    #[test]
    fn a_part_of_a_name_is_alike_and_a_stranger_is_not() {
        assert!(likeness("user", "createuser").is_some());
        assert!(likeness("usr", "user").is_none());
        assert!(likeness("authenicate", "authenticate") > likeness("auth", "authenticate"));
    }

    #[test]
    fn scopes_must_agree() {
        let score = |text| exact_score(text, "send", "net::Mailer::send");
        assert_eq!(score("send"), Some(1.0));
        assert_eq!(score("mailer.SEND"), Some(0.9));
        assert_eq!(score("Queue.send"), None);
    }
}
