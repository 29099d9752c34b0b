//! [`Damage`]: what reading a stored value fails with. Each backend makes an error of its own of it, which names the index.

/// A value that has the right type and cannot be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Damage;

/// A value that was read and checked.
pub(crate) type Checked<T> = Result<T, Damage>;
