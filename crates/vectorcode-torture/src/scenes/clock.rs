//! Files with implausible times: long ago, far in the future, or unchanged by an edit. Changes are detected whatever the time
//! is.

use std::fs::File;
use std::time::{Duration, SystemTime};

use vectorcode_testkit::TempProject;

use super::recovery::recovers;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

const EDITS: u64 = 12;
/// About the limits of file systems: the years 2446 and 1901.
const FARTHEST_AHEAD_S: u64 = 15_032_385_535;
const LONGEST_AGO_S: u64 = 2_147_483_648;

pub fn clock_jumps(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    for number in 0..tree::FILES {
        set_time(round, &project, number)?;
    }
    round.binary.run(project.root(), &["index", "--quiet"])?.succeeded()?;
    let edition = tree::new_edition(&mut round.rng);
    for _ in 0..EDITS {
        let number = tree::any_number(&mut round.rng);
        let before = project.path(&tree::path_of(number)).metadata()?.modified()?;
        // Editions have the same length, so that the size does not change either.
        tree::write_numbered(&project, number, &edition);
        if round.rng.bool() {
            set(&project, number, before)?;
        } else {
            set_time(round, &project, number)?;
        }
    }
    recovers(round.binary, &project)?;
    Ok(tree::FILES as Trials + EDITS)
}

fn set_time(round: &mut Round<'_>, project: &TempProject, number: usize) -> Result<(), Violation> {
    let epoch = SystemTime::UNIX_EPOCH;
    let time = match round.rng.u8(0..4) {
        0 => epoch,
        1 => epoch - Duration::from_secs(round.rng.u64(1..LONGEST_AGO_S)),
        2 => epoch + Duration::from_secs(round.rng.u64(1..FARTHEST_AHEAD_S)),
        _ => SystemTime::now() + Duration::from_secs(round.rng.u64(1..100_000)),
    };
    set(project, number, time)
}

fn set(project: &TempProject, number: usize, time: SystemTime) -> Result<(), Violation> {
    let file = File::options().write(true).open(project.path(&tree::path_of(number)))?;
    match file.set_modified(time) {
        // Some file systems support a smaller range of times than others.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
        set => Ok(set?),
    }
}
