//! Converts symbol names from the forms in which people and agents write them to the form of the index.
//!
//! `Router::new`, `(*Engine).ServeHTTP`, `Foo->bar`, `Foo#bar` and `peek()` are all accepted. The part before the
//! last name may also be a package or module (`gin.New`, `click.echo`), which the index does not store with its
//! definitions.

/// A name in normalised form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct WrittenName {
    /// With `.` between scopes.
    pub qualified: String,
}

impl WrittenName {
    pub fn parse(text: &str) -> Self {
        let text = text.trim().trim_start_matches('#').trim_end_matches("()");
        // A Go receiver: `(*Engine).ServeHTTP`.
        let text = text.replace("(*", "").replace("(&", "").replace(['(', ')', '`'], "");
        let text = text.replace("::", ".").replace("->", ".").replace('#', ".");
        Self { qualified: text.trim_matches(['.', '*', '&']).to_owned() }
    }

    /// The ways to split it into a package and a name in it, longest names first: `flask` and `app.Flask.run`,
    /// `flask.app` and `Flask.run`, `flask.app.Flask` and `run`.
    pub fn packages_and_names(&self) -> impl Iterator<Item = (&str, &str)> {
        let cuts = self.qualified.match_indices('.').map(|(dot, _)| dot);
        cuts.map(|dot| (&self.qualified[..dot], &self.qualified[dot + 1..]))
            .filter(|(package, name)| !package.is_empty() && !name.is_empty())
    }
}

/// Whether a file belongs to a package: by its folder, its own name, or its `package` statement.
pub(super) fn is_of_package(path: &str, declared: Option<&str>, package: &str) -> bool {
    let wanted = last(package);
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    stem == wanted
        || folders.split('/').any(|folder| folder == wanted)
        || declared.is_some_and(|declared| declared == package || last(declared) == wanted)
}

/// Whether a path contains all parts of a package in order, to tell two modules of the same name apart.
pub(super) fn is_below_package(path: &str, package: &str) -> bool {
    let mut parts = path.split(['/', '.']);
    package.split(SEPARATORS).all(|wanted| parts.any(|part| part == wanted))
}

/// Separators between the parts of a package in various languages.
const SEPARATORS: [char; 4] = ['.', '/', '\\', ':'];

fn last(package: &str) -> &str {
    package.rsplit(SEPARATORS).next().unwrap_or(package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_understood_as_every_language_writes_them() {
        for text in [
            "Engine.ServeHTTP",
            "(*Engine).ServeHTTP",
            "Engine::ServeHTTP()",
            "Engine#ServeHTTP",
            "`Engine->ServeHTTP`",
        ] {
            assert_eq!(WrittenName::parse(text).qualified, "Engine.ServeHTTP", "{text}");
        }
        let written = WrittenName::parse("flask.app.Flask");
        assert_eq!(
            written.packages_and_names().collect::<Vec<_>>(),
            [("flask", "app.Flask"), ("flask.app", "Flask")]
        );
        assert_eq!(WrittenName::parse("peek").packages_and_names().count(), 0);
    }

    #[test]
    fn a_package_is_a_folder_a_file_or_what_the_file_declares() {
        assert!(is_of_package("src/click/utils.py", None, "click"));
        assert!(is_of_package("gin.go", None, "gin"));
        assert!(is_of_package("context.go", Some("gin"), "gin"));
        assert!(is_of_package("src/Json.java", Some("com.google.gson"), "gson"));
        assert!(!is_of_package("src/flask/utils.py", None, "click"));
        assert!(is_below_package("src/flask/app.py", "flask.app"));
        assert!(!is_below_package("src/flask/sansio/app.py", "flask.json.app"));
    }
}
