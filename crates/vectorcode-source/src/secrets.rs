//! Masks keys and tokens in the text of a file before any other code sees it.
//!
//! A source file that contains a key is still worth indexing, and most such keys are examples or test data. Skipping
//! the file would hide code from searches, so only the value is masked. Each byte of the value except white space
//! becomes a `*`, so that offsets stay valid. The prefix that shows the kind of token stays readable.
//!
//! The patterns are those that secret scanners agree on: tokens with an issuer prefix and a fixed alphabet, and
//! private keys in PEM. Passwords and tokens without a prefix are not detected. JSON web tokens are not detected
//! either: most are examples, and they expire.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

/// Replaces each byte of a value.
const MASK: u8 = b'*';

/// A kind of token: its prefix, alphabet and minimum length.
struct Token {
    prefix: &'static str,
    alphabet: Alphabet,
    /// Minimum number of characters after the prefix.
    least: usize,
}

#[derive(Clone, Copy)]
enum Alphabet {
    /// `A-Z0-9`
    Upper,
    /// `A-Za-z0-9`
    Alphanumeric,
    /// The alphabet of URL-safe Base64, plus a dot between parts.
    Base64Url,
}

impl Alphabet {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Alphanumeric => byte.is_ascii_alphanumeric(),
            Self::Base64Url => byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'),
        }
    }
}

const fn token(prefix: &'static str, alphabet: Alphabet, least: usize) -> Token {
    Token { prefix, alphabet, least }
}

const TOKENS: [Token; 27] = [
    // Amazon Web Services, access keys
    token("AKIA", Alphabet::Upper, 16),
    token("ASIA", Alphabet::Upper, 16),
    // GitHub, GitLab
    token("ghp_", Alphabet::Alphanumeric, 36),
    token("gho_", Alphabet::Alphanumeric, 36),
    token("ghu_", Alphabet::Alphanumeric, 36),
    token("ghs_", Alphabet::Alphanumeric, 36),
    token("ghr_", Alphabet::Alphanumeric, 36),
    token("github_pat_", Alphabet::Base64Url, 60),
    token("glpat-", Alphabet::Base64Url, 20),
    // Slack
    token("xoxb-", Alphabet::Base64Url, 20),
    token("xoxp-", Alphabet::Base64Url, 20),
    token("xoxa-", Alphabet::Base64Url, 20),
    token("xoxr-", Alphabet::Base64Url, 20),
    token("xoxs-", Alphabet::Base64Url, 20),
    token("xapp-", Alphabet::Base64Url, 20),
    // Google
    token("AIza", Alphabet::Base64Url, 35),
    // Stripe
    token("sk_live_", Alphabet::Alphanumeric, 20),
    token("rk_live_", Alphabet::Alphanumeric, 20),
    // OpenAI, Anthropic, Hugging Face
    token("sk-proj-", Alphabet::Base64Url, 40),
    token("sk-ant-", Alphabet::Base64Url, 40),
    token("hf_", Alphabet::Alphanumeric, 34),
    // npm, PyPI
    token("npm_", Alphabet::Alphanumeric, 36),
    token("pypi-", Alphabet::Base64Url, 80),
    // SendGrid, DigitalOcean, Shopify, Voyage
    token("SG.", Alphabet::Base64Url, 60),
    token("dop_v1_", Alphabet::Alphanumeric, 64),
    token("shpat_", Alphabet::Alphanumeric, 32),
    token("pa-", Alphabet::Base64Url, 43),
];

const PEM_START: &str = "-----BEGIN ";
const PEM_LABEL_END: &str = "PRIVATE KEY-----";
const PEM_END: &str = "-----END ";
/// Longer than any key. If the end line is missing, no more than this is masked.
const PEM_BYTES: usize = 16 << 10;
/// Maximum length of the label before [`PEM_LABEL_END`]. The longest is that of an encrypted key.
const PEM_LABEL_BYTES: usize = 16;

/// No prefix contains another, so every kind of match finds the same. This kind compares many bytes at once: it scans 3 GB of
/// source per second, the default 0.5 GB.
static PREFIXES: LazyLock<AhoCorasick> = LazyLock::new(|| {
    let prefixes = TOKENS.iter().map(|token| token.prefix).chain([PEM_START]);
    let leftmost = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(prefixes);
    leftmost.expect("a handful of short strings")
});

/// A text without its secrets.
pub(crate) struct Masked {
    pub text: String,
    /// How many values were masked.
    pub values: usize,
    /// Their total length in bytes.
    pub bytes: usize,
}

/// Whether [`masked`] may change a text. Almost no text contains even a prefix.
pub(crate) fn may_hold_secrets(text: &[u8]) -> bool {
    PREFIXES.is_match(text)
}

/// Masks the secrets of a text. Its length and its line breaks stay the same.
pub(crate) fn masked(text: String) -> Masked {
    let found = secrets(text.as_bytes());
    if found.is_empty() {
        return Masked { text, values: 0, bytes: 0 };
    }
    let mut bytes = text.into_bytes();
    let length = mask(&mut bytes, &found);
    // A private key without an end is cut off at a number of bytes, which may be inside a character.
    let text = String::from_utf8(bytes).unwrap_or_else(|error| replaced(error.as_bytes()));
    Masked { text, values: found.len(), bytes: length }
}

