//! Parses and opens the location of shared vectors. Credentials come from the environment and the user's own files, never
//! from the URL, which appears in settings and logs.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::http::HttpBuilder;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as ObjectPath;
use object_store::{ClientOptions, Error, ObjectStore, RetryConfig};
use url::Url;
use vectorcode_core::{is_loopback_host, with_causes};

use super::Access;
use super::aws_profile;
use super::http_client::{Connector, Redirects};
use crate::TeamError;

const AWS_HINT: &str = "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION, or a profile in ~/.aws; for a server other than \
                        Amazon's also AWS_ENDPOINT_URL, and AWS_ALLOW_HTTP=true if it uses plain HTTP.";
const GOOGLE_HINT: &str =
    "Set GOOGLE_APPLICATION_CREDENTIALS, or run `gcloud auth application-default login`.";
const AZURE_HINT: &str =
    "Set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or AZURE_STORAGE_SAS_KEY.";
const FOLDER_HINT: &str = "Check that the folder is there and that you may use it.";
const WEB_HINT: &str = "Check the address and the connection.";

/// Where vectors are pushed to or pulled from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    Folder(PathBuf),
    S3(Url),
    Google(Url),
    Azure(Url),
    /// A web server, which is read-only.
    Web(Url),
}

impl Location {
    /// Parses what a person wrote. A folder is relative to `base`.
    pub fn parse(text: &str, base: &Path) -> Result<Self, TeamError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(TeamError::NoUrl);
        }
        if !text.contains("://") {
            return Ok(Self::Folder(base.join(text)));
        }
        let url = Url::parse(text).map_err(|error| bad(text, error.to_string()))?;
        if !url.username().is_empty() && url.scheme() != "az" || url.password().is_some() {
            let shown = format!("{}://…", url.scheme());
            return Err(bad(&shown, "a name or password in it would be seen by others".into()));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(bad(&format!("{}://…", url.scheme()), "it has a query or a fragment".into()));
        }
        Self::of(url, text)
    }

    fn of(url: Url, text: &str) -> Result<Self, TeamError> {
        let has_host = url.host_str().is_some_and(|host| !host.is_empty());
        match url.scheme() {
            "file" => url
                .to_file_path()
                .map(Self::Folder)
                .map_err(|()| bad(text, "it is not a folder of this machine".into())),
            "s3" | "s3a" if has_host => Ok(Self::S3(url)),
            "gs" if has_host => Ok(Self::Google(url)),
            "az" | "azure" | "abfs" | "abfss" if has_host => Ok(Self::Azure(url)),
            "https" if has_host => Ok(Self::Web(url)),
            "http" if is_loopback(&url) => Ok(Self::Web(url)),
            "http" => Err(bad(text, "data sent over plain HTTP may be changed on the way".into())),
            other => Err(bad(text, format!("{other}:// is not supported, or nothing follows it"))),
        }
    }

    pub(crate) fn is_read_only(&self) -> bool {
        matches!(self, Self::Web(_))
    }

    pub(super) fn open(&self, access: Access) -> Result<(Box<dyn ObjectStore>, ObjectPath), TeamError> {
        let opened = match self {
            Self::Folder(folder) => return self.open_folder(folder, access),
            Self::S3(url) => aws_profile::complete(AmazonS3Builder::from_env())
                .with_url(url.as_str())
                .with_retry(retry())
                .with_http_connector(Connector::new(Redirects::Refuse)?)
                .build()
                .map(boxed),
            Self::Google(url) => GoogleCloudStorageBuilder::from_env()
                .with_url(url.as_str())
                .with_retry(retry())
                .with_http_connector(Connector::new(Redirects::Refuse)?)
                .build()
                .map(boxed),
            Self::Azure(url) => MicrosoftAzureBuilder::from_env()
                .with_url(url.as_str())
                .with_retry(retry())
                .with_http_connector(Connector::new(Redirects::Refuse)?)
                .build()
                .map(boxed),
            Self::Web(url) => HttpBuilder::new()
                .with_url(&url[..url::Position::BeforePath])
                .with_retry(retry())
                .with_client_options(ClientOptions::new().with_allow_http(is_loopback(url)))
                .with_http_connector(Connector::new(Redirects::Follow)?)
                .build()
                .map(boxed),
        };
        let objects = opened.map_err(|error| self.failed("open", &error))?;
        Ok((objects, self.prefix()?))
    }

    fn prefix(&self) -> Result<ObjectPath, TeamError> {
        let path = match self {
            Self::Folder(_) => "",
            Self::S3(url) | Self::Google(url) | Self::Azure(url) | Self::Web(url) => url.path(),
        };
        ObjectPath::from_url_path(path).map_err(|error| bad(&self.to_string(), error.to_string()))
    }

    fn open_folder(
        &self,
        folder: &Path,
        access: Access,
    ) -> Result<(Box<dyn ObjectStore>, ObjectPath), TeamError> {
        let failed = |action, error: std::io::Error| TeamError::Remote {
            action,
            place: self.to_string(),
            message: error.to_string(),
            hint: Some(FOLDER_HINT),
        };
        if access == Access::Preview && !folder.exists() {
            return Ok((boxed(InMemory::new()), ObjectPath::default()));
        }
        if access == Access::Write {
            std::fs::create_dir_all(folder).map_err(|error| failed("create", error))?;
        }
        std::fs::read_dir(folder).map_err(|error| failed("open", error))?;
        let objects = LocalFileSystem::new_with_prefix(folder);
        Ok((boxed(objects.map_err(|error| self.failed("open", &error))?), ObjectPath::default()))
    }

    pub(super) fn failed(&self, action: &'static str, error: &Error) -> TeamError {
        let hint = match self {
            Self::Folder(_) => FOLDER_HINT,
            Self::S3(_) => AWS_HINT,
            Self::Google(_) => GOOGLE_HINT,
            Self::Azure(_) => AZURE_HINT,
            Self::Web(_) => WEB_HINT,
        };
        let message = match error {
            Error::NotFound { .. } => "there is no such bucket or container".to_owned(),
            Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => "access is denied".to_owned(),
            error => vectorcode_core::visible_line(&with_causes(error)).chars().take(500).collect(),
        };
        TeamError::Remote { action, place: self.to_string(), message, hint: Some(hint) }
    }
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Folder(folder) => folder.display().fmt(f),
            Self::S3(url) | Self::Google(url) | Self::Azure(url) | Self::Web(url) => url.fmt(f),
        }
    }
}

