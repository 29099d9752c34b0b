//! The per-user files of vectorcode on each platform.

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The user's settings: `config.toml` in the configuration directory of the platform.
pub fn user_config_file(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    let directory = if cfg!(windows) {
        directory_of(environment, "APPDATA")?
    } else {
        directory_of(environment, "XDG_CONFIG_HOME")
            .or_else(|| Some(directory_of(environment, "HOME")?.join(".config")))?
    };
    Some(directory.join("vectorcode").join("config.toml"))
}

/// The directory for data that can be recreated, such as the embedding cache.
pub fn user_cache_dir(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    let under_home = if cfg!(target_os = "macos") { "Library/Caches" } else { ".cache" };
    let directory = if cfg!(windows) {
        directory_of(environment, "LOCALAPPDATA")?
    } else {
        directory_of(environment, "XDG_CACHE_HOME")
            .or_else(|| Some(directory_of(environment, "HOME")?.join(under_home)))?
    };
    Some(directory.join("vectorcode"))
}

/// The environment variable that overrides the path of the project registry.
pub const REGISTRY_VARIABLE: &str = "VECTORCODE_REGISTRY";

/// The registry of the user's indexed projects. It is in the data directory because it cannot be recreated.
pub fn user_registry_file(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    if let Some(file) = directory_of(environment, REGISTRY_VARIABLE) {
        return Some(file);
    }
    Some(user_data_dir(environment)?.join("projects.json"))
}

/// The record of projects whose settings the user approved.
pub fn user_trust_file(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(user_data_dir(environment)?.join("trust.json"))
}

/// The access tokens of the user's HTTP servers.
pub fn user_tokens_file(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(user_data_dir(environment)?.join("tokens.json"))
}

/// The registered git repositories, which workers clone.
pub fn user_repositories_file(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(user_data_dir(environment)?.join("repositories.json"))
}

/// The default directory for these clones.
pub fn user_repositories_dir(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    Some(user_data_dir(environment)?.join("repositories"))
}

fn user_data_dir(environment: &BTreeMap<String, String>) -> Option<PathBuf> {
    let under_home = if cfg!(target_os = "macos") { "Library/Application Support" } else { ".local/share" };
    let directory = if cfg!(windows) {
        directory_of(environment, "LOCALAPPDATA")?
    } else {
        directory_of(environment, "XDG_DATA_HOME")
            .or_else(|| Some(directory_of(environment, "HOME")?.join(under_home)))?
    };
    Some(directory.join("vectorcode"))
}

fn directory_of(environment: &BTreeMap<String, String>, variable: &str) -> Option<PathBuf> {
    environment.get(variable).filter(|value| !value.is_empty()).map(PathBuf::from)
}
