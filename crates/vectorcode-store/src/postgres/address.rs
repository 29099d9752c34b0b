//! Where the database is: the URL from the settings, the password file, and how the connection is encrypted.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::contract::Result;
use crate::{StoreError, StoreErrorCode};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A peer that vanished is noticed after this long, even while nothing is sent.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(30);
const USER_TIMEOUT: Duration = Duration::from_secs(30);

/// A database, named by its URL. Displayed without its password.
#[derive(Clone)]
pub(super) struct Address {
    config: Config,
    root_certificates: Option<PathBuf>,
    shown: String,
}

impl Address {
    /// Parses a URL. If it has no password, that of `PGPASSWORD` or of the password file (`PGPASSFILE`) is used.
    pub fn parse(url: &str) -> Result<Self> {
        let (url, root_certificates) = take_parameter(url, "sslrootcert");
        let names_tls = url.contains("sslmode=");
        let mut config: Config = url.parse().map_err(|error: tokio_postgres::Error| invalid(&error))?;
        config
            .connect_timeout(CONNECT_TIMEOUT)
            .keepalives_idle(KEEPALIVE_IDLE)
            .tcp_user_timeout(USER_TIMEOUT);
        if config.get_user().is_none()
            && let Some(user) = std::env::var_os("PGUSER").or_else(|| std::env::var_os("USER"))
        {
            config.user(user.to_string_lossy());
        }
        let shown = shown(&config);
        // Source code does not cross a network unencrypted unless the URL says so.
        if !names_tls {
            config.ssl_mode(if is_local(&config) { SslMode::Disable } else { SslMode::Require });
        }
        if config.get_password().is_none() {
            let password = std::env::var("PGPASSWORD").ok().or_else(|| password_from_file(&config));
            if let Some(password) = password {
                config.password(password);
            }
        }
        let root_certificates = root_certificates.or_else(|| std::env::var("PGSSLROOTCERT").ok());
        Ok(Self { config, root_certificates: root_certificates.map(PathBuf::from), shown })
    }

    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Certificates are always verified, against the given file or else against the authorities that browsers trust.
    pub fn tls(&self) -> Result<MakeRustlsConnect> {
        let mut roots = RootCertStore::empty();
        match &self.root_certificates {
            Some(file) => {
                let failed = |error: &dyn fmt::Display| {
                    let message = format!("cannot read the certificates of {}: {error}", file.display());
                    StoreError::new(StoreErrorCode::Refused, message)
                };
                for certificate in CertificateDer::pem_file_iter(file).map_err(|error| failed(&error))? {
                    let certificate = certificate.map_err(|error| failed(&error))?;
                    roots.add(certificate).map_err(|error| failed(&error))?;
                }
            }
            None => roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned()),
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.map_err(|error| {
            StoreError::new(StoreErrorCode::Backend, "TLS cannot be set up").with_source(error)
        })?;
        Ok(MakeRustlsConnect::new(config.with_root_certificates(roots).with_no_client_auth()))
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({})", self.shown)
    }
}

/// Does not repeat the URL, which may contain a password.
fn invalid(error: &tokio_postgres::Error) -> StoreError {
    let message = format!("the URL of the store is not valid: {error}");
    StoreError::new(StoreErrorCode::Refused, message)
        .with_hint("It looks like `postgres://user@host:5432/database`.")
}

/// Removes a parameter from the URL, and returns its value.
fn take_parameter(url: &str, name: &str) -> (String, Option<String>) {
    let Some((base, query)) = url.split_once('?') else { return (url.to_owned(), None) };
    let prefix = format!("{name}=");
    let (mut value, mut rest) = (None, Vec::new());
    for part in query.split('&') {
        match part.strip_prefix(&prefix) {
            Some(found) => value = Some(found.replace("%2F", "/").replace("%2f", "/")),
            None => rest.push(part),
        }
    }
    let separator = if rest.is_empty() { "" } else { "?" };
    (format!("{base}{separator}{}", rest.join("&")), value)
}

fn hosts(config: &Config) -> Vec<String> {
    let host = |host: &Host| match host {
        Host::Tcp(name) => name.clone(),
        #[cfg(unix)]
        Host::Unix(path) => path.display().to_string(),
    };
    config.get_hosts().iter().map(host).collect()
}

fn ports(config: &Config) -> impl Iterator<Item = u16> {
    let given = config.get_ports().to_vec();
    let last = given.last().copied().unwrap_or(5432);
    given.into_iter().chain(std::iter::repeat(last))
}

fn is_local(config: &Config) -> bool {
    let hosts = hosts(config);
    let is_local = |host: &String| {
        host.starts_with('/') || host == "localhost" || host == "::1" || host.starts_with("127.")
    };
    hosts.iter().all(is_local)
}

/// `user@host:port/database`.
fn shown(config: &Config) -> String {
    let user = config.get_user().unwrap_or("?");
    let hosts: Vec<String> =
        hosts(config).iter().zip(ports(config)).map(|(host, port)| format!("{host}:{port}")).collect();
    format!("{user}@{}/{}", hosts.join(","), config.get_dbname().unwrap_or(user))
}

/// Looks up the password file of PostgreSQL's own clients: `host:port:database:user:password`, where `*` matches anything.
fn password_from_file(config: &Config) -> Option<String> {
    let file = std::env::var_os("PGPASSFILE")
        .map(PathBuf::from)
        .or_else(|| Some(std::env::home_dir()?.join(".pgpass")))?;
    let text = std::fs::read_to_string(file).ok()?;
    let user = config.get_user().unwrap_or_default();
    let (host, port) = (hosts(config).into_iter().next()?, ports(config).next()?.to_string());
    let wanted = [host.as_str(), &port, config.get_dbname().unwrap_or(user), user];
    text.lines().find_map(|line| password_of_line(line, &wanted))
}

fn password_of_line(line: &str, wanted: &[&str; 4]) -> Option<String> {
    let mut fields = vec![String::new()];
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => fields.last_mut()?.extend(characters.next()),
            ':' => fields.push(String::new()),
            other => fields.last_mut()?.push(other),
        }
    }
    let fits = |(field, wanted): (&String, &&str)| field == "*" || field == *wanted;
    (fields.len() == 5 && fields.iter().zip(wanted).all(fits)).then(|| fields.swap_remove(4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_its_password() {
        let address =
            Address::parse("postgres://ada:secret@db.example:6000/code?sslrootcert=%2Fca.pem").unwrap();
        assert_eq!(address.to_string(), "ada@db.example:6000/code");
        assert!(!format!("{address:?}").contains("secret"));
        assert_eq!(address.root_certificates, Some(PathBuf::from("/ca.pem")));
        assert_eq!(
            address.config.get_ssl_mode(),
            SslMode::Require,
            "connections to other machines are encrypted"
        );
        let error = Address::parse("postgres://ada:secret@db:port/x").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }

    #[test]
    fn a_password_file_is_read_as_by_other_clients() {
        let wanted = ["db.example", "5432", "code", "ada"];
        assert_eq!(password_of_line("db.example:5432:code:ada:a\\:b", &wanted), Some("a:b".into()));
        assert_eq!(password_of_line("*:*:*:ada:x", &wanted), Some("x".into()));
        assert_eq!(password_of_line("other:*:*:ada:x", &wanted), None);
        assert_eq!(password_of_line("# a comment", &wanted), None);
    }
}
