//! Reading and changing settings with `init` and `config`.

use super::run::{Cli, stderr};

const FILE: &str = ".vectorcode/config.toml";

#[test]
fn init_writes_settings_and_keeps_existing_ones() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    cli.stdout(&["init"]);
    let settings = cli.project.read(FILE);
    assert!(settings.contains("name = \"onnx\""));
    assert!(cli.project.path(".vectorcode/.gitignore").exists());
    cli.project.write(FILE, "[search]\ndefault_limit = 3\n");
    cli.stdout(&["init"]);
    assert_eq!(cli.project.read(FILE), "[search]\ndefault_limit = 3\n");
}

#[test]
fn settings_show_their_origin_and_never_a_key() {
    let cli = Cli::new(&[(FILE, "[search]\ndefault_limit = 3\n[serach]\nx = 1\n")]);
    let output = cli.command(&["config", "show"]).env("OPENAI_API_KEY", "sk-secret").output().unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains("search.default_limit = 3"), "{text}");
    assert!(text.contains("config.toml"));
    assert!(text.contains("environment OPENAI_API_KEY"));
    assert!(!text.contains("sk-secret"));
    assert!(stderr(&output).contains("serach"), "{}", stderr(&output));
}

#[test]
fn a_broken_settings_file_is_named_with_line_and_column() {
    let cli = Cli::new(&[(FILE, "[search\n")]);
    let said = cli.fails(&["search", "x"], 2);
    assert!(said.contains("config.toml:1:"), "{said}");
}

#[test]
fn init_changes_the_provider_of_an_existing_file_and_keeps_the_rest() {
    let cli = Cli::new(&[(FILE, "# Mine.\n[search]\ndefault_limit = 3\n"), ("a.rs", "fn main() {}")]);
    let said = stderr(&cli.run(&["init", "--provider", "ollama", "--model", "tiny"]));
    assert!(said.contains("Set provider.name = \"ollama\""), "{said}");
    let text = cli.project.read(FILE);
    assert!(text.starts_with("# Mine.\n[search]\ndefault_limit = 3\n"), "{text}");
    assert_eq!(cli.stdout(&["config", "get", "provider.name"]), "ollama\n");
    assert_eq!(cli.stdout(&["config", "get", "provider.ollama.model"]), "tiny\n");
}

#[test]
fn settings_are_shown_as_they_are_written() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    assert!(
        cli.stdout(&["config", "show", "--all"]).contains("search.default_threshold = (unset)  # default")
    );
    let rows = cli.json(&["config", "show", "--json"]);
    let described = |row: &serde_json::Value| !row["description"].as_str().unwrap().is_empty();
    assert!(rows.as_array().unwrap().iter().all(described));
}

#[test]
fn a_setting_is_read_and_changed_by_its_name() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    assert_eq!(cli.stdout(&["config", "get", "search.default_limit"]), "10\n");
    cli.stdout(&["config", "set", "search.default_limit", "25"]);
    cli.stdout(&["config", "set", "indexing.exclude_dirs", "[\"out\"]"]);
    cli.stdout(&["config", "set", "--user", "provider.ollama.model", "123"]);
    assert_eq!(cli.stdout(&["config", "get", "search.default_limit"]), "25\n");
    assert_eq!(cli.stdout(&["config", "get", "indexing.exclude_dirs"]), "[\"out\"]\n");
    assert_eq!(cli.stdout(&["config", "get", "provider.ollama.model"]), "123\n");
    let path = cli.stdout(&["config", "path"]);
    assert!(path.trim_end().ends_with("config.toml") && std::path::Path::new(path.trim_end()).exists());
    assert!(cli.stdout(&["config", "path", "--user"]).starts_with(cli.home().to_str().unwrap()));
    assert_eq!(cli.run(&["config", "get", "provider.onnx.threads"]).status.code(), Some(1));
}

#[test]
fn a_wrong_setting_is_refused() {
    let cli = Cli::new(&[("a.rs", "fn main() {}")]);
    let said = cli.fails(&["config", "set", "search.default_limits", "5"], 2);
    assert!(said.contains("did you mean search.default_limit?"), "{said}");
    assert!(
        cli.fails(&["config", "set", "search.default_limit", "many"], 2)
            .contains("search.default_limit cannot be set")
    );
    assert!(cli.fails(&["config", "set", "provider.name", "open-ai"], 2).contains("onnx"));
    assert!(!cli.project.path(FILE).exists());
}
