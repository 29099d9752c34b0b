//! The local transformer: the bundled model, and the user's own model files.

use std::fs;
use std::path::{Path, PathBuf};

use vectorcode_core::config::{Config, OnnxConfig, Pooling};
use vectorcode_core::{Diagnose, ErrorKind};
use vectorcode_embed::{EmbedError, Embedder, OnnxEmbedder, TextKind, provider};

use crate::reference::{REFERENCES, cosine};

fn embed(config: &OnnxConfig, texts: &[&str]) -> Vec<Vec<f32>> {
    embed_as(TextKind::Query, config, texts)
}

fn embed_as(kind: TextKind, config: &OnnxConfig, texts: &[&str]) -> Vec<Vec<f32>> {
    let embedder = OnnxEmbedder::new(config).expect("the model loads");
    let vectors = embedder.embed(kind, texts).expect("the model runs");
    vectors.into_iter().map(|vector| vector.expect("no text is refused")).collect()
}

/// The bundled files, configured as if they were the user's own.
fn own_model() -> OnnxConfig {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/code-minilm-l4");
    OnnxConfig {
        model_path: Some(models.join("model.onnx")),
        tokenizer_path: Some(models.join("tokenizer.json")),
        ..OnnxConfig::default()
    }
}

fn assert_equals_reference(config: &OnnxConfig) {
    let texts: Vec<&str> = REFERENCES.iter().map(|reference| &reference.text[..]).collect();
    for (reference, vector) in REFERENCES.iter().zip(embed(config, &texts)) {
        let cosine = cosine(&vector, &reference.transformer);
        assert!(cosine > 0.99, "{cosine}: {}", reference.text);
    }
}

#[test]
fn the_bundled_model_equals_the_reference_vectors() {
    assert_equals_reference(&OnnxConfig::default());
}

/// The reference vectors come from ONNX Runtime, which quantises the activations of a whole batch with one scale. Those in
/// `unrounded.json` come from the same weights without any quantisation of activations: with a scale for each token we stay
/// closer to them than the reference does.
#[test]
fn the_bundled_model_is_nearer_to_unrounded_activations_than_the_reference() {
    let unrounded: Vec<Vec<f32>> = serde_json::from_str(include_str!("unrounded.json")).unwrap();
    let texts: Vec<&str> = REFERENCES.iter().map(|reference| &reference.text[..]).collect();
    let ours = embed(&OnnxConfig::default(), &texts);
    for ((reference, ours), unrounded) in REFERENCES.iter().zip(&ours).zip(&unrounded) {
        let (near, far) = (cosine(ours, unrounded), cosine(&reference.transformer, unrounded));
        assert!(near > 0.998 && near > far, "{near} {far}: {}", reference.text);
    }
}

#[test]
fn a_model_of_the_users_equals_the_reference_vectors() {
    assert_equals_reference(&own_model());
}

#[test]
fn the_bundled_model_reads_identifiers_of_documents_as_words() {
    let of = |kind, config, text| embed_as(kind, config, &[text]).remove(0);
    let bundled = OnnxConfig::default();
    let document = of(TextKind::Document, &bundled, "readFile(max_size)");
    assert_eq!(document, of(TextKind::Query, &bundled, "read File(max size)"));
    let own = own_model();
    let document = of(TextKind::Document, &own, "readFile(max_size)");
    assert_eq!(
        document,
        of(TextKind::Query, &own, "readFile(max_size)"),
        "other models get the text unchanged"
    );
}

#[test]
fn a_vector_depends_neither_on_its_batch_nor_on_the_number_of_threads() {
    let texts: Vec<String> =
        (1..40).map(|n| "fn read(path: &Path) -> io::Result<()> ".repeat(n % 7 + 1)).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &text[..]).collect();
    let together = embed(&OnnxConfig { threads: Some(3), ..OnnxConfig::default() }, &texts);
    let one_thread = OnnxConfig { threads: Some(1), ..OnnxConfig::default() };
    for (text, vector) in texts.iter().zip(together) {
        assert_eq!(vector, embed(&one_thread, &[text])[0]);
    }
}

#[test]
fn fewer_dimensions_are_the_first_ones_at_unit_length() {
    let all = embed(&OnnxConfig::default(), &["retry with backoff"]);
    let config = OnnxConfig { dimensions: Some(128), ..OnnxConfig::default() };
    let first = embed(&config, &["retry with backoff"]);
    assert_eq!(first[0].len(), 128);
    assert!((first[0].iter().map(|value| value * value).sum::<f32>() - 1.0).abs() < 1e-5);
    assert!(cosine(&first[0], &all[0][..128]) > 0.9999);
}

#[test]
fn any_text_has_a_vector() {
    let long = "word ".repeat(10_000);
    let vectors = embed(&OnnxConfig::default(), &["", " \n", "\0", "漢字", &long]);
    assert!(vectors.iter().all(|vector| vector.len() == 384));
    assert!(embed(&OnnxConfig::default(), &[]).is_empty());
}

