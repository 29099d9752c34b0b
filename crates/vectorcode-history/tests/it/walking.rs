//! Tests which commits a walk returns, in which order, and with which files.

use vectorcode_core::{BlobId, Commit, CommitChanges, CommitId};
use vectorcode_history::{KnownCommit, MAX_FILES_PER_COMMIT, Repository, Step};
use vectorcode_testkit::TestRepository;

/// All commits of the history, newest first.
pub fn commits(root: &std::path::Path) -> Vec<Commit> {
    let repository = Repository::open(root).unwrap().unwrap();
    let Some(head) = repository.head().unwrap() else { return Vec::new() };
    let steps = repository.walk(head, |_| None).map(Result::unwrap);
    steps
        .map(|step| match step {
            Step::New(commit) => commit,
            Step::Known(id) => panic!("{id} was not known"),
        })
        .collect()
}

fn told(commits: &[Commit]) -> Vec<(&str, Vec<&str>)> {
    let files = |commit: &Commit| -> Vec<String> { commit.changes.files().to_vec() };
    let told = commits.iter().map(|commit| (commit.subject(), files(commit)));
    // Leaked for the duration of a test, so that the lists can be compared with literals.
    told.map(|(subject, files)| (subject, files.into_iter().map(|file| &*file.leak()).collect())).collect()
}

#[test]
fn commits_come_newest_first_with_the_files_that_they_changed() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    repository.commit("first\n\nWith a body.", &[("a.rs", Some("1")), ("src/net/b.rs", Some("1"))]);
    repository.commit("second", &[("src/net/b.rs", Some("2"))]);
    repository.commit("third", &[("a.rs", None), ("src/c.rs", Some("1"))]);
    let commits = commits(folder.path());
    assert_eq!(
        told(&commits),
        [
            ("third", vec!["a.rs", "src/c.rs"]),
            ("second", vec!["src/net/b.rs"]),
            ("first", vec!["a.rs", "src/net/b.rs"]),
        ]
    );
    assert_eq!(commits[2].message, "first\n\nWith a body.");
    assert_eq!(commits[0].author, "Ada");
    assert_eq!(commits[0].parents, [commits[1].id]);
    assert!(commits[0].time_secs > commits[1].time_secs);
}

#[test]
fn a_project_inside_a_repository_sees_its_own_part() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    repository.commit("both", &[("app/main.rs", Some("1")), ("other/x.rs", Some("1"))]);
    repository.commit("elsewhere", &[("other/x.rs", Some("2"))]);
    repository.commit("mine", &[("app/net/main.rs", Some("2"))]);
    std::fs::create_dir_all(folder.path().join("app")).unwrap();
    let commits = commits(&folder.path().join("app"));
    assert_eq!(told(&commits), [("mine", vec!["net/main.rs"]), ("", vec![]), ("both", vec!["main.rs"])]);
}

#[test]
fn merges_and_sweeping_commits_name_no_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    let base = repository.commit("base", &[("a.rs", Some("1"))]);
    let side = repository.commit("side", &[("b.rs", Some("1"))]);
    repository.reset(&base);
    repository.commit("main", &[("a.rs", Some("2"))]);
    repository.merge("Merge side", &[&side]);
    let names: Vec<String> = (0..=MAX_FILES_PER_COMMIT).map(|number| format!("file{number}.rs")).collect();
    let files: Vec<(&str, Option<&str>)> = names.iter().map(|name| (name.as_str(), Some("x"))).collect();
    repository.commit("everything", &files);
    let commits = commits(folder.path());
    assert_eq!(commits[0].changes, CommitChanges::TooMany);
    assert_eq!((commits[1].subject(), &commits[1].changes), ("Merge side", &CommitChanges::Unknown));
    assert_eq!(told(&commits)[2..], [("main", vec!["a.rs"]), ("side", vec!["b.rs"]), ("base", vec!["a.rs"])]);
}

