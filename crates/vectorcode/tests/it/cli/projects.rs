//! Several projects on the command line: the list, searches over several, and a robust registry.

use std::process::{Child, Output, Stdio};
use std::time::Duration;

use serde_json::Value;
use vectorcode_testkit::TempProject;

use super::run::{Cli, stderr};

fn baker(dish: &str) -> String {
    format!(
        "def bake_{dish}(oven):\n    \"\"\"Puts the {dish} into a hot oven until it is done.\"\"\"\n    return oven.heat(\"{dish}\")\n"
    )
}

/// A folder with several projects of one user.
fn shelf(names: &[&str]) -> Cli {
    let project = TempProject::empty();
    for name in names {
        project.write(&format!("{name}/src/{}.py", name.replace('/', "_")), baker(&name.replace('/', "_")));
        project.write(&format!("{name}/.git/HEAD"), "ref: x\n");
    }
    Cli::of(project)
}

fn run(cli: &Cli, folder: &str, args: &[&str]) -> Output {
    cli.command(args).current_dir(cli.project.path(folder)).output().unwrap()
}

fn stdout(cli: &Cli, folder: &str, args: &[&str]) -> String {
    let output = run(cli, folder, args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json(cli: &Cli, folder: &str, args: &[&str]) -> Value {
    serde_json::from_str(&stdout(cli, folder, args)).unwrap()
}

fn names(cli: &Cli, folder: &str) -> Vec<String> {
    let list = json(cli, folder, &["projects", "--json"]);
    let projects = list["projects"].as_array().unwrap();
    projects.iter().map(|project| project["name"].as_str().unwrap().to_owned()).collect()
}

fn indexed(names: &[&str]) -> Cli {
    let cli = shelf(names);
    for name in names {
        stdout(&cli, name, &["index", "--fast", "--quiet"]);
    }
    cli
}

#[test]
fn indexed_projects_are_listed_until_they_are_removed() {
    let cli = indexed(&["bread", "cake"]);
    let list = json(&cli, "bread", &["projects", "--json"]);
    let bread = &list["projects"][0];
    assert_eq!(bread["name"], "bread");
    assert_eq!(bread["state"], "ready");
    assert_eq!((&bread["current"], &bread["files"]), (&true.into(), &1.into()));
    let text = stdout(&cli, "bread", &["projects"]);
    assert!(text.starts_with("* bread  1 file, 1 chunk, synced "), "{text}");
    assert!(text.lines().nth(1).unwrap().starts_with("  cake "), "{text}");
    stdout(&cli, "cake", &["remove", "--yes"]);
    assert_eq!(names(&cli, "bread"), ["bread"]);
}

#[test]
fn a_search_over_all_names_the_project_of_each_result() {
    let cli = indexed(&["bread", "cake"]);
    let found = json(&cli, "bread", &["search", "--all", "--json", "-t", "0", "bake in a hot oven"]);
    let mut places: Vec<String> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| format!("{}:{}", hit["project"].as_str().unwrap(), hit["file_path"].as_str().unwrap()))
        .collect();
    places.sort();
    assert_eq!(places, ["bread:src/bread.py", "cake:src/cake.py"]);
    let one = stdout(&cli, "bread", &["search", "--projects", "cake", "--files", "-t", "0", "bake"]);
    assert_eq!(one, "../cake/src/cake.py\n", "a path that an editor can open");
    let by_path = stdout(&cli, "bread/src", &["search", "--projects", "../../cake", "-t", "0", "bake"]);
    assert!(by_path.starts_with("cake:src/cake.py:1-"), "{by_path}");
    let own = stdout(&cli, "bread", &["search", "--files", "-t", "0", "bake"]);
    assert_eq!(own, "src/bread.py\n", "without a selection it is this project alone");
    let like = stdout(&cli, "bread", &["similar", "src/bread.py:1", "--all", "--files", "-t", "0"]);
    assert_eq!(like, "../cake/src/cake.py\n");
}

#[test]
fn what_changed_elsewhere_is_read_before_the_answer() {
    let cli = indexed(&["bread", "cake"]);
    cli.project.write("cake/src/pie.py", baker("rhubarb"));
    let found = stdout(&cli, "bread", &["search", "--all", "--files", "-n", "1", "bake_rhubarb"]);
    assert_eq!(found, "../cake/src/pie.py\n");
}

#[test]
fn an_unknown_project_is_refused_with_the_nearest_names() {
    let cli = indexed(&["bread", "cake"]);
    cli.project.write("elsewhere/a.py", baker("pie"));
    for (name, said) in
        [("caek", "Did you mean cake?"), ("../elsewhere", "Known projects: bread, cake"), ("/", "registered")]
    {
        let output = run(&cli, "bread", &["search", "--projects", name, "bake"]);
        assert_eq!(output.status.code(), Some(2));
        assert!(stderr(&output).contains(said), "{name}: {}", stderr(&output));
    }
    let output = run(&cli, "bread", &["search", "--projects", "cake", "--all", "bake"]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
}

#[test]
fn linked_projects_are_searched_with_this_one() {
    let cli = indexed(&["bread", "cake", "pie"]);
    cli.project.write("bread/.vectorcode/config.toml", "linked_projects = [\"../cake\", \"../lost\"]\n");
    let untrusted = run(&cli, "bread", &["search", "--linked", "--files", "-t", "0", "bake"]);
    assert_eq!(String::from_utf8_lossy(&untrusted.stdout), "src/bread.py\n", "{}", stderr(&untrusted));
    stdout(&cli, "bread", &["trust", "--yes"]);
    let output = run(&cli, "bread", &["search", "--linked", "--files", "-t", "0", "bake"]);
    let mut found: Vec<&str> = std::str::from_utf8(&output.stdout).unwrap().lines().collect();
    found.sort_unstable();
    assert_eq!(found, ["../cake/src/cake.py", "src/bread.py"]);
    let said = stderr(&run(&cli, "bread", &["search", "--linked", "-t", "0", "bake"]));
    assert!(said.contains("../lost is not registered"), "{said}");
    assert!(stdout(&cli, "bread", &["projects"]).contains("+ cake"));
}

#[test]
fn a_project_that_is_gone_or_broken_does_not_stop_the_others() {
    let cli = indexed(&["bread", "cake", "pie"]);
    cli.project.remove("cake");
    cli.project.write("pie/.vectorcode/config.toml", "[search\n");
    let output = run(&cli, "bread", &["search", "--all", "-t", "0", "bake"]);
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("bread:src/bread.py:1-"));
    let said = stderr(&output);
    assert!(said.contains("cake was not searched: its folder is no longer there"), "{said}");
    assert!(said.contains("pie was not searched: ") && said.contains("config.toml:1:"), "{said}");
    let listed = run(&cli, "bread", &["projects"]);
    assert!(stderr(&listed).contains("--prune"), "{}", stderr(&listed));
    let pruned = run(&cli, "bread", &["projects", "--prune"]);
    assert!(stderr(&pruned).contains("Removed cake from the list"), "{}", stderr(&pruned));
    assert_eq!(names(&cli, "bread"), ["bread", "pie"]);
}

#[test]
fn nobody_has_indexed_anything_yet() {
    let cli = shelf(&["bread"]);
    let output = run(&cli, "bread", &["search", "--all", "bake"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("No project is registered"), "{}", stderr(&output));
    assert!(!cli.project.path("bread/.vectorcode").exists(), "a search over all makes no index here");
    assert_eq!(run(&cli, "bread", &["projects"]).status.code(), Some(0));
}

fn start(cli: &Cli, folder: &str) -> Child {
    let mut command = cli.command(&["index", "--fast", "--quiet"]);
    command.current_dir(cli.project.path(folder)).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

#[test]
fn many_processes_at_once_are_all_registered_under_names_of_their_own() {
    let folders: Vec<String> = (0..8).map(|number| format!("team{number}/api")).collect();
    let cli = shelf(&folders.iter().map(String::as_str).collect::<Vec<_>>());
    let children: Vec<Child> = folders.iter().map(|folder| start(&cli, folder)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    let names = names(&cli, &folders[0]);
    assert_eq!(names, ["api", "api-2", "api-3", "api-4", "api-5", "api-6", "api-7", "api-8"]);
}

#[test]
fn processes_killed_at_any_moment_leave_a_list_that_can_be_read() {
    let folders: Vec<String> = (0..6).map(|number| format!("p{number}")).collect();
    let cli = shelf(&folders.iter().map(String::as_str).collect::<Vec<_>>());
    stdout(&cli, "p0", &["index", "--fast", "--quiet"]);
    for pause_ms in [2, 10, 25, 50, 100] {
        let mut children: Vec<Child> = folders.iter().skip(1).map(|folder| start(&cli, folder)).collect();
        std::thread::sleep(Duration::from_millis(pause_ms));
        for child in &mut children {
            child.kill().unwrap();
            child.wait().unwrap();
        }
        assert!(names(&cli, "p0").contains(&"p0".to_owned()), "a listed project stays in the list");
    }
    for folder in &folders {
        stdout(&cli, folder, &["index", "--fast", "--quiet"]);
    }
    assert_eq!(names(&cli, "p0").len(), folders.len());
}

#[test]
fn the_registry_lies_where_the_environment_says() {
    let cli = shelf(&["bread"]);
    let file = cli.project.path("elsewhere/list.json");
    let indexed = cli
        .command(&["index", "--fast", "--quiet"])
        .current_dir(cli.project.path("bread"))
        .env("VECTORCODE_REGISTRY", &file)
        .output()
        .unwrap();
    assert!(indexed.status.success(), "{}", stderr(&indexed));
    let list: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(list["projects"][0]["name"], "bread");
    assert!(run(&cli, "bread", &["projects"]).stdout.is_empty(), "the default list is not affected");
}
