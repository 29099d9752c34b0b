//! The embedders as other crates use them.

mod onnx;
mod reference;
mod remote;
mod static_model;
