//! Which backend keeps a project's index. The only place that names one.

use std::path::Path;
use std::sync::Arc;

use vectorcode_store::{SqliteStore, Store};

/// The store of the index in a directory. Touches nothing on disk.
pub(crate) fn open(directory: &Path) -> Arc<dyn Store> {
    Arc::new(SqliteStore::open_in(directory))
}
