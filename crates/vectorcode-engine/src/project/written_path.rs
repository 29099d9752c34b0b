//! Resolves paths as people and agents write them: only the end of the path, or with typos.

use std::collections::BTreeSet;

use vectorcode_core::{file_name, parent_folder};

use crate::error::EngineError;

/// Number of paths that an error or a note names.
const NAMED: usize = 5;
/// Number of typos allowed in a file name.
const MAX_TYPOS: usize = 2;

/// The single path with this ending: a bare file name or its last folders are enough if no other file has them.
pub(crate) fn by_ending<'p>(
    paths: impl Iterator<Item = &'p str>,
    written: &str,
) -> Result<Option<&'p str>, EngineError> {
    let ending = format!("/{}", written.trim_start_matches("./"));
    let found: Vec<&str> = paths.filter(|path| path.ends_with(&ending)).collect();
    match found[..] {
        [] => Ok(None),
        [one] => Ok(Some(one)),
        _ => {
            let paths = found.into_iter().take(NAMED).map(str::to_owned).collect();
            Err(EngineError::AmbiguousFile { path: written.to_owned(), paths })
        }
    }
}

/// The paths that were probably meant, nearest first; includes folders if the text may name one.
pub(crate) fn nearest<'p>(paths: impl Iterator<Item = &'p str>, written: &str) -> Vec<String> {
    let wanted = file_name(written.trim_end_matches('/')).to_lowercase();
    let may_be_folder = written.ends_with('/') || !wanted.contains('.');
    let mut candidates: BTreeSet<&str> = BTreeSet::new();
    for path in paths {
        if may_be_folder {
            candidates.extend(path.match_indices('/').map(|(at, _)| &path[..=at]));
        }
        candidates.insert(path);
    }
    let place = |path: &str| (extension(path) != extension(&wanted), folder(path) != folder(written));
    let mut scored: Vec<_> = candidates
        .into_iter()
        .filter_map(|path| Some((difference(&wanted, path.trim_end_matches('/'))?, place(path), path)))
        .collect();
    scored.sort_unstable();
    scored.into_iter().take(NAMED).map(|(.., path)| path.to_owned()).collect()
}

/// Whether a text is the path of a file rather than the name of a symbol.
pub(crate) fn is_like_path(text: &str) -> bool {
    text.contains('/')
        || extension(text).is_some_and(|extension| (1..=4).contains(&extension.len()) && is_lower(extension))
}

fn is_lower(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
}

fn folder(path: &str) -> &str {
    parent_folder(path.trim_end_matches('/'))
}

fn extension(path: &str) -> Option<&str> {
    file_name(path).rsplit_once('.').map(|(_, extension)| extension)
}

/// How far a path is from a wanted file name: the same name in another folder, the same stem, a stem with a typo, or
/// a part of it. `None` if they have nothing in common.
fn difference(name: &str, path: &str) -> Option<usize> {
    let stem = name.split('.').next().unwrap_or(name);
    let other = file_name(path).to_lowercase();
    let other_stem = other.split('.').next().unwrap_or(&other);
    let is_part =
        stem.len() > 2 && (other_stem.contains(stem) || stem.contains(other_stem) && other_stem.len() > 2);
    if other == name {
        Some(0)
    } else if other_stem == stem {
        Some(1)
    } else if is_part {
        Some(2 + other_stem.len().abs_diff(stem.len()))
    } else {
        let typos = strsim::damerau_levenshtein(stem, other_stem);
        (typos <= MAX_TYPOS && typos * 2 < stem.len()).then_some(1 + typos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATHS: [&str; 4] = ["src/flask/app.py", "src/flask/sansio/app.py", "src/flask/cli.py", "README.md"];

    #[test]
    fn an_ending_names_a_file_if_it_names_one_only() {
        let by_ending = |written| by_ending(PATHS.into_iter(), written);
        assert_eq!(by_ending("cli.py").unwrap(), Some("src/flask/cli.py"));
        assert_eq!(by_ending("./sansio/app.py").unwrap(), Some("src/flask/sansio/app.py"));
        assert_eq!(by_ending("li.py").unwrap(), None, "only whole names match");
        assert!(
            matches!(by_ending("app.py"), Err(EngineError::AmbiguousFile { paths, .. }) if paths.len() == 2)
        );
    }

    #[test]
    fn near_paths_are_files_and_folders() {
        let nearest = |written| nearest(PATHS.into_iter(), written);
        assert_eq!(nearest("flask/clii.py"), ["src/flask/cli.py"]);
        assert_eq!(nearest("src/flask/sansio/aps.py")[0], "src/flask/sansio/app.py");
        assert_eq!(nearest("sanso/"), ["src/flask/sansio/"]);
        assert_eq!(nearest("nowhere/"), [""; 0]);
    }
}
