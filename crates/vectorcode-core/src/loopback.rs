//! Recognises host names and addresses of this machine.

use std::net::IpAddr;

/// Whether a host (`localhost`, or an IP address with or without brackets) certainly is this machine.
pub fn is_loopback_host(host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_this_machine_are_its_own() {
        for own in ["localhost", "LocalHost", "127.0.0.1", "127.9.9.9", "::1", "[::1]"] {
            assert!(is_loopback_host(own), "{own}");
        }
        for other in ["localhost.example.com", "0.0.0.0", "[::]", "10.0.0.1", "", "[127.0.0.1", "localhost."]
        {
            assert!(!is_loopback_host(other), "{other}");
        }
    }
}
