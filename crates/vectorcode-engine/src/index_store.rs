//! Which backend keeps a project's index. The only place that names one.

use std::sync::Arc;

use vectorcode_store::{SqliteStore, Store};

use crate::Project;

/// The store of a project's index. Touches nothing on disk.
pub(crate) fn open(project: &Project) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in(project.index_directory()))
}
