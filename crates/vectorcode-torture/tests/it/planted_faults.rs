//! Fake programs, each with one fault, replace the binary. A harness that lets one of them pass proves nothing.

use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use fastrand::Rng;
use vectorcode_torture::scenes::SCENES;
use vectorcode_torture::{BinaryUnderTest, Round, Violation};

/// What every fake program prints for `index --json`, `status --json` and `search --json`.
const ANSWERS: &str = r#"
case "$1" in
  index|sync) mkdir -p .vectorcode; head -c 40960 /dev/zero > .vectorcode/index.db
      echo '{"notes":[],"pending":0,"files":60,"chunks":60,"chunks_new":0}' ;;
  status) echo '{"coverage":{"embedded":60}}' ;;
  search) echo '{"hits":[]}' ;;
  history) echo '{"commits":[]}' ;;
esac
"#;

/// A program that has `fault` and otherwise behaves as if all were well.
struct Impostor {
    _directory: tempfile::TempDir,
    program: PathBuf,
}

impl Impostor {
    fn new(fault: &str) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().join("vectorcode");
        std::fs::write(&program, format!("#!/bin/sh\n{fault}\n{ANSWERS}")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        Self { _directory: directory, program }
    }

    fn plays(&self, scene: &str) -> Result<u64, Violation> {
        let scene = SCENES.iter().find(|known| known.name == scene).unwrap();
        let binary = BinaryUnderTest::new(&self.program).unwrap();
        (scene.run)(&mut Round { binary: &binary, rng: Rng::with_seed(1) })
    }
}

#[test]
fn a_program_without_faults_passes() {
    for scene in [
        "kill-first-index",
        "kill-embedding",
        "kill-structure",
        "kill-compaction",
        "checkouts",
        "fault-descriptors",
        "fault-renames",
        "clock-jumps",
        "damaged-index",
        "hostile-sources",
    ] {
        Impostor::new("").plays(scene).unwrap_or_else(|violation| panic!("{scene}: {violation}"));
    }
}

#[test]
fn a_crash_on_a_source_file_is_found() {
    let outcome = Impostor::new("kill -ABRT $$").plays("hostile-sources");
    assert!(matches!(outcome, Err(Violation::Crashed { .. })), "{outcome:?}");
}

#[test]
fn a_panic_on_another_thread_is_found() {
    let outcome = Impostor::new("echo \"thread 'x' panicked at y\" >&2").plays("damaged-index");
    assert!(matches!(outcome, Err(Violation::Panicked { .. })), "{outcome:?}");
}

#[test]
fn an_index_that_cannot_be_mended_is_found() {
    let outcome = Impostor::new("[ \"$1\" = search ] && exit 2").plays("damaged-index");
    assert!(matches!(outcome, Err(Violation::Wrong { .. })), "{outcome:?}");
}

#[test]
fn lost_files_after_a_kill_are_found() {
    let forgetful = r#"n=$(cat "$HOME/n" 2>/dev/null || echo 0); echo $((n + 1)) > "$HOME/n"
        [ "$1" = index ] && echo "{\"notes\":[],\"pending\":0,\"files\":$n,\"chunks\":60}" && exit 0"#;
    let outcome = Impostor::new(forgetful).plays("kill-first-index");
    assert!(matches!(outcome, Err(Violation::Wrong { .. })), "{outcome:?}");
}

#[test]
fn an_index_that_was_thrown_away_after_a_kill_is_found() {
    let rebuilt =
        r#"[ "$1" = index ] && echo '{"notes":["rebuilt"],"pending":0,"files":60,"chunks":60}' && exit 0"#;
    let outcome = Impostor::new(rebuilt).plays("kill-sync");
    assert!(matches!(outcome, Err(Violation::Wrong { .. })), "{outcome:?}");
}

#[test]
fn lost_vectors_are_found() {
    let forgetful = r#"n=$(cat "$HOME/n" 2>/dev/null || echo 9); echo $((n - 1)) > "$HOME/n"
        [ "$1" = status ] && echo "{\"coverage\":{\"embedded\":$n}}" && exit 0"#;
    let outcome = Impostor::new(forgetful).plays("kill-embedding");
    assert!(matches!(outcome, Err(Violation::Wrong { .. })), "{outcome:?}");
}

#[test]
fn hunger_for_memory_is_found() {
    // The shell keeps the text in memory; 600 MB exceed every limit here.
    let hungry = "x=$(head -c 629145600 /dev/zero | tr '\\0' 'x'); sleep 1";
    let outcome = Impostor::new(hungry).plays("hostile-sources");
    assert!(matches!(outcome, Err(Violation::TooMuchMemory { .. })), "{outcome:?}");
}

#[test]
fn a_server_that_stops_answering_is_found() {
    let outcome = Impostor::new("[ \"$1\" = serve ] && exit 0").plays("bad-frames");
    assert!(outcome.is_err(), "{outcome:?}");
    for scene in ["bad-clients", "many-sessions"] {
        let outcome = Impostor::new("[ \"$1\" = serve ] && exit 0").plays(scene);
        assert!(outcome.is_err(), "{scene}: {outcome:?}");
    }
}

