//! Locks, damage, rebuilds and directories that cannot be written.

use std::fs;
use std::path::{Path, PathBuf};

use vectorcode_core::CancelToken;
use vectorcode_store::{
    ChunkFilter, IndexReader, IndexWriter, Rebuild, SqliteReader, SqliteWriter, Stage, StoreError, WriterLock,
};

use crate::child;
use crate::fixture::{Index, file, spaces, vector};

fn names_in(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// An index of one file, closed.
fn closed_index() -> (tempfile::TempDir, PathBuf) {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let path = index.writer.path().to_path_buf();
    drop(index.writer);
    (index.directory, path)
}

#[test]
fn a_second_writer_is_told_who_holds_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let lock = WriterLock::acquire(directory.path()).unwrap();
    assert!(WriterLock::is_held(directory.path(), "lock"));
    match WriterLock::acquire(directory.path()) {
        Err(StoreError::Locked { by }) => {
            assert!(by.contains(&format!("process {}", std::process::id())), "{by}");
        }
        other => panic!("{other:?}"),
    }
    drop(lock);
    assert!(!WriterLock::is_held(directory.path(), "lock"));
    WriterLock::wait(directory.path(), &CancelToken::default()).unwrap();
}

#[test]
fn waiting_for_the_lock_ends_when_cancelled() {
    let directory = tempfile::tempdir().unwrap();
    let _lock = WriterLock::acquire(directory.path()).unwrap();
    let cancel = CancelToken::default();
    cancel.cancel();
    assert!(matches!(WriterLock::wait(directory.path(), &cancel), Err(StoreError::Locked { .. })));
}

#[test]
fn a_killed_holder_frees_the_lock() {
    let directory = tempfile::tempdir().unwrap();
    let mut holder = child::start("hold_lock", directory.path());
    assert!(matches!(WriterLock::acquire(directory.path()), Err(StoreError::Locked { .. })));
    holder.kill().unwrap();
    holder.wait().unwrap();
    WriterLock::acquire(directory.path()).unwrap();
}

#[test]
fn no_index_is_told_from_a_damaged_one() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    assert!(matches!(SqliteReader::open(&path), Err(StoreError::NotInitialized)));
    assert!(matches!(SqliteWriter::open(&path), Err(StoreError::NotInitialized)));
    let nowhere = directory.path().join("nowhere/index.db");
    assert!(matches!(SqliteReader::open(&nowhere), Err(StoreError::NotInitialized)));
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
        let path = directory.path().join("index.db");
        fs::write(&path, &bytes).unwrap();
        assert!(
            matches!(SqliteReader::open(&path), Err(StoreError::Damaged { set_aside: None, .. })),
            "{what}"
        );
        let kept = match SqliteWriter::open(&path) {
            Err(StoreError::Damaged { set_aside: Some(kept), .. }) => kept,
            other => panic!("{what}: {other:?}"),
        };
        assert!(kept.file_name().unwrap().to_str().unwrap().starts_with("index.db.damaged-"));
        assert_eq!(fs::read(&kept).unwrap(), bytes);
        SqliteWriter::create(&path, &spaces()).unwrap().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    }
}

#[test]
fn damage_inside_is_met_as_damage_and_not_as_a_panic() {
    let (_directory, path) = closed_index();
    let mut bytes = fs::read(&path).unwrap();
    let page = 8192;
    bytes[page..].fill(0xA5);
    fs::write(&path, &bytes).unwrap();
    let met = SqliteReader::open(&path).and_then(|reader| reader.chunks_of("a.rs"));
    assert!(matches!(met, Err(StoreError::Damaged { .. })), "{met:?}");
}

#[test]
fn another_kind_of_database_is_not_an_index() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    assert!(matches!(SqliteReader::open(&path), Err(StoreError::Damaged { .. })));
}

#[test]
fn an_index_of_a_newer_program_is_left_alone() {
    let (_directory, path) = closed_index();
    rusqlite::Connection::open(&path).unwrap().pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(SqliteWriter::open(&path), Err(StoreError::NewerSchema { found: 99, .. })));
    assert!(path.exists());
}

