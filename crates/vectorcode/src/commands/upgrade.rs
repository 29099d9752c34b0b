//! `vectorcode upgrade`: replaces the binary with a newer release.

use std::cmp::Ordering;

use anyhow::Result;
use semver::Version;

use crate::exit::Outcome;
use crate::output::Printer;
use crate::upgrade::{self, Releases, UpgradeError};

#[derive(Debug, clap::Args)]
pub struct UpgradeArgs {
    /// Only report whether there is a newer release (exit code 0: yes, 1: no)
    #[arg(long, conflicts_with = "force")]
    check: bool,

    /// Install this release instead of the newest
    #[arg(long, value_name = "X.Y.Z", value_parser = parse_version)]
    version: Option<Version>,

    /// Install even the same or an older release
    #[arg(long)]
    force: bool,
}

fn parse_version(text: &str) -> Result<Version, semver::Error> {
    text.strip_prefix('v').unwrap_or(text).parse()
}

pub fn run(args: &UpgradeArgs, printer: &Printer) -> Result<Outcome> {
    let running = upgrade::running_version();
    let binary = upgrade::running_binary()?;
    let releases = Releases::from_environment();
    let wanted = args.version.clone().map_or_else(|| releases.latest(), Ok)?;
    let order = wanted.cmp(&running);
    if args.check {
        return check(order, &wanted, &running, printer);
    }
    upgrade::check_unmanaged(&binary)?;
    match order {
        // A downgrade needs both --version and --force: an older release may otherwise be the server's choice rather than the
        // user's.
        Ordering::Less if args.version.is_some() != args.force => {
            return Err(UpgradeError::Downgrade { wanted, running }.into());
        }
        Ordering::Less | Ordering::Equal if !args.force => {
            printer.line(format_args!("vectorcode {running} is the newest release"))?;
            return Ok(Outcome::Done);
        }
        _ => {}
    }
    printer.note(format_args!("downloading vectorcode {wanted}"));
    upgrade::replace(&binary, &releases, &wanted)?;
    printer.line(format_args!("vectorcode {running} was replaced by {wanted} ({})", binary.display()))?;
    Ok(Outcome::Done)
}

fn check(order: Ordering, wanted: &Version, running: &Version, printer: &Printer) -> Result<Outcome> {
    if order.is_gt() {
        printer.line(format_args!("vectorcode {wanted} is available (this is {running})"))?;
        Ok(Outcome::Done)
    } else {
        printer.line(format_args!("vectorcode {running} is the newest release"))?;
        Ok(Outcome::NothingFound)
    }
}
