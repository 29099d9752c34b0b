//! Why a request failed, and whether a retry or a smaller request may succeed.

use std::fmt;
use std::time::{Duration, SystemTime};

use serde_json::Value;
use ureq::http::HeaderMap;
use ureq::http::response::Parts;

/// Maximum length of the server's message that we quote in an error.
const MAX_MESSAGE_CHARS: usize = 300;

/// Phrases in the error messages of servers that reject a request or a text as too large.
const TOO_LARGE_PHRASES: [&str; 8] = [
    "too large",
    "too long",
    "batch size",
    "tokens",
    "exceed",
    "context length",
    "input length",
    "maximum length",
];

/// Why a request failed.
#[derive(Debug)]
pub(crate) enum RequestFailure {
    /// The server was not reached, or its response was incomplete.
    NoAnswer { reason: String, is_transient: bool },
    /// The server responded with a status other than success.
    Status { code: u16, message: String, retry_after: Option<Duration> },
}

impl RequestFailure {
    pub fn refused(head: &Parts, body: &[u8]) -> Self {
        let json = serde_json::from_slice(body).ok();
        Self::Status {
            code: head.status.as_u16(),
            message: server_message(json.as_ref(), body),
            retry_after: retry_after(&head.headers).or_else(|| json.as_ref().and_then(retry_delay)),
        }
    }

    /// Whether the same request may succeed a moment later, so that a retry is worthwhile.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::NoAnswer { is_transient, .. } => *is_transient,
            Self::Status { code, .. } => {
                matches!(code, 429 | 500 | 502 | 503 | 504) && !self.is_too_large() && !self.is_out_of_quota()
            }
        }
    }

    /// Whether a smaller request may succeed. Instead of 413, some servers return 500 (llama.cpp, Ollama) or even 429 (OpenAI,
    /// when a single request exceeds the per-minute limit).
    pub fn is_too_large(&self) -> bool {
        let Self::Status { code, message, .. } = self else { return false };
        let message = message.to_lowercase();
        match code {
            413 => true,
            400 | 422 | 500 => TOO_LARGE_PHRASES.iter().any(|phrase| message.contains(phrase)),
            429 => message.contains("request too large"),
            _ => false,
        }
    }

    /// Whether the request may have been refused because of one of its texts. Such a request fails every time.
    pub fn may_be_about_a_text(&self) -> bool {
        matches!(self, Self::Status { code: 400 | 422, .. }) && !self.is_key_refused()
    }

    /// Whether the server asks us to slow down.
    pub fn is_rate_limit(&self) -> bool {
        matches!(self, Self::Status { code: 429, .. }) && !self.is_out_of_quota()
    }

    /// Whether the quota of the account is used up. Unlike a per-minute limit, it comes without a time to wait.
    pub fn is_out_of_quota(&self) -> bool {
        match self {
            Self::Status { code: 429, message, retry_after: None } => {
                message.contains("exceeded your current quota")
            }
            _ => false,
        }
    }

    pub fn is_key_refused(&self) -> bool {
        match self {
            Self::Status { code: 401 | 403, .. } => true,
            Self::Status { code: 400, message, .. } => message.to_lowercase().contains("api key"),
            _ => false,
        }
    }

    /// The same failure with its message changed by `change`.
    pub fn map_message(mut self, change: impl FnOnce(&str) -> String) -> Self {
        let (Self::NoAnswer { reason: text, .. } | Self::Status { message: text, .. }) = &mut self;
        *text = change(text);
        self
    }
}

impl fmt::Display for RequestFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAnswer { reason, .. } => f.write_str(reason),
            Self::Status { code, message, .. } if message.is_empty() => write!(f, "HTTP {code}"),
            Self::Status { code, message, .. } => write!(f, "HTTP {code}: {message}"),
        }
    }
}

impl From<ureq::Error> for RequestFailure {
    fn from(error: ureq::Error) -> Self {
        use ureq::Error;
        let is_transient = matches!(
            error,
            Error::Io(_)
                | Error::Timeout(_)
                | Error::HostNotFound
                | Error::ConnectionFailed
                | Error::Protocol(_)
        );
        Self::NoAnswer { reason: error.to_string(), is_transient }
    }
}

/// The message of the server, on one line. Each API has its own field for it.
fn server_message(json: Option<&Value>, body: &[u8]) -> String {
    let text = match json {
        Some(json) => ["/error/message", "/error", "/message", "/detail"]
            .iter()
            .find_map(|field| json.pointer(field)?.as_str())
            .unwrap_or_default()
            .to_owned(),
        None => plain_text(body),
    };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_MESSAGE_CHARS).collect()
}

