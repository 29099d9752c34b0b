//! A suffix-stripping stemmer for English: `parses`, `parsing` and `parser` all become `pars`.
//!
//! It is lighter than Porter's and needs no dictionary. It is used to match texts and names with the words of a query, where
//! a false match costs little and a missed plural costs a lot.
//!
//! The Snowball stemmer of `rust-stemmers` is not used, because it keeps `parser` apart from `parse`. Also, an index stores
//! hashes of these stems (`WordHashes`, the words of commits), and the weights of the ranking are fitted to them: switching
//! stemmers would mean reading all files again and refitting.

/// The steps in order. Each step removes the first ending that leaves at least this many letters.
const STEPS: [&[(&str, usize)]; 5] = [
    &[("ing", 3), ("ed", 3), ("ion", 3), ("ity", 4), ("e", 3)],
    &[("er", 3), ("or", 4)],
    // Repeated, for words such as `renderer`.
    &[("er", 3)],
    &[("at", 5)],
    &[("iz", 5), ("is", 5)],
];

/// The stem of a lower-case word, which its inflected forms share.
pub fn stem(word: &str) -> String {
    let mut stem = word.to_owned();
    cut_to_stem(&mut stem);
    stem
}

/// Truncates a lower-case word to its stem.
pub fn cut_to_stem(stem: &mut String) {
    make_singular(stem);
    for step in STEPS {
        if let Some((ending, _)) =
            step.iter().find(|(end, left)| stem.ends_with(end) && stem.len() >= end.len() + left)
        {
            stem.truncate(stem.len() - ending.len());
            undouble(stem);
        }
    }
}

fn make_singular(word: &mut String) {
    if word.len() > 4 && word.ends_with("ies") {
        word.truncate(word.len() - 3);
        word.push('y');
    } else if word.len() > 3 && word.ends_with('s') && !word.ends_with("ss") {
        word.pop();
    }
}

/// `mapp` (of `mapping`) becomes `map`, while `call` stays.
fn undouble(stem: &mut String) {
    if let [.., before, last @ (b'b' | b'd' | b'g' | b'm' | b'n' | b'p' | b'r' | b't')] = stem.as_bytes()
        && before == last
        && stem.len() > 3
    {
        stem.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_share_a_stem() {
        for forms in [
            &["parse", "parses", "parsing", "parser", "parsed"][..],
            &["map", "maps", "mapping", "mapped", "mapper"],
            &["serialize", "serializer", "serialization", "serializing", "serialise"],
            &["dependency", "dependencies"],
            &["validate", "validator", "validation", "validating"],
            &["router", "routing", "route", "routes"],
            &["render", "renderer", "rendering", "rendered"],
            &["class", "classes"],
            &["utils", "util", "utility", "utilities"],
            &["secure", "security"],
        ] {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|other| *other == stems[0]), "{forms:?} became {stems:?}");
        }
    }

    #[test]
    fn short_words_stay() {
        for word in ["bus", "ion", "ring", "red", "is", "x", "form", "error", "user", "city", "entity", ""] {
            assert_eq!(stem(word), word);
        }
        assert_ne!(stem("format"), stem("form"));
    }
}