/// One fault for each scene that no test above runs. Each breaks something that only this scene checks.
const FAULTS: [(&str, &str); 17] = [
    // A second index of a project lacks files of the first. Not tied to the killed run, which may end before it begins.
    (
        "kill-rebuild",
        r#"[ "$1" = index ] && [ -e .vectorcode/index.db ] &&
        echo '{"notes":[],"pending":0,"files":3,"chunks":60}' && exit 0"#,
    ),
    // Scores differ from those of an undisturbed index.
    (
        "kill-search",
        r#"[ "$1" = search ] && echo "{\"hits\":[{\"file_path\":\"a\",\"score\":$$}]}" && exit 0"#,
    ),
    // Vectors that the server had begun with are never computed.
    (
        "kill-server",
        r#"[ "$1" = index ] && echo '{"notes":[],"pending":7,"files":60,"chunks":60}' && exit 0"#,
    ),
    // Structure that is never read results in fewer chunks.
    (
        "kill-structure",
        r#"[ "$1" = index ] && [ -e .vectorcode/config.toml ] &&
        echo '{"notes":[],"pending":0,"files":60,"chunks":7}' && exit 0"#,
    ),
    // An index that was killed during compaction is discarded.
    (
        "kill-compaction",
        r#"[ "$1 $2" = "index --full" ] && touch .vectorcode/compacted
        [ -e .vectorcode/compacted ] && echo '{"notes":["damaged"],"pending":0,"files":60,"chunks":60}' && exit 0"#,
    ),
    ("kill-postgres", r#"[ -n "$VECTORCODE_STORE_URL" ] && kill -SEGV $$"#),
    // Scores after checkouts differ from those of a clone.
    ("checkouts", r#"[ "$1" = search ] && echo "{\"hits\":[{\"file_path\":\"a\",\"score\":$$}]}" && exit 0"#),
    ("commits", r#"[ "$1" = search ] && echo "{\"hits\":[{\"file_path\":\"a\",\"score\":$$}]}" && exit 0"#),
    ("worktrees", r#"[ "$1" = search ] && echo "{\"hits\":[{\"file_path\":\"a\",\"score\":$$}]}" && exit 0"#),
    ("checkouts-postgres", r#"[ -n "$VECTORCODE_STORE_URL" ] && [ "$1" = sync ] && exit 2"#),
    // The obstacle is gone, but the index is still not created.
    (
        "fault-renames",
        r#"[ -n "$(find .vectorcode -name in-the-way 2>/dev/null)" ] && touch "$HOME/obstructed"
        [ -e "$HOME/obstructed" ] && [ "$1 $2" = "index --json" ] && exit 2"#,
    ),
    // Files with times in the future are not read.
    (
        "clock-jumps",
        r#"ahead=$(find src -newermt '2080-01-01' 2>/dev/null | wc -l)
        [ "$1" = index ] && echo "{\"notes\":[],\"pending\":0,\"files\":$((60 - ahead)),\"chunks\":60}" && exit 0"#,
    ),
    ("fault-descriptors", r#"[ "$(ulimit -n)" != unlimited ] && [ "$(ulimit -n)" -lt 50 ] && kill -SEGV $$"#),
    // An index that ran out of memory once stays broken.
    (
        "fault-memory",
        r#"[ "$(ulimit -v)" != unlimited ] && touch "$HOME/starved"
        [ -e "$HOME/starved" ] && [ "$1" = search ] && exit 2"#,
    ),
    // A killed parser takes the whole run with it.
    (
        "fault-parsers",
        r#"[ "$1 $2" = "index --fast" ] && { sleep 60 & wait $!; [ $? -gt 128 ] && kill -SEGV $$; }"#,
    ),
    // Nothing is found after a full disk.
    ("fault-disk-full", ""),
    (
        "fault-permissions",
        r#"case "$(ls -ld .vectorcode)" in dr-x------*) echo "thread 'x' panicked at y" >&2 ;; esac"#,
    ),
];

/// The scenes that the tests above run.
const PLAYED_ABOVE: [&str; 8] = [
    "kill-first-index",
    "kill-sync",
    "kill-embedding",
    "damaged-index",
    "hostile-sources",
    "bad-frames",
    "bad-clients",
    "many-sessions",
];

#[test]
fn every_scene_has_a_planted_fault() {
    let mut planted: Vec<&str> = FAULTS.iter().map(|(scene, _)| *scene).chain(PLAYED_ABOVE).collect();
    let mut scenes: Vec<&str> = SCENES.iter().map(|scene| scene.name).collect();
    planted.sort_unstable();
    scenes.sort_unstable();
    assert_eq!(planted, scenes);
}

#[test]
fn each_scene_finds_the_fault_that_was_planted_for_it() {
    for (scene, fault) in FAULTS {
        let outcome = Impostor::new(fault).plays(scene);
        // Without mount namespaces there is no disk to fill, and nothing is tried.
        let was_tried = !matches!(outcome, Ok(0));
        assert!(outcome.is_err() || !was_tried, "{scene}: {outcome:?}");
        assert!(!matches!(outcome, Err(Violation::Harness(_))), "{scene}: {outcome:?}");
    }
}
