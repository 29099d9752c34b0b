//! Rules that depend only on the name of a file or directory: secrets, hidden entries, and files written by tools.

/// Directories that are never entered, even if an ignore file includes them: git's own data and the index itself.
const FORBIDDEN_DIRECTORIES: [&str; 2] = [".git", ".vectorcode"];

/// Hidden directories whose files are usually written by hand.
const USEFUL_HIDDEN_DIRECTORIES: [&str; 8] =
    [".cargo", ".circleci", ".config", ".devcontainer", ".forgejo", ".github", ".gitlab", ".storybook"];

/// Hidden files to index, in addition to those that the language registry lists by their full name.
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

/// Hidden files to index with any extension: `.eslintrc.cjs`, `.prettierrc.json`.
const USEFUL_HIDDEN_STEMS: [&str; 4] = [".babelrc.", ".eslintrc.", ".golangci.", ".prettierrc."];

/// Lock files of package managers that have a common extension, as gitignore patterns.
pub const LOCK_FILES: [&str; 4] = ["go.sum", "npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml"];

/// Suffixes of example environment files, which contain no secrets.
const ENVIRONMENT_EXAMPLES: [&str; 5] = [".example", ".sample", ".template", ".dist", ".defaults"];

/// Suffixes of private keys, key stores, password files, environment files, and infrastructure variables and state.
const SECRET_ENDINGS: [&str; 15] = [
    ".pem",
    ".key",
    ".p8",
    ".p12",
    ".pfx",
    ".jks",
    ".keystore",
    ".ppk",
    ".kdbx",
    ".gpg",
    ".env",
    ".tfvars",
    ".tfvars.json",
    ".tfstate",
    ".kubeconfig",
];

/// Full names of files in which tools store passwords, keys or tokens.
const SECRET_NAMES: [&str; 26] = [
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    ".git-credentials",
    ".dockercfg",
    ".dockerconfigjson",
    ".vault_pass",
    "credentials",
    "credentials.json",
    "credentials.toml",
    "credentials.yaml",
    "credentials.yml",
    "credentials.xml",
    "secrets.json",
    "secrets.toml",
    "secrets.yaml",
    "secrets.yml",
    "vault.json",
    "vault.yaml",
    "vault.yml",
    ".s3cfg",
    ".boto",
];

/// Prefixes of `.json` files with credentials, as downloaded from the Google console.
const SECRET_JSON_STEMS: [&str; 5] =
    ["client_secret", "client-secret", "service-account", "service_account", "serviceaccount"];

/// Files whose name is too general by itself, so the directory of their tool is part of the match.
const SECRET_PATHS: [&str; 3] = ["gh/hosts.yml", ".docker/config.json", ".kube/config"];

pub fn is_forbidden_directory(name: &str) -> bool {
    FORBIDDEN_DIRECTORIES.contains(&name)
}

/// True for files that may contain keys or passwords. They are never opened, not even as artifacts. `path` is
/// relative to the root and uses `/`.
pub fn is_secret(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    let name = vectorcode_core::file_name(&path);
    let is_environment =
        name.starts_with(".env") && !ENVIRONMENT_EXAMPLES.iter().any(|ending| name.ends_with(ending));
    // Matches `id_ed25519_work`, but not `id_rsa.pub` or `id_map.rs`.
    let is_ssh_key = name.starts_with("id_") && !name.contains('.');
    let is_downloaded = name.ends_with(".json")
        && (name.contains("firebase-adminsdk")
            || SECRET_JSON_STEMS.iter().any(|stem| name.starts_with(stem)));
    is_environment
        || is_ssh_key
        || is_downloaded
        || name == "kubeconfig"
        || name.starts_with("kubeconfig.")
        || SECRET_NAMES.contains(&name)
        || SECRET_ENDINGS.iter().any(|ending| name.ends_with(ending))
        || SECRET_PATHS.iter().any(|place| is_at(&path, place))
}

/// Whether a path equals `place` or ends with it, in any directory.
fn is_at(path: &str, place: &str) -> bool {
    path.strip_suffix(place).is_some_and(|above| above.is_empty() || above.ends_with('/'))
}

pub fn is_hidden_directory(name: &str) -> bool {
    name.starts_with('.') && !USEFUL_HIDDEN_DIRECTORIES.contains(&name)
}

/// True for dot files that matter only to the user's own tools.
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
        for path in [
            ".env",
            ".env.local",
            ".ENV.production",
            ".envrc",
            "prod.env",
            "server.PEM",
            "AuthKey_1.p8",
            "id_ed25519",
            "ssh/id_rsa_work",
            ".cargo/credentials.toml",
            ".aws/credentials",
            "credentials.json",
            "prod.tfvars",
            "client_secret_12.apps.json",
            "service-account-prod.json",
            "my-firebase-adminsdk-x.json",
            "config/secrets.yml",
            "secrets.yaml",
            "group_vars/vault.yml",
            "kubeconfig",
            "kubeconfig.prod",
            ".config/gh/hosts.yml",
            "gh/hosts.yml",
            ".kube/config",
        ] {
            assert!(is_secret(path), "{path}");
        }
        for path in [
            ".env.example",
            ".env.local.sample",
            "id_rsa.pub",
            "id_map.rs",
            "keys.ts",
            "environment.ts",
            "monkey",
            "credentials.py",
            "secrets.rs",
            "vault/mod.rs",
            "ansible/hosts.yml",
            "high/hosts.yml",
            "service-account.ts",
            "terraform.tfvars.example",
            "src/config.json",
        ] {
            assert!(!is_secret(path), "{path}");
        }
    }

    #[test]
    fn dot_files_are_hidden_unless_people_write_them() {
        assert!(is_hidden_file(".DS_Store") && is_hidden_directory(".idea"));
        assert!(!is_hidden_file(".gitlab-ci.yml") && !is_hidden_file(".eslintrc.cjs"));
        assert!(!is_hidden_directory(".github") && !is_hidden_file("main.rs"));
    }
}
