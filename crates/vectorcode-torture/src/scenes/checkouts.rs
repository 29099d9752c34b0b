//! Checks out branches while several processes search and sync. Afterwards it must still be the same index, with its vectors,
//! and its results must be the same as those of a fresh index of the branch, score by score.
//!
//! All commits are within a few seconds, so many have the same time: no result may depend on the order in which they came.

use std::path::Path;
use std::process::Command;
use std::thread::ScopedJoinHandle;

use serde_json::Value;
use vectorcode_testkit::TempProject;

use super::recovery::{answers_alike, expect};
use crate::binary_under_test::{BinaryUnderTest, Ended, finish};
use crate::scene::{Round, Trials, Violation};
use crate::tree;

/// How many commits each branch has in addition to the first. Checking out the one with none drops the commits of the others.
const COMMITS_OF_BRANCHES: [usize; 3] = [0, 10, 30];
const CHECKOUTS_PER_ROUND: u64 = 5;
const SEARCHES_AT_ONCE: usize = 3;
/// The exit code of a search without results.
pub(super) const NOTHING_FOUND: i32 = 1;
const FIRST_SECOND: u64 = 1_700_000_000;
pub(super) const BRANCHES: usize = COMMITS_OF_BRANCHES.len();
pub(super) const QUESTION: &str = "check that the sum fits the account";

pub fn checkouts(round: &mut Round<'_>) -> Result<Trials, Violation> {
    if Command::new("git").arg("--version").output().is_err() {
        return Ok(0);
    }
    let project = repository(round)?;
    round.binary.run(project.root(), &["index", "--quiet"])?.succeeded()?;
    let created = created_at(round.binary, &project)?;
    for _ in 0..CHECKOUTS_PER_ROUND {
        let branch = format!("branch{}", round.rng.usize(0..COMMITS_OF_BRANCHES.len()));
        git(round, project.root(), &["checkout", "--quiet", &branch])?;
        search_and_sync(round.binary, project.root())?;
    }
    let report = round.binary.json(project.root(), &["index", "--json", "--quiet"])?;
    expect("notes after the checkouts", &Value::Array(Vec::new()), &report["notes"])?;
    expect("chunks without a vector", &Value::from(0), &report["pending"])?;
    expect("chunks that the last sync did not write", &Value::from(0), &report["chunks_new"])?;
    expect("when the index was made", &created, &created_at(round.binary, &project)?)?;
    answers_like_a_clone(round, &project, &report)?;
    Ok(CHECKOUTS_PER_ROUND)
}

/// The same, with the index in a database.
pub fn checkouts_postgres(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let Some(binary) = round.binary.on_postgres() else { return Ok(0) };
    checkouts(&mut Round { binary: &binary, rng: round.rng.fork() })
}

/// A repository whose branches start at a common first commit and contain commits that change some files.
pub(super) fn repository(round: &mut Round<'_>) -> Result<TempProject, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    git(round, project.root(), &["init", "--quiet"])?;
    commit(round, &project, "First accounts")?;
    let first = git(round, project.root(), &["rev-parse", "HEAD"])?;
    for (branch, commits) in COMMITS_OF_BRANCHES.into_iter().enumerate() {
        let name = format!("branch{branch}");
        git(round, project.root(), &["checkout", "--quiet", "-b", &name, first.trim()])?;
        for _ in 0..commits {
            let (edition, number) = (tree::new_edition(&mut round.rng), tree::any_number(&mut round.rng));
            tree::write_numbered(&project, number, &edition);
            tree::write_numbered(&project, tree::any_number(&mut round.rng), &edition);
            commit(
                round,
                &project,
                &format!("Check that the sum of {} fits, {edition}", tree::name_of(number)),
            )?;
        }
    }
    Ok(project)
}

fn commit(round: &mut Round<'_>, project: &TempProject, message: &str) -> Result<(), Violation> {
    git(round, project.root(), &["add", "src"])?;
    git(round, project.root(), &["commit", "--quiet", "-m", message]).map(drop)
}

/// Runs git without the user's settings, with a commit time within a few seconds.
pub(super) fn git(round: &mut Round<'_>, root: &Path, arguments: &[&str]) -> Result<String, Violation> {
    let time = format!("{} +0000", FIRST_SECOND + round.rng.u64(0..3));
    let mut command = Command::new("git");
    let home = round.binary.command(root, &[]);
    command.envs(home.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("GIT_CONFIG_NOSYSTEM", "1");
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Ada").env(format!("GIT_{role}_EMAIL"), "ada@example.com");
        command.env(format!("GIT_{role}_DATE"), &time);
    }
    command.args(arguments).current_dir(root);
    let ended = finish(command)?;
    ended.succeeded()?;
    Ok(ended.stdout)
}

/// Runs several searches and a sync at the same time. All of them must succeed.
fn search_and_sync(binary: &BinaryUnderTest, root: &Path) -> Result<(), Violation> {
    let search = || binary.run(root, &["search", "--quiet", QUESTION]);
    std::thread::scope(|scope| {
        let searches: Vec<_> = (0..SEARCHES_AT_ONCE).map(|_| scope.spawn(search)).collect();
        let sync = binary.run(root, &["sync"]);
        for search in searches {
            ends_well(search, NOTHING_FOUND, "a search during a checkout")?;
        }
        sync?.succeeded()
    })
}

/// Waits for a search that runs alongside others. Its exit code may be `most` at most.
pub(super) fn ends_well(
    search: ScopedJoinHandle<'_, Result<Ended, Violation>>,
    most: i32,
    what: &str,
) -> Result<(), Violation> {
    let ended = search.join().map_err(|_| std::io::Error::other("a thread of the harness panicked"))??;
    if ended.code <= most {
        Ok(())
    } else {
        Err(Violation::wrong(what, format!("an exit code of {most} or less"), ended.stderr))
    }
}

/// When the index was created. It changes if the index was discarded.
fn created_at(binary: &BinaryUnderTest, project: &TempProject) -> Result<Value, Violation> {
    Ok(binary.json(project.root(), &["status", "--json"])?["created_at"].clone())
}

fn answers_like_a_clone(
    round: &mut Round<'_>,
    project: &TempProject,
    report: &Value,
) -> Result<(), Violation> {
    let fresh = TempProject::empty();
    let from = project.root().to_string_lossy().into_owned();
    git(round, fresh.root(), &["clone", "--quiet", &from, "."])?;
    let expected = round.binary.json(fresh.root(), &["index", "--json", "--quiet"])?;
    for figure in ["files", "chunks"] {
        expect(figure, &expected[figure], &report[figure])?;
    }
    answers_alike(round.binary, project, &fresh, &["add_17_to_total", QUESTION])?;
    let commits = |of: &TempProject| -> Result<Value, Violation> {
        let arguments = ["history", "--json", "--limit", "100", QUESTION];
        Ok(round.binary.json(of.root(), &arguments)?["commits"].clone())
    };
    expect("the commits about the question", &commits(&fresh)?, &commits(project)?)
}
