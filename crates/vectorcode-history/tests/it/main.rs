//! Histories that were really written, read back.

mod hostile;
mod walking;
