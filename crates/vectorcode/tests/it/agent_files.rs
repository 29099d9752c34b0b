//! Realistic agent files: what `install` adds, and that `uninstall` restores every byte.

use std::fs;

use crate::home::Home;

/// A file of an agent before the installation, with whatever users and editors put into such files.
struct Case {
    agent: &'static str,
    file: &'static str,
    before: &'static str,
}

const CASES: &[Case] = &[
    Case {
        agent: "claude-code",
        file: ".claude.json",
        before: "{\n  \"numStartups\": 12,\n  \"mcpServers\": {\n    \"github\": {\n      \"type\": \"stdio\",\n      \"command\": \"gh-mcp\",\n      \"args\": [],\n      \"env\": {\n        \"TOKEN\": \"x\"\n      }\n    }\n  },\n  \"projects\": {\n    \"/home/ada/app\": {\n      \"allowedTools\": []\n    }\n  }\n}",
    },
    Case {
        agent: "claude-desktop",
        file: CLAUDE_DESKTOP,
        before: "{\"globalShortcut\":\"\",\"mcpServers\":{\"files\":{\"command\":\"npx\",\"args\":[\"-y\",\"fs\"]}}}",
    },
    Case {
        agent: "opencode",
        file: ".config/opencode/opencode.jsonc",
        before: "{\n\t// my models\n\t\"$schema\": \"https://opencode.ai/config.json\",\n\t\"model\": \"x/y\", /* fast */\n\t\"mcp\": {\n\t\t\"jira\": { \"type\": \"remote\", \"url\": \"https://jira.example\" }, // work\n\t},\n}\n",
    },
    Case { agent: "cursor", file: ".cursor/mcp.json", before: "{\r\n  \"mcpServers\": {}\r\n}\r\n" },
    Case {
        agent: "gemini-cli",
        file: ".gemini/settings.json",
        before: "\u{feff}{\r\n\t\"theme\": \"GitHub\",\r\n\t\"selectedAuthType\": \"oauth-personal\"\r\n}",
    },
    Case { agent: "antigravity", file: ".gemini/antigravity/mcp_config.json", before: "" },
    Case {
        agent: "codex",
        file: ".codex/config.toml",
        before: "# models\r\nmodel = \"gpt-5\" # the big one\r\n\r\n[mcp_servers.docs]\r\ncommand = \"npx\"\r\nargs = [\r\n\t\"-y\", # yes\r\n\t\"docs-mcp\",\r\n]\r\n\r\n[projects.\"/home/ada/app\"]\r\ntrust_level = \"trusted\"\r\n# the end\r\n",
    },
    Case {
        agent: "vscode",
        file: VS_CODE,
        before: "{\n    // inputs first\n    \"inputs\": [],\n    \"servers\": {\n        \"playwright\": {\n            \"type\": \"stdio\",\n            \"command\": \"npx\"\n        }\n        // more to come\n    }\n}\n",
    },
    Case { agent: "copilot-cli", file: ".copilot/mcp-config.json", before: "{\"mcpServers\": {}}\n" },
    Case {
        agent: "qwen-code",
        file: ".qwen/settings.json",
        before: "{\n  \"ui\": { \"theme\": \"dark\" },\n\n  \"mcpServers\": {\n    \"a\": { \"command\": \"a\" },\n\n    \"b\": { \"command\": \"b\" }\n  }\n}\n",
    },
    Case { agent: "kilo", file: ".config/kilo/kilo.jsonc", before: "// nothing yet\n" },
    Case { agent: "kiro", file: ".kiro/settings/mcp.json", before: "{}" },
    Case { agent: "devin", file: ".codeium/windsurf/mcp_config.json", before: "{\n}\n" },
    Case {
        agent: "zed",
        file: ZED,
        before: "// Zed settings\n//\n{\n  \"vim_mode\": true,\n  \"context_servers\": {\n    // local\n    \"sql\": { \"command\": \"sql-mcp\", \"args\": [], },\n  },\n  \"theme\": {\n    \"mode\": \"system\",\n  },\n}\n",
    },
    Case { agent: "cline", file: ".cline/data/settings/cline_mcp_settings.json", before: "\r\n" },
    Case {
        agent: "goose",
        file: GOOSE,
        before: "# my goose\nGOOSE_PROVIDER: anthropic\nextensions:\n    developer:\n        enabled: true # always\n        type: builtin\n        timeout: 300\n\n# keep last\nGOOSE_MODE: smart_approve\n",
    },
    Case {
        agent: "continue",
        file: ".continue/config.yaml",
        before: "name: Local\nversion: 1.0.0\nschema: v1\nmodels: # mine\n- name: Codestral\n  provider: mistral\nmcpServers:\n- name: sqlite\n  command: uvx\n  args:\n  - mcp-sqlite\nprompts: []\n",
    },
];

