//! `vectorcode trust`: approves what a project's own settings ask for, lists approvals, and revokes them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::json;
use vectorcode_core::config::{self, Approvals, ProjectTrust, Resolved, SensitiveSettings, TrustedRoot};
use vectorcode_core::visible_line;
use vectorcode_engine::Project;

use crate::confirm::confirmed;
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::{Printer, style};
use crate::session;

#[derive(Debug, clap::Args)]
pub struct TrustArgs {
    /// The project [default: the one around the current directory]
    #[arg(value_name = "PATH")]
    path: Option<PathBuf>,

    /// Do not ask
    #[arg(long, short, conflicts_with_all = ["list", "revoke"])]
    yes: bool,

    /// Revoke every approval of the project
    #[arg(long, conflicts_with = "list")]
    revoke: bool,

    /// List the trusted projects
    #[arg(long)]
    list: bool,

    /// Print the outcome as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &TrustArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let approvals = approvals()?;
    if args.list {
        return list(&approvals.roots()?, args.json, printer);
    }
    let project = match &args.path {
        Some(path) => Project::find(path)?,
        None => session::project(global)?,
    };
    if args.revoke {
        return revoke(&approvals, project.root(), args.json, printer);
    }
    let settings = config::load(&session::sources(&project, Vec::new()))?;
    settings.warnings.iter().for_each(|warning| printer.warn(warning));
    match settings.trust {
        None => {
            if args.json {
                printer.json(&json!({ "root": project.root(), "settings": [], "trusted": true }))?;
            }
            printer.note("The project's settings ask for nothing that needs your approval");
            Ok(Outcome::Done)
        }
        Some(trust) => approve(&trust, args, &approvals, printer),
    }
}

/// Approves what the user's own command has just written into the project's file. If the file already asked for something that
/// the user had not approved, only a warning is printed, because that must not be approved along with it.
pub fn approve_own_change(before: &Resolved, project: &Project, printer: &Printer) -> Result<()> {
    let settings = config::load(&session::sources(project, Vec::new()))?;
    match settings.withheld() {
        Some(asked) if before.withheld().is_none() => approvals()?.add(asked)?,
        Some(asked) => printer.warn(asked.note()),
        None => {}
    }
    Ok(())
}

fn approvals() -> Result<Approvals> {
    let file = config::user_trust_file(&session::environment());
    Ok(Approvals::new(file.context("there is no home directory to record trust in; set HOME")?))
}

/// Records exactly what was shown: if the file changes while the user reads, the change is not approved unseen.
fn approve(
    trust: &ProjectTrust,
    args: &TrustArgs,
    approvals: &Approvals,
    printer: &Printer,
) -> Result<Outcome> {
    let ProjectTrust { asked, approved } = trust;
    if !args.json {
        show(asked, printer)?;
    }
    let approved_now =
        !approved && (args.yes || (!args.json && confirmed("Trust this project with these settings?")?));
    if approved_now {
        approvals.add(asked)?;
    }
    let trusted = *approved || approved_now;
    if args.json {
        printer.json(&document(asked, trusted))?;
    }
    printer.note(match (approved, trusted) {
        (true, _) => {
            "You already trust this project with these settings; `vectorcode trust --revoke` withdraws it"
        }
        (_, true) => {
            "Trusted. If these settings change, you are asked again; `vectorcode trust --revoke` withdraws it"
        }
        (_, false) => "Not trusted; none of these settings apply",
    });
    Ok(if trusted { Outcome::Done } else { Outcome::NothingFound })
}

/// Prints to stdout, because the question that follows would make no sense if `--quiet` hid this.
fn show(asked: &SensitiveSettings, printer: &Printer) -> Result<()> {
    printer.line(format!("The settings of {} ask for:", shown_path(&asked.root)))?;
    for setting in &asked.settings {
        printer.line(format!("  {}", style::painted(style::SYMBOL, setting)))?;
        printer.line(format!("      {}", setting.effect()))?;
    }
    Ok(())
}

fn shown_path(path: &Path) -> String {
    visible_line(&path.to_string_lossy()).into_owned()
}

fn document(asked: &SensitiveSettings, trusted: bool) -> serde_json::Value {
    let setting = |setting: &config::SensitiveSetting| json!({ "setting": setting.to_string(), "risk": setting.risk, "effect": setting.effect() });
    let settings: Vec<_> = asked.settings.iter().map(setting).collect();
    json!({ "root": asked.root, "settings": settings, "trusted": trusted })
}

fn list(roots: &[TrustedRoot], as_json: bool, printer: &Printer) -> Result<Outcome> {
    if as_json {
        printer.json(&roots)?;
    } else {
        for TrustedRoot { root, approvals } in roots {
            printer.line(style::painted(style::PATH, shown_path(root)))?;
            for setting in approvals.iter().flat_map(|approval| &approval.settings) {
                printer.line(format!("  {}", visible_line(setting)))?;
            }
        }
    }
    if roots.is_empty() {
        printer.note("You have approved no project's settings");
    }
    Ok(Outcome::Done)
}

fn revoke(approvals: &Approvals, root: &Path, as_json: bool, printer: &Printer) -> Result<Outcome> {
    let revoked = approvals.revoke(root)?;
    if as_json {
        printer.json(&json!({ "root": root, "revoked": revoked }))?;
    }
    let state = if revoked { "is no longer trusted" } else { "was not trusted" };
    printer.note(format_args!("{} {state}", shown_path(root)));
    Ok(if revoked { Outcome::Done } else { Outcome::NothingFound })
}
