//! `POST /webhooks/git`: a git server says that somebody has pushed. The caller proves itself by the secret that both share;
//! all that happens is that workers look at that repository soon.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use tokio::sync::Semaphore;
use vectorcode_core::config::Secret;

use super::body;
use super::options::WebhookOptions;
use super::problem::Problem;
use crate::repositories::{Control, Protocols, RepositoryUrl};
use crate::workers::Workers;

/// A push of a few hundred commits; larger ones are seen by polling.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Bodies are read before their sender is known, so only a few at a time.
const MAX_AT_ONCE: usize = 8;
const GITHUB_SIGNATURE: &str = "x-hub-signature-256";
const GITLAB_TOKEN: &str = "x-gitlab-token";

/// Where the URLs of the repository are in the messages of GitHub, Gitea and GitLab.
const URL_PLACES: [&str; 6] = [
    "/repository/clone_url",
    "/repository/ssh_url",
    "/repository/html_url",
    "/project/git_http_url",
    "/project/git_ssh_url",
    "/project/web_url",
];

#[derive(Debug)]
struct Webhook {
    options: WebhookOptions,
    slots: Semaphore,
}

pub(crate) fn route(options: WebhookOptions) -> Router {
    let webhook = Arc::new(Webhook { options, slots: Semaphore::new(MAX_AT_ONCE) });
    Router::new().route("/webhooks/git", post(receive)).with_state(webhook)
}

async fn receive(State(webhook): State<Arc<Webhook>>, request: Request) -> Response {
    match take(&webhook, request).await {
        Ok(names) => (StatusCode::ACCEPTED, json!({ "repositories": names }).to_string()).into_response(),
        Err(problem) => problem.into_response(),
    }
}

async fn take(webhook: &Arc<Webhook>, request: Request) -> Result<Vec<String>, Problem> {
    let _slot =
        webhook.slots.try_acquire().map_err(|_| Problem::busy("Too many messages arrive at once."))?;
    let (headers, body) = body::whole_body(request, MAX_BODY_BYTES).await?;
    if !is_genuine(&headers, &body, &webhook.options.secret) {
        return Err(Problem::new(
            StatusCode::UNAUTHORIZED,
            "The signature of the message is missing or wrong.",
            "Give the git server the secret of VECTORCODE_WEBHOOK_SECRET.",
        ));
    }
    let webhook = webhook.clone();
    Ok(Workers::run_aside(move || request_visits(&webhook.options, &body)).await??)
}

/// GitHub and Gitea sign the body; GitLab sends the secret itself. Both are compared in constant time.
fn is_genuine(headers: &HeaderMap, body: &[u8], secret: &Secret) -> bool {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
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

fn from_hex(text: &str) -> Option<Vec<u8>> {
    if !text.is_ascii() || !text.len().is_multiple_of(2) {
        return None;
    }
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// Notes the registered repositories that the message is about, and returns their names.
fn request_visits(options: &WebhookOptions, body: &Bytes) -> Result<Vec<String>, crate::failure::Failure> {
    let message: Value = serde_json::from_slice(body).unwrap_or_default();
    let urls = URL_PLACES.iter().filter_map(|place| message.pointer(place)?.as_str());
    let identity = |url: &str| RepositoryUrl::parse(url, Protocols::AlsoLocal).ok().map(|url| url.identity());
    let pushed: Vec<String> = urls.filter_map(identity).collect();
    let failed = |error: &dyn std::fmt::Display| {
        tracing::error!(%error, "a webhook could not be noted");
        crate::failure::Failure::environment("The message could not be noted.", None)
    };
    let mut names = Vec::new();
    for repository in options.repositories.all().map_err(|error| failed(&error))? {
        if identity(&repository.url).is_some_and(|known| pushed.contains(&known)) {
            let control = Control::new(&options.directory, &repository.name);
            control.request_visit().map_err(|error| failed(&error))?;
            names.push(repository.name);
        }
    }
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_messages_with_the_secret_are_genuine() {
        // The example of GitHub's documentation.
        let (body, secret) = (b"Hello, World!", Secret::from("It's a Secret to Everybody"));
        let signature = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
        let headers = |name: &'static str, value: &str| {
            HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())])
        };
        let is = |headers: &HeaderMap, body: &[u8]| is_genuine(headers, body, &secret);
        assert!(is(&headers(GITHUB_SIGNATURE, signature), body));
        assert!(!is(&headers(GITHUB_SIGNATURE, signature), b"Hello, world!"));
        for wrong in ["", "sha256=", "sha256=zz", "sha1=00", "sha256=7571"] {
            assert!(!is(&headers(GITHUB_SIGNATURE, wrong), body), "{wrong}");
        }
        assert!(is(&headers(GITLAB_TOKEN, "It's a Secret to Everybody"), body));
        assert!(!is(&headers(GITLAB_TOKEN, "It's a secret"), body) && !is(&HeaderMap::new(), body));
    }
}
