//! Converts paths between the user's shell and the index: arguments are resolved from the current directory, and printed paths
//! can be opened from there.
//!
//! Requests and JSON use paths relative to the project's root; only what people type and read is converted here.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::Result;
use vectorcode_core::api::Hit;
use vectorcode_core::{EXCLUDE, Location, canonical, is_glob, with_slashes};
use vectorcode_engine::{EngineError, Project};

#[derive(Clone, Debug)]
pub struct ShellPaths {
    project: Project,
    current: PathBuf,
    /// Roots of the projects that hits may name.
    roots: BTreeMap<String, PathBuf>,
}

impl ShellPaths {
    pub fn new(project: &Project) -> Self {
        let here = Path::new(".");
        let current = canonical(here).unwrap_or_else(|_| project.root().to_path_buf());
        Self { project: project.clone(), current, roots: BTreeMap::new() }
    }

    /// The same, for results from several projects.
    #[must_use]
    pub fn with_roots(self, roots: BTreeMap<String, PathBuf>) -> Self {
        Self { roots, ..self }
    }

    /// Converts a path of the index to one that can be opened from the current directory.
    pub fn shown(&self, path: &str) -> String {
        self.openable(&self.project.absolute(path))
    }

    pub fn absolute(&self, path: &str) -> PathBuf {
        self.project.absolute(path)
    }

    /// The file of a hit, which may be one of another project.
    pub fn file_of(&self, hit: &Hit) -> PathBuf {
        self.beside(hit, &hit.path)
    }

    /// Another file in the project of a hit.
    pub fn beside(&self, hit: &Hit, path: &str) -> PathBuf {
        let root = hit.project.as_ref().and_then(|name| self.roots.get(name));
        root.map_or_else(|| self.absolute(path), |root| root.join(path))
    }

    /// The path relative to the current directory, unless the absolute path is shorter, as for distant directories. A name that
    /// starts like an option gets the prefix `./`, for programs that the path is passed to.
    pub fn openable(&self, file: &Path) -> String {
        let absolute = with_slashes(&file.to_string_lossy()).into_owned();
        match relative_to(file, &self.current) {
            Some(relative) if relative.starts_with(['-', '+']) => format!("./{relative}"),
            Some(relative) if !relative.starts_with("../") || relative.len() < absolute.len() => relative,
            _ => absolute,
        }
    }

    /// Converts a path filter, which may start with `!` to exclude. A glob without a slash or below `**/` matches file names
    /// anywhere in the project; everything else is a path from the current directory.
    pub fn pattern(&self, written: &str) -> Result<String> {
        let slashed = with_slashes(written.trim()).into_owned();
        let (mark, path) = match slashed.strip_prefix(EXCLUDE) {
            Some(path) => ("!", path),
            None => ("", slashed.as_str()),
        };
        let is_name = is_glob(path) && !path.contains('/');
        if path.is_empty() || is_name || path.starts_with("**/") {
            return Ok(slashed);
        }
        let (folder, glob) = literal_part(path);
        let place = self.place(folder)?;
        Ok(match glob {
            Some(glob) if place.is_empty() => format!("{mark}{glob}"),
            Some(glob) => format!("{mark}{place}/{glob}"),
            // A directory stands for its contents, not for every path that starts with the same letters.
            None if !place.is_empty() && (path.ends_with('/') || self.project.absolute(&place).is_dir()) => {
                format!("{mark}{place}/")
            }
            None => format!("{mark}{place}"),
        })
    }

    /// A file or folder, relative to the root. If it does not exist from the current directory, it is returned unchanged: it
    /// may be the end of a path, or a path from the root.
    pub fn file(&self, written: &str) -> Result<String> {
        let path = Path::new(written);
        if is_written_as_path(written) || self.current.join(path).exists() {
            return Ok(self.project.relative(&self.current.join(path))?);
        }
        Ok(written.to_owned())
    }

    /// A file, or a symbol with or without its file: `src/a.rs#total`. Without a slash only a file counts as a path, because a
    /// folder may have the name of a symbol.
    pub fn file_or_symbol(&self, written: &str) -> Result<String> {
        if let Some((path, symbol)) = written.split_once('#').filter(|(path, _)| !path.is_empty()) {
            return Ok(format!("{}#{symbol}", self.file(path)?));
        }
        let path = with_slashes(written);
        if path.contains('/') || is_written_as_path(written) || self.current.join(written).is_file() {
            return self.file(written);
        }
        Ok(written.to_owned())
    }

    /// Like [`Self::file`], for lines of a file.
    pub fn location(&self, written: &str) -> Result<Location> {
        let location: Location = written.parse()?;
        Ok(Location { path: self.file(&location.path)?, ..location })
    }

    /// Resolves a path from the current directory or, if nothing is there, from the root.
    fn place(&self, path: &str) -> Result<String, EngineError> {
        let from_here = self.current.join(path);
        if !is_written_as_path(path) && !from_here.exists() {
            let from_root = self.project.root().join(path);
            if from_root.exists() || !self.current.starts_with(self.project.root()) {
                return self.project.relative(&from_root);
            }
        }
        self.project.relative(&from_here)
    }
}

