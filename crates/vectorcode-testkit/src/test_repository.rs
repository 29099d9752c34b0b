//! A git repository for tests, created without the program `git`.

use std::fs;
use std::path::{Path, PathBuf};

use gix_hash::ObjectId;
use gix_object::tree::{Editor, Entry, EntryKind};
use gix_object::{FindExt as _, Kind, Tree, Write as _};

/// A repository whose commits are written one by one. The test itself writes the files on disk.
pub struct TestRepository {
    git: PathBuf,
    objects: gix_odb::Handle,
    /// The time of the latest commit. Each commit is a minute later.
    seconds: i64,
}

impl TestRepository {
    /// An empty repository with its `.git` in `root`.
    pub fn init(root: &Path) -> Self {
        let git = root.join(".git");
        for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
            fs::create_dir_all(git.join(folder)).expect("a directory is made");
        }
        fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("HEAD is written");
        fs::write(git.join("config"), "[core]\n\trepositoryformatversion = 0\n\tbare = false\n")
            .expect("the settings are written");
        let objects = gix_odb::at(git.join("objects"), gix_hash::Kind::Sha1).expect("objects can be written");
        Self { git, objects, seconds: 1_700_000_000 }
    }

    /// Commits on top of `HEAD`: changes these files (`None`: deleted) and keeps the others. Returns the id.
    pub fn commit(&mut self, message: &str, files: &[(&str, Option<&str>)]) -> String {
        let parents: Vec<ObjectId> = self.head().into_iter().collect();
        self.write(message, files, &parents)
    }

    /// Merges other commits into `HEAD`, keeping the files of `HEAD`.
    pub fn merge(&mut self, message: &str, others: &[&str]) -> String {
        let others = others.iter().map(|id| ObjectId::from_hex(id.as_bytes()).expect("an id"));
        let parents: Vec<ObjectId> = self.head().into_iter().chain(others).collect();
        self.write(message, &[], &parents)
    }

    /// Moves the current branch to another commit.
    pub fn reset(&self, id: &str) {
        fs::write(self.branch(), format!("{id}\n")).expect("a reference is written");
    }

    /// Creates a reference, such as `refs/heads/topic`, to a commit.
    pub fn refer(&self, name: &str, id: &str) {
        let file = self.git.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder is made");
        fs::write(file, format!("{id}\n")).expect("a reference is written");
    }

    fn branch(&self) -> PathBuf {
        self.git.join("refs/heads/main")
    }

    fn head(&self) -> Option<ObjectId> {
        let id = fs::read_to_string(self.branch()).ok()?;
        Some(ObjectId::from_hex(id.trim().as_bytes()).expect("an id"))
    }

    /// Commits a tree that contains ten trees of ten trees each, ten levels deep, made of only eleven objects.
    pub fn commit_bomb(&mut self, message: &str) -> String {
        let (mut id, mut kind) = (self.blob("x"), EntryKind::Blob);
        for _ in 0..10 {
            let entry = |number: usize| Entry {
                mode: kind.into(),
                filename: format!("entry{number}").into(),
                oid: id,
            };
            let tree = Tree { entries: (0..10).map(entry).collect() };
            (id, kind) = (self.objects.write(&tree).expect("a tree is written"), EntryKind::Tree);
        }
        let head = self.head().expect("there is a commit");
        self.commit_tree(message, id, &[head])
    }

    fn write(&mut self, message: &str, files: &[(&str, Option<&str>)], parents: &[ObjectId]) -> String {
        let tree = self.tree(parents.first().copied(), files);
        self.commit_tree(message, tree, parents)
    }

    fn commit_tree(&mut self, message: &str, tree: ObjectId, parents: &[ObjectId]) -> String {
        self.seconds += 60;
        let parents: Vec<String> = parents.iter().map(|parent| format!("parent {parent}\n")).collect();
        let person = format!("Ada <ada@example.com> {} +0000", self.seconds);
        let parents = parents.concat();
        let commit = format!("tree {tree}\n{parents}author {person}\ncommitter {person}\n\n{message}");
        let id = self.objects.write_buf(Kind::Commit, commit.as_bytes()).expect("a commit is written");
        self.reset(&id.to_string());
        id.to_string()
    }

    fn blob(&self, text: &str) -> ObjectId {
        self.objects.write_buf(Kind::Blob, text.as_bytes()).expect("a blob is written")
    }

    fn tree(&self, parent: Option<ObjectId>, files: &[(&str, Option<&str>)]) -> ObjectId {
        let base = parent.map_or_else(Tree::default, |parent| self.tree_of(parent));
        let mut editor = Editor::new(base, &self.objects, gix_hash::Kind::Sha1);
        for (path, text) in files {
            let path = path.split('/');
            let edited = match text {
                Some(text) => editor.upsert(path, EntryKind::Blob, self.blob(text)),
                None => editor.remove(path),
            };
            edited.expect("a path of a tree");
        }
        editor.write(|tree| self.objects.write(tree)).expect("a tree is written")
    }

    fn tree_of(&self, commit: ObjectId) -> Tree {
        let mut bytes = Vec::new();
        let tree = self.objects.find_commit(&commit, &mut bytes).expect("the parent is there").tree();
        let mut bytes = Vec::new();
        self.objects.find_tree(&tree, &mut bytes).expect("the tree is there").into()
    }
}

impl std::fmt::Debug for TestRepository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TestRepository").field("git", &self.git).finish_non_exhaustive()
    }
}
