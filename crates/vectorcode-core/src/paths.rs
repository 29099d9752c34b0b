//! Paths as the index stores them: relative to the project root, with `/`. Also converts other forms of paths.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

/// Whether `path` is `place` or is inside it. An empty `place` is the root.
pub fn is_within(path: &str, place: &str) -> bool {
    place.is_empty() || path.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The last part of a path.
pub fn file_name(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, name)| name)
}

/// The folder of a path; empty for an entry of the root.
pub fn parent_folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Converts a path from user input to `/`. `\` is a separator only on Windows.
pub fn with_slashes(path: &str) -> Cow<'_, str> {
    if cfg!(windows) { path.replace('\\', "/").into() } else { path.into() }
}

/// The canonical path, with links resolved, in its usual form. Windows itself returns `\\?\C:\...`, which few programs accept
/// and which never equals a path that somebody typed.
pub fn canonical(path: &Path) -> io::Result<PathBuf> {
    let path = path.canonicalize()?;
    Ok(path.to_str().and_then(without_verbatim_prefix).unwrap_or(path))
}

/// `None` if there is no such prefix, or if the path cannot be written without it.
fn without_verbatim_prefix(path: &str) -> Option<PathBuf> {
    let rest = path.strip_prefix(r"\\?\")?;
    match rest.strip_prefix(r"UNC\") {
        Some(share) => Some(format!(r"\\{share}").into()),
        None => (rest.as_bytes().get(1) == Some(&b':')).then(|| rest.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_paths_lose_the_prefix_that_nobody_writes() {
        let plain = |path: &str| without_verbatim_prefix(path).map(|path| path.display().to_string());
        assert_eq!(plain(r"\\?\C:\code\app").as_deref(), Some(r"C:\code\app"));
        assert_eq!(plain(r"\\?\UNC\server\share\app").as_deref(), Some(r"\\server\share\app"));
        assert_eq!(plain(r"\\?\Volume{b75e2c83}\app"), None);
        assert_eq!(plain("/home/ada/app"), None);
    }

    #[test]
    fn a_directory_holds_what_is_below_it_and_nothing_beside_it() {
        assert!(is_within("src/a.rs", "src"));
        assert!(is_within("src/a.rs", "src/a.rs"));
        assert!(is_within("src/a.rs", ""));
        assert!(!is_within("src2/a.rs", "src"));
        assert!(!is_within("src", "src/a.rs"));
    }
}
