//! Maps a file name to its language. The settings `exclude_extensions` and `extra_extensions` are applied on top of
//! the language registry.

use vectorcode_core::config::IndexingConfig;

use super::names;
use crate::SourceError;
use crate::languages::{self, Language};

/// The file name endings from the settings.
#[derive(Debug)]
pub struct Extensions {
    /// Lower case, with the dot: `.min.js`.
    excluded: Vec<String>,
    extra: Vec<Extra>,
}

#[derive(Debug)]
struct Extra {
    /// Lower case, with the dot.
    ending: String,
    /// `None` means plain text, unless the registry has a language for the name.
    language: Option<&'static Language>,
}

impl Extensions {
    pub fn new(config: &IndexingConfig) -> Result<Self, SourceError> {
        Ok(Self {
            excluded: config.exclude_extensions.iter().map(|entry| ending(entry)).collect(),
            extra: config
                .extra_extensions
                .iter()
                .map(|entry| Extra::parse(entry))
                .collect::<Result<_, _>>()?,
        })
    }

    pub fn excludes(&self, name: &str) -> bool {
        self.excluded.iter().any(|ending| ends_with(name, ending))
    }

    /// An extra extension with a language overrides the registry. One without a language is only used as the last
    /// fallback.
    pub fn language(&self, name: &str) -> Option<&'static Language> {
        let extra = self.extra.iter().find(|extra| ends_with(name, &extra.ending));
        let is_text = extra.is_some() || (name.starts_with('.') && !names::is_hidden_file(name));
        extra
            .and_then(|extra| extra.language)
            .or_else(|| languages::by_path(name))
            .or_else(|| languages::plain_text().filter(|_| is_text))
    }
}

impl Extra {
    /// Parses an entry such as `.inc` or `.tpl=html`.
    fn parse(entry: &str) -> Result<Self, SourceError> {
        let Some((extension, name)) = entry.split_once('=') else {
            return Ok(Self { ending: ending(entry), language: None });
        };
        let language = languages::by_name(name.trim());
        if language.is_none() {
            return Err(SourceError::ExtraExtension { entry: entry.to_owned() });
        }
        Ok(Self { ending: ending(extension), language })
    }
}

/// Normalizes an extension: users write `js`, `.js` and `*.js`.
fn ending(extension: &str) -> String {
    format!(".{}", extension.trim().trim_start_matches('*').trim_start_matches('.').to_ascii_lowercase())
}

fn ends_with(name: &str, ending: &str) -> bool {
    let start = name.len().checked_sub(ending.len());
    start.is_some_and(|start| name.as_bytes()[start..].eq_ignore_ascii_case(ending.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extensions(excluded: &[&str], extra: &[&str]) -> Result<Extensions, SourceError> {
        let owned = |entries: &[&str]| entries.iter().map(ToString::to_string).collect();
        Extensions::new(&IndexingConfig {
            exclude_extensions: owned(excluded),
            extra_extensions: owned(extra),
            ..IndexingConfig::default()
        })
    }

    #[test]
    fn exclusions_take_any_spelling_and_several_dots() {
        let extensions = extensions(&["min.js", "*.LOCK"], &[]).unwrap();
        assert!(extensions.excludes("app.MIN.js") && extensions.excludes("yarn.lock"));
        assert!(
            !extensions.excludes("admin.js") && !extensions.excludes("padlock") && !extensions.excludes("é")
        );
    }

    #[test]
    fn extra_extensions_name_a_language_or_mean_text() {
        let extensions = extensions(&[], &[".inc", ".tpl=text"]).unwrap();
        let name = |file| extensions.language(file).map(|language| language.name);
        assert_eq!(name("a.inc"), Some("text"));
        assert_eq!(name("a.TPL"), Some("text"));
        assert!(name(".editorconfig").is_some());
        assert_eq!(name("a.unheard-of"), None);
    }

    #[test]
    fn an_unknown_language_is_refused_by_name() {
        let error = extensions(&[], &[".x=klingon"]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Setting extra_extensions: \".x=klingon\" does not name a known language"
        );
    }
}
