//! Adds hooks to agents: after an agent's own search or file read, `vectorcode hook` runs and may add a few lines. Only with
//! `install --hooks`.

use super::Site;
use super::agent::Agent;
use super::agent_path::{AgentPath, home, project, variable};
use super::config_scope::ConfigScope;
use super::edit::{HookSlot, put_hook, remove_hook};
use super::entry::hook_command;
use super::error::AgentError;
use super::file::UserFile;
use super::server::stop_directory;
use super::step::{Backup, Step, Verb};
use super::text::Text;

/// Where an agent configures its hooks, and after which of its tools our hook runs.
#[derive(Debug)]
pub struct AgentHook {
    /// The agent's name on the command line.
    agent: &'static str,
    pub title: &'static str,
    user: AgentPath,
    project: AgentPath,
    slot: HookSlot,
}

static HOOKS: [AgentHook; 3] = [
    AgentHook {
        agent: "claude-code",
        title: "Claude Code hook",
        user: variable("CLAUDE_CONFIG_DIR", ".claude", "settings.json"),
        project: project(".claude/settings.json"),
        slot: HookSlot { event: "PostToolUse", matcher: "Grep|Read|Bash", timeout: 5 },
    },
    AgentHook {
        agent: "codex",
        title: "Codex CLI hook",
        user: variable("CODEX_HOME", ".codex", "hooks.json"),
        project: project(".codex/hooks.json"),
        slot: HookSlot { event: "PostToolUse", matcher: "^Bash$", timeout: 5 },
    },
    AgentHook {
        agent: "gemini-cli",
        title: "Gemini CLI hook",
        user: home(".gemini/settings.json"),
        project: project(".gemini/settings.json"),
        slot: HookSlot {
            event: "AfterTool",
            matcher: "^(grep_search|search_file_content|read_file|run_shell_command)$",
            // Milliseconds.
            timeout: 5000,
        },
    },
];

/// The hooks of these agents.
pub fn for_agents(agents: &[&'static Agent]) -> impl Iterator<Item = &'static AgentHook> {
    HOOKS.iter().filter(|hook| agents.iter().any(|agent| agent.name == hook.agent))
}

impl AgentHook {
    pub fn is_installed(&self, site: &Site) -> bool {
        self.open(site).and_then(|file| file.text()).is_ok_and(|text| self.is_in(&text))
    }

    pub fn plan_install(&self, site: &Site) -> Result<Step, AgentError> {
        let file = self.open(site)?;
        let text = file.text()?;
        let command = hook_command(&site.program);
        let edited = put_hook(text.body(), self.slot, &command).map_err(|error| file.refuse(error))?;
        let Some(edited) = edited else { return Ok(Step::nothing(file, Verb::Unchanged)) };
        let is_update = self.is_in(&text);
        // If the file already contains our server, its installation made the backup (or there was no file to back up). A new
        // backup would replace the user's original.
        let backup = if is_update || self.holds_server(&text, site) { Backup::Leave } else { Backup::Renew };
        let bytes = text.encode(&edited);
        Ok(Step::write(file, if is_update { Verb::Updated } else { Verb::Added }, bytes, backup))
    }

    pub fn plan_uninstall(&self, site: &Site) -> Result<Step, AgentError> {
        let file = self.open(site)?;
        let text = file.text()?;
        let edited = remove_hook(text.body(), self.slot).map_err(|error| file.refuse(error))?;
        let Some(edited) = edited else { return Ok(Step::nothing(file, Verb::Absent)) };
        let backup = file.backup()?;
        if let Some((before, is_original)) = self.text_before(backup.as_ref(), &text, site) {
            let bytes = text.encode(&before);
            let backup = if is_original { Backup::Drop } else { Backup::Leave };
            return Ok(Step::write(file, Verb::Removed, bytes, backup));
        }
        if backup.is_none() && matches!(edited.trim(), "" | "{}") {
            return Ok(Step::remove(file, stop_directory(site)));
        }
        let bytes = text.encode(&edited);
        Ok(Step::write(file, Verb::Removed, bytes, Backup::Leave))
    }

    /// The exact text from before the hook was added, if nothing else has changed since: either the backup itself, or the
    /// backup with our server added. The flag is true for the backup itself, which is the user's original.
    fn text_before(&self, backup: Option<&Text>, now: &Text, site: &Site) -> Option<(String, bool)> {
        let command = hook_command(&site.program);
        let gives_now = |before: &str| {
            put_hook(before, self.slot, &command).is_ok_and(|put| put.as_deref() == Some(now.body()))
        };
        let original = backup?.body().to_owned();
        if gives_now(&original) {
            return Some((original, true));
        }
        let agent = Agent::by_name(self.agent)?;
        let fields = agent.entry_format.fields(&site.program);
        let with_server = agent.format.put(&original, agent.location, &fields).ok()?;
        gives_now(&with_server).then_some((with_server, false))
    }

    fn is_in(&self, text: &Text) -> bool {
        remove_hook(text.body(), self.slot).is_ok_and(|removed| removed.is_some())
    }

    /// Whether this agent configures hooks and servers in the same file, and that file already contains our server.
    fn holds_server(&self, text: &Text, site: &Site) -> bool {
        let is_same = |agent: &&Agent| {
            agent
                .file(&site.machine, site.scope)
                .is_some_and(|file| file == site.machine.path_of(self.place(site)))
        };
        Agent::by_name(self.agent).filter(is_same).is_some_and(|agent| {
            let words = agent.format.launch(text.body(), agent.location, agent.entry_format.launch_keys());
            words.is_ok_and(|words| words.is_some())
        })
    }

    fn place(&self, site: &Site) -> AgentPath {
        match site.scope {
            ConfigScope::User => self.user,
            ConfigScope::Project => self.project,
        }
    }

    fn open(&self, site: &Site) -> Result<UserFile, AgentError> {
        UserFile::read(site.machine.path_of(self.place(site)))
    }
}
