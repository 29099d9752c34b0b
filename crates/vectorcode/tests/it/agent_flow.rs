//! The behaviour of `install` and `uninstall`: what they find, refuse and report.

use std::fs;

use crate::home::Home;

const CURSOR: &str = ".cursor/mcp.json";

#[test]
fn nothing_found_is_said_and_exits_with_one() {
    let home = Home::new();
    let run = home.run(&["install"]).expect(1);
    assert!(run.stderr.contains("--target"), "{}", run.stderr);
    assert!(fs::read_dir(home.path("")).unwrap().next().is_none());
}

#[test]
fn agents_are_found_by_their_files_and_programs() {
    let home = Home::new();
    home.write(CURSOR, "{}");
    home.write(".codex/auth.json", "{}");
    program(&home, "gemini");
    let run = home.run(&["install"]).expect(0);
    home.snapshot("found_agents", &run.stdout);
}

#[test]
fn project_scope_writes_into_the_project_alone() {
    let home = Home::new();
    home.write(CURSOR, "{}");
    let run = home.run(&["install", "--scope", "project"]).expect(0);
    home.snapshot("project_scope", &run.stdout);
    assert!(!home.path(".agents").exists());
    home.run(&["uninstall", "--scope", "project"]).expect(0);
    assert!(fs::read_dir(home.project("")).unwrap().next().is_none());
}

#[test]
fn a_dry_run_shows_a_diff_and_writes_nothing() {
    let home = Home::new();
    home.write(CURSOR, "{\n  // mine\n  \"mcpServers\": {}\n}\n");
    let run = home.run(&["install", "--target", "cursor", "--dry-run"]).expect(0);
    let config = run.stdout.split("--- /dev/null").next().unwrap();
    home.snapshot("dry_run", config);
    assert!(run.stderr.contains("nothing was changed"));
    assert!(!home.path(".agents").exists());
    assert!(!home.path(".cursor/mcp.json.vectorcode-backup").exists());
}

#[test]
fn a_broken_file_is_left_alone_while_the_others_are_done() {
    let broken = [
        (".cursor/mcp.json", "{ \"mcpServers\": {"),
        (".qwen/settings.json", "{ \"a\": 1 \"b\": 2 }"),
        (".kiro/settings/mcp.json", "[]"),
        (".copilot/mcp-config.json", "{ \"mcpServers\": [] }"),
        (".codex/config.toml", "a = 1\n[broken\n"),
        (".continue/config.yaml", "name: x\n  mcpServers: y\n"),
    ];
    let home = Home::new();
    for (file, text) in broken {
        home.write(file, text);
    }
    home.write(".gemini/settings.json", "{}");
    let run = home.run(&["install"]).expect(2);
    for (file, text) in broken {
        assert_eq!(home.read(file), text);
        assert!(!home.path(&format!("{file}.vectorcode-backup")).exists(), "{file}");
    }
    assert!(home.read(".gemini/settings.json").contains("vectorcode"));
    home.snapshot("broken_files", &run.stderr);
}

#[test]
fn text_that_is_not_utf8_is_left_alone() {
    let home = Home::new();
    let utf16 = [0xff, 0xfe, b'{', 0, b'}', 0];
    home.write(CURSOR, utf16);
    let run = home.run(&["install", "--target", "cursor"]).expect(2);
    assert!(run.stderr.contains("not UTF-8"), "{}", run.stderr);
    assert_eq!(fs::read(home.path(CURSOR)).unwrap(), utf16);
}

#[test]
fn an_entry_made_by_hand_keeps_its_arguments_and_gets_the_program() {
    let home = Home::new();
    let by_hand = "{\"mcpServers\": {\"vectorcode\": {\n  \"command\": \"/old/vectorcode\", // moved\n  \"args\": [\"serve\", \"--mcp\", \"--no-watch\"],\n  \"env\": {\"A\": \"1\"}\n}}}";
    home.write(CURSOR, by_hand);
    let run = home.run(&["install", "--target", "cursor"]).expect(0);
    assert!(run.stdout.starts_with("updated"), "{}", run.stdout);
    let program = std::path::absolute(env!("CARGO_BIN_EXE_vectorcode")).unwrap();
    let program = serde_json::json!(program).to_string();
    assert_eq!(home.read(CURSOR), by_hand.replace("\"/old/vectorcode\"", &program));
}

