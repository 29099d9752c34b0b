//! A repository with symbolic links in its `.vectorcode`: no file outside is read, written or created through them, and
//! whatever is created can only be accessed by the user.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use crate::cli::run::{Cli, stderr};

const CODE: &str =
    "/// Adds the prices of an invoice.\npub fn total(prices: &[u64]) -> u64 {\n    prices.iter().sum()\n}\n";
const PRECIOUS: &str = "a file of the user\n";

fn project() -> Cli {
    let cli = Cli::new(&[("src/lib.rs", CODE), (".git/HEAD", "ref: refs/heads/main\n")]);
    fs::write(cli.home().join("precious"), PRECIOUS).unwrap();
    cli
}

/// Runs common commands, whether they succeed or not.
fn use_it(cli: &Cli) -> String {
    let commands =
        [&["search", "sum of prices"][..], &["index", "--fast"], &["status"], &["index", "--full", "--fast"]];
    commands.iter().map(|args| stderr(&cli.run(args))).collect()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[test]
fn no_file_of_the_user_is_touched_through_a_link() {
    let names =
        ["lock", "embed.lock", "index.db", "index.db-wal", "index.db-shm", "index.db.new", "config.toml"];
    for name in names {
        for indexed_before in [false, true] {
            let cli = project();
            if indexed_before {
                cli.stdout(&["index", "--fast"]);
            }
            let (precious, link) = (cli.home().join("precious"), cli.project.path(".vectorcode").join(name));
            fs::create_dir_all(link.parent().unwrap()).unwrap();
            let _ = fs::remove_file(&link);
            symlink(&precious, &link).unwrap();
            use_it(&cli);
            assert_eq!(fs::read_to_string(&precious).unwrap(), PRECIOUS, "{name}, indexed: {indexed_before}");
        }
    }
}

#[test]
fn no_file_is_made_through_a_dangling_link() {
    for name in [".gitignore", "lock", "index.db", "index.db-wal", "config.toml"] {
        let cli = project();
        let (outside, folder) = (cli.home().join("new-file"), cli.project.path(".vectorcode"));
        fs::create_dir_all(&folder).unwrap();
        symlink(&outside, folder.join(name)).unwrap();
        use_it(&cli);
        cli.run(&["init"]);
        assert!(!outside.exists(), "{name}");
    }
}

#[test]
fn a_linked_directory_is_refused_with_its_reason() {
    let cli = project();
    let outside = cli.home().join("outside");
    fs::create_dir(&outside).unwrap();
    symlink(&outside, cli.project.path(".vectorcode")).unwrap();
    assert!(cli.fails(&["search", "sum of prices"], 2).contains("symbolic link"));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
}

#[test]
fn a_hard_link_is_not_written_to() {
    let cli = project();
    let precious = cli.project.path("precious");
    fs::write(&precious, PRECIOUS).unwrap();
    fs::create_dir(cli.project.path(".vectorcode")).unwrap();
    fs::hard_link(&precious, cli.project.path(".vectorcode/lock")).unwrap();
    assert!(use_it(&cli).contains("hard link"));
    assert_eq!(fs::read_to_string(&precious).unwrap(), PRECIOUS);
}

#[test]
fn what_is_made_is_for_its_owner_alone() {
    let cli = project();
    cli.stdout(&["index"]);
    let folder = cli.project.path(".vectorcode");
    assert_eq!(mode(&folder), 0o700);
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let cache = cli.home().join(".cache/vectorcode");
    assert_eq!((mode(&cache), mode(&cache.join("embeddings.db"))), (0o700, 0o600));
    assert_eq!(mode(&cli.home().join(".local/share/vectorcode/projects.json")), 0o600);
    // The index of an older version is made private at the next write.
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder.join("index.db"), fs::Permissions::from_mode(0o644)).unwrap();
    cli.stdout(&["index"]);
    assert_eq!((mode(&folder), mode(&folder.join("index.db"))), (0o700, 0o600));
}