#[test]
fn queries_and_documents_get_their_prefixes() {
    let config = OnnxConfig { query_prefix: "find: ".into(), ..OnnxConfig::default() };
    let embedder = OnnxEmbedder::new(&config).unwrap();
    let query = embedder.embed(TextKind::Query, &["x"]).unwrap();
    let document = embedder.embed(TextKind::Document, &["find: x"]).unwrap();
    assert_eq!(query, document);
}

#[test]
fn settings_that_change_vectors_change_the_name_of_the_model() {
    let name = |config: OnnxConfig| OnnxEmbedder::new(&config).unwrap().space().model.clone();
    let names = [
        name(OnnxConfig::default()),
        name(OnnxConfig { max_tokens: 128, ..OnnxConfig::default() }),
        name(OnnxConfig { query_prefix: "find: ".into(), ..OnnxConfig::default() }),
        name(own_model()),
        name(OnnxConfig { pooling: Pooling::Cls, ..own_model() }),
    ];
    assert_eq!(names[0], "code-minilm-l4");
    assert!(names[3].starts_with("model@"));
    let distinct: std::collections::HashSet<&String> = names.iter().collect();
    assert_eq!(distinct.len(), names.len(), "{names:?}");
}

#[test]
fn the_factory_makes_the_bundled_model_by_default() {
    let embedder = provider(&Config::default()).unwrap();
    assert_eq!(embedder.space().to_string(), "onnx/code-minilm-l4 (384d)");
    embedder.check_ready().unwrap();
}

fn refusal(config: &OnnxConfig) -> EmbedError {
    OnnxEmbedder::new(config).expect_err("the model is refused")
}

fn written(folder: &Path, name: &str, content: &str) -> PathBuf {
    let path = folder.join(name);
    fs::write(&path, content).expect("the folder is writable");
    path
}

#[test]
fn wrong_settings_are_named() {
    let bundled = OnnxConfig::default;
    let cases = [
        (OnnxConfig { model: "gpt".into(), ..bundled() }, "provider.onnx.model"),
        (OnnxConfig { pooling: Pooling::Cls, ..bundled() }, "provider.onnx.pooling"),
        (OnnxConfig { dimensions: Some(0), ..bundled() }, "provider.onnx.dimensions"),
        (OnnxConfig { dimensions: Some(385), ..own_model() }, "provider.onnx.dimensions"),
        (OnnxConfig { tokenizer_path: None, ..own_model() }, "tokenizer_path"),
    ];
    for (config, key) in cases {
        let error = refusal(&config);
        assert_eq!(error.kind(), ErrorKind::User);
        assert!(error.to_string().contains(key), "{error}");
    }
}

/// A length-delimited field of a protocol buffer.
fn block(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("the graph is tiny");
    // Field numbers from 16 on, whose keys take two bytes, are not needed here.
    [&[number << 3 | 2, length][..], content].concat()
}

/// A minimal ONNX file, which casts the input of this name to floats.
fn tiny_graph(input: &str) -> Vec<u8> {
    const INT64: u8 = 7;
    const FLOAT: u8 = 1;
    let value =
        |name: &str, kind: u8| [block(1, name.as_bytes()), block(2, &block(1, &[1 << 3, kind]))].concat();
    let to_float = [block(1, b"to"), vec![3 << 3, FLOAT, 0xa0, 0x01, 2]].concat();
    let cast =
        [block(1, input.as_bytes()), block(2, b"floats"), block(4, b"Cast"), block(5, &to_float)].concat();
    let graph =
        [block(1, &cast), block(11, &value(input, INT64)), block(12, &value("floats", FLOAT))].concat();
    let opset = [2 << 3, 13];
    [vec![1 << 3, 8], block(7, &graph), block(8, &opset)].concat()
}

#[test]
fn graphs_that_do_not_fit_are_refused_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let refused = |input: &str| {
        let path = folder.path().join("tiny.onnx");
        fs::write(&path, tiny_graph(input)).unwrap();
        refusal(&OnnxConfig { model_path: Some(path), ..own_model() }).to_string()
    };
    let message = refused("pixels");
    assert!(message.contains("tiny.onnx") && message.contains("`pixels`"), "{message}");
    let message = refused("input_ids");
    assert!(message.contains("batch x sequence x dimensions"), "{message}");
}

#[test]
fn files_that_do_not_fit_are_named_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let missing = OnnxConfig { model_path: Some(folder.path().join("no.onnx")), ..own_model() };
    assert!(refusal(&missing).to_string().contains("no.onnx"));

    let broken =
        OnnxConfig { model_path: Some(written(folder.path(), "broken.onnx", "text")), ..own_model() };
    assert!(refusal(&broken).to_string().contains("broken.onnx"));

    let unigram = r#"{"model": {"type": "Unigram", "vocab": []}}"#;
    let unigram =
        OnnxConfig { tokenizer_path: Some(written(folder.path(), "t.json", unigram)), ..own_model() };
    let message = refusal(&unigram).to_string();
    assert!(message.contains("t.json") && message.contains("Unigram"), "{message}");
}
