//! `vectorcode man`: manual pages, generated from the same definitions as `--help`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::exit::Outcome;
use crate::output::Printer;

#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// Write vectorcode.1 and one page per command to this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// `command_line` is the whole tree of commands.
pub fn run(args: &ManArgs, command_line: clap::Command, printer: &Printer) -> Result<Outcome> {
    if let Some(dir) = &args.out {
        write_pages(command_line, dir)?;
        printer.note(format_args!("Wrote manual pages to {}", dir.display()));
    } else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command_line).render(&mut page)?;
        printer.bytes(&page)?;
    }
    Ok(Outcome::Done)
}

fn write_pages(command_line: clap::Command, dir: &Path) -> Result<()> {
    std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
    clap_mangen::generate_to(command_line, dir)
        .with_context(|| format!("cannot write manual pages to {}", dir.display()))
}
