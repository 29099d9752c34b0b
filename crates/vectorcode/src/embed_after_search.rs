//! After a search with missing vectors, starts a low-priority process that computes them, if the user allows it.

use std::io::IsTerminal;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};
use vectorcode_core::api::{Activity, SearchResponse};
use vectorcode_core::config::{self, ProviderName, SettingsScope};
use vectorcode_core::programs;

use crate::confirm::confirmed;
use crate::output::Printer;
use crate::session::{Session, environment};
use crate::settings_file;

const SETTING: &str = "indexing.embed_after_search";
/// Texts that a model refuses never get a vector, so a small rest counts as complete.
const COMPLETE: f32 = 0.99;

/// Starts the process, or asks for permission to do so from now on. The search has already been answered, so an error here is
/// only logged.
pub fn offer(session: &Session, response: &SearchResponse, printer: &Printer) {
    if let Err(error) = try_offer(session, response, printer) {
        tracing::debug!(%error, "no process was started to compute vectors");
    }
}

fn try_offer(session: &Session, response: &SearchResponse, printer: &Printer) -> Result<()> {
    let Some(coverage) = response.semantic_coverage.filter(|coverage| *coverage < COMPLETE) else {
        return Ok(());
    };
    let config = session.engine.config();
    let allowed = config.indexing.embed_after_search;
    // Checked first to keep searches by scripts fast: if the answer is no, or nobody can be asked, nothing is looked up.
    if !allowed.unwrap_or_else(|| can_ask(printer)) {
        return Ok(());
    }
    // Other providers cost money, or run on somebody else's machine.
    let is_bundled = config.provider.name == ProviderName::Onnx;
    if !is_bundled || !session.engine.has_pending_vectors()? || session.engine.activity() != Activity::Idle {
        return Ok(());
    }
    let is_allowed = allowed.map_or_else(|| ask(coverage), Ok)?;
    if is_allowed {
        start(session.engine.project().root())?;
        printer.note(
            "The missing vectors are computed in the background; `vectorcode status` shows the progress.",
        );
    }
    Ok(())
}

fn can_ask(printer: &Printer) -> bool {
    let are_terminals = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    are_terminals && std::io::stderr().is_terminal() && !printer.is_quiet()
}

/// Asks once and stores the answer in the user's settings.
fn ask(coverage: f32) -> Result<bool> {
    let percent = (coverage * 100.0).floor();
    let is_allowed = confirmed(&format!(
        "{percent:.0} % of the code has vectors, which improve results. Compute the rest in the background at low priority, now and \
         after later searches?"
    ))?;
    let file = config::user_config_file(&environment())
        .context("there is no home directory for the user's settings")?;
    settings_file::set(&file, &[(SETTING, is_allowed.into())], SettingsScope::User)?;
    eprintln!("Remembered; `vectorcode config set --user {SETTING} {}` changes it.", !is_allowed);
    Ok(is_allowed)
}

/// The new process outlives this one, and does not receive Ctrl-C from the terminal.
fn start(root: &Path) -> Result<()> {
    let program = std::env::current_exe().context("cannot find the running program")?;
    let mut command = match programs::find_program("nice".as_ref()).filter(|_| cfg!(unix)) {
        Some(nice) => {
            let mut command = Command::new(nice);
            command.args(["-n", "10"]).arg(program);
            command
        }
        None => Command::new(program),
    };
    command.args(["index", "--background", "--quiet", "--project-path"]).arg(root);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    detach(&mut command);
    command.spawn().context("cannot start a process")?;
    Ok(())
}

#[cfg(unix)]
fn detach(command: &mut Command) {
    std::os::unix::process::CommandExt::process_group(command, 0);
}

/// Sets idle priority and opens no window.
#[cfg(windows)]
fn detach(command: &mut Command) {
    const IDLE_PRIORITY_CLASS: u32 = 0x0000_0040;
    const CREATE_NO_WINDOW: u32 = 0x0800_0000;
    std::os::windows::process::CommandExt::creation_flags(command, IDLE_PRIORITY_CLASS | CREATE_NO_WINDOW);
}
