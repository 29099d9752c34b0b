//! What `--help` says.
