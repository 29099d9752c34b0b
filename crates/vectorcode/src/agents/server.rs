//! Plans the changes to an agent's file that add our server or remove it.

use std::path::Path;

use super::Site;
use super::agent::Agent;
use super::config_scope::ConfigScope;
use super::edit::{EditError, EmptyContainer};
use super::entry::is_ours;
use super::error::AgentError;
use super::file::UserFile;
use super::step::{Backup, Step, Verb};
use super::text::Text;

/// Adds our entry, or changes an existing one to start this program. Its other arguments and fields are kept.
pub fn plan_install(agent: &Agent, site: &Site) -> Result<Step, AgentError> {
    let file = open(agent, site)?;
    let text = file.text()?;
    let body = if file.exists() { text.body() } else { agent.format.new_file() };
    let (fields, verb) = match launch(agent, file.path(), body)? {
        None => (agent.entry_format.fields(&site.program), Verb::Added),
        Some(words) if !is_ours(&words) => {
            return Err(AgentError::Foreign { path: file.path().to_owned(), command: words.join(" ") });
        }
        Some(words) if words[0] == site.program => return Ok(Step::nothing(file, Verb::Unchanged)),
        Some(words) => (vec![agent.entry_format.program_field(&site.program, &words)], Verb::Updated),
    };
    let edited = agent.format.put(body, agent.location, &fields).map_err(|error| file.refuse(error))?;
    let words = launch(agent, file.path(), &edited)?.unwrap_or_default();
    if words.first() != Some(&site.program) {
        return Err(file.refuse(EditError::Unsafe));
    }
    let backup = if verb == Verb::Added { Backup::Renew } else { Backup::Leave };
    let bytes = text.encode(&edited);
    Ok(Step::write(file, verb, bytes, backup))
}

/// Removes our entry, and whatever else the installation created (the file, the container).
pub fn plan_uninstall(agent: &Agent, site: &Site) -> Result<Step, AgentError> {
    let file = open(agent, site)?;
    let text = file.text()?;
    let words = launch(agent, file.path(), text.body())?;
    let Some(words) = words.filter(|words| file.exists() && is_ours(words)) else {
        return Ok(Step::nothing(file, Verb::Absent));
    };
    let backup = file.backup()?;
    if let Some(backup) = backup.as_ref().filter(|backup| only_we_changed(agent, backup, &text, &words[0])) {
        let bytes = backup.encode(backup.body());
        return Ok(Step::write(file, Verb::Removed, bytes, Backup::Drop));
    }
    let edited = remove(agent, &text, backup.as_ref()).map_err(|error| file.refuse(error))?;
    if backup.is_none() && agent.format.is_new_file(&edited) {
        return Ok(Step::remove(file, stop_directory(site)));
    }
    let restored = backup.is_some_and(|backup| backup.body() == edited);
    let bytes = text.encode(&edited);
    Ok(Step::write(file, Verb::Removed, bytes, if restored { Backup::Drop } else { Backup::Leave }))
}

fn open(agent: &Agent, site: &Site) -> Result<UserFile, AgentError> {
    let path = agent.file(&site.machine, site.scope);
    UserFile::read(path.ok_or(AgentError::NoSuchScope { agent: agent.title, scope: site.scope })?)
}

fn launch(agent: &Agent, path: &Path, body: &str) -> Result<Option<Vec<String>>, AgentError> {
    let words = agent.format.launch(body, agent.location, agent.entry_format.launch_keys());
    words.map_err(|source| AgentError::Edit { path: path.to_owned(), source })
}

/// Whether installing into the backup gives exactly the current file. Then restoring the backup is the best way to
/// undo.
fn only_we_changed(agent: &Agent, backup: &Text, now: &Text, program: &str) -> bool {
    let fields = agent.entry_format.fields(program);
    agent
        .format
        .put(backup.body(), agent.location, &fields)
        .is_ok_and(|installed| backup.encode(&installed) == now.encode(now.body()))
}

/// Removes our entry. An empty container is kept only if the user's file had it before.
fn remove(agent: &Agent, text: &Text, backup: Option<&Text>) -> Result<String, EditError> {
    let users = backup.is_some_and(|backup| agent.format.has_container(backup.body(), agent.location));
    let empty = if users { EmptyContainer::Keep } else { EmptyContainer::Drop };
    agent.format.remove(text.body(), agent.location, empty)
}

/// Removal stops here: this directory and its parents existed before the installation.
pub fn stop_directory(site: &Site) -> &Path {
    match site.scope {
        ConfigScope::User => site.machine.home(),
        ConfigScope::Project => site.machine.project(),
    }
}
