//! The table of supported agents, one row each, and how to look one up.
//!
//! The rows list the files that an agent reads, not those that other tools write. `docs/notes/agents.md` has the evidence.

use std::path::{Path, PathBuf};

use super::agent_path::{AgentPath, Machine, app_data, config, home, project, variable};
use super::config_scope::ConfigScope;
use super::edit::{EntryLocation, Format};
use super::entry::EntryFormat;

/// One coding agent.
#[derive(Debug)]
pub struct Agent {
    /// The name on the command line, after `--target`.
    pub name: &'static str,
    /// The name as its vendor writes it.
    pub title: &'static str,
    /// Candidate locations of the user's file, newest first. The first that exists is edited. If none exists, a file is created
    /// at the first location whose directory exists, or else at the first location.
    user: &'static [AgentPath],
    /// The same for the project's file.
    project: &'static [AgentPath],
    /// Files and directories that exist only if the agent has been used on this machine.
    signs: &'static [AgentPath],
    /// Programs on the search path that belong to this agent.
    programs: &'static [&'static str],
    pub format: Format,
    pub location: EntryLocation,
    pub entry_format: EntryFormat,
}

impl Agent {
    pub fn by_name(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    pub fn has_file(&self, scope: ConfigScope) -> bool {
        !self.places(scope).is_empty()
    }

    /// The file to edit, or `None` if the agent has none in this scope.
    pub fn file(&self, machine: &Machine, scope: ConfigScope) -> Option<PathBuf> {
        let paths: Vec<PathBuf> = self.places(scope).iter().map(|place| machine.path_of(*place)).collect();
        let existing = paths.iter().find(|path| path.exists());
        let likely = || paths.iter().find(|path| path.parent().is_some_and(Path::is_dir));
        existing.or_else(likely).or_else(|| paths.first()).cloned()
    }

    /// Whether the agent seems to be in use: on this machine, or (in project scope) in this project.
    pub fn is_present(&self, machine: &Machine, scope: ConfigScope) -> bool {
        let here = if scope == ConfigScope::Project { self.project } else { &[] };
        let mut places = self.user.iter().chain(self.signs).chain(here);
        places.any(|place| machine.path_of(*place).exists())
            || self.programs.iter().any(|program| machine.find_program(program).is_some())
    }

    fn places(&self, scope: ConfigScope) -> &'static [AgentPath] {
        match scope {
            ConfigScope::User => self.user,
            ConfigScope::Project => self.project,
        }
    }
}

const MCP_SERVERS: EntryLocation = EntryLocation::key("mcpServers");

/// Newer OpenCode documentation shows servers one level deeper. A file that has this level keeps it.
const OPENCODE_MCP: EntryLocation = EntryLocation::key("mcp").nested_where_present("servers");

