//! Files with times that no clock shows: long ago, far ahead, or kept over an edit. What changed is read, whatever its time.

use std::fs::File;
use std::time::{Duration, SystemTime};

use vectorcode_testkit::TempProject;

use super::recovery::recovers;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

const EDITS: u64 = 12;
/// About the longest times that file systems take: the year 2446 and the year 1901.
const FARTHEST_AHEAD_S: u64 = 15_032_385_535;
const LONGEST_AGO_S: u64 = 2_147_483_648;

pub fn clock_jumps(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    for number in 0..tree::FILES {
        set_time(round, &project, number)?;
    }
    round.subject.run(project.root(), &["index", "--quiet"])?.succeeded()?;
    let edition = tree::new_edition(&mut round.rng);
    for _ in 0..EDITS {
        let number = tree::any_number(&mut round.rng);
        let before = project.path(&tree::path_of(number)).metadata()?.modified()?;
        // Editions are of one length, so that the size stays too.
        tree::write_numbered(&project, number, &edition);
        if round.rng.bool() {
            set(&project, number, before)?;
        } else {
            set_time(round, &project, number)?;
        }
    }
    recovers(round.subject, &project)?;
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
        // Some file systems take fewer years than others.
        Err(error) if error.kind() == std::io::ErrorKind::InvalidInput => Ok(()),
        set => Ok(set?),
    }
}
