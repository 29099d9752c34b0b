//! Folders that are git data alone, without files that are checked out.

use std::path::Path;

/// Whether a folder is a bare repository, by what is in it. The folder `.git` of a checkout looks the same, and is nobody's project.
pub fn is_bare_repository(folder: &Path) -> bool {
    !folder.join(".git").exists()
        && folder.file_name().is_none_or(|name| name != ".git")
        && folder.join("HEAD").is_file()
        && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}