/// The text of a response that is not JSON. Empty for an HTML page, which has no message that fits on one line.
fn plain_text(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(body);
    if text.trim_start().starts_with('<') { String::new() } else { text.into_owned() }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let value = headers.get("retry-after")?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(SystemTime::now()).unwrap_or_default())
}

/// Google puts the wait into the body: `{"error": {"details": [{"retryDelay": "37s"}]}}`.
fn retry_delay(json: &Value) -> Option<Duration> {
    let details = json.pointer("/error/details")?.as_array()?;
    let delay = details.iter().find_map(|detail| detail.get("retryDelay")?.as_str())?;
    Duration::try_from_secs_f64(delay.strip_suffix('s')?.parse().ok()?).ok()
}

#[cfg(test)]
mod tests {
    use ureq::http::Response;

    use super::*;

    fn answer(code: u16, headers: &[(&str, &str)], body: &str) -> RequestFailure {
        let mut response = Response::builder().status(code);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        RequestFailure::refused(&response.body(()).unwrap().into_parts().0, body.as_bytes())
    }

    fn wait(failure: &RequestFailure) -> Option<Duration> {
        match failure {
            RequestFailure::Status { retry_after, .. } => *retry_after,
            RequestFailure::NoAnswer { .. } => None,
        }
    }

    #[test]
    fn the_message_is_found_in_every_api() {
        let messages = [
            r#"{"error": {"message": "no\n such model"}}"#,
            r#"{"error": "no such model"}"#,
            r#"{"message": "no such model"}"#,
            r#"{"detail": "no such model"}"#,
            "no such model\n",
        ];
        for body in messages {
            assert_eq!(answer(404, &[], body).to_string(), "HTTP 404: no such model");
        }
        assert_eq!(answer(502, &[], "<html>Bad gateway</html>").to_string(), "HTTP 502");
        assert_eq!(answer(422, &[], r#"{"detail": [{"input": "secret source"}]}"#).to_string(), "HTTP 422");
    }

    #[test]
    fn the_wait_is_read_as_seconds_as_a_date_and_from_googles_body() {
        assert_eq!(wait(&answer(429, &[("retry-after", "7")], "")), Some(Duration::from_secs(7)));
        let soon = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(30));
        let read = wait(&answer(503, &[("retry-after", &soon)], "")).unwrap();
        assert!(read > Duration::from_secs(20) && read <= Duration::from_secs(30), "{read:?}");
        let past = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(wait(&answer(503, &[("retry-after", past)], "")), Some(Duration::ZERO));
        let google = r#"{"error": {"message": "quota", "details": [{"x": 1}, {"retryDelay": "1.5s"}]}}"#;
        assert_eq!(wait(&answer(429, &[], google)), Some(Duration::from_millis(1500)));
        assert_eq!(wait(&answer(429, &[("retry-after", "soon")], "")), None);
    }

    #[test]
    fn only_transient_failures_are_retried() {
        for code in [429, 500, 502, 503, 504] {
            assert!(answer(code, &[], "").is_transient(), "{code}");
        }
        for code in [301, 400, 401, 403, 404, 413, 422, 501] {
            assert!(!answer(code, &[], "").is_transient(), "{code}");
        }
        let quota = "You exceeded your current quota, please check your plan and billing details.";
        assert!(!answer(429, &[], quota).is_transient());
        assert!(answer(429, &[("retry-after", "1")], quota).is_transient());
        assert!(RequestFailure::from(ureq::Error::ConnectionFailed).is_transient());
        assert!(!RequestFailure::from(ureq::Error::BadUri("x".into())).is_transient());
    }

    #[test]
    fn a_request_that_is_too_large_is_not_retried_whatever_its_status() {
        let complaints = [
            (413, ""),
            (400, "This model's maximum context length is 8192 tokens"),
            (400, "The max allowed tokens per submitted batch is 120000."),
            (400, "Request payload size exceeds the limit"),
            (500, "input (3002 tokens) is too large to process. increase the physical batch size"),
            (500, "the input length exceeds the context length"),
            (422, "batch size 64 > maximum allowed batch size 32"),
            (429, "Request too large for text-embedding-3-small on tokens per min (TPM)"),
        ];
        for (code, message) in complaints {
            let failure = answer(code, &[], message);
            assert!(failure.is_too_large() && !failure.is_transient(), "{message}");
        }
        for (code, message) in [(400, "unknown model"), (429, "100000 tokens per minute"), (500, "oops")] {
            assert!(!answer(code, &[], message).is_too_large(), "{message}");
        }
    }
}
