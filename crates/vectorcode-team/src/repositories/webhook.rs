//! Receives push notifications from git servers. A server authenticates with a shared secret, and the only effect is that
//! workers visit the repository soon.

use std::path::PathBuf;

use hmac::{Hmac, KeyInit, Mac};
use serde_json::Value;
use sha2::Sha256;
use vectorcode_core::config::Secret;
use vectorcode_core::from_hex;
use vectorcode_server::Webhook;

use super::checkout::Control;
use super::list::RepositoryList;
use super::url::{Protocols, RepositoryUrl};

const GITHUB_SIGNATURE: &str = "x-hub-signature-256";
const GITLAB_TOKEN: &str = "x-gitlab-token";

/// Where GitHub, Gitea and GitLab put the URLs of the repository in their messages.
const URL_PLACES: [&str; 6] = [
    "/repository/clone_url",
    "/repository/ssh_url",
    "/repository/html_url",
    "/project/git_http_url",
    "/project/git_ssh_url",
    "/project/web_url",
];

/// What is needed to handle messages of git servers.
#[derive(Clone, Debug)]
pub struct PushWebhook {
    pub secret: Secret,
    pub repositories: RepositoryList,
    /// The directory of the clones.
    pub directory: PathBuf,
}

impl Webhook for PushWebhook {
    fn is_genuine<'h>(&self, header: &dyn Fn(&str) -> Option<&'h str>, body: &[u8]) -> bool {
        is_genuine(header, body, &self.secret)
    }

    fn note(&self, body: &[u8]) -> Result<Vec<String>, Box<dyn std::error::Error + Send + Sync>> {
        let message: Value = serde_json::from_slice(body).unwrap_or_default();
        let urls = URL_PLACES.iter().filter_map(|place| message.pointer(place)?.as_str());
        let identity =
            |url: &str| RepositoryUrl::parse(url, Protocols::AlsoLocal).ok().map(|url| url.identity());
        let pushed: Vec<String> = urls.filter_map(identity).collect();
        let mut names = Vec::new();
        for repository in self.repositories.all()? {
            if identity(&repository.url).is_some_and(|known| pushed.contains(&known)) {
                Control::new(&self.directory, &repository.name).request_visit()?;
                names.push(repository.name);
            }
        }
        Ok(names)
    }
}

/// GitHub and Gitea sign the body; GitLab sends the secret itself. Both are compared in constant time.
fn is_genuine<'h>(header: &dyn Fn(&str) -> Option<&'h str>, body: &[u8], secret: &Secret) -> bool {
    if let Some(signature) = header(GITHUB_SIGNATURE) {
        let given = signature.strip_prefix("sha256=").and_then(from_hex);
        let mac = Hmac::<Sha256>::new_from_slice(secret.expose().as_bytes());
        return match (given, mac) {
            (Some(given), Ok(mac)) => mac.chain_update(body).verify_slice(&given).is_ok(),
            _ => false,
        };
    }
    let given = header(GITLAB_TOKEN).map(|given| blake3::hash(given.as_bytes()));
    given.is_some_and(|given| given == blake3::hash(secret.expose().as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_with_the_secret_are_genuine() {
        // The example from GitHub's documentation.
        let (body, secret) = (b"Hello, World!", Secret::from("It's a Secret to Everybody"));
        let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let headers = |name: &'static str, value: &'static str| (name, value);
        let is = |(sent, value): &(&'static str, &'static str), body: &[u8]| {
            is_genuine(&|name| (name == *sent).then_some(*value), body, &secret)
        };
        assert!(is(&headers(GITHUB_SIGNATURE, signature), body));
        assert!(!is(&headers(GITHUB_SIGNATURE, signature), b"Hello, world!"));
        for wrong in ["", "sha256=", "sha256=zz", "sha1=00", "sha256=7571"] {
            assert!(!is(&headers(GITHUB_SIGNATURE, wrong), body), "{wrong}");
        }
        assert!(is(&headers(GITLAB_TOKEN, "It's a Secret to Everybody"), body));
        assert!(!is(&headers(GITLAB_TOKEN, "It's a secret"), body) && !is(&headers("other", ""), body));
    }
}
