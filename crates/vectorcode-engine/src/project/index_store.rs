//! Chooses the backend that stores a project's index. The only place that names one.

use std::path::Path;
use std::sync::Arc;

use vectorcode_core::config::StoreConfig;
use vectorcode_store::{PostgresStore, ProjectKey, SqliteStore, Store};

use super::{Project, SharedIndex};

/// The store of a project's index. Neither touches the disk nor opens a connection.
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

/// Whether there is an index in `directory`.
pub(super) fn is_in(directory: &Path) -> bool {
    SqliteStore::open_in(directory).exists()
}

/// The key of a checkout is its namespace (by default the host) and path. Clones, forks and worktrees with the same
/// remote are one project, which stores texts and vectors once. Shared content is found by its hash alone, so a
/// repository that claims the remote of another one learns nothing.
fn key(root: &Path, settings: &StoreConfig) -> ProjectKey {
    let namespace = settings.namespace.clone().filter(|name| !name.is_empty()).unwrap_or_else(host_name);
    let checkout = format!("{namespace}:{}", root.display());
    let project = repository_of(root).unwrap_or_else(|| checkout.clone());
    ProjectKey { project, checkout }
}

/// The remote URL of the repository, and the folder of the checkout inside it.
fn repository_of(root: &Path) -> Option<String> {
    let repository = vectorcode_history::Repository::open(root).ok().flatten()?;
    let url = repository.remote_url("origin")?;
    // A clone of a local folder belongs to the same project as that folder.
    let name = vectorcode_history::normalised_remote(&url).unwrap_or(url);
    Some(format!("{name}:{}", repository.folder()))
}

fn host_name() -> String {
    let from_file = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let variable = || ["HOSTNAME", "COMPUTERNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    from_file().or_else(variable).map_or_else(|| "localhost".into(), |name| name.trim().to_owned())
}
