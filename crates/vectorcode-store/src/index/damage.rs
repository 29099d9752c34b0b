//! [`Damage`]: the error of decoding a stored value. Each backend turns it into an error that names the index.

/// A stored value has the right type but is impossible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage;

/// The result of decoding a stored value.
pub(crate) type Checked<T> = Result<T, Damage>;
