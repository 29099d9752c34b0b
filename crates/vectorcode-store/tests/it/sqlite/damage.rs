//! Tests of damaged, foreign and replaced database files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_store::{ChunkFilter, LockRole, StoreErrorCode, WhenHeld};

use crate::fixture::{Index, Vectors, code, file, nearest, spaces, sqlite, vector};

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// An index of one file, closed, with the path of its database.
pub fn closed_index() -> (TempDir, PathBuf) {
    let mut index = Index::new(sqlite);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let Index { directory, writer, .. } = index;
    drop(writer);
    let path = directory.path().join("index.db");
    (directory, path)
}

#[test]
fn no_index_is_told_from_a_damaged_one() {
    let directory = tempfile::tempdir().unwrap();
    let nowhere = sqlite(&directory.path().join("nowhere"));
    assert_eq!(code(nowhere.reader()), Some(StoreErrorCode::NotInitialized));
    assert_eq!(code(nowhere.create(&spaces())), Some(StoreErrorCode::NotInitialized));
}

/// Found by fuzzing: SQLite can read such a file but refuses to write to it.
#[cfg(unix)]
#[test]
fn a_header_of_a_later_version_is_damage_and_not_a_read_only_disk() {
    let (directory, path) = closed_index();
    let mut bytes = fs::read(&path).unwrap();
    bytes[18] = 0xff;
    fs::write(&path, bytes).unwrap();
    let store = sqlite(directory.path());
    let write = || store.writer()?.write_files(&[file("b.rs", &["three 3"])]);
    assert_eq!(code(write()), Some(StoreErrorCode::Damaged));
    store.set_aside().unwrap();
    store.create(&spaces()).unwrap();
    write().unwrap();
}

#[test]
fn damaged_files_are_noticed_set_aside_and_replaced() {
    let (_directory, sound) = closed_index();
    let whole = fs::read(&sound).unwrap();
    let half = whole[..whole.len() / 2].to_vec();
    for (what, bytes) in
        [("garbage", b"not a database".repeat(100)), ("empty", Vec::new()), ("truncated", half)]
    {
        let directory = tempfile::tempdir().unwrap();
        let store = sqlite(directory.path());
        fs::write(directory.path().join("index.db"), &bytes).unwrap();
        assert_eq!(code(store.reader()), Some(StoreErrorCode::Damaged), "{what}");
        assert_eq!(code(store.writer()), Some(StoreErrorCode::Damaged), "{what}");
        let kept = PathBuf::from(store.set_aside().unwrap());
        assert!(kept.file_name().unwrap().to_str().unwrap().starts_with("index.db.damaged-"));
        assert_eq!(fs::read(&kept).unwrap(), bytes);
        store.create(&spaces()).unwrap().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    }
}

#[test]
fn damage_inside_is_met_as_damage_and_not_as_a_panic() {
    let (directory, path) = closed_index();
    let mut bytes = fs::read(&path).unwrap();
    let page = 8192;
    bytes[page..].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    let met = sqlite(directory.path()).reader().and_then(|reader| reader.chunks_of("a.rs"));
    assert_eq!(code(met), Some(StoreErrorCode::Damaged));
}

#[test]
fn another_kind_of_database_is_not_an_index() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert_eq!(code(sqlite(directory.path()).reader()), Some(StoreErrorCode::Damaged));
}

#[test]
fn an_index_of_a_newer_program_is_left_alone() {
    let (directory, path) = closed_index();
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let refused = sqlite(directory.path()).writer().err().unwrap();
    assert_eq!(refused.code(), StoreErrorCode::NewerSchema);
    assert!(refused.to_string().contains("99"), "{refused}");
    assert!(path.exists());
}

#[test]
fn a_rebuild_leaves_one_file_whether_it_is_committed_or_given_up() {
    let (directory, _) = closed_index();
    let store = sqlite(directory.path());
    store.rebuild(&spaces()).unwrap().commit().unwrap();
    assert_eq!(names_in(directory.path()), ["index.db"]);
    drop(store.rebuild(&spaces()).unwrap());
    assert_eq!(names_in(directory.path()), ["index.db"]);
}

#[test]
fn what_a_killed_rebuild_left_is_removed_by_the_next_who_embeds() {
    let (directory, _) = closed_index();
    for name in ["index.db.new", "index.db.new-wal", "index.db.new-shm", "index.db.new.draft"] {
        fs::write(directory.path().join(name), "half an index").unwrap();
    }
    let store = sqlite(directory.path());
    drop(store.lock(LockRole::Embed, WhenHeld::Fail).unwrap());
    assert_eq!(names_in(directory.path()), ["embed.lock", "index.db"]);
}

#[test]
fn removing_the_index_deletes_all_that_the_store_made_and_nothing_else() {
    let (directory, _) = closed_index();
    let made = ["index.db-wal", "index.db-shm", "index.db.draft", "index.db.new", "index.db.new-wal"];
    let foreign = ["config.toml", "index.dbx", "my.lock"];
    for name in made.into_iter().chain(foreign) {
        fs::write(directory.path().join(name), "something").unwrap();
    }
    let store = sqlite(directory.path());
    store.set_aside().unwrap();
    for role in LockRole::ALL {
        drop(store.lock(role, WhenHeld::Fail).unwrap());
    }
    store.remove().unwrap();
    assert_eq!(names_in(directory.path()), foreign);
}

