//! Credentials for git servers: passwords from the environment, each for one host.

use std::collections::BTreeMap;

use vectorcode_core::config::Secret;

use super::url::RepositoryUrl;

/// The user name that servers accept together with an access token.
const TOKEN_USER: &str = "x-access-token";

/// User names and passwords by host.
#[derive(Clone, Debug, Default)]
pub struct Credentials(BTreeMap<String, (String, Secret)>);

impl Credentials {
    pub const VARIABLE: &str = "VECTORCODE_GIT_CREDENTIALS";

    /// Parses `github.com=TOKEN gitlab.example.com:8443=USER:TOKEN`. Entries in any other form are ignored.
    pub fn parse(text: &str) -> Self {
        let entries = text.split_whitespace().filter_map(|entry| {
            let (host, secret) = entry.split_once('=')?;
            let (user, password) = secret.split_once(':').unwrap_or((TOKEN_USER, secret));
            Some((host.to_ascii_lowercase(), (user.to_owned(), Secret::from(password))))
        });
        Self(entries.collect())
    }

    /// The credentials for exactly the host in the URL: a password is sent nowhere else.
    pub(super) fn of(&self, url: &RepositoryUrl) -> Option<(&str, &Secret)> {
        if !url.is_https() {
            return None;
        }
        self.0.get(url.authority()).map(|(user, password)| (user.as_str(), password))
    }

    /// Removes all passwords from a text, in case a server echoes one.
    pub(super) fn redact(&self, text: &str) -> String {
        let passwords = self.0.values().map(|(_, password)| password.expose());
        passwords
            .filter(|password| !password.is_empty())
            .fold(text.to_owned(), |text, password| text.replace(password, "(hidden)"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::repositories::Protocols;

    #[test]
    fn a_password_is_for_its_host_alone() {
        let credentials = Credentials::parse("github.com=t0ken Git.example.com:8443=ada:s3cret nonsense");
        let of = |url: &str| {
            let url = RepositoryUrl::parse(url, Protocols::Remote).unwrap();
            credentials.of(&url).map(|(user, password)| format!("{user}:{}", password.expose()))
        };
        assert_eq!(of("https://github.com/a/b").as_deref(), Some("x-access-token:t0ken"));
        assert_eq!(of("https://git.example.com:8443/a").as_deref(), Some("ada:s3cret"));
        for other in
            ["https://github.com.evil.example/a", "https://git.example.com/a", "ssh://github.com/a/b"]
        {
            assert_eq!(of(other), None, "{other}");
        }
        assert_eq!(credentials.redact("bad t0ken of s3cret"), "bad (hidden) of (hidden)");
        assert!(!format!("{credentials:?}").contains("t0ken"));
    }
}
