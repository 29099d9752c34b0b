//! Hostile projects: what their settings ask for does not happen before the user approves it.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::cli::run::{Cli, stderr};
use crate::mcp::client::{PATIENCE, Server};

const CONFIG: &str = ".vectorcode/config.toml";
const CODE: &str =
    "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";
const KEYS: [(&str, &str); 3] =
    [("OPENAI_API_KEY", "sk-mine-1"), ("VOYAGE_API_KEY", "sk-mine-2"), ("GEMINI_API_KEY", "sk-mine-3")];

/// Listens on the loopback interface, rejects every request and remembers its head. The thread ends with the process.
struct Elsewhere {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Elsewhere {
    fn listen() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads: Arc<Mutex<Vec<String>>> = Arc::default();
        let noted = heads.clone();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let lines = BufReader::new(stream.try_clone().unwrap()).lines().map_while(Result::ok);
                let head: Vec<String> = lines.take_while(|line| !line.is_empty()).collect();
                noted.lock().unwrap().push(head.join("\n"));
                let _ = stream
                    .write_all(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            }
        });
        Self { url, heads }
    }

    fn heads(&self) -> Vec<String> {
        self.heads.lock().unwrap().clone()
    }

    /// The settings of a repository that tries to get the user's code.
    fn settings(&self, provider: &str) -> String {
        let address = if provider == "ollama" { "url" } else { "base_url" };
        format!("[provider]\nname = \"{provider}\"\n[provider.{provider}]\n{address} = \"{}\"\n", self.url)
    }
}

fn project(settings: &str) -> Cli {
    Cli::new(&[("src/lib.rs", CODE), (".git/HEAD", "ref: refs/heads/main\n"), (CONFIG, settings)])
}

/// The whole output of a run, with the user's keys in its environment.
fn said(cli: &Cli, args: &[&str]) -> String {
    let output = cli.command(args).envs(KEYS).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output)
}

fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn nothing_is_sent_to_an_address_of_the_project_before_it_is_trusted() {
    for (provider, key) in
        [("openai", "sk-mine-1"), ("voyage", "sk-mine-2"), ("gemini", "sk-mine-3"), ("ollama", "")]
    {
        let elsewhere = Elsewhere::listen();
        let cli = project(&elsewhere.settings(provider));
        for args in [&["search", "sum of prices"][..], &["index", "--full"], &["doctor"], &["status"]] {
            let said = said(&cli, args);
            assert!(
                said.contains("not in force until you run `vectorcode trust`"),
                "{provider} {args:?}: {said}"
            );
            assert!(said.contains(&format!("provider.name = \"{provider}\"")), "{said}");
            assert!(said.contains(&elsewhere.url), "{said}");
        }
        assert_eq!(elsewhere.heads(), Vec::<String>::new(), "{provider}");
        assert!(said(&cli, &["trust", "--yes"]).contains("Trusted"));
        let said = said(&cli, &["index", "--full"]) + &said(&cli, &["doctor"]);
        assert!(!said.contains("not in force"), "{said}");
        let heads = elsewhere.heads();
        assert!(heads.iter().any(|head| head.contains(key)), "{provider}: {heads:?}\n{said}");
    }
}

#[test]
fn an_address_alone_does_not_redirect_the_users_own_provider() {
    let elsewhere = Elsewhere::listen();
    let cli = project(&format!(
        "[provider.openai]\nbase_url = \"{}\"\n[search]\ndefault_limit = 3\n",
        elsewhere.url
    ));
    let shown = cli.command(&["config", "show"]).env("VECTORCODE_PROVIDER", "openai").output().unwrap();
    let shown = String::from_utf8(shown.stdout).unwrap();
    assert!(shown.contains("provider.openai.base_url = \"https://api.openai.com/v1\""), "{shown}");
    assert!(shown.contains("search.default_limit = 3"), "harmless settings count at once: {shown}");
}

#[test]
fn a_change_asks_again_and_trust_can_be_taken_back() {
    let cli = project("[provider]\nname = \"ollama\"\n");
    cli.stdout(&["trust", "--yes"]);
    let asked = || cli.json(&["trust", "--json"]);
    let trusted = || cli.run(&["trust", "--json"]).status.code() == Some(0);
    assert_eq!(asked()["trusted"], true);
    cli.project.write(CONFIG, "[provider]\nname = \"ollama\"\n[search]\ndefault_limit = 3\n");
    assert!(trusted(), "a harmless change needs no new approval");
    cli.project
        .write(CONFIG, "[provider]\nname = \"ollama\"\n[provider.ollama]\nurl = \"http://127.0.0.1:9\"\n");
    assert!(!trusted());
    assert!(cli.fails(&["trust"], 2).contains("--yes"), "there is no terminal to ask on");
    cli.project.write(CONFIG, "[provider]\nname = \"ollama\"\n");
    assert!(trusted(), "the earlier approval still holds");
    assert!(cli.stdout(&["trust", "--list"]).contains("provider.name = \"ollama\""));
    cli.stdout(&["trust", "--revoke"]);
    assert!(!trusted());
    assert_eq!(cli.run(&["trust", "--list"]).status.code(), Some(0));
}

#[test]
fn what_init_writes_itself_is_trusted() {
    let cli = Cli::new(&[("src/lib.rs", CODE)]);
    cli.stdout(&["init", "--provider", "ollama", "--model", "nomic-embed-text"]);
    let shown = cli.stdout(&["config", "show"]);
    assert!(shown.contains("provider.name = \"ollama\""), "{shown}");
    assert!(shown.contains("provider.ollama.model = \"nomic-embed-text\""), "{shown}");
    // If the project already has a settings file, `init` keeps it and approves nothing.
    let cli = project("[provider.ollama]\nurl = \"http://127.0.0.1:9\"\n");
    cli.stdout(&["init", "--provider", "ollama"]);
    assert!(
        cli.stdout(&["config", "show", "--all"]).contains("provider.ollama.url = \"http://localhost:11434\"")
    );
}

#[cfg(unix)]
#[test]
fn the_record_of_trust_is_the_users_alone() {
    use std::os::unix::fs::PermissionsExt;
    let cli = project("[provider]\nname = \"ollama\"\n");
    cli.stdout(&["trust", "--yes"]);
    let record = cli.home().join(".local/share/vectorcode/trust.json");
    let mode = std::fs::metadata(&record).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_running_server_does_not_obey_a_checkout() {
    let elsewhere = Elsewhere::listen();
    let cli = project("[search]\ndefault_limit = 3\n");
    let mut server = Server::start(&cli.project);
    server.initialize("2025-11-25");
    server.synced();
    cli.project.write(CONFIG, elsewhere.settings("ollama"));
    let told = server.call_until("vec_status", &json!({}), |status| status.text.contains("vectorcode trust"));
    assert!(told.text.contains(&elsewhere.url), "{}", told.text);
    let found = server.call("vec_search", &json!({ "query": "sum of prices" }));
    assert!(found.text.contains("not in force until you run `vectorcode trust`"), "{}", found.text);
    cli.project.write("src/more.rs", CODE.replace("total", "sum"));
    server.call_until("vec_search", &json!({ "query": "sum" }), |found| found.text.contains("src/more.rs"));
    assert_eq!(elsewhere.heads(), Vec::<String>::new());
    let trusted = server.command(&["trust", "--yes"]).current_dir(cli.project.root()).output().unwrap();
    assert!(trusted.status.success(), "{}", stderr(&trusted));
    eventually("a request to the trusted address", || !elsewhere.heads().is_empty());
}
