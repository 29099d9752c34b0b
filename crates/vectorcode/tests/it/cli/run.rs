//! A project, and the binary run in it.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use vectorcode_testkit::{ScratchHome, TempProject};

pub struct Cli {
    pub project: TempProject,
    home: ScratchHome,
}

impl Cli {
    pub fn new(files: &[(&str, &str)]) -> Self {
        Self::of(TempProject::new(files))
    }

    pub fn fixture(name: &str) -> Self {
        Self::of(TempProject::from_fixture(name))
    }

    pub fn of(project: TempProject) -> Self {
        Self { project, home: ScratchHome::new() }
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_vectorcode"));
        self.home.apply(&mut command).current_dir(self.project.root()).args(args).stdin(Stdio::null());
        command
    }

    /// A shell script in which the binary is `$0`.
    #[cfg(unix)]
    pub fn script(&self, script: &str) -> Command {
        let mut command = Command::new("sh");
        let args = ["-c", script, env!("CARGO_BIN_EXE_vectorcode")];
        self.home.apply(&mut command).current_dir(self.project.root()).args(args).stdin(Stdio::null());
        command
    }

    pub fn run(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs with this text on standard input.
    pub fn with_input(&self, args: &[&str], input: &str) -> Output {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    /// The stdout of a run that must succeed.
    pub fn stdout(&self, args: &[&str]) -> String {
        let output = self.run(args);
        assert!(output.status.success(), "{args:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }

    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.stdout(args)).unwrap()
    }

    /// The stderr of a run, after checking its exit code.
    pub fn fails(&self, args: &[&str], code: i32) -> String {
        let output = self.run(args);
        assert_eq!(output.status.code(), Some(code), "{args:?}: {}", stderr(&output));
        stderr(&output)
    }
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
