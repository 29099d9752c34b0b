//! The trusted certificate authorities: those of Mozilla, or those in the file that `SSL_CERT_FILE` names.

use std::path::Path;

use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};

use crate::EmbedError;

/// OpenSSL, curl and others read this variable too; companies set it to trust their own certificate authority.
const AUTHORITIES_VARIABLE: &str = "SSL_CERT_FILE";

/// The TLS configuration for all HTTP clients of this process.
pub fn config() -> Result<TlsConfig, EmbedError> {
    let roots = match std::env::var_os(AUTHORITIES_VARIABLE) {
        Some(path) if !path.is_empty() => authorities(Path::new(&path))?,
        _ => RootCerts::WebPki,
    };
    Ok(TlsConfig::builder().root_certs(roots).build())
}

fn authorities(path: &Path) -> Result<RootCerts, EmbedError> {
    let bad = |problem: String| EmbedError::Setting {
        key: AUTHORITIES_VARIABLE,
        problem: format!("{}: {problem}", path.display()),
    };
    let pem = std::fs::read(path).map_err(|error| bad(error.to_string()))?;
    let certificates: Vec<_> = parse_pem(&pem)
        .filter_map(|item| match item {
            Ok(PemItem::Certificate(certificate)) => Some(certificate),
            _ => None,
        })
        .collect();
    if certificates.is_empty() {
        return Err(bad("contains no certificate".into()));
    }
    Ok(RootCerts::from(certificates))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_without_certificates_is_a_wrong_setting() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("ca.pem");
        assert!(authorities(&file).is_err());
        std::fs::write(&file, "nothing").unwrap();
        assert!(authorities(&file).unwrap_err().to_string().contains("contains no certificate"));
    }
}
