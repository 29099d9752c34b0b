//! A writer that is killed at any moment.

use std::time::Duration;

use vectorcode_store::IndexReader;

use super::child;
use crate::fixture::{Index, file, sqlite};

#[test]
fn a_killed_writer_leaves_a_sound_index_that_goes_on() {
    let Index { directory, store, writer } = Index::new(sqlite);
    drop(writer);
    for round in 0..8 {
        let mut writer = child::start("write_forever", directory.path());
        // Not to wait for anything: the moment of the kill is what varies.
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

/// Every chunk of every file is counted, and waits for its vector or has it.
fn assert_agrees_with_itself(reader: &dyn IndexReader) {
    let stats = reader.stats().unwrap();
    let paths = reader.files().unwrap();
    let chunks: usize = paths.keys().map(|path| reader.chunks_of(path).unwrap().len()).sum();
    assert_eq!(chunks as u64, stats.chunks);
    let waiting = reader.pending(usize::MAX >> 1).unwrap().len() as u64;
    assert_eq!(stats.embedded + waiting, stats.chunks);
}
