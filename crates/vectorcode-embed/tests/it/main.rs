//! The embedders and rerankers through the public API.

mod onnx;
mod reference;
mod remote;
mod reranking;
mod static_model;
