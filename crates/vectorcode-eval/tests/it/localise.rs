//! `vectorcode-eval localise` on a repository with three commits: the trees, the history visible in them, and the figures.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use vectorcode_core::api::SearchMode;
use vectorcode_eval::localise::{LocaliseArgs, run};

/// A mirror of `owner/name` with a commit for each version of its files. Returns the commit ids, oldest first.
struct Fixture {
    folder: tempfile::TempDir,
    commits: Vec<String>,
}

const FIRST: &[(&str, &str)] = &[
    (
        "src/session.py",
        "def sign_session(cookie):\n    \"\"\"Signs the session cookie.\"\"\"\n    return cookie\n",
    ),
    (
        "src/router.py",
        "def match_route(path):\n    \"\"\"Finds the handler of a path.\"\"\"\n    return path\n",
    ),
    ("tests/test_session.py", "def test_sign_session():\n    assert sign_session(cookie)\n"),
];
const SECOND: &[(&str, &str)] = &[(
    "src/upload.py",
    "def store_upload(file):\n    \"\"\"Writes an uploaded file.\"\"\"\n    return file\n",
)];

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"])
        .args(arguments)
        .envs([("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(work: &Path, files: &[(&str, &str)]) -> String {
    for (path, text) in files {
        let path = work.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    git(work, &["add", "--all"]);
    git(work, &["commit", "--quiet", "--message", "a commit"]);
    git(work, &["rev-parse", "HEAD"])
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let work = folder.path().join("work");
        fs::create_dir_all(&work).unwrap();
        git(&work, &["init", "--quiet", "."]);
        let mut commits = vec![commit(&work, FIRST), commit(&work, SECOND)];
        fs::remove_file(work.join("src/router.py")).unwrap();
        commits.push(commit(&work, &[]));
        let mirror = folder.path().join("mirrors/Owner+Name");
        fs::create_dir_all(&mirror).unwrap();
        fs::rename(work.join(".git"), mirror.join("repo")).unwrap();
        Self { folder, commits }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn args(&self) -> LocaliseArgs {
        let issue = |id: &str, repo: &str, commit: &str, created: &str, text: &str, gold: &str| {
            format!(
                "{{\"id\": \"{id}\", \"repo\": \"{repo}\", \"base_commit\": \"{commit}\", \"created_at\": \"{created}\", \
                 \"text\": \"{text}\", \"gold\": {{\"{gold}\": [[1, 2]]}}}}\n"
            )
        };
        let issues = [
            issue(
                "n-2",
                "owner/name",
                &self.commits[1],
                "2024-02",
                "uploaded file is not stored",
                "src/upload.py",
            ),
            issue(
                "n-1",
                "owner/name",
                &self.commits[0],
                "2024-01",
                "session cookie is not signed",
                "src/session.py",
            ),
            issue(
                "n-3",
                "owner/name",
                "0123456789012345678901234567890123456789",
                "2024-03",
                "x",
                "src/upload.py",
            ),
            issue("o-1", "other/name", &self.commits[0], "2024-01", "x", "src/x.py"),
        ];
        fs::write(self.path("issues.jsonl"), issues.concat()).unwrap();
        LocaliseArgs {
            issues: self.path("issues.jsonl"),
            mirrors: self.path("mirrors"),
            trees: self.path("trees"),
            out: self.path("out"),
            mode: SearchMode::Fast,
            repos: Vec::new(),
            cache: None,
            lazy: false,
            no_index: false,
            one_index: false,
        }
    }
}

fn report(args: &LocaliseArgs) -> String {
    let mut text = Vec::new();
    run(args, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

#[test]
fn issues_are_asked_of_the_tree_before_their_fix_and_graded() {
    let fixture = Fixture::new();
    let args = fixture.args();
    let printed = report(&args);
    // Two of four are found at rank one; the other two could not be run.
    assert!(printed.contains("all                      4  0.500  0.500  0.500  0.500"), "{printed}");
    assert!(printed.contains("2 could not be asked"), "{printed}");
    assert!(
        printed.contains("n-3: no commit 0123") && printed.contains("o-1: no mirror of other/name"),
        "{printed}"
    );
    let answered = fs::read_to_string(args.out.join("run.jsonl")).unwrap();
    assert!(
        answered.starts_with("{\"id\":\"n-1\",\"files\":[\"src/session.py\""),
        "the oldest first: {answered}"
    );
    assert!(!answered.contains("test_session"), "test code is left out: {answered}");
    let features = fs::read_to_string(args.out.join("features.jsonl")).unwrap();
    assert!(features.contains("\"hits\":[0]") && features.contains("\"category\":\"issue\""));
}

#[test]
fn a_tree_knows_no_history_after_its_commit_and_shares_what_did_not_change() {
    let fixture = Fixture::new();
    let args = fixture.args();
    report(&args);
    let (first, second) = (args.trees.join("n-1"), args.trees.join("n-2"));
    assert_eq!(git(&first, &["log", "--all", "--format=%H", "HEAD"]), fixture.commits[0]);
    assert_eq!(git(&first, &["for-each-ref"]), "");
    assert!(!first.join("src/upload.py").exists() && second.join("src/upload.py").exists());
    assert_eq!(git(&second, &["status", "--porcelain", "--untracked-files=no"]), "");
    #[cfg(unix)]
    assert_eq!(
        std::os::unix::fs::MetadataExt::ino(&fs::metadata(first.join("src/router.py")).unwrap()),
        std::os::unix::fs::MetadataExt::ino(&fs::metadata(second.join("src/router.py")).unwrap())
    );
}

#[test]
fn one_index_answers_for_the_commits_of_all_issues() {
    let fixture = Fixture::new();
    let apart = fixture.args();
    report(&apart);
    let together =
        LocaliseArgs { one_index: true, trees: fixture.path("one"), out: fixture.path("out-one"), ..apart };
    let printed = report(&together);
    assert!(printed.contains("n-3: no commit 0123"), "{printed}");
    let files = |out: &str| {
        let text = fs::read_to_string(fixture.path(out).join("run.jsonl")).unwrap();
        let mut lines: Vec<String> =
            text.lines().map(|line| line.split(",\"took").next().unwrap().to_owned()).collect();
        lines.sort();
        lines
    };
    assert_eq!(files("out-one"), files("out"), "the same answers as of a tree for each issue");
    assert!(!together.trees.join("n-1").exists(), "one tree is laid out");
}

#[test]
fn another_run_asks_nothing_twice() {
    let fixture = Fixture::new();
    let args = fixture.args();
    let first = report(&args);
    let answered = fs::read(args.out.join("run.jsonl")).unwrap();
    assert_eq!(report(&args), first);
    assert_eq!(fs::read(args.out.join("run.jsonl")).unwrap(), answered);
}
