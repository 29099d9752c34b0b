//! `vectorcode eval` on real repositories: the source of the questions, the output and the exit code.

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use vectorcode_testkit::TempProject;

use super::run::{Cli, stderr};

const SESSIONS: &str = "def sign_session(key, data):\n    return hmac_digest(key, data)\n";
const UPLOADS: &str = "def save_upload(folder, name):\n    return folder / name\n";
const ROUTES: &str = "def match_route(table, path):\n    return table[path]\n";
const TESTS: &str =
    "from sessions import sign_session\n\ndef test_sign():\n    assert sign_session(b'', b'')\n";

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new("git");
    command.args(["-c", "user.name=it", "-c", "user.email=it@example.com", "-c", "commit.gpgsign=false"]);
    command.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_NOSYSTEM", "1");
    let output = command.args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {}", stderr(&output));
}

/// Adds a line to some files and commits them.
fn commit(project: &TempProject, message: &str, files: &[&str]) {
    for file in files {
        project.write(file, format!("{}# {} bytes before\n", project.read(file), project.read(file).len()));
    }
    git(project.root(), &["add", "--all"]);
    git(project.root(), &["commit", "-q", "-m", message]);
}

/// Three source files, and a history with three commits that make questions.
fn repository(folder: &str) -> Cli {
    let at = |file: &str| format!("{folder}{file}");
    let project = TempProject::empty();
    for (file, text) in [
        ("src/sessions.py", SESSIONS),
        ("src/uploads.py", UPLOADS),
        ("src/routes.py", ROUTES),
        ("tests/test_sessions.py", TESTS),
    ] {
        project.write(&at(file), text);
    }
    project.write(".gitignore", ".vectorcode/\n");
    git(project.root(), &["init", "-q", "-b", "main"]);
    commit(&project, "import", &[]);
    let sources = [&*at("src/sessions.py"), &*at("src/uploads.py"), &*at("src/routes.py")];
    commit(
        &project,
        "fix(auth): the digest of signed data ignored the key (#12)",
        &[sources[0], &at("tests/test_sessions.py")],
    );
    commit(
        &project,
        "Refuse an upload whose name leaves the folder\n\nSigned-off-by: A <a@example.com>",
        &[sources[1]],
    );
    commit(&project, "feat: match a path against the table of routes", &[sources[2]]);
    commit(&project, "docs: explain how the digest of a session is made", &[sources[0]]);
    commit(&project, "chore: bump everything to the next version", &sources);
    Cli::of(project)
}

/// Replaces milliseconds, which differ between runs. They are right-aligned in five columns.
fn steady(text: &str) -> String {
    let without_number = |part: &str| match part.strip_suffix(" ms") {
        Some(timed) => format!("{}  0.0 ms", &timed[..timed.len() - 5]),
        None => part.to_owned(),
    };
    let lines = text.lines().map(|line| line.split_inclusive(" ms").map(without_number).collect::<String>());
    lines.collect::<Vec<_>>().join("\n")
}

fn grade<'j>(report: &'j Value, searcher: &str) -> &'j Value {
    let grades = report["grades"].as_array().unwrap();
    grades.iter().find(|grade| grade["searcher"] == searcher).unwrap_or(&Value::Null)
}

