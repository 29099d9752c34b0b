//! A git repository for tests, made without the program `git`.

use std::path::Path;

use gix::ObjectId;
use gix::actor::SignatureRef;
use gix::objs::tree::EntryKind;

/// A repository whose commits are written one by one. The files on disk are the test's to write.
pub struct TestRepository {
    git: gix::Repository,
    /// Each commit is a minute later.
    seconds: i64,
}

impl TestRepository {
    /// An empty repository with its `.git` in `root`.
    pub fn init(root: &Path) -> Self {
        let options = gix::create::Options::default();
        let opened = gix::open::Options::isolated();
        let git =
            gix::ThreadSafeRepository::init_opts(root, gix::create::Kind::WithWorktree, options, opened);
        Self { git: git.expect("a repository is made").to_thread_local(), seconds: 1_700_000_000 }
    }

    /// Commits on top of `HEAD`: these files with these texts (`None`: deleted), the others as they were. Returns the id.
    pub fn commit(&mut self, message: &str, files: &[(&str, Option<&str>)]) -> String {
        let head = self.git.head_id().ok().map(gix::Id::detach);
        let parents: Vec<ObjectId> = head.into_iter().collect();
        self.write(message, files, &parents)
    }

    /// Commits a merge of other commits into `HEAD`, with the files of `HEAD`.
    pub fn merge(&mut self, message: &str, others: &[&str]) -> String {
        let head = self.git.head_id().expect("there is a commit").detach();
        let others = others.iter().map(|id| ObjectId::from_hex(id.as_bytes()).expect("an id"));
        let parents: Vec<ObjectId> = std::iter::once(head).chain(others).collect();
        self.write(message, &[], &parents)
    }

    /// Moves the branch that is checked out to another commit.
    pub fn reset(&self, id: &str) {
        std::fs::write(self.git.git_dir().join("refs/heads/main"), format!("{id}\n"))
            .expect("a reference is written");
    }

    /// Commits a tree of ten trees of ten trees, ten levels deep, all of them the same eleven objects.
    pub fn commit_bomb(&mut self, message: &str) -> String {
        let blob = self.git.write_blob("x").expect("a blob is written").detach();
        let (mut id, mut kind) = (blob, EntryKind::Blob);
        for _ in 0..10 {
            let entry = |number: usize| gix::objs::tree::Entry {
                mode: kind.into(),
                filename: format!("entry{number}").into(),
                oid: id,
            };
            let tree = gix::objs::Tree { entries: (0..10).map(entry).collect() };
            (id, kind) = (self.git.write_object(&tree).expect("a tree is written").detach(), EntryKind::Tree);
        }
        let head = self.git.head_id().expect("there is a commit").detach();
        self.commit_tree(message, id, &[head])
    }

    fn write(&mut self, message: &str, files: &[(&str, Option<&str>)], parents: &[ObjectId]) -> String {
        let tree = self.tree(parents.first().copied(), files);
        self.commit_tree(message, tree, parents)
    }

    fn commit_tree(&mut self, message: &str, tree: ObjectId, parents: &[ObjectId]) -> String {
        self.seconds += 60;
        let time = format!("{} +0000", self.seconds);
        let author = SignatureRef { name: "Ada".into(), email: "ada@example.com".into(), time: &time };
        let parents = parents.iter().copied();
        let id = self.git.commit_as(author, author, "HEAD", message, tree, parents);
        id.expect("a commit is written").to_string()
    }

    fn tree(&self, parent: Option<ObjectId>, files: &[(&str, Option<&str>)]) -> ObjectId {
        let base = match parent {
            Some(parent) => {
                let commit = self.git.find_commit(parent).expect("the parent is there");
                commit.tree_id().expect("a commit has a tree").detach()
            }
            None => self.git.empty_tree().id,
        };
        let mut editor = self.git.edit_tree(base).expect("a tree can be edited");
        for (path, text) in files {
            match text {
                Some(text) => {
                    let blob = self.git.write_blob(text).expect("a blob is written").detach();
                    editor.upsert(*path, EntryKind::Blob, blob).expect("a path of a tree");
                }
                None => {
                    editor.remove(*path).expect("a path of a tree");
                }
            }
        }
        editor.write().expect("a tree is written").detach()
    }
}

impl std::fmt::Debug for TestRepository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestRepository").field("git", &self.git.git_dir()).finish_non_exhaustive()
    }
}
