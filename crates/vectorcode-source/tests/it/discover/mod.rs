//! Discovery on real files: which are found, which are skipped, and for what reason.

mod files;
mod ignore_rules;
#[cfg(unix)]
mod links;
mod random_trees;
mod vectorcodeignore;

use vectorcode_core::config::IndexingConfig;
use vectorcode_core::{CancelToken, SkipReason};
use vectorcode_source::{Discovery, Scope};
use vectorcode_testkit::TempProject;

fn scope(project: &TempProject) -> Scope {
    Scope::new(project.root(), &IndexingConfig::default()).expect("the default settings are valid")
}

fn discover_with(project: &TempProject, config: &IndexingConfig) -> Discovery {
    let scope = Scope::new(project.root(), config).expect("the settings are valid");
    scope.discover(&CancelToken::default()).expect("nobody cancels")
}

fn discover(project: &TempProject) -> Discovery {
    discover_with(project, &IndexingConfig::default())
}

/// The paths that discovery finds, without the ignore files that the test itself wrote.
fn paths(project: &TempProject) -> Vec<String> {
    let files = discover(project).files.into_iter().map(|file| file.path);
    files.filter(|path| !path.ends_with("ignore")).collect()
}

fn skipped(project: &TempProject, path: &str) -> Option<SkipReason> {
    scope(project).classify(path.as_ref()).err()
}