#[cfg(target_os = "macos")]
const CLAUDE_DESKTOP: &str = "Library/Application Support/Claude/claude_desktop_config.json";
#[cfg(windows)]
const CLAUDE_DESKTOP: &str = "AppData/Roaming/Claude/claude_desktop_config.json";
#[cfg(not(any(target_os = "macos", windows)))]
const CLAUDE_DESKTOP: &str = ".config/Claude/claude_desktop_config.json";

#[cfg(target_os = "macos")]
const VS_CODE: &str = "Library/Application Support/Code/User/mcp.json";
#[cfg(windows)]
const VS_CODE: &str = "AppData/Roaming/Code/User/mcp.json";
#[cfg(not(any(target_os = "macos", windows)))]
const VS_CODE: &str = ".config/Code/User/mcp.json";

const ZED: &str =
    if cfg!(windows) { "AppData/Roaming/Zed/settings.json" } else { ".config/zed/settings.json" };
const GOOSE: &str = if cfg!(windows) {
    "AppData/Roaming/Block/goose/config/config.yaml"
} else {
    ".config/goose/config.yaml"
};

#[test]
fn install_adds_one_entry_and_uninstall_gives_back_every_byte() {
    for Case { agent, file, before } in CASES {
        let home = Home::new();
        let path = home.write(file, before);
        home.run(&["install", "--target", agent]).expect(0);
        let installed = home.read(file);
        home.snapshot(&format!("installed_{agent}"), &installed);

        let again = home.run(&["install", "--target", agent]).expect(0);
        assert!(again.stdout.starts_with("unchanged"), "{agent}: {}", again.stdout);
        assert_eq!(home.read(file), installed, "{agent}");

        home.run(&["uninstall", "--target", agent]).expect(0);
        assert_eq!(home.read(file), *before, "{agent}");
        let siblings = fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert!(!path.with_file_name(backup_name(file)).exists() && siblings >= 1, "{agent}");
    }
}

#[test]
fn what_others_add_meanwhile_stays() {
    for Case { agent, file, before } in CASES {
        let home = Home::new();
        home.write(file, before);
        home.run(&["install", "--target", agent]).expect(0);
        let marked = format!("{}\n", home.read(file).trim_end());
        let comment = if file.ends_with("json") || file.ends_with("jsonc") { "// later" } else { "# later" };
        home.write(file, format!("{marked}{comment}\n"));
        home.run(&["uninstall", "--target", agent]).expect(0);
        let after = home.read(file);
        assert!(after.contains(comment) && !after.contains("--mcp"), "{agent}: {after}");
        for line in before.lines().filter(|line| line.contains("command") || line.contains('#')) {
            let line = line.trim_start_matches('\u{feff}');
            assert!(agent == &"claude-desktop" || after.contains(line), "{agent}: {line} is not in {after}");
        }
    }
}

#[test]
fn a_file_that_install_made_goes_with_it() {
    for Case { agent, file, .. } in CASES {
        let home = Home::new();
        home.run(&["install", "--target", agent]).expect(0);
        if *agent != "antigravity" && *agent != "devin" && *agent != "opencode" {
            assert!(home.path(file).exists(), "{agent}");
        }
        home.run(&["uninstall", "--target", agent]).expect(0);
        let left: Vec<_> = fs::read_dir(home.path("")).unwrap().collect();
        assert!(left.is_empty(), "{agent} left {left:?}");
    }
}

