//! Vectors that were missing in a search are computed in the background, if the user allows it.

use std::time::{Duration, Instant};

use super::run::{Cli, stderr};

const CODE: &str =
    "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";
const SETTING: &str = "VECTORCODE_INDEXING_EMBED_AFTER_SEARCH";

fn embedded(cli: &Cli) -> (u64, u64) {
    let status = cli.json(&["status", "--json"]);
    let number = |key: &str| status["coverage"][key].as_u64().unwrap();
    (number("embedded"), number("total"))
}

/// Waits until the process that a search started has ended or will not touch the project again.
fn wait_until_embedded(cli: &Cli) {
    let deadline = Instant::now() + Duration::from_mins(2);
    loop {
        let (embedded, total) = embedded(cli);
        let is_idle = cli.json(&["status", "--json"])["activity"]["state"] == "idle";
        if embedded == total && is_idle {
            return;
        }
        assert!(Instant::now() < deadline, "{embedded} of {total}");
        std::thread::sleep(Duration::from_millis(100));
    }
}

#[test]
fn what_a_search_lacked_is_there_soon_after_where_the_user_allows_it() {
    let cli = Cli::new(&[("src/invoice.rs", CODE)]);
    let output = cli.command(&["search", "sum of prices"]).env(SETTING, "true").output().unwrap();
    assert!(stderr(&output).contains("computed in the background"), "{}", stderr(&output));
    wait_until_embedded(&cli);
    let output = cli.command(&["search", "sum of prices"]).env(SETTING, "true").output().unwrap();
    assert!(!stderr(&output).contains("background"), "nothing is missing: {}", stderr(&output));
}

#[test]
fn without_leave_nothing_is_started_and_a_project_cannot_give_it() {
    let settings = "[indexing]\nembed_after_search = true\n";
    let cli = Cli::new(&[("src/invoice.rs", CODE), (".vectorcode/config.toml", settings)]);
    let said = stderr(&cli.run(&["search", "sum of prices"]));
    assert!(said.contains("has no effect in a project's file") && !said.contains("background"), "{said}");
    assert_eq!(embedded(&cli).0, 0);
}

#[cfg(target_os = "linux")]
#[test]
fn a_person_is_asked_once() {
    use super::interactive::Terminal;

    for (answer, is_allowed) in [("n\r", false), ("y\r", true)] {
        let cli = Cli::new(&[("src/invoice.rs", CODE)]);
        let Some(mut terminal) = Terminal::start(&cli, "search sum of prices") else { return };
        terminal.wait_for(|text| text.contains("low priority") && text.contains("[y/N]"));
        terminal.press(answer);
        terminal.wait_for(|text| text.contains("Remembered"));
        assert_eq!(terminal.end(), Some(0));
        let remembered = cli.stdout(&["config", "get", "indexing.embed_after_search"]);
        assert_eq!(remembered.trim(), is_allowed.to_string());
        if is_allowed {
            wait_until_embedded(&cli);
        }
        let terminal = Terminal::start(&cli, "search what is the sum of prices").unwrap();
        terminal.wait_for(|text| text.contains("invoice.rs"));
        assert!(!terminal.text().contains("[y/N]"));
        assert_eq!(terminal.end(), Some(0));
    }
}
