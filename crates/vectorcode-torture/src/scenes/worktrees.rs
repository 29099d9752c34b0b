//! Worktrees of one repository share an index while processes in any of them are killed, files change, and worktrees come and
//! go. Afterwards each must give the same results as a fresh index of its own files, score by score.

use std::process::Command;

use vectorcode_testkit::TempProject;

use super::checkouts::{BRANCHES, NOTHING_FOUND, QUESTION, ends_well, git, repository};
use super::commits::hits;
use super::kills::kill;
use super::recovery::expect;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

const WORKTREES: usize = 3;
const KILLS_PER_ROUND: u64 = 5;
const KILLED: [&[&str]; 4] = [
    &["search", "--quiet", QUESTION],
    &["index", "--quiet"],
    &["index", "--fast", "--quiet"],
    &["search", "--quiet", QUESTION, "--ref", "branch1"],
];

pub fn worktrees(round: &mut Round<'_>) -> Result<Trials, Violation> {
    if Command::new("git").arg("--version").output().is_err() {
        return Ok(0);
    }
    let main = repository(round)?;
    let mut trees: Vec<TempProject> = Vec::new();
    for _ in 0..WORKTREES {
        trees.push(added(round, &main)?);
    }
    for _ in 0..KILLS_PER_ROUND {
        let place = round.rng.usize(0..WORKTREES);
        let folder = if round.rng.u8(0..3) == 0 { &main } else { &trees[place] };
        let arguments = KILLED[round.rng.usize(0..KILLED.len())];
        kill(round, folder.root(), arguments)?;
        tree::write_numbered(folder, tree::any_number(&mut round.rng), &tree::new_edition(&mut round.rng));
        ask_at_once(round, [&main, &trees[place]])?;
        match round.rng.u8(0..6) {
            0 => kill(round, main.root(), &["index", "--full", "--fast", "--quiet"])?,
            1 => {
                let root = trees[place].root().to_string_lossy().into_owned();
                git(round, main.root(), &["worktree", "remove", "--force", &root])?;
                trees[place] = added(round, &main)?;
            }
            _ => {}
        }
    }
    for folder in [&main, &trees[round.rng.usize(0..WORKTREES)]] {
        answers_for_its_own_files(round, &main, folder)?;
    }
    Ok(KILLS_PER_ROUND)
}

/// Adds a worktree at a random branch.
fn added(round: &mut Round<'_>, main: &TempProject) -> Result<TempProject, Violation> {
    let folder = TempProject::empty();
    let (root, branch) =
        (folder.root().to_string_lossy().into_owned(), format!("branch{}", round.rng.usize(0..BRANCHES)));
    git(round, main.root(), &["worktree", "add", "--quiet", "--detach", &root, &branch])?;
    Ok(folder)
}

fn ask_at_once(round: &Round<'_>, folders: [&TempProject; 2]) -> Result<(), Violation> {
    let binary = round.binary;
    std::thread::scope(|scope| {
        let ask = |folder: &TempProject| binary.run(folder.root(), &["search", "--quiet", QUESTION]);
        let [one, other] = folders.map(|folder| scope.spawn(move || ask(folder)));
        ends_well(one, NOTHING_FOUND, "a search in a work tree")?;
        ends_well(other, NOTHING_FOUND, "a search in a work tree")
    })
}

fn answers_for_its_own_files(
    round: &mut Round<'_>,
    main: &TempProject,
    folder: &TempProject,
) -> Result<(), Violation> {
    let head = git(round, folder.root(), &["rev-parse", "HEAD"])?;
    let (fresh, from) = (TempProject::empty(), main.root().to_string_lossy().into_owned());
    git(round, fresh.root(), &["clone", "--quiet", &from, "."])?;
    git(round, fresh.root(), &["checkout", "--quiet", "--detach", head.trim()])?;
    for path in (0..tree::FILES).map(tree::path_of) {
        fresh.write(&path, folder.read(&path));
    }
    for question in ["add_17_to_total", QUESTION] {
        let arguments = ["search", "--json", "--quiet", "--mode", "fast", "--threshold", "0", question];
        for project in [folder, &fresh] {
            round.binary.run(project.root(), &["index", "--fast", "--quiet"])?.succeeded()?;
        }
        let expected = hits(round.binary, fresh.root(), &arguments)?;
        expect(question, &expected, &hits(round.binary, folder.root(), &arguments)?)?;
    }
    Ok(())
}
