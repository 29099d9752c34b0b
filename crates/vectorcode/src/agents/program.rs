//! The command that an agent must run to start this binary.

use std::path::PathBuf;
use std::{env, io};

use super::agent_path::Machine;
use super::entry::SERVER_NAME;
use super::error::AgentError;
use super::scope::Scope;

/// Returns plain `vectorcode` if that name leads to this binary, otherwise its absolute path. In a project's file, which other
/// machines share, the name need only be on the search path; in the user's own it must not lead into the project either.
pub fn program_for_agents(machine: &Machine, scope: Scope) -> Result<String, AgentError> {
    let here = env::current_exe().map_err(|source| unknown(PathBuf::from(SERVER_NAME), source))?;
    let this = here.canonicalize().ok();
    let found = machine.find_program(SERVER_NAME).filter(|found| found.canonicalize().ok() == this);
    if found.is_some() && (scope == Scope::Project || machine.names_lead_to_the_search_path()) {
        return Ok(SERVER_NAME.to_owned());
    }
    found.unwrap_or(here).into_os_string().into_string().map_err(|path| {
        let source = io::Error::new(io::ErrorKind::InvalidData, "the path is not valid Unicode");
        unknown(PathBuf::from(path), source)
    })
}

fn unknown(path: PathBuf, source: io::Error) -> AgentError {
    AgentError::Io { action: "name the program", path, source }
}
