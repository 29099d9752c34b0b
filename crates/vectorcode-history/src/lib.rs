//! What the repository's own history says: commits, their messages and the files that they changed.
//!
//! Only local git data is read, with `gix`; no program is started and nothing is fetched.
