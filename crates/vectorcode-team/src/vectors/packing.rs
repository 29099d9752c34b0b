//! Decides which packs of an earlier push are kept, and which files go into new packs.
//!
//! A push adds a pack with new files. To keep packs from becoming too many, or from filling with files that no longer exist,
//! it also repacks the files of packs that are mostly dead or no larger than the new files. Pack sizes then grow by doubling:
//! there are about twenty packs at most, and a vector is uploaded again only a few times in its life.

use std::collections::HashSet;

use vectorcode_engine::{FileKey, ShareableFile};

use crate::vectors::manifest::{Manifest, PackEntry};

/// The work of a push.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Existing packs that are kept.
    pub kept: Vec<PackEntry>,
    /// Files for new packs, sorted by path.
    pub files: Vec<ShareableFile>,
}

impl Packing {
    pub fn new(files: &[ShareableFile], base: Option<&Manifest>) -> Self {
        let ours: HashSet<FileKey> = files.iter().map(|file| file.key).collect();
        // At least half of its files still exist.
        let is_mostly_alive = |pack: &PackEntry| {
            let alive = pack.files.iter().filter(|key| ours.contains(key)).count();
            alive > 0 && 2 * alive >= pack.files.len()
        };
        let mut kept: Vec<PackEntry> = base.map_or_else(Vec::new, |base| {
            base.packs.iter().filter(|pack| is_mostly_alive(pack)).cloned().collect()
        });
        kept.sort_by_key(|pack| std::cmp::Reverse(pack.vectors));
        let mut missing = uncovered(files, &kept);
        while let Some(smallest) = kept.last()
            && vectors(&missing) >= smallest.vectors
        {
            kept.pop();
            missing = uncovered(files, &kept);
        }
        Self { kept, files: missing }
    }
}

/// The files that are in none of the packs.
fn uncovered(files: &[ShareableFile], packs: &[PackEntry]) -> Vec<ShareableFile> {
    let covered: HashSet<FileKey> = packs.iter().flat_map(|pack| pack.files.iter().copied()).collect();
    files.iter().filter(|file| !covered.contains(&file.key)).cloned().collect()
}

fn vectors(files: &[ShareableFile]) -> u64 {
    files.iter().map(|file| file.vectors as u64).sum()
}

/// Groups files so that each group fits into one pack.
pub(crate) fn groups(files: Vec<ShareableFile>, capacity: usize) -> Vec<Vec<ShareableFile>> {
    let mut groups: Vec<Vec<ShareableFile>> = Vec::new();
    let mut filled = usize::MAX;
    for file in files {
        if filled.saturating_add(file.vectors) > capacity {
            groups.push(Vec::new());
            filled = 0;
        }
        filled += file.vectors;
        if let Some(group) = groups.last_mut() {
            group.push(file);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(number: u8, vectors: usize) -> ShareableFile {
        ShareableFile { path: format!("f{number:03}"), key: FileKey([number; 16]), vectors }
    }

    fn base(packs: &[&[ShareableFile]]) -> Manifest {
        let pack = |files: &&[ShareableFile]| PackEntry {
            id: String::new(),
            bytes: 0,
            vectors: vectors(files),
            files: files.iter().map(|file| file.key).collect(),
        };
        Manifest {
            project: String::new(),
            commit: String::new(),
            space: vectorcode_core::VectorSpace::unknown("none"),
            content_version: String::new(),
            program: String::new(),
            packs: packs.iter().map(pack).collect(),
        }
    }

    #[test]
    fn only_what_is_new_is_packed() {
        let old: Vec<_> = (0..50).map(|number| file(number, 10)).collect();
        let mut files = old.clone();
        files.push(file(100, 3));
        let packing = Packing::new(&files, Some(&base(&[&old])));
        assert_eq!((packing.kept.len(), packing.files), (1, vec![file(100, 3)]));
        assert_eq!(Packing::new(&old, Some(&base(&[&old]))).files, []);
        assert_eq!(Packing::new(&old, None).files, old);
    }

    #[test]
    fn a_pack_that_is_mostly_dead_is_taken_over() {
        let old: Vec<_> = (0..50).map(|number| file(number, 10)).collect();
        let big: Vec<_> = (100..250).map(|number| file(number, 10)).collect();
        let alive: Vec<_> = old[..20].iter().chain(&big).cloned().collect();
        let packing = Packing::new(&alive, Some(&base(&[&old, &big])));
        assert_eq!((packing.kept.len(), packing.files), (1, old[..20].to_vec()));
    }

    #[test]
    fn many_small_pushes_leave_few_packs() {
        let mut packs: Vec<Vec<ShareableFile>> = vec![(0..100).map(|number| file(number, 50)).collect()];
        let (mut all, mut uploaded) = (packs[0].clone(), 0);
        for number in 100..250 {
            all.push(file(number, 2));
            let known: Vec<&[ShareableFile]> = packs.iter().map(Vec::as_slice).collect();
            let packing = Packing::new(&all, Some(&base(&known)));
            uploaded += vectors(&packing.files);
            let kept: HashSet<FileKey> = packing.kept.iter().flat_map(|pack| pack.files.clone()).collect();
            packs.retain(|pack| kept.contains(&pack[0].key));
            packs.push(packing.files);
        }
        let packed: HashSet<FileKey> = packs.iter().flatten().map(|file| file.key).collect();
        assert_eq!(packed.len(), all.len());
        assert!(packs.len() <= 9, "{} packs", packs.len());
        assert!(uploaded <= 300 * 9, "{uploaded} vectors for 300 new ones");
    }

    #[test]
    fn groups_are_no_larger_than_a_pack_unless_one_file_is() {
        let files = vec![file(1, 4), file(2, 4), file(3, 20), file(4, 1), file(5, 9)];
        let sizes: Vec<Vec<usize>> =
            groups(files, 10).iter().map(|group| group.iter().map(|file| file.vectors).collect()).collect();
        assert_eq!(sizes, [vec![4, 4], vec![20], vec![1, 9]]);
        assert!(groups(Vec::new(), 10).is_empty());
    }
}
