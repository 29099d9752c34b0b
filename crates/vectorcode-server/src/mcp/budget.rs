//! An estimate of how many tokens a text costs the model that reads it.

/// Bytes per token of source code. Tokenizers differ; prose has more bytes per token, dense code fewer. The value is
/// conservative, because a client cuts an answer that is too long wherever it likes.
const BYTES_PER_TOKEN: f64 = 3.5;

pub(crate) fn tokens(text: &str) -> usize {
    (text.len() as f64 / BYTES_PER_TOKEN).ceil() as usize
}
