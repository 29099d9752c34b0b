//! Tests of creating, replacing and removing a whole index.

use std::sync::Arc;

use tempfile::TempDir;
use vectorcode_store::{ChunkFilter, Store, StoreErrorCode};

use crate::fixture::{Index, OpenStore, Vectors, code, file, nearest, spaces, vector};

/// An index of one file, `a.rs`, which is not open anywhere.
fn closed_index(open: OpenStore) -> (TempDir, Arc<dyn Store>) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let Index { directory, store, writer } = index;
    drop(writer);
    (directory, store)
}

pub fn there_is_no_index_before_it_is_created(open: OpenStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    assert!(!store.exists());
    assert_eq!(code(store.reader()), Some(StoreErrorCode::NotInitialized));
    assert_eq!(code(store.writer()), Some(StoreErrorCode::NotInitialized));
    store.create(&spaces()).unwrap();
    assert!(store.exists());
    assert_eq!(store.reader().unwrap().stats().unwrap().files, 0);
}

pub fn a_rebuild_replaces_the_index_under_its_readers(open: OpenStore) {
    let (_directory, store) = closed_index(open);
    let reader = store.reader().unwrap();
    let all = ChunkFilter::default();
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &all, 10).unwrap().len(), 2);

    let mut rebuild = store.rebuild(&spaces()).unwrap();
    rebuild.writer().write_files(&[file("b.rs", &["three 3", "four 4", "five 5"])]).unwrap();
    assert_eq!(reader.files().unwrap().len(), 1, "the old index is used until the new one is committed");
    assert!(reader.file("a.rs").unwrap().is_some());

    let before = reader.version().unwrap();
    rebuild.commit().unwrap();
    assert_ne!(reader.version().unwrap(), before);
    assert!(reader.file("a.rs").unwrap().is_none() && reader.file("b.rs").unwrap().is_some());
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &all, 10).unwrap().len(), 3);
    reader.verify().unwrap();
}

pub fn a_rebuild_into_another_space_changes_the_space(open: OpenStore) {
    let (_directory, store) = closed_index(open);
    let reader = store.reader().unwrap();
    let mut wider = spaces();
    wider.provider.dimensions = 16;
    let mut rebuild = store.rebuild(&wider).unwrap();
    rebuild.writer().write_files(&[file("a.rs", &["one 1"])]).unwrap();
    rebuild.commit().unwrap();
    assert_eq!(reader.spaces().unwrap(), wider);
    let narrow = nearest(&*reader, Vectors::Provider, &vector(1), &ChunkFilter::default(), 1);
    assert_eq!(code(narrow), Some(StoreErrorCode::WrongDimensions));
    assert!(nearest(&*reader, Vectors::Provider, &[0.5; 16], &ChunkFilter::default(), 1).unwrap().is_empty());
}

pub fn a_rebuild_that_is_given_up_leaves_the_old_index(open: OpenStore) {
    let (_directory, store) = closed_index(open);
    let mut rebuild = store.rebuild(&spaces()).unwrap();
    rebuild.writer().write_files(&[file("b.rs", &["three 3"])]).unwrap();
    drop(rebuild);
    let files = store.reader().unwrap().files().unwrap();
    assert_eq!(files.into_keys().collect::<Vec<_>>(), ["a.rs"]);
}

pub fn an_index_that_was_set_aside_makes_room_for_another(open: OpenStore) {
    let (_directory, store) = closed_index(open);
    assert!(!store.set_aside().unwrap().is_empty());
    assert!(!store.exists());
    let mut writer = store.create(&spaces()).unwrap();
    writer.write_files(&[file("c.rs", &["six 6"])]).unwrap();
    assert_eq!(store.reader().unwrap().files().unwrap().into_keys().collect::<Vec<_>>(), ["c.rs"]);
}

pub fn a_removed_index_is_gone(open: OpenStore) {
    let (_directory, store) = closed_index(open);
    store.remove().unwrap();
    assert!(!store.exists());
    assert_eq!(code(store.reader()), Some(StoreErrorCode::NotInitialized));
    store.remove().unwrap();
}
