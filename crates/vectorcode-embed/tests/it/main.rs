//! The embedders as other crates use them.

mod onnx;
mod reference;
mod remote;
mod reranking;
mod static_model;
