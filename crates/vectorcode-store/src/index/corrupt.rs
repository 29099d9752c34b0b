//! [`Corrupt`]: the error of decoding a stored value. Each backend turns it into an error that names the index.

/// A stored value has the right type but is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt;

/// The result of decoding a stored value.
pub(crate) type DecodeResult<T> = Result<T, Corrupt>;
