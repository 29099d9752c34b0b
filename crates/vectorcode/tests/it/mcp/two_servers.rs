//! Several agents on one project: all get results, one server writes, and another takes over when it dies.

use serde_json::json;
use vectorcode_testkit::TempProject;

use super::client::Server;

fn search_until_found(server: &mut Server, path: &str) {
    server.call_until("vec_search", &json!({"query": "zebra", "threshold": 0.0}), |answer| {
        answer.paths().contains(&path)
    });
}

fn write(project: &TempProject, name: &str) {
    project.write(&format!("src/{name}.rs"), format!("pub fn zebra_{name}() -> u32 {{\n    7\n}}\n"));
}

#[test]
fn the_other_takes_over_when_the_writer_is_killed() {
    let project = TempProject::empty();
    write(&project, "first");
    let mut writer = Server::ready(&project);
    writer.synced();
    let mut reader = Server::ready(&project);
    reader.synced();

    write(&project, "second");
    search_until_found(&mut writer, "src/second.rs");
    search_until_found(&mut reader, "src/second.rs");

    writer.kill();
    write(&project, "third");
    search_until_found(&mut reader, "src/third.rs");
    assert_eq!(reader.synced().structured["watched"], true);
}

#[test]
fn a_run_that_was_cut_off_is_taken_up_at_the_next_start() {
    let project = TempProject::empty();
    for number in 0..300 {
        let functions: Vec<String> = (0..20)
            .map(|place| {
                format!("pub fn zebra_{number}_{place}(value: u32) -> u32 {{\n    value * {place}\n}}\n")
            })
            .collect();
        project.write(&format!("src/file_{number}.rs"), functions.join("\n"));
    }
    let mut server = Server::ready(&project);
    server.call("vec_status", &json!({}));
    server.kill();
    let mut server = Server::ready(&project);
    server.call_until("vec_status", &json!({}), |status| status.structured["files"] == 300);
    let one = json!({"query": "zebra", "path": "src/file_7.rs", "threshold": 0.0});
    assert_eq!(server.call("vec_search", &one).paths()[0], "src/file_7.rs");
}
