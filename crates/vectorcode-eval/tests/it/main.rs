//! The evaluation as a whole.

mod agreement;
