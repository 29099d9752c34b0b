//! `vectorcode watch`: keeps the index true in a terminal, as a server does for its clients.

use std::time::Duration;

use anyhow::Result;
use vectorcode_core::CancelToken;
use vectorcode_core::api::Activity;
use vectorcode_core::config::Override;
use vectorcode_engine::{Engine, Keeper, KeeperOptions};

use crate::args::GlobalArgs;
use crate::exit::Outcome;
use crate::interrupt;
use crate::output::Printer;
use crate::output::numbers::grouped;
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct WatchArgs {
    /// Quiet time after the last change before it is taken up [default: 2000]
    #[arg(long, value_name = "MS")]
    debounce: Option<u32>,
}

/// How often the terminal learns what the keeper does.
const GLANCE: Duration = Duration::from_millis(200);

pub fn run(args: &WatchArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let debounce = args.debounce.map(|time| Override {
        key: "watcher.debounce_ms",
        value: i64::from(time).into(),
        flag: "--debounce",
    });
    let session = Session::open(global, debounce.into_iter().collect(), printer)?;
    let stop = CancelToken::default();
    interrupt::cancels(&stop)?;
    let config = &session.settings.config;
    let options = KeeperOptions {
        watch: true,
        debounce: Duration::from_millis(config.watcher.debounce_ms),
        create: config.indexing.auto_index,
    };
    let keeper = Keeper::start(session.engine.clone(), options)?;
    printer.note(format_args!("watching {} (Ctrl-C to stop)", session.engine.project().root().display()));
    follow(&session.engine, &stop, printer);
    drop(keeper);
    Ok(Outcome::Done)
}

/// Says when work begins and what the index holds when it ends.
fn follow(engine: &Engine, stop: &CancelToken, printer: &Printer) {
    let mut shown = None;
    while !stop.is_cancelled() {
        let doing = match engine.activity() {
            Activity::Idle => contents(engine),
            Activity::Running { phase, .. } => Some(phase),
        };
        if doing != shown {
            if let Some(doing) = &doing {
                printer.note(doing);
            }
            shown = doing;
        }
        std::thread::sleep(GLANCE);
    }
}

fn contents(engine: &Engine) -> Option<String> {
    let status = engine.status().ok()?;
    let (files, chunks) = (grouped(status.files), grouped(status.chunks));
    let coverage = 100.0 * status.coverage.fraction();
    Some(format!("in sync: {files} files, {chunks} chunks, semantic coverage {coverage:.0} %"))
}
