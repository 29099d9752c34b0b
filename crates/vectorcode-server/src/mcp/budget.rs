//! How many tokens a text will cost the model that reads it.

/// Bytes in a token of source code. Tokenizers differ; prose has more, dense code fewer. On the careful side,
/// because an answer that is too long is cut by the client at a place of its own choosing.
const BYTES_PER_TOKEN: f64 = 3.5;

pub(crate) fn tokens(text: &str) -> usize {
    (text.len() as f64 / BYTES_PER_TOKEN).ceil() as usize
}
