//! What a file's or directory's name alone decides: secrets, hidden entries, and files that tools write.

/// Directories that are never entered, whatever an ignore file says: the index itself, and git's store.
const FORBIDDEN_DIRECTORIES: [&str; 2] = [".git", ".vectorcode"];

/// Hidden directories that people write by hand.
const USEFUL_HIDDEN_DIRECTORIES: [&str; 8] =
    [".cargo", ".circleci", ".config", ".devcontainer", ".forgejo", ".github", ".gitlab", ".storybook"];

/// Hidden files worth finding beyond those that the language registry knows by their whole name.
const USEFUL_HIDDEN_FILES: [&str; 23] = [
    ".babelrc",
    ".clang-format",
    ".clang-tidy",
    ".cirrus.yml",
    ".dockerignore",
    ".editorconfig",
    ".env.example",
    ".env.sample",
    ".env.template",
    ".eslintrc",
    ".eslintrc.json",
    ".gitattributes",
    ".gitignore",
    ".gitlab-ci.yml",
    ".gitmodules",
    ".golangci.yml",
    ".pre-commit-config.yaml",
    ".prettierrc",
    ".readthedocs.yaml",
    ".rubocop.yml",
    ".swiftlint.yml",
    ".travis.yml",
    ".vectorcodeignore",
];

/// Hidden files of which every extension is useful: `.eslintrc.cjs`, `.prettierrc.json`.
const USEFUL_HIDDEN_STEMS: [&str; 4] = [".babelrc.", ".eslintrc.", ".golangci.", ".prettierrc."];

/// Files that a package manager writes under a common extension, as patterns of an ignore file.
pub const LOCK_FILES: [&str; 4] = ["go.sum", "npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml"];

/// Endings of files that show how an environment file looks, without its secrets.
const ENVIRONMENT_EXAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".defaults"];

/// Endings of private keys, key stores and password files.
const SECRET_ENDINGS: [&str; 10] =
    [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".gpg", ".env"];

/// Whole names of private keys and of files that tools keep passwords in.
const SECRET_NAMES: [&str; 12] = [
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
];

pub fn is_forbidden_directory(name: &str) -> bool {
    FORBIDDEN_DIRECTORIES.contains(&name)
}

/// True for files that may hold keys or passwords: they are never opened.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_environment =
        name.starts_with(".env") && !ENVIRONMENT_EXAMPLES.iter().any(|ending| name.ends_with(ending));
    is_environment
        || SECRET_NAMES.contains(&name.as_str())
        || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
}

pub fn is_hidden_directory(name: &str) -> bool {
    name.starts_with('.') && !USEFUL_HIDDEN_DIRECTORIES.contains(&name)
}

/// True for dot files that only the user's own tools care about.
pub fn is_hidden_file(name: &str) -> bool {
    name.starts_with('.')
        && !USEFUL_HIDDEN_FILES.contains(&name)
        && !USEFUL_HIDDEN_STEMS.iter().any(|stem| name.starts_with(stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_name() {
        for name in
            [".env", ".env.local", ".ENV.production", ".envrc", "prod.env", "server.PEM", "id_ed25519"]
        {
            assert!(is_secret(name), "{name}");
        }
        for name in [".env.example", ".env.local.sample", "id_rsa.pub", "keys.ts", "environment.ts", "monkey"]
        {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn dot_files_are_hidden_unless_people_write_them() {
        assert!(is_hidden_file(".DS_Store") && is_hidden_directory(".idea"));
        assert!(!is_hidden_file(".gitlab-ci.yml") && !is_hidden_file(".eslintrc.cjs"));
        assert!(!is_hidden_directory(".github") && !is_hidden_file("main.rs"));
    }
}
