//! A damaged or crafted database: every operation on it succeeds, or fails with an error about damage.
//!
//! An input is a list of changes to a valid database, six bytes each: what to do, where, and with which value. This way, a
//! short input can reach every page of the file.

use std::sync::LazyLock;

use vectorcode_store::{SqliteStore, StoreErrorCode};
use vectorcode_testkit::small_index::{exercise_index, valid_index};

/// The page size of the database.
const PAGE: usize = 8192;

static SOUND: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let directory = tempfile::tempdir().expect("a temporary directory");
    valid_index(&SqliteStore::open_in(directory.path())).expect("a new index can be written");
    std::fs::read(directory.path().join("index.db")).expect("it was written")
});

pub fn store_open(bytes: &[u8]) {
    let mut database = SOUND.clone();
    bytes.chunks_exact(6).for_each(|change| damage(&mut database, change));
    let directory = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(directory.path().join("index.db"), &database).expect("the directory is there");
    if let Err(error) = exercise_index(&SqliteStore::open_in(directory.path())) {
        // One byte of the header is the schema version: such a file looks like one of a later version.
        assert!(error.is_damaged() || error.code() == StoreErrorCode::NewerSchema, "{error:?}");
    }
}

fn damage(database: &mut Vec<u8>, change: &[u8]) {
    let offset = u32::from_le_bytes([change[1], change[2], change[3], 0]) as usize;
    if database.len() < 2 * PAGE {
        return;
    }
    let at = offset % (database.len() - 8);
    let page = at / PAGE * PAGE;
    match change[0] % 8 {
        0..=2 => database[at] = change[4],
        3 => database[at..at + 2].copy_from_slice(&change[4..6]),
        4 => database[at..at + 8].fill(change[4]),
        // The header of a page and the beginning of its cell array, which contain its structure.
        5 => database[page + usize::from(change[4] % 64)] = change[5],
        6 => {
            let from = usize::from(change[4]) % (database.len() / PAGE) * PAGE;
            let copied = database[from..from + PAGE].to_vec();
            // The last page may be truncated.
            let end = database.len().min(page + PAGE);
            database[page..end].copy_from_slice(&copied[..end - page]);
        }
        _ => database.truncate(at.max(1)),
    }
}
