//! Databases whose values are not what was written: by damage, or because somebody made them so.
//!
//! Whatever a cell holds, nothing panics, every failure says that the index is damaged, and once that is set aside
//! the store works.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::types::Value;
use vectorcode_core::PathFilter;
use vectorcode_store::{
    CandidateQuery, ChunkFilter, IndexReader, NameMatch, NameQuery, Store, StoreError, TextQuery, TextTerm,
};
use vectorcode_testkit::SplitMix64;

use crate::fixture::{Index, file, spaces, sqlite, vector};

/// The bytes of a small index with both kinds of vectors, deleted chunks, and refused ones.
fn sound_index() -> Vec<u8> {
    let mut index = Index::new(sqlite);
    let lines = ["createUser inserts a row", "User holds a name", "drop_user deletes a row"];
    for path in ["src/a.rs", "src/b.rs", "tests/c.rs", "README.md"] {
        index.writer.write_files(&[file(path, &lines)]).unwrap();
    }
    index.writer.write_files(&[file("src/a.rs", &["createUser inserts", "another line"])]).unwrap();
    let pending = index.read().pending(100).unwrap();
    let vectors: Vec<_> = pending[1..6].iter().map(|chunk| (chunk.row, vector(3))).collect();
    index.writer.write_vectors(&vectors).unwrap();
    index.writer.refuse(pending[0].row, "too long").unwrap();
    index.writer.compact().unwrap();
    let Index { directory, writer, .. } = index;
    drop(writer);
    std::fs::read(directory.path().join("index.db")).unwrap()
}

/// Everything that can be asked of an index and written to it.
fn use_index(store: &dyn Store) -> Result<(), StoreError> {
    let reader = store.reader()?;
    read_index(&*reader)?;
    // An index of other models is not written to: the engine rebuilds it.
    if reader.spaces()? != spaces() {
        return Ok(());
    }
    drop(reader);
    let mut writer = store.writer()?;
    writer.write_files(&[file("src/b.rs", &["User holds a name", "fresh words"])])?;
    writer.remove_files(&["tests/c.rs".into()])?;
    let pending = writer.reader().pending(2)?;
    writer.write_vectors(&pending.iter().map(|chunk| (chunk.row, vector(1))).collect::<Vec<_>>())?;
    writer.set_meta("key", "value")?;
    writer.compact()?;
    read_index(writer.reader())
}

fn read_index(reader: &dyn IndexReader) -> Result<(), StoreError> {
    let terms = ["user", "row", "createuser", "a"].map(|word| TextTerm { word: word.into(), prefix: false });
    let names = [NameMatch::Exact("createUser".into()), NameMatch::Words(vec!["user".into()])];
    let spaces = reader.spaces()?;
    let query = CandidateQuery {
        text: TextQuery { terms: terms.to_vec() },
        // A search asks for the spaces first, and leaves out a vector that does not fit.
        static_vector: (spaces.statics.dimensions == 8).then(|| vector(1)),
        provider_vector: (spaces.provider.dimensions == 8).then(|| vector(1)),
        names: names.into_iter().map(|name| NameQuery { name, limit: 5 }).collect(),
        filter: ChunkFilter { paths: PathFilter::prefix("src/"), ..ChunkFilter::default() },
        depth: 10,
        ..CandidateQuery::default()
    };
    reader.candidates(&query)?;
    reader.candidates(&CandidateQuery { filter: ChunkFilter::default(), ..query })?;
    let paths: Vec<String> = reader.files()?.into_keys().collect();
    for path in &paths {
        reader.chunks_of(path)?;
        reader.definitions_of(path)?;
        reader.references_of(path)?;
    }
    reader.definitions(&NameMatch::Fuzzy("user".into()), &ChunkFilter::default(), 5)?;
    reader.definitions_named(&["createUser"])?;
    reader.references_named(&["row"])?;
    reader.imports()?;
    reader.source_files()?;
    reader.skipped()?;
    reader.pending(10)?;
    reader.stats()?;
    reader.coverage()?;
    reader.files_version().map(drop)
}

