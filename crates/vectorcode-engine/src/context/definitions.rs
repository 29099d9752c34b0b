//! Reads which context artifacts a project defines: `[[artifacts]]` in its settings, and `SocratiCode`'s own file.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;
use vectorcode_core::config::ArtifactConfig;
use vectorcode_core::is_within;
use vectorcode_core::private_files::{self, Links, MAX_CONFIG_FILE_BYTES};

use crate::project::Project;

/// The file with `SocratiCode`'s artifacts, in the root of a project.
pub(crate) const SOCRATICODE_FILE: &str = ".socraticodecontextartifacts.json";
/// How responses name our own settings file.
const SETTINGS: &str = "config.toml";

/// One defined artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Artifact {
    pub name: String,
    /// As written by the user.
    pub path: PathBuf,
    pub description: String,
    pub defined_in: &'static str,
    /// The path relative to the root, or why it cannot be part of the project.
    pub place: Result<String, String>,
}

impl Artifact {
    /// Why the artifact cannot be searched at all, as far as its path alone shows.
    pub(crate) fn problem(&self, project: &Project) -> Option<String> {
        match &self.place {
            Err(problem) => Some(problem.clone()),
            Ok(place) if project.absolute(place).symlink_metadata().is_err() => {
                Some(format!("there is nothing at {}", self.path.display()))
            }
            Ok(_) => None,
        }
    }
}

/// All definitions, without duplicate names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct ArtifactDefinitions {
    pub artifacts: Vec<Artifact>,
    /// Problems with the definitions, as sentences.
    pub notes: Vec<String>,
}

impl ArtifactDefinitions {
    pub(crate) fn read(project: &Project, configured: &[ArtifactConfig]) -> Self {
        let mut definitions = Self::default();
        for artifact in configured {
            definitions.add(project, artifact.clone(), SETTINGS);
        }
        let file = project.root().join(SOCRATICODE_FILE);
        match private_files::read_text(&file, MAX_CONFIG_FILE_BYTES, Links::Refuse) {
            Ok(text) => definitions.add_socraticode(project, &text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => definitions.notes.push(format!("{SOCRATICODE_FILE} cannot be read: {error}")),
        }
        definitions
    }

    /// The paths of the artifacts in the index; those outside the project are left out.
    pub(crate) fn places(&self) -> Vec<String> {
        self.artifacts.iter().filter_map(|artifact| artifact.place.clone().ok()).collect()
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Artifact> {
        self.artifacts.iter().find(|artifact| artifact.name == name)
    }

    /// The artifact that contains a file; the innermost one if they are nested.
    pub(crate) fn of_file(&self, path: &str) -> Option<&Artifact> {
        let holds = |artifact: &&Artifact| artifact.place.as_ref().is_ok_and(|place| is_within(path, place));
        self.artifacts
            .iter()
            .filter(holds)
            .max_by_key(|artifact| artifact.place.as_ref().map_or(0, String::len))
    }

    /// An invalid entry adds a note and does not affect the others.
    fn add_socraticode(&mut self, project: &Project, text: &str) {
        let entries = match serde_json::from_str::<SocratiCodeFile>(text) {
            Ok(file) => file.artifacts,
            Err(error) => return self.notes.push(format!("{SOCRATICODE_FILE} cannot be read: {error}")),
        };
        for (number, entry) in entries.into_iter().enumerate() {
            match ArtifactConfig::deserialize(entry) {
                Ok(artifact) => self.add(project, artifact, SOCRATICODE_FILE),
                Err(error) => {
                    self.notes.push(format!(
                        "Entry {} of {SOCRATICODE_FILE} is not a valid artifact: {error}",
                        number + 1
                    ));
                }
            }
        }
    }

    fn add(&mut self, project: &Project, artifact: ArtifactConfig, defined_in: &'static str) {
        if let Some(first) = self.named(&artifact.name) {
            self.notes.push(format!(
                "The context artifact `{}` is defined twice; the definition in {} is used, the one in {defined_in} is ignored.",
                artifact.name, first.defined_in
            ));
            return;
        }
        let ArtifactConfig { name, path, description } = artifact;
        let place = place(project, &path);
        self.artifacts.push(Artifact { name, path, description, defined_in, place });
    }
}

#[derive(Deserialize)]
struct SocratiCodeFile {
    #[serde(default)]
    artifacts: Vec<Value>,
}

/// Only paths inside the project are watched and stay valid when the project is moved. Also, a settings file that
/// came with a repository must not reach the rest of the disk.
fn place(project: &Project, path: &Path) -> Result<String, String> {
    match project.relative(path) {
        Ok(place) if place.is_empty() => {
            Err("it is the whole project; name a file or directory in it".into())
        }
        Ok(place) => Ok(place),
        Err(_) => Err(format!(
            "{} lies outside the project; move it in, or index its folder as a project and add that to linked_projects",
            path.display()
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(socraticode: &str, configured: &[(&str, &str)]) -> ArtifactDefinitions {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join(SOCRATICODE_FILE), socraticode).unwrap();
        let configured: Vec<ArtifactConfig> = configured
            .iter()
            .map(|(name, path)| ArtifactConfig {
                name: (*name).into(),
                path: (*path).into(),
                description: String::new(),
            })
            .collect();
        ArtifactDefinitions::read(&Project::at(dir.path()).unwrap(), &configured)
    }

    #[test]
    fn both_files_are_merged_and_the_settings_win() {
        let file = r#"{"artifacts": [
            {"name": "schema", "path": "./db/schema.sql", "description": "Tables."},
            {"name": "api", "path": "openapi.json", "description": "HTTP."}
        ]}"#;
        let definitions = read(file, &[("schema", "schema.prisma")]);
        assert_eq!(definitions.places(), ["schema.prisma", "openapi.json"]);
        assert_eq!(definitions.named("api").unwrap().description, "HTTP.");
        assert!(definitions.notes[0].contains("`schema` is defined twice"), "{:?}", definitions.notes);
    }

    #[test]
    fn a_bad_entry_or_file_costs_a_note_only() {
        let definitions = read(r#"{"artifacts": [{"path": "x"}, {"name": "a", "path": "a.md"}]}"#, &[]);
        assert_eq!(definitions.places(), ["a.md"]);
        assert!(definitions.notes[0].contains("missing field `name`"), "{:?}", definitions.notes);
        let definitions = read("{ no", &[("b", "b.md")]);
        assert_eq!((definitions.places().len(), definitions.notes.len()), (1, 1));
    }

    #[test]
    fn a_place_outside_of_the_project_is_refused() {
        let definitions =
            read("{}", &[("up", "../x"), ("all", "."), ("abs", "/etc/passwd"), ("in", "a/../b")]);
        assert_eq!(definitions.places(), ["b"]);
        assert!(definitions.named("up").unwrap().place.as_ref().unwrap_err().contains("outside the project"));
    }

    #[test]
    fn a_file_belongs_to_the_innermost_artifact() {
        let definitions = read("{}", &[("docs", "docs"), ("adr", "docs/adr")]);
        let owner = |path| definitions.of_file(path).map(|artifact| artifact.name.as_str());
        assert_eq!(owner("docs/adr/1.md"), Some("adr"));
        assert_eq!(owner("docs/a.md"), Some("docs"));
        assert_eq!(owner("docsy.md"), None);
    }
}
