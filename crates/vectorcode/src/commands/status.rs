//! `vectorcode status`: the state of the index.

use anyhow::Result;
use vectorcode_core::api::{Activity, StatusResponse};
use vectorcode_core::visible_line;

use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::numbers::{bytes, duration, grouped, remaining};
use crate::output::{Printer, time};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct StatusArgs {
    /// Print the status as JSON
    #[arg(long)]
    json: bool,
}

/// Maximum number of changed files to list.
const PENDING_SHOWN: usize = 10;

pub fn run(args: &StatusArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    let status = session.engine.status()?;
    if args.json {
        printer.json(&status)?;
    } else {
        printer.line(text(&status))?;
    }
    Ok(Outcome::Done)
}

fn text(status: &StatusResponse) -> String {
    let mut lines = vec![
        "VectorCode Index Status".into(),
        "═══════════════════════".into(),
        format!("Project:     {}", visible_line(&status.project_root)),
        format!("Provider:    {}", status.space.provider),
        format!("Model:       {}", status.space.model),
        format!("Dimensions:  {}", status.space.dimensions),
        format!("Version:     {}", status.version),
        String::new(),
        format!("Files:       {} indexed", grouped(status.files)),
        format!("Chunks:      {} stored, {}", grouped(status.chunks), coverage(status)),
        format!("Symbols:     {}", grouped(status.symbols)),
        format!("Size:        {}", bytes(status.database_bytes)),
        format!("Last sync:   {}", last_sync(status.last_sync_at.as_deref())),
        format!("Watched:     {}", if status.watched { "yes" } else { "no" }),
    ];
    lines.extend(activity(&status.activity));
    if status.commits > 0 {
        lines.push(format!("History:     {} commits", grouped(status.commits)));
    }
    lines.extend(languages(status));
    lines.extend(special(status));
    lines.extend(skipped(status));
    lines.extend(pending(status));
    lines.extend(status.notes.iter().map(|note| format!("\n{note}")));
    lines.join("\n")
}

/// What another process is doing to the index; this command itself changes nothing.
fn activity(activity: &Activity) -> Option<String> {
    let Activity::Running { phase, done, total, per_second, process } = activity else { return None };
    let percent = done.saturating_mul(100).checked_div(*total);
    let percent = percent.map_or_else(String::new, |percent| format!(" {percent} %"));
    let left = (*done > 0 && *per_second > 0.0).then(|| total.saturating_sub(*done) as f64 / per_second);
    let left = left.map_or_else(String::new, |left| format!(", {} left", remaining(left.ceil() as u64)));
    let by = process.as_ref().map_or_else(String::new, |process| format!(", by {}", visible_line(process)));
    Some(format!("Activity:    {phase}{percent}{left}{by}"))
}

fn coverage(status: &StatusResponse) -> String {
    if status.chunks == 0 {
        return "nothing indexed yet".into();
    }
    // Rounded down, so that only complete coverage shows as 100 %.
    format!("semantic coverage {:.0} %", (100.0 * status.coverage.fraction()).floor())
}

fn last_sync(at: Option<&str>) -> String {
    match at {
        None => "never completed".into(),
        Some(at) => match time::seconds_since(at) {
            Some(seconds) => format!("{at} ({} ago)", duration(seconds)),
            None => at.into(),
        },
    }
}

fn languages(status: &StatusResponse) -> Option<String> {
    let named: Vec<String> =
        status.languages.iter().take(8).map(|(name, files)| format!("{name} {}", grouped(*files))).collect();
    (!named.is_empty()).then(|| format!("Languages:   {}", named.join(", ")))
}

fn special(status: &StatusResponse) -> Option<String> {
    let named =
        status.special.describe().into_iter().map(|(count, what)| format!("{} {what}", grouped(count)));
    let named: Vec<String> = named.collect();
    (!named.is_empty()).then(|| format!("Of these:    {}", named.join(", ")))
}

fn skipped(status: &StatusResponse) -> Option<String> {
    let named: Vec<String> = status
        .skipped
        .iter()
        .map(|skip| format!("{} {}", grouped(skip.count), skip.reason.describe()))
        .collect();
    (!named.is_empty()).then(|| format!("Skipped:     {}", named.join(", ")))
}

fn pending(status: &StatusResponse) -> Vec<String> {
    if status.pending.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![String::new(), "Pending sync:".into()];
    lines.extend(
        status
            .pending
            .iter()
            .take(PENDING_SHOWN)
            .map(|file| format!("  {} (modified {}s ago)", visible_line(&file.path), file.modified_secs_ago)),
    );
    if status.pending.len() > PENDING_SHOWN {
        lines.push(format!("  and {} more", grouped((status.pending.len() - PENDING_SHOWN) as u64)));
    }
    lines
}
