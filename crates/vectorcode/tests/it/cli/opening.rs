//! `--open`, in an editor that writes down how it was called.

#![cfg(unix)]

use super::run::{Cli, stderr};

#[test]
fn a_result_is_opened_in_the_editor_at_its_line() {
    let cli = Cli::new(&[
        ("a.py", "import os\n\n# Bakes bread.\ndef bake_bread(oven):\n    return oven.heat_the_dough()\n"),
        ("b.py", "def slice_bread(knife):\n    return knife.cut_the_bread()\n"),
        (".git/HEAD", "ref: x\n"),
        ("deep/.keep", ""),
    ]);
    let editor = cli.home().join("vim");
    std::fs::write(&editor, "#!/bin/sh\nprintf '%s\\n' \"$@\" > \"$HOME/opened\"\n").unwrap();
    std::fs::set_permissions(&editor, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let open = |args: &[&str], folder: &str| {
        let editor = format!("{} -n", editor.display());
        let mut command = cli.command(args);
        command.env("VISUAL", editor).current_dir(cli.project.path(folder)).output().unwrap()
    };
    let output = open(&["search", "--open", "bake_bread"], "deep");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(cli.home().join("opened")).unwrap(), "-n\n+4\n../a.py\n");
    let output = open(&["search", "-t", "0", "--open=2", "bake_bread"], "");
    assert!(output.status.success(), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(cli.home().join("opened")).unwrap(), "-n\n+1\nb.py\n");
    let output = open(&["search", "-t", "0", "--open=9", "bake_bread"], "");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("only 2 results"), "{}", stderr(&output));
    let none = cli.command(&["search", "--open", "bake_bread"]).env_remove("EDITOR").output().unwrap();
    assert!(stderr(&none).contains("VISUAL or EDITOR"), "{}", stderr(&none));
}
