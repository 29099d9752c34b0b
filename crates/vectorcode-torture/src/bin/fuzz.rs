//! `vectorcode-fuzz`: runs a fuzz target on inputs mutated from a corpus with a seed. It is not guided by coverage, but any
//! compiler can build it; see `scripts/fuzz.sh`.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use clap::Parser;
use fastrand::Rng;
use vectorcode_torture::fuzz::{TARGETS, Target};
use vectorcode_torture::mutation::mutate;

/// More processor time than this is a hang: a parse alone is stopped after one second.
const MAX_TIME: Duration = Duration::from_secs(20);

#[derive(Debug, Parser)]
#[command(about, version)]
struct Arguments {
    #[arg(value_parser = TARGETS.iter().map(|target| target.name).collect::<Vec<_>>())]
    target: String,
    /// Directory of seed inputs: all of its files are used
    corpus: PathBuf,
    /// How long to run
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// Seed of the random numbers
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// File for the current input, which is left behind if it ends the process
    #[arg(long, value_name = "FILE")]
    last_input: PathBuf,
}

fn main() -> Result<()> {
    let arguments = Arguments::parse();
    let named = TARGETS.iter().find(|target| target.name == arguments.target);
    let target = named.context("the parser of arguments admits no other name")?;
    let corpus = read_corpus(&arguments.corpus)?;
    exit_on_any_panic();
    let inputs = fuzz(target, &corpus, &arguments)?;
    std::fs::remove_file(&arguments.last_input)?;
    eprintln!("stat::number_of_executed_units: {inputs}");
    Ok(())
}

fn read_corpus(directory: &Path) -> Result<Vec<Vec<u8>>> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory)
        .with_context(|| format!("cannot list {}", directory.display()))?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<std::io::Result<_>>()?;
    ensure!(!files.is_empty(), "{} is empty", directory.display());
    // Sorted, so that a seed gives the same run on every machine.
    files.sort();
    Ok(files.iter().map(std::fs::read).collect::<std::io::Result<_>>()?)
}

/// A panic on a thread of the server counts as much as one on this thread.
fn exit_on_any_panic() {
    static FIRST: Mutex<()> = Mutex::new(());
    let print = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let _only_one = FIRST.lock();
        print(panic);
        std::process::exit(1);
    }));
}

fn fuzz(target: &Target, corpus: &[Vec<u8>], arguments: &Arguments) -> Result<u64> {
    let mut rng = Rng::with_seed(arguments.seed);
    let deadline = Instant::now() + Duration::from_secs(arguments.seconds);
    let (mut inputs, mut slowest) = (0, Duration::ZERO);
    while Instant::now() < deadline {
        // Each seed input in turn, so that every language gets the same number of inputs.
        let mut input = corpus[(inputs % corpus.len() as u64) as usize].clone();
        mutate(&mut rng, &mut input);
        std::fs::write(&arguments.last_input, &input)?;
        let before = processor_time();
        (target.run)(&input);
        let time = processor_time().saturating_sub(before);
        ensure!(time < MAX_TIME, "{} took {time:?}", arguments.last_input.display());
        slowest = slowest.max(time);
        inputs += 1;
    }
    eprintln!("slowest input: {slowest:?} of processor time");
    Ok(inputs)
}

/// Processor time of all threads of this process, so that a busy machine does not make an input look slow.
#[cfg(unix)]
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

#[cfg(not(unix))]
fn processor_time() -> Duration {
    use std::sync::LazyLock;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
