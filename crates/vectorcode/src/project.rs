//! Which directory is the project.

use std::path::{Path, PathBuf, absolute};

use anyhow::{Context, Result, ensure};

use crate::args::GlobalArgs;

/// What marks the top of a project, the surest first.
const MARKS: [&str; 2] = [".vectorcode", ".git"];

/// The directory of `--project-path`; without it, the nearest one upwards that has a mark, else the current one.
pub fn root(global: &GlobalArgs) -> Result<PathBuf> {
    if let Some(path) = &global.project_path {
        ensure!(path.is_dir(), "{} is not a directory", path.display());
        return absolute(path).with_context(|| format!("cannot resolve {}", path.display()));
    }
    let here = std::env::current_dir().context("cannot tell the current directory")?;
    let root = MARKS.iter().find_map(|mark| nearest_with(mark, &here)).unwrap_or(&here);
    Ok(root.to_owned())
}

fn nearest_with<'path>(mark: &str, from: &'path Path) -> Option<&'path Path> {
    from.ancestors().find(|dir| dir.join(mark).exists())
}
