//! Child processes: this test binary, started again to run one of the [`CHORES`].

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::Arc;

use vectorcode_store::{ChunkFilter, EmbeddingCache, LockRole, Store, StoreErrorCode, WhenHeld};

use crate::fixture::{OpenStore, Vectors, code, file, nearest, spaces, sqlite, vector};

const CHORE: &str = "VECTORCODE_STORE_TEST_CHORE";
const DIRECTORY: &str = "VECTORCODE_STORE_TEST_DIRECTORY";

/// Printed by a child when it is ready. The test harness prints other lines.
const READY: &str = "chore: ready";

/// Set for a child that uses PostgreSQL.
const ON_POSTGRES: &str = "VECTORCODE_STORE_TEST_ON_POSTGRES";

type Chore = fn(&Path);

/// The backend that the parent selected.
fn store(directory: &Path) -> Arc<dyn Store> {
    if std::env::var_os(ON_POSTGRES).is_some() {
        return crate::fixture::postgres(directory);
    }
    sqlite(directory)
}

const CHORES: [(&str, Chore); 4] = [
    ("hold_lock", hold_lock),
    ("use_read_only", use_read_only),
    ("write_forever", write_forever),
    ("fill_cache", fill_cache),
];

/// Not a test: the entry point of child processes. Without a chore it returns at once.
#[test]
fn chore() {
    let Ok(name) = std::env::var(CHORE) else { return };
    let directory = PathBuf::from(std::env::var_os(DIRECTORY).unwrap());
    let (_, work) = CHORES.iter().find(|(known, _)| *known == name).unwrap();
    work(&directory);
}

fn command(chore: &str, directory: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::chore", "--nocapture"]).env(CHORE, chore).env(DIRECTORY, directory);
    command
}

/// Starts a chore on a backend and waits until the child is ready.
pub fn start(open: OpenStore, chore: &str, directory: &Path) -> Child {
    let mut command = command(chore, directory);
    if !std::ptr::fn_addr_eq(open, sqlite as OpenStore) {
        command.env(ON_POSTGRES, "1");
    }
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let output = BufReader::new(child.stdout.take().unwrap());
    assert!(output.lines().any(|line| line.unwrap().contains(READY)), "the child ended early");
    child
}

pub fn run(chore: &str, directory: &Path) -> Output {
    command(chore, directory).output().unwrap()
}

/// Runs a chore as a user who is subject to file permissions, even if the tests run as root.
#[cfg(unix)]
pub fn run_without_privileges(chore: &str, directory: &Path) -> Output {
    use std::os::unix::fs::MetadataExt;
    use std::os::unix::process::CommandExt;
    const NOBODY: u32 = 65_534;
    let mut command = command(chore, directory);
    if std::fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0) {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().unwrap()
}

fn say_ready() {
    let mut stdout = std::io::stdout().lock();
    writeln!(stdout, "{READY}").unwrap();
    stdout.flush().unwrap();
}

fn hold_lock(directory: &Path) {
    let _lock = store(directory).lock(LockRole::Write, WhenHeld::Fail).unwrap();
    say_ready();
    std::thread::park();
}

fn use_read_only(directory: &Path) {
    let store = sqlite(directory);
    let reader = store.reader().unwrap();
    assert_eq!(nearest(&*reader, Vectors::Static, &vector(1), &ChunkFilter::default(), 10).unwrap().len(), 2);
    assert_eq!(reader.chunks_of("a.rs").unwrap().len(), 2);
    let read_only = Some(StoreErrorCode::ReadOnly);
    assert_eq!(code(store.writer()), read_only);
    assert_eq!(code(store.lock(LockRole::Write, WhenHeld::Fail)), read_only);
    assert_eq!(code(store.create(&spaces())), read_only);
}

/// Edits, embeds, removes and compacts forever, to be killed at any moment.
fn write_forever(directory: &Path) {
    let mut writer = store(directory).writer().unwrap();
    say_ready();
    for round in 0.. {
        let texts: Vec<String> = (0..20).map(|line| format!("f{line} text {}", round * line)).collect();
        let lines: Vec<&str> = texts.iter().map(String::as_str).collect();
        let path = |number: usize| format!("src/{}.rs", number % 7);
        writer.write_files(&[file(&path(round), &lines), file(&path(round + 1), &lines)]).unwrap();
        let pending = writer.reader().pending(15).unwrap();
        let vectors: Vec<_> = pending.iter().map(|chunk| (chunk.row, vector(round))).collect();
        writer.write_vectors(&vectors).unwrap();
        writer.remove_files(&[path(round + 3)]).unwrap();
        if round % 4 == 3 {
            writer.compact().unwrap();
        }
    }
}

fn fill_cache(directory: &Path) {
    let cache = EmbeddingCache::open(directory, 1 << 20).unwrap();
    for round in 0..50 {
        let texts: Vec<String> = (0..20).map(|number| format!("text {}", round + number)).collect();
        let vectors: Vec<Vec<f32>> = (0..20).map(|number| vector(round + number)).collect();
        let entries = texts.iter().map(String::as_str).zip(vectors.iter().map(Vec::as_slice));
        cache.put_many(&spaces().provider, entries);
    }
}
