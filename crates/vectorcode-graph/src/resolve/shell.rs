//! Shell scripts and R: resolves `source` with a path, often after a variable that holds the project's folder.

use vectorcode_core::Import as Statement;

use super::Resolver;
use super::paths::ancestors;
use super::project::Project;
use crate::tree::FileId;

pub(super) struct Shell<'a> {
    project: &'a Project<'a>,
}

impl<'a> Shell<'a> {
    pub fn new(project: &'a Project<'a>) -> Self {
        Self { project }
    }
}

impl Resolver for Shell<'_> {
    fn files(&self, from: FileId, statement: &Statement) -> Vec<FileId> {
        if statement.kind != "source" {
            return Vec::new();
        }
        let Some(path) = known_part(&statement.specifier) else { return Vec::new() };
        let folders = ancestors(self.project.folder_of(from));
        let around = folders.into_iter().find_map(|folder| self.project.below(folder, path));
        let is_telling = path.contains('/') && !path.starts_with('.');
        let found = around.or_else(|| {
            let anywhere = self.project.ending(path).filter(|_| is_telling).collect();
            self.project.only_nearest(from, anywhere)
        });
        found.into_iter().collect()
    }

    fn external(&self, statement: &Statement) -> Option<String> {
        Some(statement.specifier.clone())
    }
}

/// The path after leading variables and commands: `lib/x.sh` of `"$(dirname "$0")/lib/x.sh"`.
fn known_part(path: &str) -> Option<&str> {
    let mut rest = path.trim_matches(['"', '\'']);
    while let Some(after) = rest.strip_prefix('$') {
        let end = match after.chars().next()? {
            '{' => after.find('}')? + 1,
            '(' => closing(after)? + 1,
            _ => after.find(|c: char| !c.is_alphanumeric() && c != '_')?,
        };
        rest = after[end..].trim_start_matches('"').strip_prefix('/')?;
    }
    let is_plain = !rest.is_empty() && !rest.contains(['$', '*', '`', '(', '~']) && !rest.starts_with('/');
    is_plain.then_some(rest)
}

/// The position at which the leading parenthesis closes.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, c)| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_and_commands_in_front_are_left_out() {
        assert_eq!(known_part("./lib.sh"), Some("./lib.sh"));
        assert_eq!(known_part("${ROOT}/lib/a.sh"), Some("lib/a.sh"));
        assert_eq!(known_part("$ROOT/a.sh"), Some("a.sh"));
        assert_eq!(known_part("$(dirname \"$(pwd)\")/a.sh"), Some("a.sh"));
        assert_eq!(known_part("$FILE"), None);
        assert_eq!(known_part("$ROOT/$NAME.sh"), None);
        assert_eq!(known_part("/etc/profile"), None);
    }
}
