//! The system refuses what the binary needs: file descriptors, memory, disk space, permissions. It may fail, with an error
//! that says why; once the system allows it again, the next run continues.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::recovery::recovers;
use crate::binary_under_test::{finish, judge};
use crate::scene::{Round, Trials, Violation};
use crate::tree;

pub fn descriptors(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    let limit = format!("ulimit -n {}", round.rng.u32(6..48));
    finish(round.binary.limited_command(project.root(), &limit, &["index", "--quiet"]))?;
    recovers(round.binary, &project)?;
    let question = ["search", "--quiet", "--files", "--limit", "1", "add_17_to_total"];
    let asked = finish(round.binary.limited_command(project.root(), &limit, &question))?;
    // With an index that is empty for lack of descriptors, a search would find nothing, which is exit code 1.
    if asked.code == 1 {
        return Err(Violation::wrong(format!("search with {limit}"), "a hit or an error", asked.stderr));
    }
    Ok(2)
}

/// Rust aborts a process that runs out of memory with a signal, and the system kills one that has no memory to start. Those
/// are allowed. A panic, or a process that waits forever, is a violation.
pub fn memory(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    let limit = format!("ulimit -v {}", round.rng.u32(60_000..600_000));
    match finish(round.binary.limited_command(project.root(), &limit, &["index", "--quiet"])) {
        Ok(_) | Err(Violation::Crashed { .. }) => {}
        Err(violation) => return Err(violation),
    }
    recovers(round.binary, &project)?;
    Ok(1)
}

/// Kills a parser process during an index run. The run starts another one, and no file is worse for it.
pub fn parsers(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let mut kills = 0;
    for _ in 0..5 {
        let project = tree::numbered(&tree::new_edition(&mut round.rng));
        let mut index = round.binary.command(project.root(), &["index", "--fast", "--quiet"]).spawn()?;
        // How many polls to let pass before the kill.
        let mut patience = round.rng.u32(0..30);
        let status = loop {
            if let Some(status) = index.try_wait()? {
                break status;
            }
            if let Some(parser) = child_of(index.id()) {
                if let Some(left) = patience.checked_sub(1) {
                    patience = left;
                    continue;
                }
                // It may just have ended.
                Command::new("kill").args(["-9", &parser.to_string()]).output()?;
                kills += 1;
                break index.wait()?;
            }
        };
        judge("index", status, "")?;
        recovers(round.binary, &project)?;
    }
    Ok(kills)
}

/// A child of a process, found through Linux's `/proc`.
fn child_of(parent: u32) -> Option<u32> {
    let entries = fs::read_dir("/proc").ok()?.flatten();
    let mut ids = entries.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok());
    ids.find(|id| {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        status.contains(&format!("\nPPid:\t{parent}\n"))
    })
}

/// Fills a small file system to the last byte, then frees it. The file system is in a mount namespace, so that nothing is
/// left behind. If the system does not permit one, nothing is tried.
pub fn disk_full(round: &mut Round<'_>) -> Result<Trials, Violation> {
    const SCRIPT: &str = r#"
        set -e
        mount -t tmpfs -o size=3m tmpfs "$1"
        cp -r "$2/." "$1"
        cd "$1"
        dd if=/dev/zero of=filler bs=1k count="$3" 2>/dev/null || true
        "$0" index --quiet && echo FIRST-0 || echo "FIRST-$?"
        rm -f filler
        "$0" index --quiet
        "$0" search --quiet --files --limit 1 add_17_to_total
    "#;
    if !has_mount_namespaces() {
        return Ok(0);
    }
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    let mount_point = tempfile::tempdir()?;
    let filler_kib = round.rng.u32(1_000..3_000).to_string();
    let in_shell = round.binary.command(project.root(), &[]);
    let mut command = Command::new("unshare");
    command.envs(in_shell.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.args(["--mount", "sh", "-c", SCRIPT]).arg(in_shell.get_program());
    command.arg(mount_point.path()).arg(project.root()).arg(filler_kib);
    let ended = finish(command)?;
    ended.succeeded()?;
    if ended.stdout.contains("FIRST-101") || !ended.stdout.contains(&tree::path_of(17)) {
        return Err(Violation::wrong("index after a full disk", tree::path_of(17), ended.stdout));
    }
    Ok(1)
}

fn has_mount_namespaces() -> bool {
    let trial = Command::new("unshare").args(["--mount", "true"]).output();
    trial.is_ok_and(|output| output.status.success())
}

/// Sources that cannot be read, and an index directory that cannot be written to. The superuser can do both anyway.
pub fn permissions(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    round.binary.run(project.root(), &["index", "--fast", "--quiet"])?.succeeded()?;
    let closed = project.path(&tree::path_of(tree::any_number(&mut round.rng)));
    let index = project.path(".vectorcode");
    set_mode(&closed, 0o000)?;
    set_mode(&index, 0o500)?;
    let outcome = round.binary.run(project.root(), &["index", "--quiet"]);
    set_mode(&index, 0o700)?;
    set_mode(&closed, 0o600)?;
    outcome?;
    recovers(round.binary, &project)?;
    Ok(1)
}

/// Something else is in the place of the index, its draft or its lock: a folder that contains a file, which no rename can
/// replace.
pub fn renames(round: &mut Round<'_>) -> Result<Trials, Violation> {
    let project = tree::numbered(&tree::new_edition(&mut round.rng));
    let is_indexed = round.rng.bool();
    if is_indexed {
        round.binary.run(project.root(), &["index", "--fast", "--quiet"])?.succeeded()?;
    }
    let names = ["index.db", "index.db.draft", "index.db.new", "index.db.new.draft", "index.db-wal", "lock"];
    let name = names[round.rng.usize(0..names.len())];
    let place = project.path(".vectorcode").join(name);
    let kept = project.path(".vectorcode/kept-aside");
    if place.exists() {
        fs::rename(&place, &kept)?;
    }
    fs::create_dir_all(place.join("in-the-way"))?;
    for arguments in [&["index", "--quiet"][..], &["index", "--full", "--quiet"], &["search", "sum"]] {
        round.binary.run(project.root(), arguments)?;
    }
    fs::remove_dir_all(&place)?;
    if kept.exists() {
        fs::rename(&kept, &place)?;
    }
    recovers(round.binary, &project)?;
    Ok(1)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}
