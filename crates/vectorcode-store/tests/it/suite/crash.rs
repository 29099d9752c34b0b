//! Tests of processes that are killed at any moment.

use std::time::Duration;

use vectorcode_core::CancelToken;
use vectorcode_store::{IndexReader, LockRole, StoreErrorCode, WhenHeld};

use crate::child;
use crate::fixture::{Index, OpenStore, code, file};

pub fn a_killed_writer_leaves_a_sound_index_that_goes_on(open: OpenStore) {
    let Index { directory, store, writer } = Index::new(open);
    drop(writer);
    for round in 0..8 {
        let mut writer = child::start(open, "write_forever", directory.path());
        // This does not wait for anything: it varies the moment of the kill.
        std::thread::sleep(Duration::from_millis(7 * round));
        writer.kill().unwrap();
        writer.wait().unwrap();
        let reader = store.reader().unwrap();
        reader.verify().unwrap();
        assert_agrees_with_itself(&*reader);
    }
    let mut writer = store.writer().unwrap();
    writer.write_files(&[file("last.rs", &["one 1"])]).unwrap();
    let paths: Vec<String> = writer.reader().files().unwrap().into_keys().collect();
    writer.remove_files(&paths).unwrap();
    assert_eq!(writer.reader().stats().unwrap().chunks, 0);
}

pub fn a_killed_holder_frees_the_lock(open: OpenStore) {
    let directory = tempfile::tempdir().unwrap();
    let mut holder = child::start(open, "hold_lock", directory.path());
    let store = open(directory.path());
    assert_eq!(code(store.lock(LockRole::Write, WhenHeld::Fail)), Some(StoreErrorCode::Locked));
    holder.kill().unwrap();
    holder.wait().unwrap();
    // The server notices the end of a process with a short delay.
    store.lock(LockRole::Write, WhenHeld::Wait(&CancelToken::expiring(Duration::from_secs(20)))).unwrap();
}

/// Every chunk of every file is counted, and either has its vector or is pending.
fn assert_agrees_with_itself(reader: &dyn IndexReader) {
    let counts = || reader.stats().map(|stats| (stats.chunks, stats.embedded)).unwrap();
    loop {
        let (chunks, embedded) = counts();
        let paths = reader.files().unwrap();
        let found: usize = paths.keys().map(|path| reader.chunks_of(path).unwrap().len()).sum();
        let waiting = reader.pending(usize::MAX >> 1).unwrap().len() as u64;
        // The server may still execute the last transaction of a dead process.
        if counts() == (chunks, embedded) {
            assert_eq!(found as u64, chunks);
            assert_eq!(embedded + waiting, chunks);
            break;
        }
    }
}