#[test]
fn an_entry_made_by_hand_in_other_formats_gets_the_program_too() {
    let home = Home::new();
    home.write(
        ".codex/config.toml",
        "[mcp_servers.vectorcode]\ncommand = \"/old/vectorcode\" # moved\nargs = [\"serve\", \"--mcp\", \"--no-watch\"]\n",
    );
    home.write(
        ".continue/config.yaml",
        "name: x\nmcpServers:\n  - name: vectorcode # ours\n    command: /old/vectorcode\n    args: [serve, --mcp, --no-watch]\n",
    );
    home.write(
        ".config/opencode/opencode.json",
        "{\"mcp\": {\"vectorcode\": {\"type\": \"local\", \"command\": [\"/old/vectorcode\", \"serve\", \"--no-watch\"]}}}",
    );
    home.run(&["install", "--target", "codex,continue,opencode"]).expect(0);
    for file in [".codex/config.toml", ".continue/config.yaml", ".config/opencode/opencode.json"] {
        home.snapshot(&format!("by_hand_{}", file.rsplit('/').next().unwrap()), &home.read(file));
    }
}

#[test]
fn another_server_of_the_same_name_is_not_ours_to_touch() {
    let home = Home::new();
    let foreign = "{\"mcpServers\": {\"vectorcode\": {\"command\": \"vectorcode-mcp-server\"}}}";
    home.write(CURSOR, foreign);
    let run = home.run(&["install", "--target", "cursor"]).expect(2);
    assert!(run.stderr.contains("vectorcode-mcp-server"), "{}", run.stderr);
    home.run(&["uninstall", "--target", "cursor"]).expect(0);
    assert_eq!(home.read(CURSOR), foreign);
}

#[test]
fn a_skill_of_the_same_name_by_somebody_else_stays() {
    let home = Home::new();
    let theirs = "---\nname: semantic-search\ndescription: mine\n---\n";
    home.write(".agents/skills/semantic-search/SKILL.md", theirs);
    home.run(&["install", "--target", "cursor"]).expect(2);
    home.run(&["uninstall", "--target", "cursor"]).expect(0);
    assert_eq!(home.read(".agents/skills/semantic-search/SKILL.md"), theirs);
}

#[test]
fn the_skill_stays_while_another_agent_uses_us() {
    let home = Home::new();
    let skill = home.path(".agents/skills/semantic-search/SKILL.md");
    home.run(&["install", "--target", "cursor", "--target", "codex"]).expect(0);
    home.run(&["uninstall", "--target", "cursor"]).expect(0);
    assert!(skill.exists());
    home.run(&["uninstall"]).expect(0);
    assert!(!skill.exists());
}

#[cfg(unix)] // On Windows it is never named plainly.
#[test]
fn the_program_is_named_plainly_when_the_search_path_leads_to_it() {
    let home = Home::new();
    let name = format!("vectorcode{}", std::env::consts::EXE_SUFFIX);
    fs::copy(env!("CARGO_BIN_EXE_vectorcode"), home.bin(&name)).unwrap();
    crate::home::run(home.command(home.bin(&name)).args(["install", "--target", "cursor"])).expect(0);
    assert!(home.read(CURSOR).contains("\"command\": \"vectorcode\""), "{}", home.read(CURSOR));
}

#[test]
fn opencode_with_a_level_for_servers_keeps_it() {
    let home = Home::new();
    let file = ".config/opencode/opencode.json";
    home.write(file, "{\n  \"mcp\": {\n    \"servers\": {}\n  }\n}\n");
    home.run(&["install", "--target", "opencode"]).expect(0);
    let config: serde_json::Value = serde_json::from_str(&home.read(file)).unwrap();
    assert_eq!(config["mcp"]["servers"]["vectorcode"]["type"], "local");
}

