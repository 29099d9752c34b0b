//! The command that an agent must run to start this binary.

use std::path::PathBuf;
use std::{env, io};

use super::entry::SERVER_NAME;
use super::error::AgentError;
use super::place::Machine;

/// Returns plain `vectorcode` if the search path finds this binary under that name, otherwise its absolute path.
pub fn program_for_agents(machine: &Machine) -> Result<String, AgentError> {
    let here = env::current_exe().map_err(|source| unknown(PathBuf::from(SERVER_NAME), source))?;
    let found = machine.find_program(SERVER_NAME).and_then(|path| path.canonicalize().ok());
    if found.is_some() && found == here.canonicalize().ok() {
        return Ok(SERVER_NAME.to_owned());
    }
    here.into_os_string().into_string().map_err(|path| {
        let source = io::Error::new(io::ErrorKind::InvalidData, "the path is not valid Unicode");
        unknown(PathBuf::from(path), source)
    })
}

fn unknown(path: PathBuf, source: io::Error) -> AgentError {
    AgentError::Io { action: "name the program", path, source }
}