#[test]
fn the_history_asks_and_the_answer_reads_well() {
    let cli = repository("");
    let output = cli.run(&["eval"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let name = cli.project.root().file_name().unwrap().to_str().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap().replace(name, "[project]");
    if cfg!(target_os = "linux") {
        insta::assert_snapshot!("eval", steady(&text));
    }
    let said = stderr(&output);
    assert!(said.contains("Asking 3 questions..."), "{said}");
    assert!(said.contains("3 questions are too few for reliable figures"), "{said}");
    assert!(said.contains("Only stage one was measured: `vectorcode index`"), "{said}");
}

#[test]
fn json_holds_every_question_with_its_outcome() {
    let cli = repository("");
    cli.stdout(&["index", "--quiet"]);
    let report = cli.json(&["eval", "--json", "--quiet"]);
    assert_eq!(report["source"], serde_json::json!({ "kind": "history", "commits": 6, "usable": 3 }));
    assert_eq!(report["stopped"], false);
    assert_eq!(report["semantic_coverage"], 1.0);
    let questions = report["questions"].as_array().unwrap();
    let asked = |part: &str| questions.iter().find(|q| q["query"].as_str().unwrap().contains(part)).unwrap();
    assert_eq!(questions.len(), 3);
    assert_eq!(asked("digest")["query"], "the digest of signed data ignored the key");
    assert_eq!(asked("digest")["answers"], serde_json::json!(["src/sessions.py"]), "tests are no answers");
    assert_eq!(asked("routes")["names_its_file"], true);
    for searcher in ["keywords", "stage_one", "both_stages"] {
        assert_eq!(grade(&report, searcher)["hit_at_3"], 1.0, "{searcher}: {report}");
        assert!(asked("upload")["outcomes"][searcher]["rank"].is_number());
    }
    assert!(grade(&report, "both_stages")["median_ms"].as_f64().unwrap() > 0.0);
    assert!(grade(&report, "keywords")["median_ms"].is_null());
    let fast = cli.json(&["eval", "--json", "--quiet", "--fast"]);
    assert!(grade(&fast, "both_stages").is_null());
}

#[test]
fn saved_questions_are_asked_again_and_runs_are_compared() {
    let cli = repository("");
    let before = cli.json(&["eval", "--json", "--save", ".vectorcode/questions.jsonl"]);
    let saved = cli.project.read(".vectorcode/questions.jsonl");
    assert_eq!(saved.lines().count(), 3);
    assert!(cli.fails(&["eval", "--save", ".vectorcode/questions.jsonl"], 2).contains("already exists"));
    let again = cli.json(&["eval", "--json", "--questions", ".vectorcode/questions.jsonl"]);
    assert_eq!(grade(&again, "stage_one")["ndcg_at_10"], grade(&before, "stage_one")["ndcg_at_10"]);
    cli.project.write(".vectorcode/before.json", before.to_string());
    let text = cli.stdout(&["eval", "--against", ".vectorcode/before.json"]);
    assert!(text.contains("Against .vectorcode/before.json, on 3 questions of both runs:"), "{text}");
    assert!(text.contains("better for 0 questions, worse for 0;"), "{text}");
    assert!(cli.fails(&["eval", "--against", "src/routes.py"], 2).contains("routes.py"));
}

#[test]
fn nothing_is_written_to_the_project() {
    let cli = repository("");
    cli.stdout(&["eval"]);
    git(cli.project.root(), &["diff", "--exit-code"]);
    let status = Command::new("git").args(["status", "--porcelain"]).current_dir(cli.project.root()).output();
    assert_eq!(String::from_utf8(status.unwrap().stdout).unwrap(), "");
}

#[test]
fn the_choice_of_questions_is_the_same_every_time() {
    let cli = repository("");
    let asked = |arguments: &[&str]| {
        let report = cli.json(&[&["eval", "--json", "--quiet"], arguments].concat());
        let questions = report["questions"].as_array().unwrap().iter();
        questions.map(|question| question["query"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let two = asked(&["--limit", "2"]);
    assert_eq!(two.len(), 2);
    assert_eq!(two, asked(&["--limit", "2"]));
    assert!((1..20).any(|seed| asked(&["--limit", "2", "--seed", &seed.to_string()]) != two));
    cli.fails(&["eval", "--limit", "0"], 2);
}

#[test]
fn a_folder_of_a_repository_asks_about_itself_alone() {
    let cli = repository("service/");
    cli.project.write("other.py", "def unrelated():\n    return None\n");
    commit(&cli.project, "Answer every unrelated request with nothing at all", &["other.py"]);
    let report = cli.json(&["eval", "--json", "--project-path", "service"]);
    let questions = report["questions"].as_array().unwrap();
    assert_eq!(questions.len(), 3);
    assert!(questions.iter().any(|question| question["answers"][0] == "src/sessions.py"), "{report}");
}

#[test]
fn misses_are_shown_with_what_came_first() {
    let cli = repository("");
    // More than ten, so that the expected file is not among the first ten results.
    for street in 1..=12 {
        let text = format!("def zebra_crossing_{street}():\n    return 'zebra crossing {street}'\n");
        cli.project.write(&format!("src/zebra_crossing_{street}.py"), &text);
    }
    cli.project
        .write(".vectorcode/q.jsonl", "{\"query\": \"zebra crossing\", \"answers\": [\"src/routes.py\"]}\n");
    let shown = cli.stdout(&["eval", "--questions", ".vectorcode/q.jsonl"]);
    assert!(shown.contains("Worst misses\nzebra crossing\n  expected  src/routes.py"), "{shown}");
    let none = cli.stdout(&["eval", "--questions", ".vectorcode/q.jsonl", "--misses", "0"]);
    assert!(!none.contains("Worst misses"), "{none}");
}

#[test]
fn a_questions_file_with_bad_lines_is_refused_line_by_line() {
    let cli = repository("");
    cli.project.write(
        "q.jsonl",
        "{\"query\": \"x\", \"answers\": [\"src/routes.py\"]}\nnot json\n{\"query\": \"y\"}\n",
    );
    let said = cli.fails(&["eval", "--questions", "q.jsonl"], 2);
    assert!(said.contains("line 2: expected") && said.contains("line 3: missing field `answers`"), "{said}");
    assert!(said.contains("hint: A line looks like this"), "{said}");
    assert!(cli.fails(&["eval", "--questions", "none.jsonl"], 2).contains("cannot read none.jsonl"));
    cli.project.write("q.jsonl", "{\"query\": \"x\", \"answers\": [\"src/gone.py\"]}\n");
    let said = cli.fails(&["eval", "--questions", "q.jsonl"], 2);
    assert!(said.contains("no question that the index could answer"), "{said}");
}

#[test]
fn a_questions_file_in_the_index_is_warned_about() {
    let cli = repository("");
    cli.project.write("q.txt", "{\"query\": \"x y\", \"answers\": [\"src/routes.py\", \"src/gone.py\"]}\n");
    let said = stderr(&cli.run(&["eval", "--questions", "q.txt"]));
    assert!(said.contains("q.txt is in the index itself"), "{said}");
    assert!(said.contains("line 1: src/gone.py is not in the index"), "{said}");
}

#[test]
fn without_history_the_error_says_what_to_do() {
    let cli = Cli::new(&[("a.py", SESSIONS)]);
    let said = cli.fails(&["eval"], 2);
    assert!(said.contains("not in a git repository") && said.contains("--questions FILE"), "{said}");
    git(cli.project.root(), &["init", "-q"]);
    let said = cli.fails(&["eval"], 2);
    assert!(said.contains("the history has no commits") && said.contains("--questions FILE"), "{said}");
}

/// Reading the history does not need the program `git`.
#[test]
fn the_history_asks_where_no_git_is_installed() {
    let cli = repository("");
    let without_git =
        cli.command(&["eval", "--json"]).env("PATH", cli.project.path("nowhere")).output().unwrap();
    assert!(without_git.status.success(), "{}", stderr(&without_git));
    let report: Value = serde_json::from_slice(&without_git.stdout).unwrap();
    assert_eq!(report["questions"].as_array().unwrap().len(), 3);
}

/// Each question runs as if its commit and all later ones did not exist yet.
#[test]
fn no_commit_votes_for_its_own_question() {
    let cli = repository("");
    cli.stdout(&["index", "--fast", "--quiet"]);
    let ranks = |cli: &Cli| {
        let report = cli.json(&["eval", "--json", "--fast", "--quiet"]);
        let rank =
            |question: &Value| (question["query"].clone(), question["outcomes"]["stage_one"]["rank"].clone());
        report["questions"].as_array().unwrap().iter().map(rank).collect::<Vec<_>>()
    };
    let with_history = ranks(&cli);
    cli.project.write(".vectorcode/config.toml", "[history]\ncommits = 0\n");
    cli.stdout(&["index", "--fast", "--quiet"]);
    assert_eq!(ranks(&cli), with_history, "the first commits of a file have no past to speak for it");
}

#[test]
fn a_shallow_clone_says_so() {
    let origin = repository("");
    let clone = TempProject::empty();
    let address = origin.project.root().to_str().unwrap();
    git(clone.root(), &["clone", "-q", "--depth", "1", "--no-local", address, "."]);
    let said = Cli::of(clone).fails(&["eval"], 2);
    assert!(said.contains("the only commit") && said.contains("git fetch --unshallow"), "{said}");
}

#[cfg(unix)]
#[test]
fn an_interrupt_shows_what_was_measured_so_far() {
    use std::io::{BufRead, BufReader};
    use std::process::Stdio;

    let cli = repository("");
    let line =
        |number| format!("{{\"query\": \"route number {number}\", \"answers\": [\"src/routes.py\"]}}\n");
    cli.project.write(".vectorcode/q.jsonl", (0..20_000).map(line).collect::<String>());
    let mut command = cli.command(&["eval", "--questions", ".vectorcode/q.jsonl", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap()).lines();
    assert!(said.any(|line| line.unwrap().starts_with("Asking 20,000 questions")));
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let rest: Vec<String> = said.map(Result::unwrap).collect();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{rest:?}");
    assert!(rest.iter().any(|line| line.contains("Stopped after ")), "{rest:?}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["stopped"], true);
    assert!(report["questions"].as_array().unwrap().len() < 20_000);
}
