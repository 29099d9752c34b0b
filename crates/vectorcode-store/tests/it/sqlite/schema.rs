//! Databases of every schema that was released still open.

use std::fs;
use std::path::Path;

use vectorcode_store::{ChunkFilter, IndexReader, NameMatch};

use crate::fixture::{Vectors, file, full_text, nearest, spaces, sqlite, vector};

/// Schema by schema, as `write_files(&released())` and one provider vector left it.
const RELEASED: [(&str, &[u8]); 7] = [
    ("1", include_bytes!("schemas/1.db")),
    ("2", include_bytes!("schemas/2.db")),
    ("3", include_bytes!("schemas/3.db")),
    ("5", include_bytes!("schemas/5.db")),
    ("6", include_bytes!("schemas/6.db")),
    ("7", include_bytes!("schemas/7.db")),
    ("8", include_bytes!("schemas/8.db")),
];

fn released() -> Vec<vectorcode_store::FileUpdate> {
    vec![
        file("src/user.rs", &["createUser inserts a row", "User holds a name"]),
        file("README.md", &["Retry explains the network"]),
    ]
}

#[test]
fn an_index_of_each_released_schema_is_read_and_written() {
    for (schema, bytes) in RELEASED {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join("index.db"), bytes).unwrap();
        let mut writer = sqlite(directory.path()).writer().unwrap();
        assert_holds_what_was_released(writer.reader(), schema);
        let outcome = writer.write_files(&released()).unwrap();
        assert_eq!((outcome.chunks_new, outcome.chunks_unchanged), (0, 3), "schema {schema}");
        assert_holds_what_was_released(writer.reader(), schema);
    }
}

fn assert_holds_what_was_released(reader: &dyn IndexReader, schema: &str) {
    let stats = reader.stats().unwrap();
    assert_eq!((stats.files, stats.chunks, stats.embedded), (2, 3, 1), "schema {schema}");
    assert_eq!(reader.spaces().unwrap(), spaces(), "schema {schema}");
    let all = ChunkFilter::default();
    assert_eq!(full_text(reader, &["network"], &all, 5).len(), 1, "schema {schema}");
    assert_eq!(nearest(reader, Vectors::Static, &vector(1), &all, 5).unwrap().len(), 3, "schema {schema}");
    assert_eq!(nearest(reader, Vectors::Provider, &vector(1), &all, 5).unwrap().len(), 1, "schema {schema}");
    let found = reader.definitions(&NameMatch::Exact("createUser".into()), &all, 5).unwrap();
    assert_eq!(found.len(), 1, "schema {schema}");
    let words = NameMatch::Words(vec!["create".into(), "user".into()]);
    assert!(!reader.definitions(&words, &all, 5).unwrap().is_empty(), "schema {schema}");
}

/// The tables and columns of sections 5 and 6 of the specification, as other programs read them: with plain SQL.
#[test]
fn an_index_reads_as_the_specification_says() {
    for (schema, bytes) in RELEASED {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        fs::write(&path, bytes).unwrap();
        drop(sqlite(directory.path()).writer().unwrap());
        let conn = rusqlite::Connection::open(&path).unwrap();
        let text = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, String>(0)).unwrap();
        assert_eq!(text("SELECT value FROM meta WHERE key = 'dimensions'"), "8", "schema {schema}");
        assert_eq!(
            text(
                "SELECT format('%s %d-%d %d-%d %s %s %s', id, start_line, end_line, byte_start, byte_end, kind, language,
                     content)
                 FROM chunks WHERE file_path = 'README.md' AND symbol IS NOT NULL AND parent_context IS NULL
                     AND typeof(file_mtime) = 'integer' AND length(content_hash) = 32"
            ),
            "README.md:0:26 1-1 0-26 function_item rust Retry explains the network",
            "schema {schema}"
        );
        assert_eq!(
            text(
                "SELECT format('%s %d %d %d %d', path, size, length(hash), mtime >= 0, indexed_at > 0)
                 FROM files ORDER BY path LIMIT 1"
            ),
            "README.md 26 64 1 1",
            "schema {schema}"
        );
        assert_eq!(
            text(
                "SELECT format('%d', length(embedding)) FROM vec_chunks JOIN chunks ON chunks.id = chunk_id"
            ),
            "8",
            "schema {schema}"
        );
    }
}

/// Makes the fixture of today's schema. Run it once, when a schema is released:
/// `VECTORCODE_WRITE_SCHEMA=directory cargo test -p vectorcode-store --test it write_the_fixture`.
#[test]
fn write_the_fixture() {
    let Some(directory) = std::env::var_os("VECTORCODE_WRITE_SCHEMA") else { return };
    let mut writer = sqlite(Path::new(&directory)).create(&spaces()).unwrap();
    writer.write_files(&released()).unwrap();
    let row = writer.reader().pending(1).unwrap()[0].row;
    writer.write_vectors(&[(row, vector(1))]).unwrap();
    writer.compact().unwrap();
}