#[test]
fn one_damaged_index_is_kept_and_not_every_one() {
    let directory = tempfile::tempdir().unwrap();
    let store = sqlite(directory.path());
    for _ in 0..3 {
        drop(store.create(&spaces()).unwrap());
        store.set_aside().unwrap();
    }
    assert_eq!(names_in(directory.path()).len(), 1);
}

#[test]
fn a_rebuild_takes_the_place_of_a_damaged_index() {
    let directory = tempfile::tempdir().unwrap();
    let store = sqlite(directory.path());
    fs::write(directory.path().join("index.db"), "garbage".repeat(1000)).unwrap();
    let mut rebuild = store.rebuild(&spaces()).unwrap();
    rebuild.writer().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    rebuild.commit().unwrap();
    assert!(store.reader().unwrap().file("a.rs").unwrap().is_some());
}

#[cfg(unix)] // On Windows, open files cannot be moved.
#[test]
fn a_reader_notices_that_the_index_was_deleted_and_made_anew() {
    let (directory, _) = closed_index();
    let store = sqlite(directory.path());
    let reader = store.reader().unwrap();
    let all = ChunkFilter::default();
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &all, 10).unwrap().len(), 2);
    store.set_aside().unwrap();
    assert_eq!(code(reader.stats()), Some(StoreErrorCode::NotInitialized));
    let mut writer = store.create(&spaces()).unwrap();
    writer.write_files(&[file("c.rs", &["six 6"])]).unwrap();
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &all, 10).unwrap().len(), 1);
}

#[test]
fn removing_every_file_leaves_no_row_in_any_table() {
    let mut index = Index::new(sqlite);
    index.writer.write_files(&[file("a.rs", &["one 1"]), file("b.rs", &["two 2"])]).unwrap();
    let pending = index.read().pending(10).unwrap();
    index.writer.write_vectors(&[(pending[0].row, vector(1))]).unwrap();
    index.writer.remove_files(&["a.rs".into(), "b.rs".into()]).unwrap();
    assert_eq!(tables_with_rows(&index.directory.path().join("index.db")), Vec::<String>::new());
}

/// Left-over parts of a chunk and a file that do not exist, under ids that will be assigned next.
const ORPHANS: &str = "PRAGMA foreign_keys = OFF;
    INSERT INTO chunk_text (id, content) SELECT seq + 1, 'left over' FROM sqlite_sequence
        WHERE name = 'chunk_rows';
    INSERT INTO file_facts (file_id, uses, imports) SELECT max(id) + 1, x'', x'' FROM source_files;";

#[test]
fn rows_that_contradict_others_are_no_damage_and_are_mended() {
    let mut index = Index::new(sqlite);
    index.writer.write_files(&[file("a.rs", &["one 1"]), file("broken.rs", &["two 2"])]).unwrap();
    let vectors: Vec<_> =
        index.read().pending(10).unwrap().iter().map(|chunk| (chunk.row, vector(1))).collect();
    index.writer.write_vectors(&vectors).unwrap();
    let conn = rusqlite::Connection::open(index.directory.path().join("index.db")).unwrap();
    conn.execute_batch(ORPHANS).unwrap();
    conn.execute(
        "DELETE FROM chunk_words WHERE id = ?",
        [index.read().chunks_of("broken.rs").unwrap()[0].row.0],
    )
    .unwrap();
    let write = |index: &mut Index| index.writer.write_files(&[file("b.rs", &["three 3"])]);
    let refused = write(&mut index).unwrap_err();
    assert_eq!((refused.code(), refused.kind()), (StoreErrorCode::Inconsistent, ErrorKind::Bug));
    assert!(refused.to_string().contains("chunk_text"), "{refused}");

    index.writer.repair().unwrap();
    write(&mut index).unwrap();
    let files: BTreeSet<String> = index.read().files().unwrap().into_keys().collect();
    assert_eq!(files, BTreeSet::from(["a.rs".into(), "b.rs".into()]), "the broken file has to be read again");
    let stats = index.reader().stats().unwrap();
    assert_eq!((stats.chunks, stats.embedded), (2, 1), "the sound file keeps its vector");
    index.reader().verify().unwrap();
}

/// The tables that still contain rows of files.
fn tables_with_rows(path: &Path) -> Vec<String> {
    let conn = rusqlite::Connection::open(path).unwrap();
    let tables = [
        "source_files",
        "chunk_rows",
        "chunk_text",
        "chunk_words",
        "refused",
        "names",
        "word_names",
        "symbols",
        "file_facts",
        "segments",
        "posting_blocks",
        "dead",
        "vec_static",
        "vec_provider",
        "vec_static_codes",
        "vec_chunks_codes",
    ];
    let has_rows = |table: &&str| {
        let sql = format!("SELECT EXISTS (SELECT 1 FROM {table})");
        conn.query_row(&sql, [], |row| row.get::<_, bool>(0)).unwrap()
    };
    tables.into_iter().filter(has_rows).map(String::from).collect()
}
