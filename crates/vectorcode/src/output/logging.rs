//! Writes the log to stderr, so that stdout only carries data.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;

use crate::global_args::{GlobalArgs, LogFormat};

static IS_HIDDEN: AtomicBool = AtomicBool::new(false);

/// Hides log lines while a full-screen view uses the terminal, which they would overwrite. If stderr is a file, they are still
/// written.
pub fn hide_on_terminal(is_hidden: bool) {
    IS_HIDDEN.store(is_hidden && io::stderr().is_terminal(), Ordering::Relaxed);
}

fn writer() -> Box<dyn Write> {
    if IS_HIDDEN.load(Ordering::Relaxed) { Box::new(io::sink()) } else { Box::new(io::stderr()) }
}

/// Starts the log. The default level is warnings; `--verbose` shows more, `--quiet` only errors.
pub fn start(global: &GlobalArgs) {
    let level = match (global.verbose, global.quiet) {
        (true, _) => LevelFilter::DEBUG,
        (_, true) => LevelFilter::ERROR,
        // Programs read this format, for example to count requests.
        _ if global.log_format == LogFormat::Json => LevelFilter::INFO,
        _ => LevelFilter::WARN,
    };
    // Below warnings, the protocol library logs whole messages, which contain source text. Its warnings are errors of clients,
    // which the clients are told anyway.
    let protocol = if global.verbose { LevelFilter::WARN } else { LevelFilter::ERROR };
    let levels = Targets::new().with_default(level).with_target("rmcp", protocol);
    // Fails only if a log has already been started, which is fine.
    let _ = match global.log_format {
        LogFormat::Text => {
            let lines = tracing_subscriber::fmt::layer()
                .with_writer(writer)
                .with_ansi(anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never)
                .without_time()
                .with_target(global.verbose)
                .with_filter(levels);
            tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines))
        }
        LogFormat::Json => {
            let lines = tracing_subscriber::fmt::layer().json().flatten_event(true).with_writer(writer);
            let lines = lines.with_filter(levels);
            tracing::subscriber::set_global_default(tracing_subscriber::registry().with(lines))
        }
    };
}