#[test]
fn an_agent_without_a_file_in_the_scope_says_which_scope_works() {
    let run = Home::new().run(&["install", "--target", "crush"]).expect(2);
    assert!(run.stderr.contains("hint: use `--scope project`"), "{}", run.stderr);
}

#[test]
fn environment_variables_move_the_files_of_agents() {
    let home = Home::new();
    let moved = home.path("elsewhere");
    let mut command = home.command(env!("CARGO_BIN_EXE_vectorcode"));
    command.env("CODEX_HOME", &moved).env("CLAUDE_CONFIG_DIR", &moved);
    crate::home::run(command.args(["install", "--target", "codex,claude-code"])).expect(0);
    for file in ["config.toml", ".claude.json", "skills/semantic-search/SKILL.md"] {
        assert!(moved.join(file).exists(), "{file}");
    }
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_link_stays_a_link_and_its_target_changes() {
        let home = Home::new();
        let real = home.write("dotfiles/cursor.json", "{}\n");
        fs::create_dir(home.path(".cursor")).unwrap();
        symlink("../dotfiles/cursor.json", home.path(CURSOR)).unwrap();
        home.run(&["install", "--target", "cursor"]).expect(0);
        assert!(home.path(CURSOR).is_symlink());
        assert!(fs::read_to_string(&real).unwrap().contains("vectorcode"));
        assert_eq!(home.read("dotfiles/cursor.json.vectorcode-backup"), "{}\n");
        home.run(&["uninstall", "--target", "cursor"]).expect(0);
        assert_eq!(fs::read_to_string(&real).unwrap(), "{}\n");
    }

    #[test]
    fn a_link_to_nothing_gets_its_target() {
        let home = Home::new();
        fs::create_dir_all(home.path(".cursor")).unwrap();
        symlink(home.path("dotfiles/cursor.json"), home.path(CURSOR)).unwrap();
        home.run(&["install", "--target", "cursor"]).expect(0);
        assert!(home.path(CURSOR).is_symlink());
        assert!(home.read("dotfiles/cursor.json").contains("vectorcode"));
    }

    #[test]
    fn two_agents_that_share_a_file_through_links_are_both_served() {
        let home = Home::new();
        home.write("shared.json", "{}");
        for dir in [".cursor", ".kiro/settings"] {
            fs::create_dir_all(home.path(dir)).unwrap();
            symlink(home.path("shared.json"), home.path(dir).join("mcp.json")).unwrap();
        }
        let run = home.run(&["install", "--target", "cursor,kiro"]).expect(0);
        assert!(run.stdout.contains("unchanged  Kiro"), "{}", run.stdout);
    }

    #[test]
    fn permissions_are_kept_by_the_file_and_its_backup() {
        let home = Home::new();
        let path = home.write(CURSOR, "{}");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        home.run(&["install", "--target", "cursor"]).expect(0);
        for file in [CURSOR, ".cursor/mcp.json.vectorcode-backup"] {
            let mode = fs::metadata(home.path(file)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o640, "{file}");
        }
    }
}

/// Puts a program of an agent on the search path.
fn program(home: &Home, name: &str) {
    let path = home.bin(&format!("{name}{}", std::env::consts::EXE_SUFFIX));
    fs::write(&path, "").unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn project_scope_means_the_root_of_the_project() {
    let home = Home::new();
    fs::create_dir_all(home.project(".git")).unwrap();
    fs::create_dir_all(home.project("src/deep")).unwrap();
    let mut command = home.command(env!("CARGO_BIN_EXE_vectorcode"));
    command.current_dir(home.project("src/deep"));
    crate::home::run(command.args(["install", "--target", "cursor", "--scope", "project"])).expect(0);
    assert!(home.project(".cursor/mcp.json").exists());
}
