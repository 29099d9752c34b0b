//! Tests of locks, and of readers concurrent with a writer.

use vectorcode_core::CancelToken;
use vectorcode_store::{ChunkFilter, LockRole, StoreErrorCode, WhenHeld};

use crate::fixture::{Index, OpenStore, Vectors, code, file, nearest, vector};

pub fn a_second_holder_is_told_who_holds_the_lock(open: OpenStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let lock = store.lock(LockRole::Write, WhenHeld::Fail).unwrap();
    assert!(store.is_locked(LockRole::Write));
    let error = open(directory.path()).lock(LockRole::Write, WhenHeld::Fail).unwrap_err();
    assert!(error.is_locked(), "{error:?}");
    assert!(error.to_string().contains(&format!("process {}", std::process::id())), "{error}");
    drop(lock);
    assert!(!store.is_locked(LockRole::Write));
    store.lock(LockRole::Write, WhenHeld::Wait(&CancelToken::default())).unwrap();
}

pub fn locks_of_different_roles_are_independent(open: OpenStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let _locks = LockRole::ALL.map(|role| store.lock(role, WhenHeld::Fail).unwrap());
    assert!(LockRole::ALL.into_iter().all(|role| store.is_locked(role)));
}

pub fn waiting_for_a_lock_ends_when_cancelled(open: OpenStore) {
    let directory = tempfile::tempdir().unwrap();
    let store = open(directory.path());
    let _lock = store.lock(LockRole::Embed, WhenHeld::Fail).unwrap();
    let cancel = CancelToken::default();
    cancel.cancel();
    let refused = store.lock(LockRole::Embed, WhenHeld::Wait(&cancel));
    assert_eq!(code(refused), Some(StoreErrorCode::Locked));
}

pub fn readers_in_many_threads_and_a_writer_do_not_disturb_each_other(open: OpenStore) {
    let mut index = Index::new(open);
    index.writer.write_files(&[file("a.rs", &["one 1", "two 2"])]).unwrap();
    let reader = index.reader();
    let done = CancelToken::default();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.is_cancelled() {
                    let near =
                        nearest(&*reader, Vectors::Static, &vector(3), &ChunkFilter::default(), 100).unwrap();
                    assert!(near.len() >= 2);
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
