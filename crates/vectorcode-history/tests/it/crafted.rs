//! Tests crafted objects: those that git would not write must not cost more memory or time than others.

use vectorcode_core::CommitChanges;
use vectorcode_history::Repository;
use vectorcode_testkit::crafted_repository::{
    BLOB, COMMIT, CraftedObject, CraftedRepository, OFS_DELTA, TREE, commit_text, tree_entry,
};

use crate::walking::commits;

const HEAD: [u8; 20] = [1; 20];
const PARENT: [u8; 20] = [2; 20];
const ROOT: [u8; 20] = [3; 20];
const FILE: [u8; 20] = [4; 20];

/// Two commits with one file.
fn history() -> CraftedRepository {
    let mut repository = CraftedRepository::default();
    repository.add_packed(CraftedObject::new(HEAD, COMMIT, &commit_text(ROOT, &[PARENT])));
    repository.add_packed(CraftedObject::new(PARENT, COMMIT, &commit_text(ROOT, &[])));
    repository.add_packed(CraftedObject::new(ROOT, TREE, &tree_entry("100644", "a.rs", FILE)));
    repository.add_packed(CraftedObject::new(FILE, BLOB, b"fn main() {}\n"));
    repository
}

#[test]
fn a_crafted_repository_is_read_like_another() {
    let folder = tempfile::tempdir().unwrap();
    history().write(folder.path(), HEAD);
    let commits = commits(folder.path());
    assert_eq!(commits.len(), 2);
    assert_eq!(commits[1].changes.files(), ["a.rs"]);
}

/// Each delta copies five megabytes from the previous one, in a small pack. Regression test: this took hours.
#[test]
fn a_long_chain_of_deltas_is_not_followed() {
    let (links, size) = (100_000, 5 << 20);
    let mut repository = history();
    let text = commit_text(ROOT, &[]);
    let message: Vec<u8> = text.iter().copied().chain(std::iter::repeat(b'x')).take(size).collect();
    repository.add_packed(CraftedObject::new([9; 20], COMMIT, &message));
    // Both sizes, then one instruction: copy that many bytes from the start.
    let number: Vec<u8> = [0, 7, 14]
        .map(|shift| 0x80 | (size >> shift & 0x7f) as u8)
        .into_iter()
        .chain([(size >> 21) as u8])
        .collect();
    let [low, middle, high, _] = (size as u32).to_le_bytes();
    let delta = [&number[..], &number, &[0xf0, low, middle, high]].concat();
    for _ in 0..links {
        repository.add_packed(CraftedObject::new([8; 20], OFS_DELTA, &delta));
    }
    // The last object is as small as a commit.
    let length = text.len() as u8;
    let delta = [&number[..], &[0x80 | length, length >> 7, 0x90, length]].concat();
    repository.add_packed(CraftedObject::new([7; 20], OFS_DELTA, &delta));
    repository.add_packed(CraftedObject::new([6; 20], COMMIT, &commit_text(ROOT, &[[7; 20]])));
    let folder = tempfile::tempdir().unwrap();
    repository.write(folder.path(), [6; 20]);
    assert_eq!(commits(folder.path()).len(), 1, "the parent counts as missing");
}

#[test]
fn objects_that_claim_to_be_huge_count_as_missing() {
    for size in [u64::MAX, 1 << 60, 20 << 20] {
        for is_loose in [false, true] {
            let mut repository = history();
            let text = commit_text(ROOT, &[PARENT]);
            let object = CraftedObject { size: Some(size), ..CraftedObject::new([6; 20], COMMIT, &text) };
            if is_loose {
                repository.add_loose(object);
            } else {
                repository.add_packed(object);
            }
            let folder = tempfile::tempdir().unwrap();
            repository.write(folder.path(), [6; 20]);
            assert_eq!(commits(folder.path()).len(), 0, "{size}");
        }
    }
}

#[test]
fn commits_that_come_from_each_other_are_read_once() {
    let mut repository = CraftedRepository::default();
    repository.add_loose(CraftedObject::new(HEAD, COMMIT, &commit_text(ROOT, &[PARENT, HEAD])));
    repository.add_loose(CraftedObject::new(PARENT, COMMIT, &commit_text(ROOT, &[HEAD])));
    let folder = tempfile::tempdir().unwrap();
    repository.write(folder.path(), HEAD);
    assert_eq!(commits(folder.path()).len(), 2);
    let opened = Repository::open(folder.path()).unwrap().unwrap();
    assert!(opened.resolve("HEAD^1~999").is_ok());
}

/// Regression test: with a name of 255 bytes, the path grew to megabytes and was copied for each level.
#[test]
fn a_tree_that_holds_itself_has_an_end() {
    let mut repository = CraftedRepository::default();
    let entries = [tree_entry("100644", "a.rs", FILE), tree_entry("40000", &"d".repeat(255), ROOT)].concat();
    repository.add_packed(CraftedObject::new(ROOT, TREE, &entries));
    repository.add_packed(CraftedObject::new(HEAD, COMMIT, &commit_text(ROOT, &[])));
    let folder = tempfile::tempdir().unwrap();
    repository.write(folder.path(), HEAD);
    let commits = commits(folder.path());
    assert_eq!(commits[0].changes.files().len(), 16);
    let opened = Repository::open(folder.path()).unwrap().unwrap();
    assert_eq!(opened.files(commits[0].id).unwrap().len(), 16);
}

#[test]
fn a_tree_of_a_million_entries_is_not_read() {
    let mut repository = history();
    let entries: Vec<u8> =
        (0..400_000).flat_map(|number| tree_entry("100644", &format!("{number:06}"), FILE)).collect();
    repository.add_packed(CraftedObject::new([5; 20], TREE, &entries));
    repository.add_packed(CraftedObject::new([6; 20], COMMIT, &commit_text([5; 20], &[PARENT])));
    let folder = tempfile::tempdir().unwrap();
    repository.write(folder.path(), [6; 20]);
    assert_eq!(commits(folder.path())[0].changes, CommitChanges::Unknown);
}
