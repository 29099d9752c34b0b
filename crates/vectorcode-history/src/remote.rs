//! Normalises the URLs of a repository, so that all clones have the same name for it.

/// Real repository URLs are shorter.
const MAX_NAME_BYTES: usize = 1_000;
/// URL schemes that refer to the same repository on one server.
const SCHEMES: [&str; 6] = ["https", "http", "ssh", "git", "git+ssh", "ssh+git"];

/// The host and path of a remote: `github.com/team/shop`. Scheme, user, password, port, `.git` and the case of the host differ
/// between clones of one repository and are removed. `None` for a local path, which means nothing on other machines.
pub fn normalised_remote(url: &str) -> Option<String> {
    let url = url.trim();
    if let Some((scheme, rest)) = url.split_once("://") {
        let is_known = SCHEMES.contains(&scheme.to_ascii_lowercase().as_str());
        let (authority, path) = rest.split_once('/').filter(|_| is_known)?;
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        return remote_name(without_port(host), path);
    }
    // `git@host:team/shop.git`; a single letter is a Windows drive.
    let (host, path) =
        url.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains(['/', '\\']))?;
    remote_name(host.rsplit_once('@').map_or(host, |(_, host)| host), path)
}

/// Removes the port: `[::1]:22` and `host:22`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => host,
    }
}

/// The normalised name for a separate host and path; `None` if they are invalid.
pub fn remote_name(host: &str, path: &str) -> Option<String> {
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let name = format!("{}/{path}", host.to_ascii_lowercase());
    let is_name = is_host(host)
        && !path.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && !name.contains(char::is_control)
        && !name.split('/').any(|part| part == "..");
    is_name.then_some(name)
}

/// A host name or an address, including IPv6.
fn is_host(host: &str) -> bool {
    let is_part_of_one = |byte: u8| byte.is_ascii_alphanumeric() || b"-._[]".contains(&byte);
    let is_address = host.starts_with('[') && host.ends_with(']');
    !host.is_empty()
        && !host.starts_with('.')
        && host.bytes().all(|byte| is_part_of_one(byte) || (is_address && byte == b':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_of_one_repository_have_one_name() {
        for url in [
            "https://github.com/Team/shop.git",
            "https://GitHub.com/Team/shop/",
            "https://me:secret@github.com:443/Team/shop",
            "ssh://git@github.com:22/Team/shop.git",
            "git@github.com:Team/shop.git",
            "github.com:/Team/shop",
            "git+ssh://git@github.com/Team/shop.git/",
            " git@GITHUB.COM:Team/shop\n",
        ] {
            assert_eq!(normalised_remote(url).as_deref(), Some("github.com/Team/shop"), "{url}");
        }
    }

    #[test]
    fn a_path_of_this_machine_has_none() {
        for url in [
            "/srv/git/shop.git",
            "../shop",
            "file:///srv/shop",
            "C:/code/shop",
            "",
            "https://host/",
            "git@host:",
        ] {
            assert_eq!(normalised_remote(url), None, "{url:?}");
        }
    }
}
