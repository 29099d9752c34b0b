//! From the command line to an open [`Engine`]: find the project, merge the settings.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use vectorcode_core::config::{self, Override, Resolved, Sources};
use vectorcode_engine::{Engine, EngineOptions, Freshen, Project, Projects};

use crate::args::GlobalArgs;
use crate::output::Printer;

/// An engine and the settings that made it.
#[derive(Debug)]
pub struct Session {
    pub engine: Arc<Engine>,
    pub settings: Resolved,
}

impl Session {
    /// Opens the project that the command line or the current directory names. Nothing is read but settings.
    pub fn open(global: &GlobalArgs, overrides: Vec<Override>, printer: &Printer) -> Result<Self> {
        let project = project(global)?;
        let settings = settings(&project, overrides)?;
        for warning in &settings.warnings {
            printer.warn(warning);
        }
        let engine = Arc::new(Engine::new(project, settings.config.clone(), options()));
        Ok(Self { engine, settings })
    }

    /// The user's projects, seen from this one. A terminal has nobody who watches, so they are read anew first.
    pub fn projects(&self, freshen: Freshen) -> Projects {
        Projects::around(self.engine.clone(), freshen)
    }
}

fn options() -> EngineOptions {
    let environment = environment();
    EngineOptions {
        embedder: None,
        cache_dir: config::user_cache_dir(&environment),
        registry: config::user_registry_file(&environment),
        settings: user_sources(environment),
    }
}

/// Where settings come from that are not a project's own.
fn user_sources(environment: BTreeMap<String, String>) -> Sources {
    Sources { user_file: config::user_config_file(&environment), environment, ..Sources::default() }
}

/// `--project-path` is taken as it is; without it the nearest project around the current directory.
pub fn project(global: &GlobalArgs) -> Result<Project> {
    Ok(match &global.project_path {
        Some(path) => Project::at(path)?,
        None => Project::find(Path::new("."))?,
    })
}

pub fn settings(project: &Project, overrides: Vec<Override>) -> Result<Resolved> {
    let project_file = Some(project.config_file());
    Ok(config::load(&Sources { project_file, overrides, ..user_sources(environment()) })?)
}

pub fn environment() -> BTreeMap<String, String> {
    std::env::vars_os()
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect()
}