/// Whether the text can only be a path from the current directory or from `/`.
fn is_written_as_path(text: &str) -> bool {
    let first = Path::new(text).components().next();
    matches!(
        first,
        Some(Component::CurDir | Component::ParentDir | Component::RootDir | Component::Prefix(_))
    )
}

/// Splits a glob into the folders before the first wildcard and the rest: `src/*/a.rs` into `src` and `*/a.rs`.
fn literal_part(path: &str) -> (&str, Option<&str>) {
    if !is_glob(path) {
        return (path, None);
    }
    let mut start = 0;
    for part in path.split_inclusive('/') {
        if is_glob(part) {
            break;
        }
        start += part.len();
    }
    let folder = if start == 0 { "." } else { &path[..start] };
    (folder, Some(&path[start..]))
}

/// `None` if there is no relative path: another drive, or a name that is not Unicode.
fn relative_to(file: &Path, base: &Path) -> Option<String> {
    let (mut file_parts, mut base_parts) = (file.components().peekable(), base.components().peekable());
    if matches!(file_parts.peek(), Some(Component::Prefix(_))) && file_parts.peek() != base_parts.peek() {
        return None;
    }
    while file_parts.peek().is_some() && file_parts.peek() == base_parts.peek() {
        file_parts.next();
        base_parts.next();
    }
    let up = base_parts.map(|_| Some(".."));
    let parts: Option<Vec<&str>> = up.chain(file_parts.map(|part| part.as_os_str().to_str())).collect();
    parts.map(|parts| if parts.is_empty() { ".".into() } else { parts.join("/") })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Paths of a project with `src/net/retry.rs`, `docs/` and `.git`, seen from one of its folders.
    fn seen_from(folder: &str) -> (tempfile::TempDir, ShellPaths) {
        let dir = tempfile::tempdir().unwrap();
        for folder in ["src/net", "docs", ".git"] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        std::fs::write(dir.path().join("src/net/retry.rs"), "").unwrap();
        let project = Project::at(dir.path()).unwrap();
        let current = project.root().join(folder);
        let paths = ShellPaths { current, project, roots: BTreeMap::new() };
        (dir, paths)
    }

    #[test]
    fn paths_are_shown_from_the_current_directory() {
        let shown = |folder: &str, path: &str| seen_from(folder).1.shown(path);
        assert_eq!(shown("", "src/net/retry.rs"), "src/net/retry.rs");
        assert_eq!(shown("src", "src/net/retry.rs"), "net/retry.rs");
        assert_eq!(shown("src/net", "docs/a.md"), "../../docs/a.md");
        assert_eq!(shown("", "-rf.md"), "./-rf.md");
        assert_eq!(shown("src", "src/+q.md"), "./+q.md");
    }

    #[test]
    fn far_away_the_absolute_path_is_shorter() {
        let paths = ShellPaths { current: "/a/b/c/d/e/f/g".into(), ..seen_from("").1 };
        assert_eq!(paths.openable(Path::new("/x/y.rs")), "/x/y.rs");
        assert_eq!(paths.openable(Path::new("/a/b/c/d/e/f/y.rs")), "../y.rs");
    }

    #[test]
    fn filters_are_places_seen_from_the_current_directory() {
        let (_dir, paths) = seen_from("src");
        let root = paths.project.root().display().to_string();
        for (written, expected) in [
            (".", "src/"),
            ("..", ""),
            ("net", "src/net/"),
            ("net/re", "src/net/re"),
            ("net/retry.rs", "src/net/retry.rs"),
            ("./net/*.rs", "src/net/*.rs"),
            ("!net/**", "!src/net/**"),
            ("../docs", "docs/"),
            ("docs/", "docs/"),
            ("src/net", "src/net/"),
            ("*.rs", "*.rs"),
            ("**/net/*.rs", "**/net/*.rs"),
            (&format!("{root}/docs"), "docs/"),
        ] {
            assert_eq!(paths.pattern(written).unwrap(), expected, "{written}");
        }
        assert!(paths.pattern("/etc").is_err() && paths.pattern("../../x").is_err());
    }

    #[test]
    fn files_symbols_and_lines_are_told_apart() {
        let (_dir, paths) = seen_from("src");
        assert_eq!(paths.file("net/retry.rs").unwrap(), "src/net/retry.rs");
        assert_eq!(paths.file("src/net/retry.rs").unwrap(), "src/net/retry.rs", "from the root");
        assert_eq!(paths.file_or_symbol("net").unwrap(), "net", "may be a symbol");
        assert_eq!(paths.file_or_symbol("./net").unwrap(), "src/net");
        assert_eq!(paths.file_or_symbol("net/retry.rs#again").unwrap(), "src/net/retry.rs#again");
        assert_eq!(paths.file_or_symbol("Retry::again").unwrap(), "Retry::again");
        let location = paths.location("net/retry.rs:3").unwrap();
        assert_eq!((location.path.as_str(), location.start_line), ("src/net/retry.rs", 3));
    }
}