fn hostile_value(random: &mut SplitMix64) -> Value {
    random.pick(&[
        Value::Null,
        Value::Integer(0),
        Value::Integer(-1),
        Value::Integer(i64::MAX),
        Value::Integer(i64::MIN),
        Value::Integer(1 << 40),
        Value::Real(0.5),
        Value::Text(String::new()),
        Value::Text("9999999999999999999".into()),
        Value::Blob(Vec::new()),
        Value::Blob(vec![0xFF; 7]),
        Value::Blob(vec![0xFF; 4096]),
    ])
}

/// Changes one column of one row, or of all, of any table. Constraints may refuse it; then nothing is damaged.
fn damage_cell(path: &Path, random: &mut SplitMix64) -> String {
    let conn = Connection::open(path).unwrap();
    conn.pragma_update(None, "foreign_keys", false).unwrap();
    conn.pragma_update(None, "ignore_check_constraints", true).unwrap();
    let tables = names(&conn, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name");
    let table = random.pick(&tables);
    let columns = names(&conn, &format!("SELECT name FROM pragma_table_info('{table}')"));
    let (column, value) = (random.pick(&columns), hostile_value(random));
    let row = random.below(4);
    let sql = if random.below(3) == 0 {
        format!("UPDATE OR IGNORE {table} SET {column} = ?")
    } else {
        format!(
            "UPDATE OR IGNORE {table} SET {column} = ? WHERE {column} IN (SELECT {column} FROM {table} LIMIT 1 OFFSET {row})"
        )
    };
    let done = conn.execute(&sql, [&value]);
    format!("{sql} with {value:?}: {done:?}")
}

fn names(conn: &Connection, sql: &str) -> Vec<String> {
    let mut select = conn.prepare(sql).unwrap();
    select.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap()
}

fn damage_bytes(bytes: &mut Vec<u8>, random: &mut SplitMix64) -> String {
    match random.below(4) {
        0 => {
            let length = random.below(bytes.len());
            bytes.truncate(length);
            format!("truncated to {length}")
        }
        1 => {
            let page = random.below(bytes.len() / 8192) * 8192;
            bytes[page..page + 8192].fill(random.next_u64() as u8);
            format!("page at {page} overwritten")
        }
        _ => {
            let places: Vec<usize> = (0..=random.below(30)).map(|_| random.below(bytes.len())).collect();
            for place in &places {
                bytes[*place] = random.next_u64() as u8;
            }
            format!("bytes at {places:?} changed")
        }
    }
}

fn assert_survives(seed: u64, what: &str, directory: &Path) {
    let store = sqlite(directory);
    if let Err(error) = use_index(&*store) {
        assert!(error.is_damaged(), "seed {seed}, {what}: {error:?}");
        store.set_aside().unwrap();
        store.create(&spaces()).unwrap();
        use_index(&*store).unwrap();
    }
}

#[test]
fn no_cell_of_any_table_can_do_harm() {
    let sound = sound_index();
    for seed in 0..300 {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("index.db");
        std::fs::write(&path, &sound).unwrap();
        let mut random = SplitMix64(seed);
        let what: Vec<String> = (0..=random.below(2)).map(|_| damage_cell(&path, &mut random)).collect();
        assert_survives(seed, &what.join("; "), directory.path());
    }
}

#[test]
fn no_byte_of_the_file_can_do_harm() {
    let sound = sound_index();
    for seed in 0..200 {
        let directory = tempfile::tempdir().unwrap();
        let mut bytes = sound.clone();
        let what = damage_bytes(&mut bytes, &mut SplitMix64(1000 + seed));
        std::fs::write(directory.path().join("index.db"), &bytes).unwrap();
        assert_survives(seed, &what, directory.path());
    }
}
