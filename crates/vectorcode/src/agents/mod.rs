//! Configures coding agents: adds the MCP server to their configuration files, and removes it again.
//!
//! The table in [`agent`] defines which files exist and what they look like. A [`Task`] is planned as a [`Step`],
//! which shows what would change and applies it. A file that cannot be parsed reliably is never written.

mod agent;
mod agent_hook;
mod agent_path;
mod config_scope;
mod document;
mod edit;
mod entry;
mod error;
mod file;
mod program;
mod server;
mod step;
mod text;
mod unified_diff;

pub use agent::{AGENTS, Agent};
pub use agent_path::Machine;
pub use config_scope::ConfigScope;
pub use error::AgentError;
pub use program::program_for_agents;
pub use step::{Step, Verb};

use agent_hook::AgentHook;
use document::ManagedFile;

/// Where the changes are made, and the program that is configured.
#[derive(Debug)]
pub struct Site {
    pub machine: Machine,
    pub scope: ConfigScope,
    /// The program that agents start.
    pub program: String,
}

/// Install or uninstall.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Install {
        /// Also install the hooks, which are opt-in.
        hooks: bool,
    },
    Uninstall,
}

/// One file to change.
#[derive(Clone, Copy, Debug)]
pub enum Task {
    /// The MCP server in the configuration file of an agent.
    Server(&'static Agent),
    /// The hook in the settings of an agent.
    Hook(&'static AgentHook),
    /// A file that belongs to vectorcode alone, such as the skill.
    Document(&'static ManagedFile),
}

impl Task {
    pub fn title(&self) -> &'static str {
        match self {
            Self::Server(agent) => agent.title,
            Self::Hook(hook) => hook.title,
            Self::Document(document) => document.title,
        }
    }

    /// Computes the change without making it.
    pub fn plan(&self, operation: Operation, site: &Site) -> Result<Step, AgentError> {
        match (self, operation) {
            (Self::Server(agent), Operation::Install { .. }) => server::plan_install(agent, site),
            (Self::Server(agent), Operation::Uninstall) => server::plan_uninstall(agent, site),
            (Self::Hook(hook), Operation::Install { .. }) => hook.plan_install(site),
            (Self::Hook(hook), Operation::Uninstall) => hook.plan_uninstall(site),
            (Self::Document(document), Operation::Install { .. }) => document.plan_install(site),
            (Self::Document(document), Operation::Uninstall) => document.plan_uninstall(site),
        }
    }
}

/// The agents that seem to be in use here and have a file in this scope.
pub fn present_agents(machine: &Machine, scope: ConfigScope) -> Vec<&'static Agent> {
    let wanted = |agent: &&Agent| agent.has_file(scope) && agent.is_present(machine, scope);
    AGENTS.iter().filter(wanted).collect()
}

/// All tasks for these agents: first their own files, then the documents they read. A hook that is already installed is updated
/// even without `--hooks`. A hook and a server may share a file, so uninstalling removes them in reverse order; otherwise the
/// original text could not be restored.
pub fn tasks(operation: Operation, agents: &[&'static Agent], site: &Site) -> Vec<Task> {
    let servers = agents.iter().copied().map(Task::Server);
    let wanted =
        |hook: &&AgentHook| operation != (Operation::Install { hooks: false }) || hook.is_installed(site);
    let hooks = agent_hook::for_agents(agents).filter(wanted).map(Task::Hook);
    let own: Vec<Task> = match operation {
        Operation::Install { .. } => servers.chain(hooks).collect(),
        Operation::Uninstall => hooks.chain(servers).collect(),
    };
    let documents = document::for_agents(agents, site.scope);
    let still_needed = |document: &ManagedFile| {
        operation == Operation::Uninstall && document.is_shared && others_remain(agents, site)
    };
    let documents = documents.into_iter().filter(|document| !still_needed(document)).map(Task::Document);
    own.into_iter().chain(documents).collect()
}

/// Whether an agent that is not in the list still starts our server. If so, shared documents must stay.
fn others_remain(leaving: &[&'static Agent], site: &Site) -> bool {
    let others = AGENTS.iter().filter(|agent| !leaving.iter().any(|other| other.name == agent.name));
    others
        .filter(|agent| agent.has_file(site.scope))
        .any(|agent| server::plan_uninstall(agent, site).is_ok_and(|step| step.verb() == Verb::Removed))
}
