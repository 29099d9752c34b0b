//! From the command line to an open [`Engine`]: find the project, merge the settings.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use vectorcode_core::CancelToken;
use vectorcode_core::config::{self, Override, Resolved, Sources};
use vectorcode_engine::{
    Engine, EngineError, EngineOptions, Freshen, Project, Projects, Workload, is_marked_project,
};

use crate::confirm::confirmed;
use crate::global_args::GlobalArgs;
use crate::output::Printer;
use crate::shell_paths::ShellPaths;

/// An engine and the settings that made it.
#[derive(Debug)]
pub struct Session {
    pub engine: Arc<Engine>,
    pub settings: Resolved,
    /// How paths are read and shown.
    pub paths: ShellPaths,
}

impl Session {
    /// Opens the project that the command line or the current directory names. Nothing is read but settings.
    pub fn open(global: &GlobalArgs, overrides: Vec<Override>, printer: &Printer) -> Result<Self> {
        Self::of(project(global)?, overrides, Workload::Foreground, printer)
    }

    /// The same for a server, which works while a person does.
    pub fn open_server(global: &GlobalArgs, overrides: Vec<Override>, printer: &Printer) -> Result<Self> {
        Self::of(project(global)?, overrides, Workload::Background, printer)
    }

    /// The same for the project around a path, unless the command line names one.
    pub fn open_around(
        path: &Path,
        global: &GlobalArgs,
        overrides: Vec<Override>,
        printer: &Printer,
    ) -> Result<Self> {
        let is_named = global.project_path.is_some() || global.here;
        let project = if is_named { project(global)? } else { Project::find(path)? };
        Self::of(project, overrides, Workload::Foreground, printer)
    }

    fn of(project: Project, overrides: Vec<Override>, workload: Workload, printer: &Printer) -> Result<Self> {
        let sources = sources(&project, overrides);
        let settings = config::load(&sources)?;
        for warning in &settings.warnings {
            printer.warn(warning);
        }
        let paths = ShellPaths::new(&project);
        let options = EngineOptions { workload, ..options(sources) };
        let engine = Arc::new(Engine::new(project, settings.clone(), options));
        Ok(Self { engine, settings, paths })
    }

    /// A first index begins with the root that was chosen: if it is not the one that was meant, this is the time to stop.
    /// On a terminal, asks about a large folder that is not a project; elsewhere, that is an error.
    pub fn announce_first_index(&self, printer: &Printer, cancel: &CancelToken) -> Result<()> {
        if self.engine.is_indexed() {
            return Ok(());
        }
        match self.engine.check_first_index(cancel) {
            Err(error @ EngineError::LargeFolder { .. }) if std::io::stdin().is_terminal() => {
                if !confirmed(&format!("{error}. Index it?"))? {
                    return Err(error.into());
                }
                self.engine.confirm_first_index();
            }
            checked => checked?,
        }
        let root = self.engine.project().root();
        printer.note(format_args!("Indexing {}", root.display()));
        if let Some(above) = project_above(root) {
            let above = above.display();
            printer.note(format_args!(
                "This folder gets an index of its own. {above} looks like the project: for an index of all of it, run \
                 `vectorcode remove` here and `vectorcode --project-path {above} index`."
            ));
        }
        Ok(())
    }

    /// The user's projects, seen from this one. A terminal has nobody who watches, so they are read anew first.
    pub fn projects(&self, freshen: Freshen) -> Projects {
        Projects::around(self.engine.clone(), freshen)
    }
}

/// The engine of a project that nobody waits for, with the settings that it would have in its own terminal.
pub fn background_engine(project: Project) -> Result<Arc<Engine>, String> {
    let sources = sources(&project, Vec::new());
    let settings = config::load(&sources).map_err(|error| error.to_string())?;
    let options = EngineOptions { workload: Workload::Background, ..options(sources) };
    Ok(Arc::new(Engine::new(project, settings, options)))
}

/// The nearest folder above that looks like a project, where the root itself does not. It stays below the home directory,
/// which may hold anything.
fn project_above(root: &Path) -> Option<&Path> {
    if is_marked_project(root) {
        return None;
    }
    let home = std::env::home_dir();
    let below_home = |folder: &&Path| home.as_deref() != Some(*folder) && folder.parent().is_some();
    root.ancestors().skip(1).take_while(below_home).find(|folder| is_marked_project(folder))
}

/// The settings of the user, without those of a project.
pub fn user_sources() -> Sources {
    let environment = environment();
    Sources { user_file: config::user_config_file(&environment), environment, ..Sources::default() }
}

fn options(settings: Sources) -> EngineOptions {
    EngineOptions {
        cache_dir: config::user_cache_dir(&settings.environment),
        registry: config::user_registry_file(&settings.environment),
        shared_vectors: Some(Arc::new(vectorcode_team::AutoPull)),
        settings,
        ..EngineOptions::default()
    }
}

/// `--project-path` is taken as it is, and with `--here` the current directory; else the nearest project around it.
pub fn project(global: &GlobalArgs) -> Result<Project> {
    let here = Path::new(".");
    Ok(match &global.project_path {
        path if global.here => Project::at(path.as_deref().unwrap_or(here))?.confirmed(),
        Some(path) => Project::at(path)?,
        None => Project::find(here)?,
    })
}

/// Where the settings of a project come from.
pub fn sources(project: &Project, overrides: Vec<Override>) -> Sources {
    let environment = environment();
    Sources {
        user_file: config::user_config_file(&environment),
        project_file: Some(project.config_file()),
        trust_file: config::user_trust_file(&environment),
        environment,
        overrides,
    }
}

pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