#[test]
fn what_is_known_is_not_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    repository.commit("first", &[("a.rs", Some("1"))]);
    repository.commit("second", &[("a.rs", Some("2"))]);
    let known = commits(folder.path());
    repository.commit("third", &[("a.rs", Some("3"))]);
    let opened = Repository::open(folder.path()).unwrap().unwrap();
    let lookup = |id: &CommitId| {
        let commit = known.iter().find(|commit| commit.id == *id)?;
        Some(KnownCommit { parents: commit.parents.clone(), time_secs: commit.time_secs })
    };
    let steps: Vec<Step> = opened.walk(opened.head().unwrap().unwrap(), lookup).map(Result::unwrap).collect();
    assert!(matches!(&steps[0], Step::New(commit) if commit.subject() == "third"));
    assert_eq!(steps[1..], [Step::Known(known[0].id), Step::Known(known[1].id)]);
}

#[test]
fn a_shallow_clone_tells_nothing_of_its_oldest_commit() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    let first = repository.commit("first", &[("a.rs", Some("1"))]);
    let second = repository.commit("second", &[("b.rs", Some("1"))]);
    repository.commit("third", &[("b.rs", Some("2"))]);
    std::fs::remove_file(folder.path().join(".git/objects").join(&first[..2]).join(&first[2..])).unwrap();
    std::fs::write(folder.path().join(".git/shallow"), format!("{second}\n")).unwrap();
    let commits = commits(folder.path());
    assert_eq!(told(&commits), [("third", vec!["b.rs"]), ("second", vec![])]);
    assert_eq!(commits[1].changes, CommitChanges::Unknown);
    assert!(Repository::open(folder.path()).unwrap().unwrap().is_shallow());
}

#[test]
fn revisions_are_found_by_branch_and_by_abbreviated_id() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    let first = repository.commit("first", &[("a.rs", Some("1"))]);
    let second = repository.commit("second", &[("a.rs", Some("2"))]);
    let opened = Repository::open(folder.path()).unwrap().unwrap();
    let resolved = |revision: &str| opened.resolve(revision).unwrap().to_string();
    assert_eq!(resolved("main"), second);
    assert_eq!(resolved("HEAD~1"), first);
    assert_eq!(resolved(&first[..10]), first);
    let wrong = opened.resolve("no-such-branch").unwrap_err();
    assert!(wrong.to_string().contains("no-such-branch"), "{wrong}");
}

#[test]
fn the_newest_ancestor_is_found_on_any_side_of_a_merge_and_within_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    let base = repository.commit("base", &[("a.rs", Some("1"))]);
    let side = repository.commit("side", &[("b.rs", Some("1"))]);
    repository.reset(&base);
    let main = repository.commit("main", &[("a.rs", Some("2"))]);
    repository.merge("Merge side", &[&side]);
    let other = {
        repository.commit("ahead", &[("a.rs", Some("3"))]);
        let opened = Repository::open(folder.path()).unwrap().unwrap();
        opened.head().unwrap().unwrap()
    };
    repository.reset(&main);
    repository.merge("Merge side again", &[&side]);
    let opened = Repository::open(folder.path()).unwrap().unwrap();
    let head = opened.head().unwrap().unwrap();
    let newest = |wanted: &[&String], limit| {
        let found = opened.newest_ancestor(head, limit, |id| wanted.iter().any(|hex| id.has_prefix(hex)));
        found.unwrap().map(|id| id.to_string())
    };
    assert_eq!(newest(&[&base, &side], 10), Some(side.clone()));
    assert_eq!(newest(&[&base], 10), Some(base.clone()));
    assert_eq!(newest(&[&base], 2), None, "the limit counts commits");
    assert_eq!(newest(&[&other.to_string()], 10), None, "a descendant is not an ancestor");
}

#[test]
fn files_and_remotes_are_those_of_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let mut repository = TestRepository::init(folder.path());
    repository.commit("first", &[("app/main.rs", Some("1")), ("other/x.rs", Some("1"))]);
    let config = folder.path().join(".git/config");
    let mut text = std::fs::read_to_string(&config).unwrap();
    text.push_str("[remote \"origin\"]\n\turl = git@example.com:team/shop.git\n");
    std::fs::write(&config, text).unwrap();
    let app = folder.path().join("app");
    std::fs::create_dir_all(&app).unwrap();
    let opened = Repository::open(&app).unwrap().unwrap();
    let files = opened.files(opened.head().unwrap().unwrap()).unwrap();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), [("main.rs".into(), BlobId::of(b"1").unwrap())]);
    assert_eq!(opened.folder(), "app");
    assert_eq!(opened.remote_url("origin").as_deref(), Some("git@example.com:team/shop.git"));
    assert_eq!(opened.remote_url("upstream"), None);
}