/// Replaces each byte that is no longer part of a character by a mask.
fn replaced(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for piece in bytes.utf8_chunks() {
        text.push_str(piece.valid());
        text.extend(piece.invalid().iter().map(|_| char::from(MASK)));
    }
    text
}

/// The byte ranges of secret values in a text, in order.
fn secrets(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for prefix in PREFIXES.find_iter(text) {
        let value = match TOKENS.get(prefix.pattern().as_usize()) {
            Some(token) => token.value_at(text, prefix.range()),
            None => private_key(text, prefix.end()),
        };
        // Skips a token inside a key, and a prefix inside another token.
        found.extend(value.filter(|value| found.last().is_none_or(|last| last.end <= value.start)));
    }
    found
}

/// Masks the values, except their white space. Returns the total length of the values in bytes.
fn mask(text: &mut [u8], values: &[Range<usize>]) -> usize {
    for value in values {
        for byte in &mut text[value.clone()] {
            if !byte.is_ascii_whitespace() {
                *byte = MASK;
            }
        }
    }
    values.iter().map(ExactSizeIterator::len).sum()
}

impl Token {
    fn value_at(&self, text: &[u8], prefix: Range<usize>) -> Option<Range<usize>> {
        let is_inside_a_word = prefix.start > 0 && text[prefix.start - 1].is_ascii_alphanumeric();
        let length = text[prefix.end..].iter().take_while(|byte| self.alphabet.has(**byte)).count();
        let value = prefix.end..prefix.end + length;
        let is_example = text[value.clone()].ends_with(b"EXAMPLE");
        // Requires a digit, because names and placeholders (`pa-page-of-many-words`, `ghp_xxxx`) have none.
        let is_random = text[value.clone()].iter().any(u8::is_ascii_digit);
        let fits = length >= self.least && length <= self.least * 4 + 64;
        (fits && is_random && !is_inside_a_word && !is_example).then_some(value)
    }
}

/// The range between the begin line and the end line of a private key.
fn private_key(text: &[u8], label: usize) -> Option<Range<usize>> {
    let window = &text[label..text.len().min(label + PEM_LABEL_BYTES + PEM_LABEL_END.len())];
    let start = label + memchr::memmem::find(window, PEM_LABEL_END.as_bytes())? + PEM_LABEL_END.len();
    let body = &text[start..text.len().min(start + PEM_BYTES)];
    let length = memchr::memmem::find(body, PEM_END.as_bytes()).unwrap_or(body.len());
    (length > 0).then_some(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> String {
        super::masked(text.to_owned()).text
    }

    /// Builds a fake token at run time, so that secret scanners do not report this file.
    fn made_up(prefix: &str, length: usize) -> String {
        format!("{prefix}{}", "Q7b".repeat(length).chars().take(length).collect::<String>())
    }

    #[test]
    fn tokens_lose_their_value_and_keep_their_prefix_and_length() {
        for (prefix, length) in [("ghp_", 36), ("glpat-", 20), ("AIza", 35), ("sk_live_", 24), ("xoxb-", 50)]
        {
            let token = made_up(prefix, length);
            let text = format!("let token = \"{token}\"; // of the bot\n");
            let expected = text.replace(&token, &format!("{prefix}{}", "*".repeat(length)));
            assert_eq!(masked(&text), expected);
        }
        let key = format!("AKIA{}", "Q7".repeat(8));
        assert_eq!(masked(&format!("{key}\n")), format!("AKIA{}\n", "*".repeat(16)));
    }

    #[test]
    fn a_private_key_loses_its_lines() {
        let text =
            format!("a\n-----BEGIN RSA {PEM_LABEL_END}\nMIIE\nabc=\n-----END RSA {PEM_LABEL_END}\nb\n");
        assert_eq!(masked(&text), text.replace("MIIE", "****").replace("abc=", "****"));
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "AKIAIOSFODNN7EXAMPLE",
            "ghp_short and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "pa-page-that-is-named-by-somebody-who-likes-long-names",
            "fn hf_transfer_function_that_is_named_at_length() {}",
            "task-runner sk-ant-hill",
            "-----BEGIN CERTIFICATE-----\nMIIE\n-----END CERTIFICATE-----",
            "TASIAXXXXXXXXXXXXXXXXXXXX",
        ] {
            assert_eq!(masked(text), text);
        }
    }

    #[test]
    fn a_key_without_an_end_may_end_inside_a_character() {
        let text = format!("-----BEGIN {PEM_LABEL_END}\n{}", "é".repeat(PEM_BYTES));
        let masked = masked(&text);
        assert_eq!(masked.len(), text.len());
        assert!(masked.ends_with(&"é".repeat(9)), "the rest of the text stays");
    }

    #[test]
    fn a_key_without_an_end_is_masked_to_the_end_of_a_short_text() {
        let text = format!("-----BEGIN {PEM_LABEL_END}\nMIIE");
        assert_eq!(masked(&text), text.replace("MIIE", "****"));
    }
}
