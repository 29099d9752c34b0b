//! The binary encodings of the parts of a commit.

use vectorcode_core::{CommitChanges, CommitId};

use super::corrupt::{Corrupt, DecodeResult};
use crate::contract::WordCount;

const WORD_BYTES: usize = 5;

/// The result of deleting all but some commits.
pub(crate) struct KeptCommits {
    /// How many of the commits to keep exist in the index.
    pub there: usize,
    pub deleted: usize,
}

pub(crate) fn changes_code(changes: &CommitChanges) -> i64 {
    match changes {
        CommitChanges::Files(_) => 0,
        CommitChanges::TooMany => 1,
        CommitChanges::Unknown => 2,
    }
}

pub(crate) fn changes_from(code: i64, files: Vec<String>) -> DecodeResult<CommitChanges> {
    match code {
        0 => Ok(CommitChanges::Files(files)),
        1 => Ok(CommitChanges::TooMany),
        2 => Ok(CommitChanges::Unknown),
        _ => Err(Corrupt),
    }
}

pub(crate) fn parents_to_blob(parents: &[CommitId]) -> Vec<u8> {
    parents.iter().flat_map(|parent| *parent.as_bytes()).collect()
}

pub(crate) fn parents_from_blob(blob: &[u8]) -> DecodeResult<Vec<CommitId>> {
    blob.chunks(CommitId::BYTES).map(|bytes| CommitId::from_bytes(bytes).ok_or(Corrupt)).collect()
}

pub(crate) fn files_to_blob(files: &[u32]) -> Vec<u8> {
    files.iter().flat_map(|file| file.to_le_bytes()).collect()
}

pub(crate) fn files_from_blob(blob: &[u8]) -> impl Iterator<Item = u32> {
    blob.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes))
}

pub(crate) fn words_to_blob(words: &[WordCount]) -> Vec<u8> {
    let mut blob = Vec::with_capacity(words.len() * WORD_BYTES);
    for word in words {
        blob.extend(word.word.to_le_bytes());
        blob.push(word.count);
    }
    blob
}

pub(crate) fn words_from_blob(blob: &[u8]) -> Vec<WordCount> {
    let words = blob.as_chunks::<WORD_BYTES>().0.iter();
    words
        .map(|[a, b, c, d, count]| WordCount { word: u32::from_le_bytes([*a, *b, *c, *d]), count: *count })
        .collect()
}
