//! `vectorcode-torture`: runs rounds of all scenes until the time is up, then prints a table.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Result;
use clap::Parser;
use fastrand::Rng;
use vectorcode_torture::scenes::SCENES;
use vectorcode_torture::{BinaryUnderTest, Report, Round, Scene};

#[derive(Debug, Parser)]
#[command(about, version)]
struct Arguments {
    /// The vectorcode binary to test
    #[arg(long, value_name = "FILE", default_value = "target/debug/vectorcode")]
    binary: PathBuf,
    /// How long to run; every scene runs at least once
    #[arg(long, default_value_t = 2.0)]
    minutes: f64,
    /// Seed of the first round; each round uses the next seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Only these scenes (may be given more than once)
    #[arg(long, value_name = "NAME", value_parser = scene_names())]
    scene: Vec<String>,
}

fn scene_names() -> clap::builder::PossibleValuesParser {
    SCENES.iter().map(|scene| scene.name).collect::<Vec<_>>().into()
}

fn main() -> Result<ExitCode> {
    let report = run(&Arguments::parse())?;
    print_table(&report);
    Ok(if report.violations() == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[allow(clippy::print_stdout, reason = "the table is what this program is for")]
fn print_table(report: &Report) {
    print!("{report}");
}

fn run(arguments: &Arguments) -> Result<Report> {
    let binary = BinaryUnderTest::new(&arguments.binary)?;
    let chosen =
        |scene: &&Scene| arguments.scene.is_empty() || arguments.scene.iter().any(|name| name == scene.name);
    let scenes: Vec<&Scene> = SCENES.iter().filter(chosen).collect();
    let deadline = Instant::now() + Duration::from_secs_f64(arguments.minutes * 60.0);
    let mut report = Report::default();
    for (turn, seed) in (arguments.seed..).enumerate() {
        if turn >= scenes.len() && Instant::now() >= deadline {
            break;
        }
        let scene = scenes[turn % scenes.len()];
        let mut round = Round { binary: &binary, rng: Rng::with_seed(seed) };
        let outcome = (scene.run)(&mut round);
        if let Err(violation) = &outcome {
            eprintln!(
                "violation in {} (repeat: --scene {} --seed {seed} --minutes 0)\n{violation}\n",
                scene.name, scene.name
            );
        }
        report.add(scene, &outcome);
    }
    Ok(report)
}