pub const AGENTS: &[Agent] = &[
    Agent {
        name: "claude-code",
        title: "Claude Code",
        user: &[variable("CLAUDE_CONFIG_DIR", "", ".claude.json")],
        project: &[project(".mcp.json")],
        signs: &[home(".claude/settings.json"), home(".claude/projects")],
        programs: &["claude"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::StdioEnv,
    },
    Agent {
        name: "claude-desktop",
        title: "Claude Desktop",
        user: &[app_data("Claude/claude_desktop_config.json")],
        project: &[],
        signs: &[app_data("Claude")],
        programs: &[],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "opencode",
        title: "OpenCode",
        user: &[config("opencode/opencode.json"), config("opencode/opencode.jsonc")],
        project: &[project("opencode.json"), project("opencode.jsonc")],
        signs: &[config("opencode")],
        programs: &["opencode"],
        format: Format::Json,
        location: OPENCODE_MCP,
        entry_format: EntryFormat::OpenCode,
    },
    Agent {
        name: "cursor",
        title: "Cursor",
        user: &[home(".cursor/mcp.json")],
        project: &[project(".cursor/mcp.json")],
        signs: &[home(".cursor")],
        programs: &["cursor", "cursor-agent"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "gemini-cli",
        title: "Gemini CLI",
        user: &[home(".gemini/settings.json")],
        project: &[project(".gemini/settings.json")],
        signs: &[],
        programs: &["gemini"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "antigravity",
        title: "Antigravity",
        user: &[home(".gemini/config/mcp_config.json"), home(".gemini/antigravity/mcp_config.json")],
        project: &[project(".agents/mcp_config.json")],
        signs: &[home(".gemini/antigravity"), home(".gemini/config")],
        programs: &["antigravity"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "codex",
        title: "Codex CLI",
        user: &[variable("CODEX_HOME", ".codex", "config.toml")],
        project: &[project(".codex/config.toml")],
        signs: &[variable("CODEX_HOME", ".codex", "")],
        programs: &["codex"],
        format: Format::Toml,
        location: EntryLocation::key("mcp_servers"),
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "vscode",
        title: "VS Code (Copilot)",
        user: &[app_data("Code/User/mcp.json")],
        project: &[project(".vscode/mcp.json")],
        signs: &[app_data("Code/User")],
        programs: &["code"],
        format: Format::Json,
        location: EntryLocation::key("servers"),
        entry_format: EntryFormat::Stdio,
    },
    Agent {
        name: "copilot-cli",
        title: "Copilot CLI",
        user: &[home(".copilot/mcp-config.json")],
        project: &[project(".github/mcp.json")],
        signs: &[home(".copilot")],
        programs: &["copilot"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::CopilotCli,
    },
    Agent {
        name: "qwen-code",
        title: "Qwen Code",
        user: &[home(".qwen/settings.json")],
        project: &[project(".qwen/settings.json")],
        signs: &[home(".qwen")],
        programs: &["qwen"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "kilo",
        title: "Kilo",
        user: &[config("kilo/kilo.jsonc"), config("kilo/kilo.json")],
        project: &[project("kilo.json"), project("kilo.jsonc")],
        signs: &[config("kilo")],
        programs: &["kilo"],
        format: Format::Json,
        location: OPENCODE_MCP,
        entry_format: EntryFormat::OpenCode,
    },
    Agent {
        name: "kiro",
        title: "Kiro",
        user: &[home(".kiro/settings/mcp.json")],
        project: &[project(".kiro/settings/mcp.json")],
        signs: &[home(".kiro")],
        programs: &["kiro", "kiro-cli"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "devin",
        title: "Devin Desktop (formerly Windsurf)",
        user: &[config("devin/mcp_config.json"), home(".codeium/windsurf/mcp_config.json")],
        project: &[project(".devin/mcp_config.json")],
        signs: &[config("devin"), home(".codeium/windsurf")],
        programs: &["devin", "windsurf"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "zed",
        title: "Zed",
        user: &[config("zed/settings.json").or_on_windows(app_data("Zed/settings.json"))],
        project: &[project(".zed/settings.json")],
        signs: &[config("zed").or_on_windows(app_data("Zed"))],
        programs: &["zed", "zeditor"],
        format: Format::Json,
        location: EntryLocation::key("context_servers"),
        entry_format: EntryFormat::Env,
    },
    Agent {
        name: "cline",
        title: "Cline",
        user: &[home(".cline/data/settings/cline_mcp_settings.json")],
        project: &[],
        signs: &[home(".cline")],
        programs: &["cline"],
        format: Format::Json,
        location: MCP_SERVERS,
        entry_format: EntryFormat::Plain,
    },
    Agent {
        name: "goose",
        title: "Goose",
        user: &[config("goose/config.yaml").or_on_windows(app_data("Block/goose/config/config.yaml"))],
        project: &[],
        signs: &[config("goose").or_on_windows(app_data("Block/goose"))],
        programs: &["goose"],
        format: Format::Yaml { new_file: "" },
        location: EntryLocation::key("extensions"),
        entry_format: EntryFormat::Goose,
    },
    Agent {
        name: "continue",
        title: "Continue",
        user: &[home(".continue/config.yaml")],
        project: &[project(".continue/mcpServers/vectorcode.yaml")],
        signs: &[home(".continue")],
        programs: &["cn"],
        format: Format::Yaml { new_file: "name: vectorcode\nversion: 0.0.1\nschema: v1\n" },
        location: EntryLocation::list("mcpServers"),
        entry_format: EntryFormat::Continue,
    },
    Agent {
        name: "crush",
        title: "Crush",
        user: &[],
        project: &[project("crush.json")],
        signs: &[],
        programs: &["crush"],
        format: Format::Json,
        location: EntryLocation::key("mcp"),
        entry_format: EntryFormat::Stdio,
    },
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_agent_has_its_own_name_and_some_file() {
        let names: BTreeSet<_> = AGENTS.iter().map(|agent| agent.name).collect();
        assert_eq!(names.len(), AGENTS.len());
        assert!(
            AGENTS
                .iter()
                .all(|agent| agent.has_file(ConfigScope::User) || agent.has_file(ConfigScope::Project))
        );
    }

    #[test]
    fn no_two_agents_share_a_file() {
        let machine = Machine::here(Path::new("/project")).unwrap();
        let mut files = BTreeSet::new();
        for agent in AGENTS {
            for place in agent.user.iter().chain(agent.project) {
                assert!(files.insert(machine.path_of(*place)), "{}", agent.name);
            }
        }
    }
}
