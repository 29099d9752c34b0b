//! Locations of agents' files: as the table of agents defines them, and resolved on this machine.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use vectorcode_core::programs;

use super::error::AgentError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    MacOs,
    Windows,
    /// Linux and other systems that use the XDG directories.
    Xdg,
}

impl Platform {
    pub const HERE: Self = if cfg!(target_os = "macos") {
        Self::MacOs
    } else if cfg!(windows) {
        Self::Windows
    } else {
        Self::Xdg
    };
}

/// The base directory of a place.
#[derive(Clone, Copy, Debug)]
enum Root {
    Home,
    /// `$XDG_CONFIG_HOME` or `~/.config`, on every platform: many agents ignore the platform's convention.
    Config,
    /// Where the platform stores the settings of desktop applications.
    AppData,
    /// The directory in an environment variable. If it is not set, this directory under home.
    Variable(&'static str, &'static str),
    Project,
}

/// A file or directory in the table of agents.
#[derive(Clone, Copy, Debug)]
pub struct AgentPath {
    root: Root,
    path: &'static str,
    on_windows: Option<(Root, &'static str)>,
}

pub const fn home(path: &'static str) -> AgentPath {
    AgentPath { root: Root::Home, path, on_windows: None }
}

pub const fn config(path: &'static str) -> AgentPath {
    AgentPath { root: Root::Config, path, on_windows: None }
}

pub const fn app_data(path: &'static str) -> AgentPath {
    AgentPath { root: Root::AppData, path, on_windows: None }
}

pub const fn project(path: &'static str) -> AgentPath {
    AgentPath { root: Root::Project, path, on_windows: None }
}

/// A path below the directory in `variable`, or below `fallback` in the home directory if the variable is not set.
pub const fn variable(variable: &'static str, fallback: &'static str, path: &'static str) -> AgentPath {
    AgentPath { root: Root::Variable(variable, fallback), path, on_windows: None }
}

impl AgentPath {
    /// Sets a different location of the same file on Windows.
    pub const fn or_on_windows(self, other: AgentPath) -> AgentPath {
        AgentPath { on_windows: Some((other.root, other.path)), ..self }
    }
}

/// The platform, directories and environment of a machine. Tests construct a fake one.
#[derive(Clone, Debug)]
pub struct Machine {
    platform: Platform,
    variables: BTreeMap<OsString, OsString>,
    home: PathBuf,
    project: PathBuf,
}

impl Machine {
    /// This machine, and the project directory for `--scope project`.
    pub fn here(project: &Path) -> Result<Self, AgentError> {
        let home = env::home_dir().filter(|home| home.is_absolute()).ok_or(AgentError::NoHome)?;
        let variables = env::vars_os().map(|(name, value)| (variable_name(name), value)).collect();
        Ok(Self { platform: Platform::HERE, variables, home, project: project.to_owned() })
    }

    pub fn home(&self) -> &Path {
        &self.home
    }

    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The path as a user would type it: relative to the project, otherwise to home.
    pub fn shorten(&self, path: &Path) -> String {
        if let Ok(rest) = path.strip_prefix(&self.project) {
            return rest.display().to_string();
        }
        path.strip_prefix(&self.home).map_or_else(
            |_| path.display().to_string(),
            |rest| Path::new("~").join(rest).display().to_string(),
        )
    }

    pub fn path_of(&self, place: AgentPath) -> PathBuf {
        let (root, path) = match place.on_windows {
            Some(windows) if self.platform == Platform::Windows => windows,
            _ => (place.root, place.path),
        };
        let mut full = self.root(root);
        full.extend(path.split('/').filter(|part| !part.is_empty()));
        full
    }

