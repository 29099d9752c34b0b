//! Opens an [`Engine`] from the command line: finds the project and merges the settings.

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

/// An engine and the settings it was opened with.
#[derive(Debug)]
pub struct Session {
    pub engine: Arc<Engine>,
    pub settings: Resolved,
    /// Converts paths between the shell and the index.
    pub paths: ShellPaths,
}

impl Session {
    /// Opens the project of the command line or the current directory. Reads nothing but settings.
    pub fn open(global: &GlobalArgs, overrides: Vec<Override>, printer: &Printer) -> Result<Self> {
        Self::of(project(global)?, overrides, Workload::Foreground, printer)
    }

    /// Like [`Self::open`], for a server that runs in the background while a person works.
    pub fn open_server(global: &GlobalArgs, overrides: Vec<Override>, printer: &Printer) -> Result<Self> {
        Self::of(project(global)?, overrides, Workload::Background, printer)
    }

    /// Like [`Self::open`], for the project around a path, unless the command line names one.
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

    /// Prints the root before a first index, so that the user can stop if it is not the intended one. On a terminal, asks
    /// before indexing a large folder that is not a project; otherwise that is an error.
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
                "This folder gets its own index. {above} looks like the project: for an index of all of it, run \
                 `vectorcode remove` here and `vectorcode --project-path {above} index`."
            ));
        }
        Ok(())
    }

    /// The user's projects, with this one as the current project. Nothing keeps them up to date for a command, so `freshen`
    /// says whether to update them first.
    pub fn projects(&self, freshen: Freshen) -> Projects {
        Projects::around(self.engine.clone(), freshen)
    }
}

/// The engine of a project for background work, with the settings that a command in its directory would use.
pub fn background_engine(project: Project) -> Result<Arc<Engine>, String> {
    let sources = sources(&project, Vec::new());
    let settings = config::load(&sources).map_err(|error| error.to_string())?;
    let options = EngineOptions { workload: Workload::Background, ..options(sources) };
    Ok(Arc::new(Engine::new(project, settings, options)))
}

/// The nearest folder above the root that looks like a project, if the root itself does not. Only folders below the home
/// directory count, because the home directory may contain anything.
fn project_above(root: &Path) -> Option<&Path> {
    if is_marked_project(root) {
        return None;
    }
    let home = std::env::home_dir();
    let below_home = |folder: &&Path| home.as_deref() != Some(*folder) && folder.parent().is_some();
    root.ancestors().skip(1).take_while(below_home).find(|folder| is_marked_project(folder))
}

/// The user's settings, without those of any project.
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

/// The project: with `--project-path` or `--here` exactly that directory, otherwise the nearest project around the current one.
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
