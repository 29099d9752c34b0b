//! A project's settings, whatever they contain, are loaded or rejected, and nothing that needs the user's approval takes
//! effect without it.

use std::path::Path;
use std::sync::LazyLock;

use tempfile::TempDir;
use vectorcode_core::config::{Config, Sources, load};

static ROOT: LazyLock<TempDir> = LazyLock::new(|| {
    let root = tempfile::tempdir().expect("a temporary directory");
    std::fs::create_dir(root.path().join(".vectorcode")).expect("the directory is new");
    root
});

pub fn config(bytes: &[u8]) {
    let file = ROOT.path().join(".vectorcode/config.toml");
    std::fs::write(&file, bytes).expect("the directory is there");
    let Ok(resolved) = load(&Sources { project_file: Some(file), ..Sources::default() }) else { return };
    let (found, default) = (&resolved.config.provider, Config::default().provider);
    assert_eq!(found.name, default.name);
    assert_eq!((&found.gemini, &found.ollama), (&default.gemini, &default.ollama));
    assert_eq!((&found.openai, &found.voyage), (&default.openai, &default.voyage));
    assert_eq!((&found.onnx.model_path, &found.onnx.tokenizer_path), (&None, &None));
    let (rerank, default) = (&resolved.config.rerank, Config::default().rerank);
    assert_eq!((rerank.name, &rerank.server), (default.name, &default.server));
    assert_eq!((&rerank.onnx.model_path, &rerank.onnx.tokenizer_path), (&None, &None));
    for linked in &resolved.config.linked_projects {
        assert!(!linked.is_absolute() && !linked.starts_with(".."), "{}", linked.display());
    }
    if let Some(asked) = resolved.withheld() {
        assert_eq!(asked.root, canonical(ROOT.path()));
        assert!(!asked.note().chars().any(char::is_control));
    }
}

fn canonical(path: &Path) -> std::path::PathBuf {
    path.canonicalize().expect("the directory is there")
}
