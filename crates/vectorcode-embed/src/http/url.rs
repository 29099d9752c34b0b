//! The configured address of a server.

use std::fmt;

use ureq::http::Uri;
use vectorcode_core::is_loopback_host;

use crate::EmbedError;

/// The base URL of an API. It is displayed without user name, password and query, since any of them may contain a secret.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct BaseUrl {
    /// Scheme, authority and path, without a slash at the end.
    address: String,
    /// With the question mark; empty if there is none. Azure expects `api-version` in the query.
    query: String,
    host: String,
}

impl BaseUrl {
    /// `setting` is the configuration key of the address, for errors.
    pub fn parse(setting: &'static str, text: &str) -> Result<Self, EmbedError> {
        let text = text.trim();
        let bad = |problem: &str| EmbedError::Setting { key: setting, problem: problem.into() };
        if !(text.starts_with("http://") || text.starts_with("https://")) {
            return Err(bad("the address must start with http:// or https://"));
        }
        let uri: Uri = text.parse().map_err(|_| bad("not a valid address"))?;
        let host =
            uri.host().filter(|host| !host.is_empty()).ok_or_else(|| bad("the address has no host"))?;
        let (address, query) = text.split_at(text.find('?').unwrap_or(text.len()));
        let address = address.trim_end_matches('/').to_owned();
        Ok(Self { address, query: query.to_owned(), host: host.to_lowercase() })
    }

    /// The URL of `path`, which starts with a slash, on this server.
    pub fn join(&self, path: &str) -> String {
        format!("{}{path}{}", self.address, self.query)
    }

    pub fn is_https(&self) -> bool {
        self.address.starts_with("https://")
    }

    pub fn host(&self) -> &str {
        &self.host
    }

    pub fn query(&self) -> &str {
        &self.query
    }

    /// The path of the address: empty, or with a leading slash.
    pub fn path(&self) -> &str {
        let authority = self.address.find("://").map_or(0, |at| at + 3);
        self.address[authority..].find('/').map_or("", |at| &self.address[authority + at..])
    }

    /// The same server with another path.
    pub fn with_path(mut self, path: &str) -> Self {
        let kept = self.address.len() - self.path().len();
        self.address.truncate(kept);
        self.address.push_str(path);
        self
    }

    /// Whether the server is on this machine, where no proxy can reach it.
    pub fn is_loopback(&self) -> bool {
        is_loopback_host(&self.host)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, rest) = self.address.split_once("://").unwrap_or(("http", &self.address));
        let authority = rest.find('/').unwrap_or(rest.len());
        let shown = rest[..authority].rfind('@').map_or(rest, |at| &rest[at + 1..]);
        write!(f, "{scheme}://{shown}")
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BaseUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> BaseUrl {
        BaseUrl::parse("provider.openai.base_url", text).unwrap()
    }

    #[test]
    fn a_path_is_put_before_the_query() {
        assert_eq!(
            url("http://localhost:1234/v1/").join("/embeddings"),
            "http://localhost:1234/v1/embeddings"
        );
        assert_eq!(
            url("https://a.b/x?api-version=1").join("/embeddings"),
            "https://a.b/x/embeddings?api-version=1"
        );
    }

    #[test]
    fn secrets_in_the_address_are_not_shown() {
        let url = url("https://user:pass@host:81/v1?key=s3cret");
        assert_eq!(
            (url.to_string(), format!("{url:?}")),
            ("https://host:81/v1".into(), "BaseUrl(https://host:81/v1)".into())
        );
    }

    #[test]
    fn paths_are_read_and_replaced() {
        assert_eq!(url("http://h:1").path(), "");
        assert_eq!(url("http://h:1/").path(), "");
        assert_eq!(url("http://h:1/a/b?c").path(), "/a/b");
        assert_eq!(url("http://h:1/a?c").with_path("/v1").join("/x"), "http://h:1/v1/x?c");
    }

    #[test]
    fn this_machine_is_recognised() {
        for here in ["http://localhost:1", "http://127.0.0.1", "http://[::1]:8080/v1", "http://LOCALHOST"] {
            assert!(url(here).is_loopback(), "{here}");
        }
        assert!(!url("http://localhost.example.com").is_loopback());
    }

    #[test]
    fn what_is_no_address_is_a_wrong_setting() {
        for bad in ["", "localhost:11434", "ftp://x", "http://", "http://a b"] {
            let error = BaseUrl::parse("provider.ollama.url", bad).unwrap_err().to_string();
            assert!(error.contains("provider.ollama.url"), "{bad}: {error}");
        }
    }
}
