//! Functions on paths of the tree, as strings: relative to the root, with `/`; the root itself is empty.

pub(super) use vectorcode_core::{file_name, parent_folder as parent};

/// The file name up to its last dot.
pub(super) fn stem(path: &str) -> &str {
    let name = file_name(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// Joins the paths and removes `.` and `..`; `None` if the result is outside of the root.
pub(super) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut joined = folder.to_owned();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." if joined.is_empty() => return None,
            ".." => joined.truncate(parent(&joined).len()),
            part => {
                if !joined.is_empty() {
                    joined.push('/');
                }
                joined.push_str(part);
            }
        }
    }
    Some(joined)
}

/// The folder itself and all folders above it, up to the root.
pub(super) fn ancestors(folder: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(folder), |folder| (!folder.is_empty()).then(|| parent(folder)))
}

/// The rest of `path` below `folder`.
pub(super) fn below<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() { Some(path) } else { path.strip_prefix(folder)?.strip_prefix('/') }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_walks_up_and_stops_at_the_root() {
        assert_eq!(join("src/a", "../b/./c.ts").as_deref(), Some("src/b/c.ts"));
        assert_eq!(join("src", "..").as_deref(), Some(""));
        assert_eq!(join("src", "../../x"), None);
    }

    #[test]
    fn ancestors_end_with_the_root() {
        assert_eq!(ancestors("a/b").collect::<Vec<_>>(), ["a/b", "a", ""]);
        assert_eq!(ancestors("").collect::<Vec<_>>(), [""]);
    }

    #[test]
    fn below_respects_the_borders_of_names() {
        assert_eq!(below("src/a.rs", "src"), Some("a.rs"));
        assert_eq!(below("srcs/a.rs", "src"), None);
        assert_eq!(below("a.rs", ""), Some("a.rs"));
    }
}
