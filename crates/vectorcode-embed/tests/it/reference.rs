//! Texts with the vectors that the training code computed for them.

use std::sync::LazyLock;

use serde::Deserialize;

#[derive(Deserialize)]
pub struct Reference {
    pub text: String,
    pub transformer: Vec<f32>,
    #[serde(rename = "static")]
    pub static_vector: Vec<f32>,
}

pub static REFERENCES: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("reference.json")).expect("the reference file is JSON")
});

pub fn cosine(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    dot(a, b) / (dot(a, a) * dot(b, b)).sqrt()
}
