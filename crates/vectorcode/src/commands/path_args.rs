//! The path filter of `search` and `symbols`.

use anyhow::Result;
use vectorcode_core::split_patterns;

use crate::shell_paths::ShellPaths;

#[derive(Debug, clap::Args)]
pub struct PathArgs {
    /// Only paths with this prefix, or that match this glob: src/auth/ or '**/*.rs'; leave out with !: '!vendor/**'.
    /// Relative to the current directory; a glob without / matches file names (can be repeated)
    // `--file` is codevec's name for it.
    #[arg(long, short, alias = "file", value_name = "PREFIX|GLOB")]
    path: Vec<String>,
}

impl PathArgs {
    /// The patterns as typed, to be applied relative to the root of each project.
    pub fn written(&self) -> Vec<String> {
        self.path.iter().flat_map(|list| split_patterns(list)).collect()
    }

    /// The patterns relative to the root, converted from the current directory.
    pub fn seen_from_here(&self, paths: &ShellPaths) -> Result<Vec<String>> {
        self.written().iter().map(|pattern| paths.pattern(pattern)).collect()
    }
}