#[test]
fn a_rebuild_replaces_the_index_under_its_readers() {
    let (directory, path) = closed_index();
    let reader = SqliteReader::open(&path).unwrap();
    let all = ChunkFilter::default();
    assert_eq!(reader.nearest(Stage::Static, &vector(1), &all, 10).unwrap().len(), 2);

    let mut rebuild = Rebuild::begin(&path, &spaces()).unwrap();
    rebuild.writer().write_files(&[file("b.rs", &["three 3", "four 4", "five 5"])]).unwrap();
    assert_eq!(reader.files().unwrap().len(), 1, "the old index answers until the new one is done");
    assert!(reader.file("a.rs").unwrap().is_some());

    rebuild.commit().unwrap();
    assert!(reader.file("a.rs").unwrap().is_none() && reader.file("b.rs").unwrap().is_some());
    assert_eq!(reader.nearest(Stage::Static, &vector(1), &all, 10).unwrap().len(), 3);
    reader.verify().unwrap();
    drop(reader);
    assert_eq!(names_in(directory.path()), ["index.db"]);
}

#[test]
fn a_rebuild_into_another_space_changes_the_space() {
    let (_directory, path) = closed_index();
    let reader = SqliteReader::open(&path).unwrap();
    let mut wider = spaces();
    wider.provider.dimensions = 16;
    let mut rebuild = Rebuild::begin(&path, &wider).unwrap();
    rebuild.writer().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    rebuild.commit().unwrap();
    assert_eq!(reader.spaces().unwrap(), wider);
    let narrow = reader.nearest(Stage::Provider, &vector(1), &ChunkFilter::default(), 1);
    assert!(matches!(narrow, Err(StoreError::WrongDimensions { expected: 16, found: 8 })));
    assert!(reader.nearest(Stage::Provider, &[0.5; 16], &ChunkFilter::default(), 1).unwrap().is_empty());
}

#[test]
fn a_rebuild_that_is_given_up_leaves_the_old_index_and_nothing_else() {
    let (directory, path) = closed_index();
    let mut rebuild = Rebuild::begin(&path, &spaces()).unwrap();
    rebuild.writer().write_files(&[file("b.rs", &["three 3"])]).unwrap();
    drop(rebuild);
    assert_eq!(names_in(directory.path()), ["index.db"]);
    assert!(SqliteReader::open(&path).unwrap().file("a.rs").unwrap().is_some());
}

#[test]
fn a_rebuild_takes_the_place_of_a_damaged_index() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("index.db");
    fs::write(&path, "garbage".repeat(1000)).unwrap();
    let mut rebuild = Rebuild::begin(&path, &spaces()).unwrap();
    rebuild.writer().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    rebuild.commit().unwrap();
    assert!(SqliteReader::open(&path).unwrap().file("a.rs").unwrap().is_some());
}

#[cfg(unix)] // Windows lets nobody move an open file.
#[test]
fn a_reader_notices_that_the_index_was_deleted_and_made_anew() {
    let (_directory, path) = closed_index();
    let reader = SqliteReader::open(&path).unwrap();
    let all = ChunkFilter::default();
    assert_eq!(reader.nearest(Stage::Static, &vector(1), &all, 10).unwrap().len(), 2);
    vectorcode_store::set_aside(&path).unwrap();
    assert!(matches!(reader.stats(), Err(StoreError::NotInitialized)));
    let mut writer = SqliteWriter::create(&path, &spaces()).unwrap();
    writer.write_files(&[file("c.rs", &["six 6"])]).unwrap();
    assert_eq!(reader.nearest(Stage::Static, &vector(1), &all, 10).unwrap().len(), 1);
}

#[cfg(unix)]
#[test]
fn a_read_only_directory_is_searched_and_says_why_it_is_not_written() {
    use std::os::unix::fs::PermissionsExt;
    let (directory, path) = closed_index();
    let restrict = |mode: u32, of: &Path| fs::set_permissions(of, fs::Permissions::from_mode(mode)).unwrap();
    restrict(0o444, &path);
    restrict(0o555, directory.path());
    let outcome = child::run_without_privileges("use_read_only", directory.path());
    restrict(0o755, directory.path());
    assert!(outcome.status.success(), "{}", String::from_utf8_lossy(&outcome.stderr));
}

#[test]
fn readers_in_many_threads_and_a_writer_do_not_disturb_each_other() {
    let mut index = Index::new();
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let reader = index.reader();
    let done = CancelToken::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.is_cancelled() {
                    let near =
                        reader.nearest(Stage::Static, &vector(3), &ChunkFilter::default(), 100).unwrap();
                    let rows: Vec<_> = near.iter().map(|scored| scored.row).collect();
                    assert!(reader.chunks(&rows).unwrap().len() >= 2);
                }
            });
        }
        for round in 0..40 {
            let path = format!("f{}.rs", round % 5);
            index.writer.write_files(&[file(&path, &["three 3", &format!("four {round}")])]).unwrap();
        }
        done.cancel();
    });
    assert_eq!(reader.stats().unwrap().chunks, 12);
    reader.verify().unwrap();
}
