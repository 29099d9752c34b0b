//! Removes an artifact from `SocratiCode`'s JSON file, and leaves every other byte unchanged.

use std::ops::Range;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Value;

/// The text without the artifact; `None` if it does not define that artifact.
pub(super) fn without_artifact(text: &str, name: &str) -> Option<String> {
    let entries = Scanner { text, at: 0 }.artifacts()?;
    let place = entries.iter().position(|(entry, _)| entry["name"] == name)?;
    let (_, bytes) = &entries[place];
    // The comma before the entry is removed with it, or for the first entry the comma after it.
    let cut = match (place.checked_sub(1), entries.get(place + 1)) {
        (Some(before), _) => entries[before].1.end..bytes.end,
        (None, Some((_, next))) => bytes.start..next.start,
        (None, None) => bytes.clone(),
    };
    Some([&text[..cut.start], &text[cut.end..]].concat())
}

/// Reads JSON value by value, to learn the byte range of each.
struct Scanner<'t> {
    text: &'t str,
    at: usize,
}

impl Scanner<'_> {
    /// The entries of the top-level `artifacts` list, each with its byte range.
    fn artifacts(mut self) -> Option<Vec<(Value, Range<usize>)>> {
        self.expect('{')?;
        loop {
            let (key, _) = self.value::<String>()?;
            self.expect(':')?;
            if key == "artifacts" {
                return self.list();
            }
            self.value::<IgnoredAny>()?;
            self.expect(',')?;
        }
    }

    fn list(&mut self) -> Option<Vec<(Value, Range<usize>)>> {
        self.expect('[')?;
        let mut entries = Vec::new();
        loop {
            entries.push(self.value()?);
            if self.expect(',').is_none() {
                return self.expect(']').map(|()| entries);
            }
        }
    }

    fn value<T: DeserializeOwned>(&mut self) -> Option<(T, Range<usize>)> {
        self.skip_space();
        let start = self.at;
        let mut values = serde_json::Deserializer::from_str(&self.text[start..]).into_iter::<T>();
        let value = values.next()?.ok()?;
        self.at = start + values.byte_offset();
        Some((value, start..self.at))
    }

    fn expect(&mut self, character: char) -> Option<()> {
        self.skip_space();
        self.text[self.at..].starts_with(character).then(|| self.at += character.len_utf8())
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"{
  "version": 1, "x": [true, "}"],
  "artifacts": [
    { "name": "a", "path": "a.md" },
    { "name": "b", "path": "b.md", "description": "[1]" },
    { "name": "c", "path": "c.md" }
  ]
}
"#;

    #[test]
    fn one_entry_goes_and_the_rest_stays_as_written() {
        let lines: Vec<&str> = FILE.lines().collect();
        let without = |name: &str| without_artifact(FILE, name).unwrap();
        assert_eq!(without("a"), FILE.replace(&format!("{}\n    ", lines[3].trim_start()), ""));
        assert_eq!(without("b"), FILE.replace(&format!("{}\n", lines[4]), ""));
        assert_eq!(without("c"), FILE.replace(&format!(",\n{}", lines[5]), ""));
        assert_eq!(without_artifact(FILE, "d"), None);
        assert_eq!(
            without_artifact(r#"{"artifacts": [{"name": "a"}]}"#, "a").unwrap(),
            r#"{"artifacts": []}"#
        );
    }

    #[test]
    fn what_is_no_such_file_is_left_alone() {
        for text in
            ["", "{", "[]", "{}", r#"{"artifacts": 1}"#, r#"{"artifacts": []}"#, r#"{"artifacts": [1"#]
        {
            assert_eq!(without_artifact(text, "a"), None, "{text}");
        }
    }
}