fn bad(url: &str, problem: String) -> TeamError {
    TeamError::BadUrl { url: url.to_owned(), problem }
}

fn boxed(objects: impl ObjectStore) -> Box<dyn ObjectStore> {
    Box::new(objects)
}

/// A person is waiting: give up on an unreachable server after half a minute.
fn retry() -> RetryConfig {
    RetryConfig { max_retries: 4, retry_timeout: Duration::from_secs(30), ..RetryConfig::default() }
}

fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Location, TeamError> {
        Location::parse(text, Path::new("/base"))
    }

    #[test]
    fn addresses_are_told_apart() {
        assert_eq!(parse("../shared").unwrap(), Location::Folder("/base/../shared".into()));
        assert!(matches!(parse("s3://bucket/team").unwrap(), Location::S3(_)));
        assert!(matches!(parse("gs://bucket").unwrap(), Location::Google(_)));
        assert!(matches!(parse("az://container/team").unwrap(), Location::Azure(_)));
        assert!(parse("https://example.com/index").unwrap().is_read_only());
        assert!(parse("http://127.0.0.1:8000/index").unwrap().is_read_only());
        #[cfg(unix)]
        assert_eq!(parse("file:///srv/shared").unwrap(), Location::Folder("/srv/shared".into()));
    }

    #[test]
    fn what_cannot_be_trusted_or_told_is_refused() {
        for text in [
            "",
            "http://example.com/index",
            "ftp://host/x",
            "s3://",
            "s3:///bucket",
            "https://me:pass@host/x",
            "https://h/x?sig=1",
        ] {
            let error = parse(text).unwrap_err();
            assert!(!error.to_string().contains("pass@") && !error.to_string().contains("sig=1"), "{error}");
        }
    }
}
