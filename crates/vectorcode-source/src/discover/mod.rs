//! Finds the files of a project that are worth indexing, and says why the others are not.
