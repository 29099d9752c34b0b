//! Searches commits while processes are killed, files on disk change and refs move. Whatever was interrupted, a search of a
//! commit must then give the same results as a fresh index of its checkout, score by score.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use vectorcode_testkit::TempProject;

use super::checkouts::{BRANCHES, NOTHING_FOUND, QUESTION, ends_well, git, repository};
use super::kills::kill;
use super::recovery::expect;
use crate::binary_under_test::BinaryUnderTest;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

const QUESTIONS_PER_ROUND: u64 = 4;
/// A branch that is moved, deleted and created again.
const MOVING: &str = "moving";

pub fn commits(round: &mut Round<'_>) -> Result<Trials, Violation> {
    if Command::new("git").arg("--version").output().is_err() {
        return Ok(0);
    }
    let project = repository(round)?;
    round.binary.run(project.root(), &["index", "--fast", "--quiet"])?.succeeded()?;
    for _ in 0..QUESTIONS_PER_ROUND {
        let branch = any_branch(round);
        kill(round, project.root(), &["search", "--quiet", QUESTION, "--ref", &branch])?;
        tree::write_numbered(&project, tree::any_number(&mut round.rng), &tree::new_edition(&mut round.rng));
        ask_while_a_reference_moves(round, project.root())?;
        if round.rng.u8(0..4) == 0 {
            kill(round, project.root(), &["index", "--prune"])?;
        }
    }
    let branch = any_branch(round);
    answers_like_a_checkout(round, &project, &branch)?;
    Ok(QUESTIONS_PER_ROUND)
}

fn any_branch(round: &mut Round<'_>) -> String {
    format!("branch{}", round.rng.usize(0..BRANCHES))
}

/// Searches two commits at the same time, one of them through a ref that moves.
fn ask_while_a_reference_moves(round: &mut Round<'_>, root: &Path) -> Result<(), Violation> {
    let (branch, target) = (any_branch(round), any_branch(round));
    git(round, root, &["branch", "--force", MOVING, &target])?;
    let binary = round.binary;
    let ask = |name: &str| binary.run(root, &["search", "--quiet", QUESTION, "--ref", name]);
    std::thread::scope(|scope| {
        let (steady, moving) = (scope.spawn(|| ask(&branch)), scope.spawn(|| ask(MOVING)));
        git(round, root, &["branch", "-D", MOVING])?;
        ends_well(steady, NOTHING_FOUND, "a search of a commit")?;
        // Exit code 2: the ref was deleted before it was resolved.
        ends_well(moving, 2, "a search of a commit")
    })
}

fn answers_like_a_checkout(
    round: &mut Round<'_>,
    project: &TempProject,
    branch: &str,
) -> Result<(), Violation> {
    let fresh = TempProject::empty();
    let from = project.root().to_string_lossy().into_owned();
    git(round, fresh.root(), &["clone", "--quiet", "--branch", branch, &from, "."])?;
    for question in ["add_17_to_total", QUESTION] {
        let arguments = ["search", "--json", "--quiet", "--mode", "fast", "--threshold", "0", question];
        let of_ref = [&arguments[..], &["--ref", branch]].concat();
        let expected = hits(round.binary, fresh.root(), &arguments)?;
        expect(question, &expected, &hits(round.binary, project.root(), &of_ref)?)?;
    }
    Ok(())
}

pub(super) fn hits(binary: &BinaryUnderTest, root: &Path, arguments: &[&str]) -> Result<Value, Violation> {
    let response = binary.json(root, arguments)?;
    let hits = response["hits"].as_array().into_iter().flatten();
    Ok(hits.map(|hit| json!([hit["file_path"], hit["start_line"], hit["score"]])).collect())
}
