//! SHA-256 of a download against the list that was published with it.

use sha2::{Digest, Sha256};

use super::error::UpgradeError;

/// Compares the digest of `bytes` with the line of `sums` that names the file.
pub fn verify(file: &str, bytes: &[u8], sums: &[u8]) -> Result<(), UpgradeError> {
    let sums = String::from_utf8_lossy(sums);
    let expected =
        published(&sums, file).ok_or_else(|| UpgradeError::NoChecksum { file: file.to_owned() })?;
    let found = hex(&Sha256::digest(bytes));
    if found.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    Err(UpgradeError::WrongChecksum { file: file.to_owned(), expected: expected.to_owned(), found })
}

/// Lines are `<digest>  <name>`, as `sha256sum` writes them; `*` before the name means binary mode.
fn published<'text>(sums: &'text str, file: &str) -> Option<&'text str> {
    sums.lines().find_map(|line| {
        let (digest, name) = line.split_once(char::is_whitespace)?;
        (name.trim().trim_start_matches('*') == file).then_some(digest)
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect::<Vec<_>>().concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of `abc`, from the standard.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    #[test]
    fn a_listed_file_with_the_right_digest_passes() {
        assert!(verify("a.tar.gz", b"abc", format!("00  b\n{ABC}  a.tar.gz\n").as_bytes()).is_ok());
        assert!(verify("a.zip", b"abc", format!("{} *a.zip\r\n", ABC.to_uppercase()).as_bytes()).is_ok());
    }

    #[test]
    fn another_digest_or_no_line_at_all_does_not() {
        let sums = format!("{ABC}  a\n");
        assert!(matches!(verify("a", b"abd", sums.as_bytes()), Err(UpgradeError::WrongChecksum { .. })));
        assert!(matches!(verify("aa", b"abc", sums.as_bytes()), Err(UpgradeError::NoChecksum { .. })));
    }
}
