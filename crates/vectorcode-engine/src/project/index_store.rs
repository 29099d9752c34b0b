//! Which backend keeps a project's index. The only place that names one.

use std::path::Path;
use std::sync::Arc;

use vectorcode_core::config::StoreConfig;
use vectorcode_store::{PostgresStore, ProjectKey, SqliteStore, Store};

use super::{Project, SharedIndex};

/// The store of a project's index. Touches nothing on disk and connects to nothing.
pub(crate) fn open(project: &Project, settings: &StoreConfig) -> Arc<dyn Store> {
    if let Some(url) = settings.url.as_deref().filter(|url| !url.is_empty()) {
        return Arc::new(PostgresStore::new(url, &key(project.root(), settings)));
    }
    let own = project.index_directory();
    Arc::new(match project.shared_index() {
        Some(SharedIndex { directory, checkout }) => {
            SqliteStore::open_in(directory).of_worktree(checkout, own)
        }
        None => SqliteStore::open_in(own),
    })
}

/// Whether there is an index in a directory.
pub(super) fn is_in(directory: &Path) -> bool {
    SqliteStore::open_in(directory).exists()
}

/// A checkout is known by where it is seen: by whom, and under which path. Clones, forks and worktrees with the same remote are
/// one project, which stores texts and vectors once. What a project shares is found by the hash of its content alone, so that a
/// repository which claims the remote of another one learns nothing.
fn key(root: &Path, settings: &StoreConfig) -> ProjectKey {
    let namespace = settings.namespace.clone().filter(|name| !name.is_empty()).unwrap_or_else(host_name);
    let checkout = format!("{namespace}:{}", root.display());
    let project = repository_of(root).unwrap_or_else(|| checkout.clone());
    ProjectKey { project, checkout }
}

/// The address of the repository that a checkout is of, and the folder inside it.
fn repository_of(root: &Path) -> Option<String> {
    let repository = vectorcode_history::Repository::open(root).ok().flatten()?;
    let url = repository.remote_url("origin")?;
    // A clone of a folder of this machine belongs to that folder.
    let name = vectorcode_history::normalised_remote(&url).unwrap_or(url);
    Some(format!("{name}:{}", repository.folder()))
}

fn host_name() -> String {
    let from_file = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let variable = || ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    from_file().or_else(variable).map_or_else(|| "localhost".into(), |name| name.trim().to_owned())
}