/// Hook files before the installation.
const HOOK_CASES: &[Case] = &[
    Case {
        agent: "claude-code",
        file: ".claude/settings.json",
        before: "{\n  \"model\": \"opus\", // mine\n  \"hooks\": {\n    \"PostToolUse\": [\n      {\n        \"matcher\": \"Edit\",\n        \"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }]\n      }\n    ]\n  }\n}\n",
    },
    Case { agent: "codex", file: ".codex/hooks.json", before: "{\"hooks\": {}}" },
    Case {
        agent: "gemini-cli",
        file: ".gemini/settings.json",
        before: "\u{feff}{\r\n\t\"theme\": \"GitHub\",\r\n\t\"selectedAuthType\": \"oauth-personal\"\r\n}",
    },
];

#[test]
fn hooks_are_added_on_request_and_uninstall_gives_back_every_byte() {
    for Case { agent, file, before } in HOOK_CASES {
        let home = Home::new();
        home.write(file, before);
        home.run(&["install", "--target", agent]).expect(0);
        assert!(!home.read(file).contains(" hook"), "{agent}: only on request");
        home.run(&["install", "--hooks", "--target", agent]).expect(0);
        let installed = home.read(file);
        home.snapshot(&format!("hooks_{agent}"), &installed);

        let again = home.run(&["install", "--target", agent]).expect(0);
        assert!(again.stdout.lines().all(|line| line.starts_with("unchanged")), "{agent}: {}", again.stdout);
        home.run(&["uninstall", "--target", agent]).expect(0);
        assert_eq!(home.read(file), *before, "{agent}");
        assert!(!home.path(&format!("{file}.vectorcode-backup")).exists(), "{agent}");
    }
}

#[test]
fn the_file_of_a_hook_goes_with_it_unless_others_have_added_to_it() {
    for Case { agent, file, .. } in HOOK_CASES {
        let home = Home::new();
        home.run(&["install", "--hooks", "--target", agent]).expect(0);
        assert!(home.read(file).contains(" hook\""), "{agent}");
        home.run(&["uninstall", "--target", agent]).expect(0);
        let left: Vec<_> = fs::read_dir(home.path("")).unwrap().collect();
        assert!(left.is_empty(), "{agent} left {left:?}");

        home.run(&["install", "--hooks", "--target", agent]).expect(0);
        let text = home.read(file).replacen('{', "{\n  \"mine\": true,", 1);
        home.write(file, text);
        home.run(&["uninstall", "--target", agent]).expect(0);
        let after = home.read(file);
        assert!(after.contains("\"mine\": true") && !after.contains("hook"), "{agent}: {after}");
    }
}

#[test]
fn hooks_that_cannot_be_read_are_left_alone() {
    for text in ["{ \"hooks\": [] }", "{ \"hooks\": {\"PostToolUse\": 1} }", "{ broken"] {
        let home = Home::new();
        home.write(".claude/settings.json", text);
        let run = home.run(&["install", "--hooks", "--target", "claude-code"]).expect(2);
        assert!(run.stderr.contains("settings.json was not changed"), "{}", run.stderr);
        assert_eq!(home.read(".claude/settings.json"), text);
    }
}

#[test]
fn a_new_file_of_each_agent() {
    for scope in ["user", "project"] {
        let home = Home::new();
        let run = home.run(&["install", "--all", "--scope", scope, "--dry-run"]).expect(0);
        let configs = run
            .stdout
            .split("--- ")
            .filter(|diff| !diff.contains("SKILL.md") && !diff.contains("instructions"));
        let text = configs.collect::<Vec<_>>().join("--- ");
        home.snapshot(&format!("new_files_{scope}"), &text);
    }
}

fn backup_name(file: &str) -> String {
    format!("{}.vectorcode-backup", file.rsplit('/').next().unwrap())
}
