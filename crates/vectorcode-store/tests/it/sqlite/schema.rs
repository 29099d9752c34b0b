//! Tests what an index file looks like to other programs, and how a file of another schema version is handled.

use std::path::PathBuf;

use tempfile::TempDir;
use vectorcode_store::StoreErrorCode;

use crate::fixture::{file, spaces, sqlite, vector};

/// A closed index of two files, with one provider vector.
fn an_index() -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let mut writer = sqlite(directory.path()).create(&spaces()).unwrap();
    let files = [
        file("src/user.rs", &["createUser inserts a row", "User holds a name"]),
        file("README.md", &["Retry explains the network"]),
    ];
    writer.write_files(&files).unwrap();
    let pending = writer.reader().pending(3).unwrap();
    let readme = pending.iter().find(|chunk| chunk.path == "README.md").unwrap();
    writer.write_vectors(&[(readme.row, vector(1))]).unwrap();
    let path = directory.path().join("index.db");
    (directory, path)
}

/// Schemas before the first release are not migrated: nobody uses them, and an index is only a cache.
#[test]
fn an_index_of_an_unreleased_schema_is_rebuilt_and_never_read() {
    let (directory, path) = an_index();
    for version in [1, 5, 8] {
        let conn = rusqlite::Connection::open(&path).unwrap();
        conn.pragma_update(None, "user_version", version).unwrap();
        drop(conn);
        let store = sqlite(directory.path());
        for refused in [store.reader().err().unwrap(), store.writer().err().unwrap()] {
            assert_eq!(refused.code(), StoreErrorCode::Damaged, "{refused}");
            assert!(refused.to_string().contains(&format!("schema {version}")), "{refused}");
        }
    }
}

/// Reads the tables and columns of sections 5 and 6 of the specification with plain SQL, as other programs do.
#[test]
fn an_index_reads_as_the_specification_says() {
    let (_directory, path) = an_index();
    let conn = rusqlite::Connection::open(&path).unwrap();
    let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(text("SELECT value FROM meta WHERE key = 'dimensions'"), "8");
    assert_eq!(
        text(
            "SELECT format('%s %d-%d %d-%d %s %s %s', id, start_line, end_line, byte_start, byte_end, kind, language,
                 content)
             FROM chunks WHERE file_path = 'README.md' AND symbol IS NOT NULL AND parent_context IS NULL
                 AND typeof(file_mtime) = 'integer' AND length(content_hash) = 32"
        ),
        "README.md:0:26 1-1 0-26 function_item rust Retry explains the network"
    );
    assert_eq!(
        text(
            "SELECT format('%s %d %d %d %d', path, size, length(hash), mtime >= 0, indexed_at > 0)
             FROM files ORDER BY path LIMIT 1"
        ),
        "README.md 26 64 1 1"
    );
    assert_eq!(
        text("SELECT format('%d', length(embedding)) FROM vec_chunks JOIN chunks ON chunks.id = chunk_id"),
        "8"
    );
}
