//! `kill -9` at a random moment of every writing operation. Afterwards nothing is corrupt, no vector is lost, and the next
//! run gives the same index as an undisturbed one.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;

use vectorcode_testkit::TempProject;

use super::recovery::recovers;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

/// About as long as a debug build takes for the operation that is killed.
const LONGEST_LIFE_MS: u64 = 1_500;
const KILLS_PER_ROUND: u64 = 3;

pub fn first_index(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    kill_repeatedly(round, &project, &["index", "--quiet"])
}

pub fn sync(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = indexed_project(round)?;
    edit(round, &project);
    kill_repeatedly(round, &project, &["sync"])
}

pub fn rebuild(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = indexed_project(round)?;
    edit(round, &project);
    kill_repeatedly(round, &project, &["index", "--full", "--quiet"])
}

pub fn search(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = if round.rng.bool() { indexed_project(round)? } else { words_first_project(round) };
    edit(round, &project);
    kill_repeatedly(round, &project, &["search", "--quiet", "checks that the sum fits"])
}

/// The full text of all files is indexed; their structure is read by the first query that needs it, or by `index`.
pub fn structure(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = words_first_project(round);
    round.binary.run(project.root(), &["index", "--fast", "--quiet"])?.succeeded()?;
    let readers: [&[&str]; 3] =
        [&["index", "--quiet"], &["graph", "stats"], &["search", "--quiet", "callers of add_17_to_total"]];
    for _ in 0..KILLS_PER_ROUND {
        let reader = readers[round.rng.usize(0..readers.len())];
        kill(round, project.root(), reader)?;
    }
    recovers(round.binary, &project)?;
    Ok(KILLS_PER_ROUND)
}

/// The end of a rebuild: the new index is compacted and copied over the current one, which from then on has a write-ahead
/// log.
pub fn compaction(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = indexed_project(round)?;
    for _ in 0..KILLS_PER_ROUND {
        edit(round, &project);
        let mut child = start(round, project.root(), &["index", "--full", "--quiet"])?;
        let signs = ["index.db.new", "index.db.new-wal", "index.db-wal"];
        let sign = project.path(".vectorcode").join(signs[round.rng.usize(0..signs.len())]);
        while !sign.metadata().is_ok_and(|file| file.len() > 0) && child.try_wait()?.is_none() {
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(life(round) / 20);
        end(child)?;
    }
    recovers(round.binary, &project)?;
    Ok(KILLS_PER_ROUND)
}

/// One of these kills, with the index in a database.
pub fn postgres(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let Some(binary) = round.binary.on_postgres() else { return Ok(0) };
    let kills = [first_index, sync, rebuild, embedding, structure, search];
    let mut round = Round { binary: &binary, rng: round.rng.fork() };
    let kill = kills[round.rng.usize(0..kills.len())];
    kill(&mut round)
}

/// Vectors that exist before a kill must exist after it.
pub fn embedding(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    round.binary.run(project.root(), &["index", "--fast", "--quiet"])?.succeeded()?;
    let mut before = 0;
    for _ in 0..KILLS_PER_ROUND {
        kill(round, project.root(), &["index", "--quiet"])?;
        let status = round.binary.json(project.root(), &["status", "--json"])?;
        let after = status["coverage"]["embedded"].as_u64().unwrap_or_default();
        if after < before {
            return Err(Violation::wrong("vectors after a kill", format!("{before} or more"), after));
        }
        before = after;
    }
    recovers(round.binary, &project)?;
    Ok(KILLS_PER_ROUND)
}

/// A server that follows edits and computes vectors is killed while it does so.
pub fn server(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = words_first_project(round);
    for _ in 0..KILLS_PER_ROUND {
        let arguments = ["serve", "--http", "127.0.0.1:0", "--debounce", "20"];
        let child = start(round, project.root(), &arguments)?;
        let life = life(round);
        std::thread::sleep(life / 2);
        edit(round, &project);
        std::thread::sleep(life / 2);
        end(child)?;
    }
    recovers(round.binary, &project)?;
    Ok(KILLS_PER_ROUND)
}

fn kill_repeatedly(
    round: &mut Round<'_>,
    project: &TempProject,
    arguments: &[&str],
) -> Result<Trials, Violation> {
    for _ in 0..KILLS_PER_ROUND {
        kill(round, project.root(), arguments)?;
    }
    recovers(round.binary, project)?;
    Ok(KILLS_PER_ROUND)
}

pub(super) fn kill(round: &mut Round<'_>, root: &Path, arguments: &[&str]) -> Result<(), Violation> {
    let child = start(round, root, arguments)?;
    std::thread::sleep(life(round));
    end(child)
}

fn start(round: &Round<'_>, root: &Path, arguments: &[&str]) -> Result<Child, Violation> {
    let mut command = round.binary.command(root, arguments);
    Ok(command.stdout(Stdio::null()).stderr(Stdio::null()).spawn()?)
}

fn end(mut child: Child) -> Result<(), Violation> {
    child.kill()?;
    child.wait()?;
    Ok(())
}

/// Short lifetimes are as interesting as long ones, so they are spread over orders of magnitude.
fn life(round: &mut Round<'_>) -> Duration {
    Duration::from_millis(LONGEST_LIFE_MS >> round.rng.u32(0..8)).mul_f64(round.rng.f64())
}

fn indexed_project(round: &mut Round<'_>) -> Result<TempProject, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    round.binary.run(project.root(), &["index", "--quiet"])?.succeeded()?;
    Ok(project)
}

/// A project that counts as large and has no index: its full text is indexed first, then the structure of the files that
/// match.
fn words_first_project(round: &mut Round<'_>) -> TempProject {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    project.write(".vectorcode/config.toml", "[indexing]\nwords_first_from = 0\n");
    project
}

/// Changes the content of some files, and deletes one.
fn edit(round: &mut Round<'_>, project: &TempProject) {
    let edition = tree::new_edition(&mut round.rng);
    for _ in 0..10 {
        tree::write_numbered(project, tree::any_number(&mut round.rng), &edition);
    }
    let gone = tree::path_of(tree::any_number(&mut round.rng));
    if project.path(&gone).exists() {
        project.remove(&gone);
    }
}
