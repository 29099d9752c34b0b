//! `vectorcode doctor`: checks settings, index, provider and agents, and suggests fixes.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use serde::Serialize;
use vectorcode_core::Diagnose;
use vectorcode_engine::EngineError;

use crate::agents::{self, ConfigScope, Machine, Operation, Site, Task, Verb};
use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::numbers::{bytes, plural};
use crate::output::{Printer, style};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct DoctorArgs {
    /// Print the findings as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Health {
    Good,
    /// Works, but not as well as it could.
    Fair,
    Bad,
}

/// The state of one part, and how to fix it.
#[derive(Debug, Serialize)]
struct Finding {
    part: &'static str,
    health: Health,
    text: String,
    fix: Option<String>,
}

impl Finding {
    fn good(part: &'static str, text: impl Into<String>) -> Self {
        Self { part, health: Health::Good, text: text.into(), fix: None }
    }

    fn fair(part: &'static str, text: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { part, health: Health::Fair, text: text.into(), fix: Some(fix.into()) }
    }

    fn bad(part: &'static str, error: &impl Diagnose) -> Self {
        Self { part, health: Health::Bad, text: error.to_string(), fix: error.hint() }
    }

    fn line(&self) -> String {
        let (mark, style) = match self.health {
            Health::Good => ("✓", style::GOOD),
            Health::Fair => ("!", style::WARNING),
            Health::Bad => ("✗", style::ERROR),
        };
        let fix = self.fix.as_ref().map_or_else(String::new, |fix| format!("\n             → {fix}"));
        format!("{}{mark}{} {:<9}  {}{fix}", style.render(), style.render_reset(), self.part, self.text)
    }
}

pub fn run(args: &DoctorArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let session = Session::open(global, Vec::new(), printer)?;
    let mut findings = vec![settings(&session)];
    findings.extend(trust(&session));
    findings.extend(index(&session));
    findings.push(provider(&session));
    findings.extend(reranker(&session));
    findings.extend(context(&session));
    findings.extend(agents(&session)?);
    if args.json {
        printer.json(&findings)?;
    } else {
        findings.iter().try_for_each(|finding| printer.line(finding.line()))?;
    }
    let has_errors = findings.iter().any(|finding| finding.health == Health::Bad);
    Ok(if has_errors { Outcome::Failed } else { Outcome::Done })
}

fn settings(session: &Session) -> Finding {
    match session.settings.warnings.first() {
        None => Finding::good(
            "settings",
            format!("{} set, all others have their defaults", session.settings.origins.len()),
        ),
        Some(warning) => Finding::fair("settings", warning, "vectorcode config show --all lists every key"),
    }
}

/// `None` if no setting of the project needs approval.
fn trust(session: &Session) -> Option<Finding> {
    let trust = session.settings.trust.as_ref()?;
    Some(if trust.approved {
        let number = plural(trust.asked.settings.len() as u64, "setting");
        Finding::good("trust", format!("you approved {number} from the project's own file"))
    } else {
        Finding::fair(
            "trust",
            trust.asked.note(),
            "vectorcode trust lists the settings and asks for approval",
        )
    })
}

fn index(session: &Session) -> Vec<Finding> {
    let status = match session.engine.status() {
        Ok(status) => status,
        Err(error) => return vec![Finding::bad("index", &error)],
    };
    let size = format!(
        "{}, {}, {}",
        plural(status.files, "file"),
        plural(status.chunks, "chunk"),
        bytes(status.database_bytes)
    );
    let coverage = status.coverage.fraction();
    vec![
        Finding::good("index", size),
        if status.pending.is_empty() {
            Finding::good("freshness", "the index is up to date")
        } else {
            let changed = plural(status.pending.len() as u64, "file");
            Finding::fair("freshness", format!("{changed} changed since the last sync"), "vectorcode sync")
        },
        if status.chunks == 0 {
            Finding::fair(
                "coverage",
                "the index is empty",
                "vectorcode index --dry-run lists the files, and why others are left out",
            )
        } else if coverage >= 1.0 {
            Finding::good("coverage", "all chunks have a vector of the provider")
        } else {
            let missing = plural(status.coverage.total - status.coverage.embedded, "chunk");
            Finding::fair(
                "coverage",
                format!("{missing} have no vector of the provider yet"),
                "vectorcode index",
            )
        },
        if status.watched {
            Finding::good("watcher", "a server keeps this index up to date")
        } else {
            Finding::good(
                "watcher",
                "no server is running; `search` and `serve` update the index when they start",
            )
        },
    ]
}

fn provider(session: &Session) -> Finding {
    let ready = session.engine.embedder().and_then(|embedder| {
        embedder.check_ready()?;
        Ok::<_, EngineError>(embedder.space().to_string())
    });
    match ready {
        Ok(space) => Finding::good("provider", space),
        Err(error) => Finding::bad("provider", &error),
    }
}

/// `None` if no reranker is configured. A server may have to load its model first, so it gets more time here than in a search.
fn reranker(session: &Session) -> Option<Finding> {
    const RERANKER_TIMEOUT: Duration = Duration::from_secs(15);
    let asked = session.engine.reranker().transpose()?.and_then(|reranker| {
        let order =
            reranker.rerank("open a file", &["fn open()", "fn close()"], Instant::now() + RERANKER_TIMEOUT);
        order.map_err(|error| EngineError::Embed(Arc::new(error)))
    });
    Some(match asked {
        Ok(_) => {
            let settings = &session.settings.config.rerank;
            let best = plural(settings.depth as u64, "candidate");
            Finding::good("reranker", format!("{} reorders the best {best} of a search", settings.name))
        }
        Err(error) => Finding::bad("reranker", &error),
    })
}

/// Empty for a project without artifacts.
fn context(session: &Session) -> Vec<Finding> {
    let response = match session.engine.artifacts() {
        Ok(response) => response,
        Err(error) => return vec![Finding::bad("context", &error)],
    };
    let problems: Vec<Finding> = response
        .problems()
        .map(|problem| Finding::fair("context", problem, "vectorcode context list shows all artifacts"))
        .collect();
    match response.artifacts.len() {
        count if problems.is_empty() && count > 0 => {
            vec![Finding::good("context", plural(count as u64, "artifact"))]
        }
        _ => problems,
    }
}

/// Whether each agent on this machine is configured, and with a program path that still exists.
fn agents(session: &Session) -> Result<Vec<Finding>> {
    let machine = Machine::here(session.engine.project().root())?;
    let present = agents::present_agents(&machine, ConfigScope::User);
    let site = Site {
        program: agents::program_for_agents(&machine, ConfigScope::User)?,
        scope: ConfigScope::User,
        machine,
    };
    let finding = |task: Task| {
        let agent = task.title();
        match task.plan(Operation::Install { hooks: false }, &site).map(|step| step.verb()) {
            Ok(Verb::Unchanged) => Finding::good("agent", format!("{agent} is configured")),
            Ok(_) => Finding::fair(
                "agent",
                format!("{agent} is not configured to use this vectorcode"),
                "vectorcode install",
            ),
            // An unreadable file of another program deserves a warning, but vectorcode itself is not broken.
            Err(error) => Finding::fair("agent", error.to_string(), error.hint().unwrap_or_default()),
        }
    };
    Ok(agents::tasks(Operation::Install { hooks: false }, &present, &site).into_iter().map(finding).collect())
}
