//! A database with wrong bytes. Whatever they are, `index` always restores an index that can be searched.

use std::fs;
use std::path::Path;

use fastrand::Rng;

use crate::scene::{Round, Trials, Violation};
use crate::tree;

const DATABASES_PER_ROUND: u64 = 6;
const PAGE: usize = 4096;

pub fn damaged_index(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered("edition for damage");
    round.binary.run(project.root(), &["index", "--quiet"])?.succeeded()?;
    let database = project.path(".vectorcode/index.db");
    let whole = fs::read(&database)?;
    for _ in 0..DATABASES_PER_ROUND {
        let mut bytes = whole.clone();
        damage(&mut round.rng, &mut bytes);
        replace(&database, &bytes)?;
        let arguments = ["search", "--quiet", "--files", "checks that the sum fits"];
        // Whether the damage is noticed here depends on the pages that the query needs.
        round.binary.run(project.root(), &arguments)?;
        round.binary.run(project.root(), &["index", "--quiet"])?.succeeded()?;
        let ended = round.binary.run(project.root(), &arguments)?;
        // Exit code 1: nothing was found. Damage inside a text cannot be noticed as an error.
        if ended.code > 1 {
            return Err(Violation::wrong("search after index", "exit code 0 or 1", ended.stderr));
        }
    }
    Ok(DATABASES_PER_ROUND)
}

/// Also removes the log of the old database, which must not be applied to the new bytes.
fn replace(database: &Path, bytes: &[u8]) -> std::io::Result<()> {
    for suffix in ["-wal", "-shm"] {
        let mut beside = database.as_os_str().to_owned();
        beside.push(suffix);
        match fs::remove_file(&beside) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::write(database, bytes)
}

fn damage(rng: &mut Rng, bytes: &mut Vec<u8>) {
    match rng.u8(0..8) {
        0 => flip(rng, bytes, 1),
        1 => flip(rng, bytes, 64),
        2 => flip(rng, bytes, 4096),
        3 => page(rng, bytes).fill(0),
        4 => {
            let noise: Vec<u8> = std::iter::repeat_with(|| rng.u8(..)).take(PAGE).collect();
            page(rng, bytes).copy_from_slice(&noise);
        }
        5 => bytes.truncate(rng.usize(0..bytes.len())),
        6 => rng.fill(&mut bytes[..100]),
        _ => move_page(rng, bytes),
    }
}

fn flip(rng: &mut Rng, bytes: &mut [u8], times: usize) {
    for _ in 0..times {
        let at = rng.usize(0..bytes.len());
        bytes[at] = rng.u8(..);
    }
}

fn move_page(rng: &mut Rng, bytes: &mut [u8]) {
    let copy = page(rng, bytes).to_vec();
    page(rng, bytes).copy_from_slice(&copy);
}

fn page<'b>(rng: &mut Rng, bytes: &'b mut [u8]) -> &'b mut [u8] {
    let number = rng.usize(0..bytes.len() / PAGE);
    &mut bytes[number * PAGE..(number + 1) * PAGE]
}