    /// The first program with this name on the search path.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        let suffixes: &[&str] = match self.platform {
            Platform::Windows => &[".exe", ".cmd", ""],
            _ => &[""],
        };
        programs::find_in(self.search_path()?, name.as_ref(), suffixes)
    }

    /// Whether a program started by its bare name can only come from an absolute directory on the search path, never from the
    /// current directory, which is the project when an agent starts the program. False on Windows, which searches the current
    /// directory first.
    pub fn bare_names_are_safe(&self) -> bool {
        let mut entries = self.search_path().into_iter().flat_map(env::split_paths);
        self.platform != Platform::Windows && entries.all(|entry| entry.is_absolute())
    }

    fn search_path(&self) -> Option<&OsString> {
        self.variables.get(&OsString::from("PATH"))
    }

    fn root(&self, root: Root) -> PathBuf {
        match root {
            Root::Home => self.home.clone(),
            Root::Project => self.project.clone(),
            Root::Config => self.config_dir(),
            Root::AppData => match self.platform {
                Platform::MacOs => self.home.join("Library/Application Support"),
                Platform::Windows => {
                    self.directory("APPDATA").unwrap_or_else(|| self.home.join("AppData").join("Roaming"))
                }
                Platform::Xdg => self.config_dir(),
            },
            Root::Variable(name, fallback) => {
                self.directory(name).unwrap_or_else(|| self.home.join(fallback))
            }
        }
    }

    fn config_dir(&self) -> PathBuf {
        self.directory("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config"))
    }

    /// A directory from an environment variable. Relative paths are ignored, as the XDG specification requires.
    fn directory(&self, variable: &str) -> Option<PathBuf> {
        let value = PathBuf::from(self.variables.get(&OsString::from(variable))?);
        value.is_absolute().then_some(value)
    }
}

/// On Windows the case of variable names has no meaning and differs between machines.
fn variable_name(name: OsString) -> OsString {
    if cfg!(windows) { name.to_ascii_uppercase() } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(platform: Platform, variables: &[(&str, &str)]) -> Machine {
        Machine {
            platform,
            variables: variables.iter().map(|(k, v)| (OsString::from(k), absolute(v).into())).collect(),
            home: PathBuf::from("/home/ada"),
            project: PathBuf::from("/work"),
        }
    }

    /// Makes `/xdg` absolute, with a drive where the platform needs one.
    fn absolute(path: &str) -> PathBuf {
        if path.starts_with('/') { std::path::absolute(path).unwrap() } else { path.into() }
    }

    const CODE: AgentPath = app_data("Code/User/mcp.json");
    const ZED: AgentPath = config("zed/settings.json").or_on_windows(app_data("Zed/settings.json"));

    #[test]
    fn application_data_follows_the_platform() {
        let path = |platform, variables: &[_]| machine(platform, variables).path_of(CODE);
        assert_eq!(
            path(Platform::MacOs, &[]),
            Path::new("/home/ada/Library/Application Support/Code/User/mcp.json")
        );
        assert_eq!(path(Platform::Xdg, &[]), Path::new("/home/ada/.config/Code/User/mcp.json"));
        assert_eq!(
            path(Platform::Windows, &[("APPDATA", "/roaming")]),
            absolute("/roaming/Code/User/mcp.json")
        );
        assert_eq!(path(Platform::Windows, &[]), Path::new("/home/ada/AppData/Roaming/Code/User/mcp.json"));
    }

    #[test]
    fn config_follows_xdg_on_every_platform_unless_windows_differs() {
        let variables = [("XDG_CONFIG_HOME", "/xdg"), ("APPDATA", "/roaming")];
        assert_eq!(machine(Platform::MacOs, &variables).path_of(ZED), absolute("/xdg/zed/settings.json"));
        assert_eq!(
            machine(Platform::Windows, &variables).path_of(ZED),
            absolute("/roaming/Zed/settings.json")
        );
    }

    #[test]
    fn a_relative_xdg_directory_is_ignored() {
        let machine = machine(Platform::Xdg, &[("XDG_CONFIG_HOME", "relative")]);
        assert_eq!(machine.path_of(ZED), Path::new("/home/ada/.config/zed/settings.json"));
    }

    #[test]
    fn a_variable_moves_its_directory() {
        let codex = variable("CODEX_HOME", ".codex", "config.toml");
        assert_eq!(machine(Platform::Xdg, &[]).path_of(codex), Path::new("/home/ada/.codex/config.toml"));
        let moved = machine(Platform::Xdg, &[("CODEX_HOME", "/c")]);
        assert_eq!(moved.path_of(codex), absolute("/c/config.toml"));
    }
}
