//! The log of `--verbose`, on stderr so that stdout stays data.

use std::io;

use tracing_subscriber::filter::LevelFilter;

use crate::args::GlobalArgs;

/// Starts the log once; without `--verbose` only warnings are shown, with `--quiet` only errors.
pub fn start(global: &GlobalArgs) {
    let level = match (global.verbose, global.quiet) {
        (true, _) => LevelFilter::DEBUG,
        (_, true) => LevelFilter::ERROR,
        _ => LevelFilter::WARN,
    };
    let log = tracing_subscriber::fmt()
        .with_max_level(level)
        .with_writer(io::stderr)
        .with_ansi(anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never)
        .without_time()
        .with_target(global.verbose)
        .finish();
    // Fails only when a log runs already, which is what was wanted.
    let _ = tracing::subscriber::set_global_default(log);
}
