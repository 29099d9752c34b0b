//! Source files that no editor would write, in every language that has a grammar. Each is indexed or counted as skipped, in
//! bounded memory; none of them ends the run.

use vectorcode_testkit::TempProject;

use crate::mutation::mutate;
use crate::scene::{Round, Trials, Violation};
use crate::tree;

/// Number of mutated copies of each sample.
const MUTANTS: usize = 8;
/// Memory limit of `index` on a hostile tree (`docs/reliability.md`).
const MEMORY_LIMIT_MIB: u64 = 400;

pub fn hostile_sources(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = TempProject::empty();
    let samples = tree::samples()?;
    for (name, text) in &samples {
        for number in 0..MUTANTS {
            let mut bytes = text.clone();
            mutate(&mut round.rng, &mut bytes);
            project.write(&format!("mutant{number}/{name}"), bytes);
        }
    }
    let ended = round.binary.run(project.root(), &["index", "--fast", "--quiet"])?;
    ended.succeeded()?;
    ended.stayed_below(MEMORY_LIMIT_MIB)?;
    for arguments in
        [&["search", "--quiet", "retry with a delay"][..], &["graph", "stats"], &["symbols", "retry"]]
    {
        round.binary.run(project.root(), arguments)?;
    }
    Ok((samples.len() * MUTANTS) as Trials)
}
