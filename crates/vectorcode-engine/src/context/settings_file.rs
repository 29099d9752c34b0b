//! Removes an artifact from `config.toml`, together with the comment right above it, and leaves every other line
//! unchanged.

use toml_edit::{DocumentMut, Item, TableLike, Value};

/// The text without the artifact; `None` if it does not define that artifact.
pub(super) fn without_artifact(text: &str, name: &str) -> Option<String> {
    let mut document: DocumentMut = text.parse().ok()?;
    let is_meant = |table: &dyn TableLike| table.get("name").and_then(Item::as_str) == Some(name);
    let removed = match document.get_mut("artifacts")? {
        Item::ArrayOfTables(tables) => {
            let place = tables.iter().position(|table| is_meant(table))?;
            tables.remove(place);
            tables.is_empty()
        }
        Item::Value(Value::Array(tables)) => {
            let place = tables
                .iter()
                .position(|value| value.as_inline_table().is_some_and(|table| is_meant(table)))?;
            tables.remove(place);
            tables.is_empty()
        }
        _ => return None,
    };
    if removed {
        document.remove("artifacts");
    }
    Some(document.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_artifact_goes_and_the_rest_stays_as_written() {
        let text = "# Mine.\n[search]\ndefault_limit = 5 # few\n\n[[artifacts]]\nname = \"a\"\npath = \"a.md\"\n\n\
                    [[artifacts]]\nname = \"b\"\npath = \"b.md\"\n";
        let without = without_artifact(text, "a").unwrap();
        assert!(without.starts_with("# Mine.\n[search]\ndefault_limit = 5 # few\n"), "{without}");
        assert!(!without.contains("a.md") && without.contains("b.md"), "{without}");
        assert!(!without_artifact(&without, "b").unwrap().contains("artifacts"));
        assert_eq!(without_artifact(text, "c"), None);
    }

    #[test]
    fn a_list_on_one_line_is_understood() {
        let text = "artifacts = [{ name = \"a\", path = \"a\" }, { name = \"b\", path = \"b\" }]\n";
        let without = without_artifact(text, "a").unwrap();
        assert!(!without.contains("\"a\"") && without.contains("\"b\""), "{without}");
    }
}
