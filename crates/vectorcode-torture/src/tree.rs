//! Projects to index: one with known search results, and samples of every language to mutate.

use std::fs;
use std::path::{Path, PathBuf};

use fastrand::Rng;
use vectorcode_testkit::TempProject;

/// Few enough for a debug build to index in about a second, but enough for several transactions.
pub const FILES: usize = 60;

/// A project of small functions, each of which can be found by its number.
///
/// `edition` is part of every text. The user's embedding cache does not contain a new edition, so there is something to embed
/// in every round.
pub fn numbered(edition: &str) -> TempProject {
    let project = TempProject::empty();
    for number in 0..FILES {
        write_numbered(&project, number, edition);
    }
    project
}

/// Writes one file of the project, or replaces it with another edition.
pub fn write_numbered(project: &TempProject, number: usize, edition: &str) {
    let text = format!(
        "/// Adds {number} to a total, {edition}, and checks that the sum fits the account.\n\
         pub fn {}(total: u64) -> Option<u64> {{\n    total.checked_add({number})\n}}\n",
        name_of(number)
    );
    project.write(&path_of(number), text);
}

/// The path of a file that [`write_numbered`] writes.
pub fn path_of(number: usize) -> String {
    format!("src/part{}/file{number}.rs", number % 7)
}

/// The name of the function in a file.
pub fn name_of(number: usize) -> String {
    format!("add_{number}_to_total")
}

/// The number of a random file.
pub fn any_number(rng: &mut Rng) -> usize {
    rng.usize(0..FILES)
}

/// A word that no earlier round has used.
pub fn new_edition(rng: &mut Rng) -> String {
    format!("edition {:08x}", rng.u32(..))
}

/// The language samples of the source crate: one small file for each grammar.
pub fn samples() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut samples = Vec::new();
    for entry in fs::read_dir(samples_folder())? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        samples.push((name, fs::read(&path)?));
    }
    // Directories are not listed in the same order everywhere, but a seed must give the same run.
    samples.sort();
    Ok(samples)
}

fn samples_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectorcode-source/tests/fixtures/languages")
}
