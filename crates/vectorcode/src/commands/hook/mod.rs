//! `vectorcode hook`: runs after a coding agent's own searches and reads. Prints a hint for the model, or nothing.
//!
//! It never fails and never waits for long: an agent with hooks must not be slower or noisier than one without. The event on
//! standard input, the tool's output and the project are all untrusted; nothing in them is executed or printed verbatim.

mod event;
mod shell;

use std::io::Read;
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use vectorcode_core::config;
use vectorcode_engine::Project;
use vectorcode_server::{HintRequest, hint};

use self::event::Event;
use crate::exit::Outcome;
use crate::output::Printer;
use crate::session;

/// Time limit of the hook. Including the start of the process, an agent waits less than 50 milliseconds.
const DEFAULT_LIMIT_MS: u64 = 40;
/// Maximum size of an event, which includes the output of the agent's tool. Agents truncate that output far below this.
const MAX_EVENT_BYTES: u64 = 8 << 20;

#[derive(Debug, clap::Args)]
pub struct HookArgs {
    /// Print nothing if the hint takes longer than this, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = DEFAULT_LIMIT_MS)]
    limit_ms: u64,
}

pub fn run(args: &HookArgs, printer: &Printer) -> Outcome {
    let limit = Duration::from_millis(args.limit_ms);
    let (sender, answer) = mpsc::channel();
    // On a separate thread, because a blocking read from a pipe cannot be cancelled.
    std::thread::spawn(move || {
        // The receiver is gone once the time is up.
        let _ = sender.send(hint_for_event(Instant::now() + limit));
    });
    if let Ok(Some(output)) = answer.recv_timeout(limit) {
        // An error means that the agent closed the pipe and does not want the hint.
        let _ = printer.json_line(&output);
    }
    Outcome::Done
}

/// What to print for the event on standard input.
fn hint_for_event(deadline: Instant) -> Option<Value> {
    let mut bytes = Vec::new();
    std::io::stdin().take(MAX_EVENT_BYTES).read_to_end(&mut bytes).ok()?;
    let event = Event::parse(&bytes)?;
    let environment = session::environment();
    let project = Project::find(&event.directory).ok()?;
    let project = project.with_cache(config::user_cache_dir(&environment).as_deref());
    let request = request(&event, &project)?;
    let left = deadline.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())?;
    let text = hint(&project, &request, left)?;
    let output = json!({"hookEventName": event.name, "additionalContext": format!("vectorcode: {text}")});
    Some(json!({ "hookSpecificOutput": output }))
}

fn request(event: &Event, project: &Project) -> Option<HintRequest> {
    let in_root =
        vectorcode_core::canonical(&event.directory).is_ok_and(|directory| directory == project.root());
    let relative = |path: &PathBuf| project.relative(&event.directory.join(path)).ok();
    let action = event.action(relative)?;
    Some(HintRequest { session: event.session.clone(), action, in_root })
}
