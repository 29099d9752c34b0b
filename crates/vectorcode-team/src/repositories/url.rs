//! Validates the URL of a repository, and derives an identity that all URLs of the same repository share.

use std::net::IpAddr;

use vectorcode_history::normalised_remote;

use super::host_reach::{HostReach, host_reach};
use crate::TeamError;

const MAX_LENGTH: usize = 2_048;
const MAX_NAME_LENGTH: usize = 100;

/// Which protocols are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocols {
    /// `https` and `ssh`, from other machines.
    Remote,
    /// Also `http`, `git` and `file`, and URLs of this machine: for tests.
    AlsoLocal,
}

/// A URL that is safe to pass to git.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepositoryUrl {
    text: String,
    /// Empty for files.
    host: String,
    /// The host and port, for credentials.
    authority: String,
    path: String,
    /// Whether the host is in a private network.
    is_private: bool,
}

impl RepositoryUrl {
    /// Rejects what git would interpret as anything other than a URL to fetch from, and URLs that contain a password.
    pub fn parse(text: &str, protocols: Protocols) -> Result<Self, TeamError> {
        let refused = |problem: &'static str| TeamError::RepositoryUrl { problem };
        if text.is_empty() || text.len() > MAX_LENGTH || text.starts_with('-') {
            return Err(refused("is empty, too long or an option"));
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) || text.contains(['\\', '"', '\'', '`', '$']) {
            return Err(refused("has characters that are not allowed in a URL"));
        }
        let (scheme, authority, path) =
            parts(text).ok_or_else(|| refused("is not written as https://host/path"))?;
        let is_local = matches!(scheme, "http" | "git" | "file");
        let is_accepted = matches!(scheme, "https" | "ssh") || is_local && protocols == Protocols::AlsoLocal;
        if !is_accepted {
            return Err(refused("is neither https nor ssh"));
        }
        if path.trim_matches('/').is_empty() || path.contains(['?', '#']) {
            return Err(refused("names no repository"));
        }
        let (user, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        if !user.is_empty() && scheme != "ssh" || user.contains(':') {
            return Err(refused("holds a user name or password"));
        }
        let host =
            if scheme == "file" { "" } else { host(place).ok_or_else(|| refused("has no valid host"))? };
        if !is_word(user) && !user.is_empty() {
            return Err(refused("has no valid user name"));
        }
        let reach = if protocols == Protocols::Remote { host_reach(host) } else { HostReach::Public };
        if reach == HostReach::Refused {
            return Err(refused("points to this machine or its network link"));
        }
        let (host, authority) = (host.to_ascii_lowercase(), place.to_ascii_lowercase());
        let is_private = reach == HostReach::Private;
        Ok(Self { text: text.to_owned(), host, authority, path: path.to_owned(), is_private })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    /// Rejects hosts that are not in the setting `worker.hosts`. If that is empty, hosts in private networks are rejected,
    /// because a server can reach more there than its callers may see.
    pub fn check_host(&self, hosts: &[String]) -> Result<(), TeamError> {
        let is_named = hosts.iter().any(|host| host.eq_ignore_ascii_case(&self.host));
        if is_named || hosts.is_empty() && !self.is_private {
            return Ok(());
        }
        let problem = if self.is_private {
            "is in a private network and is not in `worker.hosts`"
        } else {
            "is not in `worker.hosts`"
        };
        Err(TeamError::RepositoryHost { host: self.host.clone(), problem })
    }

    pub(super) fn authority(&self) -> &str {
        &self.authority
    }

    pub(super) fn is_https(&self) -> bool {
        self.text.starts_with("https://")
    }

    /// The same for all URLs of one repository: `github.com/ada/api`.
    pub(crate) fn identity(&self) -> String {
        // A folder of this machine has no name that means anything elsewhere, so its path is used.
        normalised_remote(&self.text).unwrap_or_else(|| format!("/{}", self.path.trim_matches('/')))
    }

    /// The last part of the path, as a folder name.
    pub fn name(&self) -> String {
        let identity = self.identity();
        let last = identity.rsplit('/').next().unwrap_or_default();
        let plain =
            last.replace(|letter: char| !letter.is_ascii_alphanumeric() && !"-_.".contains(letter), "-");
        let plain = plain.trim_start_matches(['.', '-']);
        if plain.is_empty() { "repository".into() } else { plain[..plain.len().min(MAX_NAME_LENGTH)].into() }
    }
}

/// Scheme, authority and path; `git@host:path` is ssh.
fn parts(text: &str) -> Option<(&str, &str, &str)> {
    if let Some((scheme, rest)) = text.split_once("://") {
        let at = rest.find('/')?;
        return Some((scheme, &rest[..at], &rest[at..]));
    }
    let (authority, path) = text.split_once(':')?;
    // `ext::sh -c ...` would start a program.
    (!path.starts_with(':') && !authority.contains('/')).then_some(("ssh", authority, path))
}

/// The host in `host:port`.
fn host(place: &str) -> Option<&str> {
    if let Some(rest) = place.strip_prefix('[') {
        let (address, port) = rest.split_once(']')?;
        let is_valid = address.parse::<IpAddr>().is_ok() && is_port(port);
        return is_valid.then_some(address);
    }
    let at = place.find(':').unwrap_or(place.len());
    let is_host = |host: &str| {
        !host.starts_with(['-', '.'])
            && !host.is_empty()
            && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-.".contains(&byte))
    };
    Some(&place[..at]).filter(|host| is_host(host) && is_port(&place[at..]))
}

fn is_port(text: &str) -> bool {
    text.is_empty() || text.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok())
}

fn is_word(text: &str) -> bool {
    !text.starts_with('-')
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_one_repository_have_one_identity() {
        for url in [
            "https://GitHub.com/ada/api.git",
            "https://github.com/ada/api/",
            "ssh://git@github.com/ada/api.git",
            "git@github.com:ada/api.git",
            "github.com:ada/api",
        ] {
            let parsed = RepositoryUrl::parse(url, Protocols::Remote).unwrap();
            assert_eq!(
                (parsed.identity().as_str(), parsed.name().as_str()),
                ("github.com/ada/api", "api"),
                "{url}"
            );
        }
    }

    #[test]
    fn what_git_could_misread_and_what_leads_inside_is_refused() {
        for url in [
            "",
            "-upload-pack=touch /tmp/x",
            "--upload-pack=x",
            "ext::sh -c id",
            "ext::id",
            "file:///etc",
            "/srv/repo",
            "http://github.com/a/b",
            "git://github.com/a/b",
            "https://ada:secret@github.com/a/b",
            "https://token@github.com/a/b",
            "ssh://ada:secret@host/a",
            "ssh://-oProxyCommand=id/a",
            "-oProxyCommand=id:a",
            "ssh://git@-oProxyCommand=id/a",
            "https://localhost/a",
            "https://127.0.0.1/a",
            "https://127.1/a",
            "https://2130706433/a",
            "https://0x7f000001/a",
            "https://[::1]/a",
            "https://[::ffff:127.0.0.1]/a",
            "https://169.254.169.254/latest",
            "https://[fd00:ec2::254]/latest",
            "https://[::127.0.0.1]/a",
            "https://[64:ff9b::7f00:1]/a",
            "https://metadata.google.internal/a",
            "git@metadata.google.internal:a",
            "https://host/a?b",
            "https://host/a b",
            "https://host/a\nb",
            "https://host/",
            "https://host:99999/a",
            "https://ho$(id)st/a",
        ] {
            assert!(RepositoryUrl::parse(url, Protocols::Remote).is_err(), "{url}");
        }
        assert!(RepositoryUrl::parse("file:///srv/repo", Protocols::AlsoLocal).is_ok());
    }

    #[test]
    fn a_private_host_must_be_named_in_the_settings() {
        let check = |url: &str, hosts: &[&str]| {
            let hosts: Vec<String> = hosts.iter().map(ToString::to_string).collect();
            RepositoryUrl::parse(url, Protocols::Remote).unwrap().check_host(&hosts).is_ok()
        };
        for (url, host) in [
            ("https://10.0.0.7:8443/team/api", "10.0.0.7"),
            ("https://[fd12::1]/team/api", "fd12::1"),
            ("git@Gitea.corp.internal:team/api", "gitea.corp.internal"),
        ] {
            assert!(!check(url, &[]) && !check(url, &["github.com"]) && check(url, &[host]), "{url}");
        }
        let public = "https://github.com/ada/api";
        assert!(check(public, &[]) && check(public, &["GITHUB.com"]) && !check(public, &["gitlab.com"]));
    }
}
