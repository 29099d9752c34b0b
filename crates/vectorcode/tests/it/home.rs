//! A scratch home, a scratch project and the binary, with nothing of this machine's environment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tempfile::TempDir;

pub struct Home {
    root: TempDir,
}

/// The result of a run of the binary.
pub struct Run {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Home {
    pub fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for dir in ["home", "project", "bin"] {
            fs::create_dir(root.path().join(dir)).unwrap();
        }
        Self { root }
    }

    pub fn path(&self, relative: &str) -> PathBuf {
        self.root.path().join("home").join(relative)
    }

    pub fn project(&self, relative: &str) -> PathBuf {
        self.root.path().join("project").join(relative)
    }

    /// The only directory on the search path.
    pub fn bin(&self, name: &str) -> PathBuf {
        self.root.path().join("bin").join(name)
    }

    /// Gives other users of this machine access, for tests that run as one of them.
    #[cfg(unix)]
    pub fn open_to_all(&self) {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(self.root.path(), fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub fn write(&self, relative: &str, text: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    pub fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.path(relative)).unwrap()
    }

    pub fn command(&self, program: impl AsRef<Path>) -> Command {
        let home = self.path("");
        let mut command = Command::new(program.as_ref());
        command.env_clear().current_dir(self.project(""));
        command.env("HOME", &home).env("USERPROFILE", &home).env("PATH", self.bin(""));
        // Windows programs cannot open sockets without this variable.
        command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        run(self.command(env!("CARGO_BIN_EXE_vectorcode")).args(args))
    }

    /// Compares with a stored snapshot. Paths, program names and quoting differ between platforms, so on other platforms than
    /// Linux the tests rely on their other assertions.
    pub fn snapshot(&self, name: &str, text: &str) {
        if cfg!(target_os = "linux") {
            insta::assert_snapshot!(name, self.steady(text));
        }
    }

    /// The output of a run, with the parts that differ between machines replaced.
    fn steady(&self, text: &str) -> String {
        text.replace(env!("CARGO_BIN_EXE_vectorcode"), "[vectorcode]")
            .replace(self.root.path().to_str().unwrap(), "[root]")
            .replace('\\', "/")
    }
}

/// Runs a command to its end. A program that was just written may be busy for a moment, because another test forked while it
/// was open for writing.
pub fn run(command: &mut Command) -> Run {
    let deadline = Instant::now() + Duration::from_secs(10);
    loop {
        match command.output() {
            Ok(output) => return output.into(),
            Err(error) if is_busy(&error) && Instant::now() < deadline => std::thread::yield_now(),
            Err(error) => panic!("{command:?}: {error}"),
        }
    }
}

fn is_busy(error: &std::io::Error) -> bool {
    error.kind() == std::io::ErrorKind::ExecutableFileBusy
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    #[track_caller]
    pub fn expect(self, code: i32) -> Self {
        assert_eq!(self.code, code, "stdout:\n{}\nstderr:\n{}", self.stdout, self.stderr);
        self
    }
}
