//! Files that vectorcode owns completely: the skill, and the instructions for Antigravity.

use super::Site;
use super::agent::Agent;
use super::agent_path::{AgentPath, home, project, variable};
use super::config_scope::ConfigScope;
use super::error::AgentError;
use super::file::UserFile;
use super::server::stop_directory;
use super::step::{Backup, Step, Verb};

/// A marker in every document we write. A file with the same name but without it was written by someone else and is
/// not touched.
const MANAGED_BY_MARKER: &str = "managed-by: vectorcode";

const SKILL: &str = include_str!("../../plugin/skills/semantic-search/SKILL.md");
const INSTRUCTIONS: &str = include_str!("../../plugin/antigravity/instructions.md");

#[derive(Debug)]
pub struct ManagedFile {
    pub title: &'static str,
    content: &'static str,
    user: AgentPath,
    project: Option<AgentPath>,
    /// Read by several agents, so it is kept while one of them still uses our server.
    pub is_shared: bool,
}

static AGENTS_SKILL: ManagedFile = ManagedFile {
    title: "Skill (.agents)",
    content: SKILL,
    user: home(".agents/skills/semantic-search/SKILL.md"),
    project: Some(project(".agents/skills/semantic-search/SKILL.md")),
    is_shared: true,
};

static CLAUDE_SKILL: ManagedFile = ManagedFile {
    title: "Skill (.claude)",
    content: SKILL,
    user: variable("CLAUDE_CONFIG_DIR", ".claude", "skills/semantic-search/SKILL.md"),
    project: Some(project(".claude/skills/semantic-search/SKILL.md")),
    is_shared: true,
};

static ANTIGRAVITY_INSTRUCTIONS: ManagedFile = ManagedFile {
    title: "Antigravity instructions",
    content: INSTRUCTIONS,
    user: home(".gemini/antigravity/mcp/vectorcode/instructions.md"),
    project: None,
    is_shared: false,
};

/// The documents that these agents read in this scope.
pub fn for_agents(agents: &[&Agent], scope: ConfigScope) -> Vec<&'static ManagedFile> {
    let mut documents = Vec::new();
    if agents.iter().any(|agent| agent.name == "antigravity") {
        documents.push(&ANTIGRAVITY_INSTRUCTIONS);
    }
    if !agents.is_empty() {
        documents.extend([&AGENTS_SKILL, &CLAUDE_SKILL]);
    }
    documents.retain(|document| scope == ConfigScope::User || document.project.is_some());
    documents
}

impl ManagedFile {
    pub fn plan_install(&self, site: &Site) -> Result<Step, AgentError> {
        let file = self.open(site)?;
        let text = file.text()?;
        let verb = match (file.exists(), text.body()) {
            (false, _) => Verb::Added,
            (true, body) if body == self.content => return Ok(Step::nothing(file, Verb::Unchanged)),
            (true, body) if body.contains(MANAGED_BY_MARKER) => Verb::Updated,
            (true, _) => return Err(AgentError::ForeignSkill { path: file.path().to_owned() }),
        };
        Ok(Step::write(file, verb, self.content.as_bytes().to_vec(), Backup::Leave))
    }

    pub fn plan_uninstall(&self, site: &Site) -> Result<Step, AgentError> {
        let file = self.open(site)?;
        let is_ours = file.text()?.body().contains(MANAGED_BY_MARKER);
        Ok(if is_ours { Step::remove(file, stop_directory(site)) } else { Step::nothing(file, Verb::Absent) })
    }

    fn open(&self, site: &Site) -> Result<UserFile, AgentError> {
        let place = match site.scope {
            ConfigScope::User => self.user,
            ConfigScope::Project => self.project.unwrap_or(self.user),
        };
        UserFile::read(site.machine.path_of(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_skill_has_the_frontmatter_that_agents_demand() {
        let (_, rest) = SKILL.split_once("---\n").unwrap();
        let (frontmatter, body) = rest.split_once("---\n").unwrap();
        let field = |key: &str| {
            frontmatter.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim().len())
        };
        assert!(SKILL.starts_with("---\n"));
        assert!(
            frontmatter.contains("\nname: semantic-search\n")
                || frontmatter.starts_with("name: semantic-search\n")
        );
        assert!(field("description:").is_some_and(|length| (1..=1024).contains(&length)));
        assert!(body.contains("vec_search"));
    }

    #[test]
    fn every_document_carries_the_mark() {
        for document in [&AGENTS_SKILL, &CLAUDE_SKILL, &ANTIGRAVITY_INSTRUCTIONS] {
            assert!(document.content.contains(MANAGED_BY_MARKER), "{}", document.title);
        }
    }
}
