//! Reads the user's profile in `~/.aws`, which `object_store` does not do.

use std::path::PathBuf;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};

/// If one of these variables is set, credentials come from the environment.
const IN_ENVIRONMENT: [&str; 4] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
];

/// Adds the key and region of the profile to the configuration from the environment.
pub(super) fn complete(builder: AmazonS3Builder) -> AmazonS3Builder {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let profile = variable("AWS_PROFILE").unwrap_or_else(|| "default".into());
    let home =
        variable("HOME").or_else(|| variable("USERPROFILE")).map(|home| PathBuf::from(home).join(".aws"));
    let file = |name: &str, default: &str| {
        let path = variable(name).map(PathBuf::from).or_else(|| Some(home.as_ref()?.join(default)))?;
        std::fs::read_to_string(path).ok()
    };
    let mut builder = builder;
    if let Some(text) = file("AWS_CONFIG_FILE", "config")
        && variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")).is_none()
        && let Some(region) = value(&text, &[&format!("profile {profile}"), &profile], "region")
    {
        builder = builder.with_config(AmazonS3ConfigKey::Region, region);
    }
    if IN_ENVIRONMENT.iter().any(|name| variable(name).is_some()) {
        return builder;
    }
    let Some(text) = file("AWS_SHARED_CREDENTIALS_FILE", "credentials") else { return builder };
    for (name, key) in [
        ("aws_access_key_id", AmazonS3ConfigKey::AccessKeyId),
        ("aws_secret_access_key", AmazonS3ConfigKey::SecretAccessKey),
        ("aws_session_token", AmazonS3ConfigKey::Token),
    ] {
        if let Some(value) = value(&text, &[&profile], name) {
            builder = builder.with_config(key, value);
        }
    }
    builder
}

/// The value of a key in any of these sections of an INI file.
fn value(text: &str, sections: &[&str], key: &str) -> Option<String> {
    let mut inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(section) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            inside = sections.contains(&section.trim());
        } else if inside
            && let Some((name, value)) = line.split_once('=')
            && name.trim() == key
        {
            return Some(value.trim().to_owned());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_from_its_own_section() {
        let text = "[default]\nregion = eu-west-1\n[profile ci]\nregion=us-east-2 \n# region = no\n[other]\nregion = x\n";
        assert_eq!(value(text, &["profile default", "default"], "region").as_deref(), Some("eu-west-1"));
        assert_eq!(value(text, &["profile ci", "ci"], "region").as_deref(), Some("us-east-2"));
        assert_eq!(value(text, &["ci"], "region"), None);
        assert_eq!(value(text, &["other"], "key"), None);
    }
}
