//! The command that an agent must run to start this binary.

use std::path::PathBuf;
use std::{env, io};

use super::agent_path::Machine;
use super::config_scope::ConfigScope;
use super::entry::SERVER_NAME;
use super::error::AgentError;

/// Returns plain `vectorcode` if that name resolves to this binary, otherwise the absolute path. In a project's file, which
/// other machines share, it is enough that the name is on the search path. In the user's own file the name must also not
/// resolve to a program inside the project.
pub fn program_for_agents(machine: &Machine, scope: ConfigScope) -> Result<String, AgentError> {
    let here = env::current_exe().map_err(|source| unknown(PathBuf::from(SERVER_NAME), source))?;
    let this = here.canonicalize().ok();
    let found = machine.find_program(SERVER_NAME).filter(|found| found.canonicalize().ok() == this);
    if found.is_some() && (scope == ConfigScope::Project || machine.bare_names_are_safe()) {
        return Ok(SERVER_NAME.to_owned());
    }
    found.unwrap_or(here).into_os_string().into_string().map_err(|path| {
        let source = io::Error::new(io::ErrorKind::InvalidData, "the path is not valid Unicode");
        unknown(PathBuf::from(path), source)
    })
}

fn unknown(path: PathBuf, source: io::Error) -> AgentError {
    AgentError::Io { action: "locate the program", path, source }
}
