//! Recognises bare git repositories: folders with git data and no checked-out files.

use std::path::Path;

/// Whether a folder is a bare repository, judged by its contents. The `.git` folder of a checkout looks the same, but is
/// never a project.
pub fn is_bare_repository(folder: &Path) -> bool {
    !folder.join(".git").exists()
        && folder.file_name().is_none_or(|name| name != ".git")
        && folder.join("HEAD").is_file()
        && ["objects", "refs"].iter().all(|name| folder.join(name).is_dir())
}
