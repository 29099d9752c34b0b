//! `vectorcode projects`: the indexed projects and their state.

use anyhow::Result;
use vectorcode_core::api::{ProjectState, ProjectSummary};
use vectorcode_engine::Freshen;

use crate::exit::Outcome;
use crate::global_args::GlobalArgs;
use crate::output::numbers::{duration, plural};
use crate::output::{Printer, style, time};
use crate::session::Session;

#[derive(Debug, clap::Args)]
pub struct ProjectsArgs {
    /// Remove projects whose folder no longer exists from the list
    #[arg(long)]
    prune: bool,

    /// Print the list as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(args: &ProjectsArgs, global: &GlobalArgs, printer: &Printer) -> Result<Outcome> {
    let projects = Session::open(global, Vec::new(), printer)?.projects(Freshen::Never);
    if args.prune {
        for name in projects.prune()? {
            printer.note(format!("Removed {name} from the list"));
        }
    }
    let response = projects.list()?;
    if args.json {
        printer.json(&response)?;
        return Ok(Outcome::Done);
    }
    let width =
        response.projects.iter().map(|project| project.name.chars().count()).max().unwrap_or_default();
    response.projects.iter().try_for_each(|project| printer.line(line(project, width)))?;
    advise(&response.projects, printer);
    Ok(Outcome::Done)
}

/// `* api   12 files, 80 chunks, synced 3 minutes ago  /home/ada/api`
fn line(project: &ProjectSummary, width: usize) -> String {
    let mark = match (project.current, project.linked) {
        (true, _) => "*",
        (false, true) => "+",
        (false, false) => " ",
    };
    let (path, dim) = (style::PATH, style::DIM);
    format!(
        "{mark} {}{:<width$}{}  {}  {}{}{}",
        path.render(),
        project.name,
        path.render_reset(),
        condition(project),
        dim.render(),
        project.root,
        dim.render_reset()
    )
}

fn condition(project: &ProjectSummary) -> String {
    let (Some(files), Some(chunks)) = (project.files, project.chunks) else {
        let problem = project.problem.as_deref().unwrap_or("cannot be searched");
        return format!("{}{problem}{}", style::WARNING.render(), style::WARNING.render_reset());
    };
    let synced = project.last_sync_at.as_deref().and_then(time::seconds_since);
    let synced =
        synced.map_or_else(|| "never synced".into(), |seconds| format!("synced {} ago", duration(seconds)));
    format!("{}, {}, {synced}", plural(files, "file"), plural(chunks, "chunk"))
}

fn advise(projects: &[ProjectSummary], printer: &Printer) {
    if projects.is_empty() {
        printer.note("No project has been indexed yet. `vectorcode index` adds the current one.");
    }
    if projects.iter().any(|project| project.state == ProjectState::Gone) {
        printer.note("`vectorcode projects --prune` removes those that no longer exist from the list.");
    }
}
