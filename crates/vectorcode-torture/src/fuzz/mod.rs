//! Fuzz targets: functions that feed untrusted input to the library calls that parse it, one for each kind of input. They
//! panic if a guarantee is violated.
//!
//! Two programs call them: `vectorcode-fuzz`, which mutates seeds and builds with any compiler, and the targets of `fuzz/`,
//! which libFuzzer guides by coverage under a sanitizer and which need a nightly compiler. `scripts/fuzz.sh` runs either.

mod config;
mod history;
mod markup;
mod mcp_frames;
mod query;
mod source;
mod store_open;

use std::sync::Arc;

use vectorcode_core::api::IndexRequest;
use vectorcode_core::config::Config;
use vectorcode_core::{CancelToken, SilentProgress};
use vectorcode_engine::{Embedders, Engine, EngineOptions, Project, WhenLocked};
use vectorcode_testkit::{FakeEmbedder, TempProject};

pub use config::config;
pub use history::history;
pub use markup::markup;
pub use mcp_frames::mcp_frames;
pub use query::query;
pub use source::source;
pub use store_open::store_open;

/// A kind of input, and the function that runs one.
pub struct Target {
    pub name: &'static str,
    pub run: fn(&[u8]),
}

pub const TARGETS: [Target; 7] = [
    Target { name: "source", run: source },
    Target { name: "markup", run: markup },
    Target { name: "config", run: config },
    Target { name: "store_open", run: store_open },
    Target { name: "query", run: query },
    Target { name: "mcp_frames", run: mcp_frames },
    Target { name: "history", run: history },
];

impl std::fmt::Debug for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The first line of an input is a file name, which determines the language. The rest is the content.
fn named_file(bytes: &[u8]) -> Option<(String, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
    let (name, content) = (&bytes[..end], &bytes[end + 1..]);
    Some((String::from_utf8_lossy(name).into_owned(), content))
}

/// A small project with an index of both stages, and an engine for it.
fn indexed_project() -> (TempProject, Arc<Engine>) {
    let files = TempProject::new(&[
        ("src/retry.rs", include_str!("../../../vectorcode-source/tests/fixtures/languages/retry.rs")),
        ("src/retry.py", include_str!("../../../vectorcode-source/tests/fixtures/languages/retry.py")),
        (
            "web/checkout.tsx",
            include_str!("../../../vectorcode-source/tests/fixtures/languages/checkout.tsx"),
        ),
        ("docs/retry.md", include_str!("../../../vectorcode-source/tests/fixtures/languages/retry.md")),
    ]);
    let options = EngineOptions {
        embedders: Embedders::fixed(Arc::new(FakeEmbedder::new(32))),
        ..EngineOptions::default()
    };
    let project = Project::at(files.root()).expect("the root is a directory of ours");
    let mut config = Config::default();
    // The tree does not change, and a watcher would only add threads to every run.
    config.watcher.disabled = true;
    let engine = Arc::new(Engine::new(project, config, options));
    engine
        .index(&IndexRequest::default(), WhenLocked::Wait, &SilentProgress, &CancelToken::default())
        .expect("the fixtures can be indexed");
    (files, engine)
}
