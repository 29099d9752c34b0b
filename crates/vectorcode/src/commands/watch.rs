//! `vectorcode watch`: keeps the index up to date from a terminal, as a server does in the background.

use std::time::Duration;

use anyhow::Result;
use vectorcode_core::api::Activity;
use vectorcode_core::config::Override;
use vectorcode_core::{CancelToken, Phase};
use vectorcode_engine::{Engine, Keeper};

use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::interrupt;
use crate::output::Printer;
use crate::output::numbers::grouped;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct WatchArgs {
    #[arg(long, value_name = "MS", help = super::serve::debounce_help())]
    debounce: Option<u32>,
}

/// How often to poll what the keeper is doing.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

pub fn run(args: &WatchArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let debounce = args.debounce.map(|time| Override {
        key: "watcher.debounce_ms",
        value: i64::from(time).into(),
        flag: "--debounce",
    });
    let watching = Override { key: "watcher.disabled", value: false.into(), flag: "watch" };
    let overrides = debounce.into_iter().chain([watching]).collect();
    let session = Session::open_server(global, overrides, printer)?;
    let stop = CancelToken::default();
    interrupt::end_on_interrupt(&stop)?;
    let keeper = Keeper::start(session.engine.clone())?;
    printer.note(format_args!("Watching {} (Ctrl-C to stop)", session.engine.project().root().display()));
    follow(&session.engine, &keeper, &stop, printer);
    drop(keeper);
    Ok(Outcome::Done)
}

/// Prints when work begins, and what the index contains when it ends. Returns when the user stops it or the index is removed.
fn follow(engine: &Engine, keeper: &Keeper, stop: &CancelToken, printer: &Printer) {
    let mut seen = None;
    while !stop.is_cancelled() {
        if keeper.has_ended() {
            printer.note("The index was removed; watching has stopped");
            return;
        }
        let now = match engine.activity() {
            // Read the status only when the index changed: counting a large one is slow.
            Activity::Idle => Seen::Idle(engine.version().ok()),
            Activity::Running { phase, .. } => Seen::Running(phase),
        };
        if seen != Some(now) {
            match now {
                Seen::Running(phase) => printer.note(phase),
                Seen::Idle(_) => contents(engine).into_iter().for_each(|contents| printer.note(contents)),
            }
            seen = Some(now);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}

/// What was last printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Running(Phase),
    /// With the index version.
    Idle(Option<i64>),
}

fn contents(engine: &Engine) -> Option<String> {
    let status = engine.status().ok()?;
    let (files, chunks) = (grouped(status.files), grouped(status.chunks));
    if status.chunks == 0 {
        return Some("Up to date: the project has no files to index".into());
    }
    let coverage = 100.0 * status.coverage.fraction();
    Some(format!("Up to date: {files} files, {chunks} chunks, semantic coverage {coverage:.0} %"))
}
