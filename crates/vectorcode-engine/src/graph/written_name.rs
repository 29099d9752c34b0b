//! The ways in which people and agents write the name of a symbol, as the index writes it.
//!
//! `Router::new`, `(*Engine).ServeHTTP`, `Foo->bar`, `Foo#bar` and `peek()` are all understood. What stands before the last
//! name may also be a package or module (`gin.New`, `click.echo`), which the index does not store with its definitions.

/// A name as it was written, taken apart.
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

    /// What stands before the last name, and the last name: `gin` and `New`.
    pub fn package_and_name(&self) -> Option<(&str, &str)> {
        self.qualified.rsplit_once('.').filter(|(package, name)| !package.is_empty() && !name.is_empty())
    }
}

/// Whether a file belongs to a package as code names it: by its folder, its own name, or what its `package` statement says.
pub(super) fn is_of_package(path: &str, declared: Option<&str>, package: &str) -> bool {
    let wanted = last(package);
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    stem == wanted
        || folders.split('/').any(|folder| folder == wanted)
        || declared.is_some_and(|declared| declared == package || last(declared) == wanted)
}

fn last(package: &str) -> &str {
    package.rsplit(['.', '/', '\\', ':']).next().unwrap_or(package)
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
        assert_eq!(WrittenName::parse("click.echo").package_and_name(), Some(("click", "echo")));
        assert_eq!(WrittenName::parse("peek").package_and_name(), None);
    }

    #[test]
    fn a_package_is_a_folder_a_file_or_what_the_file_declares() {
        assert!(is_of_package("src/click/utils.py", None, "click"));
        assert!(is_of_package("gin.go", None, "gin"));
        assert!(is_of_package("context.go", Some("gin"), "gin"));
        assert!(is_of_package("src/Json.java", Some("com.google.gson"), "gson"));
        assert!(!is_of_package("src/flask/utils.py", None, "click"));
    }
}
