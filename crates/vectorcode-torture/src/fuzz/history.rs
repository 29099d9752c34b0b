//! A crafted `.git`: its commits are read as far as possible, and nothing else happens.
//!
//! An input is a list of records: a kind, an id, the length of the content in two bytes, the content. An id is one byte
//! repeated twenty times, so that commits, trees and deltas refer to each other, or to themselves, after any mutation.

use vectorcode_history::Repository;
use vectorcode_testkit::crafted_repository::{CraftedObject, CraftedRepository, OFS_DELTA, REF_DELTA};

/// The commit that is checked out.
const HEAD: [u8; 20] = [b'1'; 20];
/// Maximum steps of a walk, which could otherwise go on forever.
const STEPS: usize = 300;
/// Files that a record can replace or damage.
const FILES: [&str; 8] = [
    "HEAD",
    "refs/heads/main",
    "packed-refs",
    "config",
    "shallow",
    "objects/info/alternates",
    "objects/pack/pack-0000000000000000000000000000000000000000.idx",
    "objects/pack/pack-0000000000000000000000000000000000000000.pack",
];

pub fn history(bytes: &[u8]) {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let records = records(bytes);
    let mut repository = CraftedRepository::default();
    for record in &records {
        record.add_to(&mut repository);
    }
    repository.write(directory.path(), HEAD);
    for record in &records {
        record.damage(&directory.path().join(".git"));
    }
    read(directory.path());
}

struct Record<'a> {
    kind: u8,
    id: u8,
    content: &'a [u8],
}

fn records(bytes: &[u8]) -> Vec<Record<'_>> {
    let mut records = Vec::new();
    let mut rest = bytes;
    while let [kind, id, low, high, content @ ..] = rest {
        let length = usize::from(u16::from_le_bytes([*low, *high])).min(content.len());
        let (content, after) = content.split_at(length);
        records.push(Record { kind: *kind, id: *id, content });
        rest = after;
    }
    records
}

impl Record<'_> {
    /// The upper half of the kind decides where an object goes, and whether it claims a wrong size.
    fn add_to(&self, repository: &mut CraftedRepository) {
        let (place, kind) = (self.kind >> 4, self.kind & 7);
        if place > 3 {
            return;
        }
        let mut object = CraftedObject::new([self.id; 20], kind, self.content);
        if let (OFS_DELTA | REF_DELTA, [base, delta @ ..]) = (kind, self.content) {
            object = CraftedObject { data: delta, back: usize::from(*base), base: [*base; 20], ..object };
        }
        if place & 2 > 0 {
            object.size = Some(u64::MAX >> (self.id % 64));
        }
        if place & 1 > 0 { repository.add_loose(object) } else { repository.add_packed(object) }
    }

    fn damage(&self, git: &std::path::Path) {
        let path = git.join(FILES[usize::from(self.id) % FILES.len()]);
        match (self.kind >> 4, self.content) {
            (4, content) => {
                let _ = path.parent().map(std::fs::create_dir_all);
                let _ = std::fs::write(path, content);
            }
            (5, [low, high, value, ..]) => {
                let Ok(mut bytes) = std::fs::read(&path) else { return };
                let place = usize::from(u16::from_le_bytes([*low, *high]));
                if let Some(byte) = bytes.get_mut(place) {
                    *byte = *value;
                }
                let _ = std::fs::write(path, bytes);
            }
            _ => {}
        }
    }
}

/// Runs every operation on a repository.
fn read(root: &std::path::Path) {
    let Ok(Some(repository)) = Repository::open(root) else { return };
    let _ = (repository.remote_url("origin"), repository.is_shallow());
    for revision in ["main~2", "HEAD^2", "3131", "tag"] {
        let _ = repository.resolve(revision);
    }
    let Ok(Some(head)) = repository.head() else { return };
    assert!(repository.walk(head, |_| None).take(STEPS).count() <= STEPS);
    let listed = repository.files(head).unwrap_or_default();
    for blob in listed.values().take(10) {
        let _ = repository.blob(*blob);
    }
    let _ = repository.differing(repository.parent(head).ok().flatten(), head);
}
