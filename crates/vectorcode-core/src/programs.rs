//! Finds the programs that vectorcode starts: git, an editor, a browser.
//!
//! The current directory is often an untrusted project. Relative entries of the search path (`.`, an empty one,
//! `node_modules/.bin`) lead into it, and so does a bare name if the system looks in the current directory first. So programs
//! are started by their absolute path, found through an absolute entry of the search path.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

const PATH: &str = "PATH";

/// Suffixes that may follow the program's name in its file name.
const SUFFIXES: &[&str] = if cfg!(windows) { &[".exe", ".cmd", ".bat", ""] } else { &[""] };

/// The absolute path of a program. A bare name is looked up in the search path; a path must be absolute.
pub fn find_program(name: &OsStr) -> Option<PathBuf> {
    find_in(&env::var_os(PATH).unwrap_or_default(), name, SUFFIXES)
}

/// Like [`find_program`], with the given search path and suffixes.
pub fn find_in(search_path: &OsStr, name: &OsStr, suffixes: &[&str]) -> Option<PathBuf> {
    let path = Path::new(name);
    if path.is_absolute() {
        return Some(path.to_owned());
    }
    if path.file_name() != Some(name) {
        return None;
    }
    let file_names = suffixes.iter().map(|suffix| {
        let mut file_name = name.to_owned();
        file_name.push(suffix);
        file_name
    });
    let file_names: Vec<OsString> = file_names.collect();
    let directories = env::split_paths(search_path).filter(|directory| directory.is_absolute());
    directories
        .flat_map(|directory| file_names.iter().map(move |name| directory.join(name)).collect::<Vec<_>>())
        .find(|file| is_program(file))
}

/// The user's search path without relative entries, to pass on to programs that start others.
pub fn absolute_search_path() -> OsString {
    let path = env::var_os(PATH).unwrap_or_default();
    let directories = env::split_paths(&path).filter(|directory| directory.is_absolute());
    // Entries that were split off can be joined again: none contains a separator.
    env::join_paths(directories).unwrap_or_default()
}

#[cfg(unix)]
fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    file.metadata().is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(file: &Path) -> bool {
    file.is_file()
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_program_is_found_in_absolute_entries_alone() {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool");
        std::fs::write(&tool, "").unwrap();
        let find = |search_path: &str, name: &str| find_in(OsStr::new(search_path), OsStr::new(name), &[""]);
        let absolute = folder.path().display().to_string();
        assert_eq!(find(&absolute, "tool"), None, "it cannot be executed");
        std::fs::set_permissions(&tool, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(find(&format!(":.:bin:{absolute}"), "tool"), Some(tool.clone()));
        assert_eq!(find("/", tool.to_str().unwrap()), Some(tool));
        // The search starts in the root directory, so that a relative entry would lead to the folder.
        let relative = absolute.trim_start_matches('/').to_owned();
        let here = env::current_dir().unwrap();
        let up = "../".repeat(here.components().count());
        assert!(Path::new(&format!("{up}{relative}/tool")).exists());
        for (search_path, name) in [
            (format!("{up}{relative}"), "tool".to_owned()),
            (absolute.clone(), format!("{up}{relative}/tool")),
            (absolute.clone(), "./tool".to_owned()),
            (absolute.clone(), "..".to_owned()),
            (absolute, String::new()),
        ] {
            assert_eq!(find(&search_path, &name), None, "{name} in {search_path}");
        }
    }
}
