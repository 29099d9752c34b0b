//! Tests of the commit history.

use std::collections::HashSet;

use vectorcode_core::{Commit, CommitChanges, CommitId};
use vectorcode_store::{CandidateQuery, ChunkFilter, ChunkRow, CommitUpdate, WordCount};

use crate::fixture::{Index, OpenStore, file, vector};

fn id(number: u8) -> CommitId {
    CommitId::from_bytes(&[number; 20]).unwrap()
}

fn commit(number: u8, message: &str, changes: CommitChanges) -> CommitUpdate {
    let commit = Commit {
        id: id(number),
        parents: (1..number).rev().take(1).map(id).collect(),
        time_secs: i64::from(number),
        author: "Ada".into(),
        message: message.into(),
        changes,
    };
    let words = vec![WordCount { word: 7, count: 2 }, WordCount { word: u32::MAX, count: number }];
    CommitUpdate { commit, words, vector: Some(vector(number.into())) }
}

fn files(paths: &[&str]) -> CommitChanges {
    CommitChanges::Files(paths.iter().map(ToString::to_string).collect())
}

pub fn commits_are_read_back_as_they_were_written(open: OpenStore) {
    let mut index = Index::new(open);
    let before = index.read().history_version().unwrap();
    let updates = [
        commit(1, "first\n\nbody", files(&["a.rs", "src/b.rs"])),
        commit(2, "", files(&[])),
        commit(3, "sweeping", CommitChanges::TooMany),
        commit(4, "merge", CommitChanges::Unknown),
    ];
    index.writer.write_commits(&id(4), &updates).unwrap();
    let history = index.reader().history().unwrap();
    assert_eq!(history.head, Some(id(4)));
    let read: Vec<CommitId> = history.commits.iter().map(|commit| commit.id).collect();
    assert_eq!(read, [id(1), id(2), id(3), id(4)]);
    let first = &history.commits[0];
    let paths: Vec<&str> = first.files.iter().map(|file| history.paths[*file as usize].as_str()).collect();
    assert_eq!(paths, ["a.rs", "src/b.rs"]);
    assert_eq!((&first.words, first.vector.len()), (&updates[0].words, vector(1).len()));
    assert_eq!((history.commits[3].parents.clone(), history.commits[3].time_secs), (vec![id(3)], 4));
    let texts = index.read().commit_texts(&read).unwrap();
    let told = |place: usize| texts[place].as_ref().map(|text| (text.message.as_str(), text.changes.clone()));
    assert_eq!(told(0), Some(("first\n\nbody", files(&["a.rs", "src/b.rs"]))));
    assert_eq!(told(1), None, "it has no message");
    assert_eq!(told(2), Some(("sweeping", CommitChanges::TooMany)));
    assert_ne!(index.read().history_version().unwrap(), before);
    assert_eq!(index.read().stats().unwrap().commits, 3);
}

pub fn commits_that_are_not_kept_are_gone_with_their_paths(open: OpenStore) {
    let mut index = Index::new(open);
    let updates = [commit(1, "one", files(&["a.rs"])), commit(2, "two", files(&["b.rs"]))];
    index.writer.write_commits(&id(2), &updates).unwrap();
    let (version, results) = (index.read().history_version().unwrap(), index.read().version().unwrap());
    index.writer.keep_commits(&HashSet::from([id(1), id(2)])).unwrap();
    assert_eq!(index.read().history_version().unwrap(), version, "nothing changed");
    index.writer.keep_commits(&HashSet::from([id(1)])).unwrap();
    let history = index.read().history().unwrap();
    assert_eq!(history.commits.len(), 1);
    assert_eq!(history.paths, ["a.rs"]);
    assert_ne!(index.read().history_version().unwrap(), version);
    assert_ne!(index.read().version().unwrap(), results, "cached results are out of date");
    index.writer.keep_commits(&HashSet::new()).unwrap();
    let history = index.read().history().unwrap();
    assert_eq!((history.head, history.commits.len(), history.paths.len()), (None, 0, 0));
}

/// Two processes may read the same commits at once. Regression test: the second one left the texts of the first behind, and
/// writing the next commit failed because of them.
pub fn commits_that_are_written_again_are_replaced(open: OpenStore) {
    let mut index = Index::new(open);
    let both = [commit(1, "one", files(&["a.rs"])), commit(2, "two", files(&["b.rs"]))];
    index.writer.write_commits(&id(2), &both).unwrap();
    index.writer.write_commits(&id(2), &both[1..]).unwrap();
    index.writer.write_commits(&id(2), &both[..1]).unwrap();
    assert_eq!(index.writer.keep_commits(&HashSet::from([id(1), id(9)])).unwrap(), 1);
    let another = [commit(2, "", files(&[])), commit(3, "three", files(&["c.rs"]))];
    index.writer.write_commits(&id(3), &another).unwrap();
    assert_eq!(index.read().history().unwrap().commits.len(), 3);
    let texts = index.read().commit_texts(&[id(3), id(2), id(1)]).unwrap();
    let messages: Vec<_> = texts.iter().map(|text| text.as_ref().map(|text| text.message.as_str())).collect();
    assert_eq!(messages, [Some("three"), None, Some("one")]);
}

pub fn named_files_bring_their_best_chunks(open: OpenStore) {
    let mut index = Index::new(open);
    index
        .writer
        .write_files(&[file("a.rs", &["one 1", "two 2", "three 3"]), file("b.rs", &["four 4"])])
        .unwrap();
    let found = |files: &[&str], per_file| {
        let files = files.iter().map(ToString::to_string).collect();
        let query = CandidateQuery { files, per_file, depth: 10, ..CandidateQuery::default() };
        let found = index.read().candidates(&query).unwrap();
        let rows: Vec<_> = found.iter().map(|found| found.chunk.row).collect();
        let chunks = index.read().chunks(&rows).unwrap();
        chunks.iter().map(|stored| stored.chunk.content.clone()).collect::<Vec<_>>()
    };
    assert_eq!(found(&["a.rs"], 2), ["one 1", "two 2"]);
    assert_eq!(found(&["b.rs", "gone.rs"], 2), ["four 4"]);
    assert_eq!(found(&[], 2), Vec::<String>::new());

    let last = index.read().chunks_of("a.rs").unwrap()[2].row;
    let wanted = |filter: ChunkFilter| {
        let query = CandidateQuery { rows: vec![last, ChunkRow(999)], filter, ..CandidateQuery::default() };
        index.read().candidates(&query).unwrap().iter().map(|found| found.chunk.row).collect::<Vec<_>>()
    };
    assert_eq!(wanted(ChunkFilter::default()), [last]);
    assert!(wanted(ChunkFilter { languages: vec!["python".into()], ..ChunkFilter::default() }).is_empty());
}
