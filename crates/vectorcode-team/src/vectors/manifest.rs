//! A manifest: which packs contain the vectors of a commit, and for which files.
//!
//! The object consists of a magic number, the length of a signature (32 bits, little-endian; 0 without one), the minisign
//! signature of the rest, and JSON compressed with zstd. Packs are named by the hash of their bytes, so the signature covers
//! them too. All of it is untrusted until it is verified: anybody may run the server.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use vectorcode_core::{CommitId, VERSION, VectorSpace};
use vectorcode_engine::FileKey;

use crate::TeamError;
use crate::vectors::compression::{compress, decompress};
use crate::vectors::remote_folder::RemoteFolder;
use crate::vectors::{SigningKey, TrustedKey, pack};

const MAGIC: &[u8; 8] = b"vcmani1\0";
/// A manifest of a million files has 17 MB.
pub(crate) const MAX_BYTES: u64 = 64 << 20;
const MAX_JSON_BYTES: usize = 128 << 20;
const MAX_SIGNATURE_BYTES: usize = 4_096;
const MAX_PACKS: usize = 10_000;
const PACK_ID_DIGITS: usize = 64;

/// The vectors of one commit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub project: String,
    pub commit: String,
    pub space: VectorSpace,
    pub content_version: String,
    /// The version of the program that wrote it, for debugging.
    pub program: String,
    pub packs: Vec<PackEntry>,
}

/// A pack, and the files whose vectors it contains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PackEntry {
    /// `blake3` hash of the pack's bytes, in hexadecimal.
    pub id: String,
    pub bytes: u64,
    pub vectors: u64,
    #[serde(with = "file_keys")]
    pub files: Vec<FileKey>,
}

impl Manifest {
    pub(crate) fn new(place: &RemoteFolder, commit: CommitId, packs: Vec<PackEntry>) -> Self {
        Self {
            project: place.project.clone(),
            commit: commit.to_string(),
            space: place.kind.space.clone(),
            content_version: place.kind.content_version.clone(),
            program: VERSION.to_owned(),
            packs,
        }
    }

    pub fn encode(&self, key: Option<&SigningKey>) -> Result<Vec<u8>, TeamError> {
        let failed = |problem: String| TeamError::bad_bundle("The manifest", problem);
        let json = serde_json::to_vec(self).map_err(|error| failed(error.to_string()))?;
        let payload = compress(&json).map_err(|error| failed(error.to_string()))?;
        let signature = key.map_or(Ok(String::new()), |key| key.sign(&payload))?;
        let length = (signature.len() as u32).to_le_bytes();
        Ok([MAGIC.as_slice(), &length, signature.as_bytes(), &payload].concat())
    }

    /// Parses the manifest of a commit for this project and these models. With a key, the signature must be valid.
    pub fn decode(
        bytes: &[u8],
        place: &RemoteFolder,
        commit: CommitId,
        key: Option<&TrustedKey>,
    ) -> Result<Self, TeamError> {
        let bad = |problem: &str| TeamError::bad_bundle(format!("The bundle of commit {commit}"), problem);
        let (signature, payload) =
            parts(bytes).ok_or_else(|| bad("it does not begin with the right magic number"))?;
        if let Some(key) = key {
            // Verified before anything is decompressed.
            key.verify(payload, signature)
                .map_err(|problem| TeamError::BadSignature { commit: commit.to_string(), problem })?;
        }
        let json = decompress(payload, MAX_JSON_BYTES).map_err(|problem| bad(&problem))?;
        let manifest: Self = serde_json::from_slice(&json).map_err(|error| bad(&error.to_string()))?;
        manifest.check(place, commit).map_err(|problem| bad(&problem))?;
        Ok(manifest)
    }

    /// The signed content states what it is for, so that no manifest can be served in place of another.
    fn check(&self, place: &RemoteFolder, commit: CommitId) -> Result<(), String> {
        let is_for = self.project == place.project
            && self.commit == commit.to_string()
            && self.space == place.kind.space
            && self.content_version == place.kind.content_version;
        if !is_for {
            return Err("it is for another project, commit or model".into());
        }
        if self.packs.len() > MAX_PACKS {
            return Err(format!("it has more than {MAX_PACKS} packs"));
        }
        self.packs.iter().try_for_each(PackEntry::check)
    }

    pub(crate) fn files(&self) -> HashSet<FileKey> {
        self.packs.iter().flat_map(|pack| pack.files.iter().copied()).collect()
    }
}

impl PackEntry {
    fn check(&self) -> Result<(), String> {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if self.id.len() != PACK_ID_DIGITS || !self.id.bytes().all(is_digit) {
            return Err("the name of a pack is not a hash".into());
        }
        if self.bytes > pack::MAX_BYTES {
            return Err(format!("a pack has more than {} bytes", pack::MAX_BYTES));
        }
        Ok(())
    }
}

/// Splits off the signature and returns it with the signed payload.
fn parts(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.strip_prefix(MAGIC)?.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length) as usize;
    (length <= MAX_SIGNATURE_BYTES).then(|| rest.split_at_checked(length))?
}

/// All keys in one string: a list of a million strings would need ten times the memory while it is parsed.
mod file_keys {
    use std::fmt::Write;

    use serde::{Deserialize, Deserializer, Serializer, de, ser::Error};
    use vectorcode_engine::FileKey;

    pub fn serialize<S: Serializer>(keys: &[FileKey], serializer: S) -> Result<S::Ok, S::Error> {
        let mut digits = String::with_capacity(2 * FileKey::BYTES * keys.len());
        for byte in keys.iter().flat_map(|key| key.0) {
            write!(digits, "{byte:02x}").map_err(S::Error::custom)?;
        }
        serializer.serialize_str(&digits)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<FileKey>, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let (keys, rest) = digits.as_bytes().as_chunks::<{ 2 * FileKey::BYTES }>();
        let keys: Option<Vec<FileKey>> = keys.iter().map(|digits| key(digits)).collect();
        keys.filter(|_| rest.is_empty())
            .ok_or_else(|| <D::Error as de::Error>::custom("the file keys of a pack are not hashes"))
    }

    fn key(digits: &[u8]) -> Option<FileKey> {
        let bytes = vectorcode_core::from_hex(std::str::from_utf8(digits).ok()?)?;
        bytes.try_into().ok().map(FileKey)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use vectorcode_engine::VectorKind;

    use super::*;

    fn place() -> RemoteFolder {
        let space = VectorSpace::new("onnx", "small", 4);
        RemoteFolder { project: "p".repeat(32), kind: VectorKind { space, content_version: "1".into() } }
    }

    fn commit(byte: u8) -> CommitId {
        CommitId::from_bytes(&[byte; 20]).unwrap()
    }

    fn manifest() -> Manifest {
        let files = vec![FileKey([7; 16]), FileKey([0xab; 16])];
        let pack = PackEntry { id: "0f".repeat(32), bytes: 100, vectors: 3, files };
        Manifest::new(&place(), commit(1), vec![pack])
    }

    fn problem(manifest: &Manifest) -> String {
        Manifest::decode(&manifest.encode(None).unwrap(), &place(), commit(1), None).unwrap_err().to_string()
    }

    #[test]
    fn a_manifest_is_read_as_it_was_written() {
        let bytes = manifest().encode(None).unwrap();
        assert_eq!(Manifest::decode(&bytes, &place(), commit(1), None).unwrap(), manifest());
    }

    #[test]
    fn one_for_something_else_is_refused() {
        let bytes = manifest().encode(None).unwrap();
        assert!(Manifest::decode(&bytes, &place(), commit(2), None).is_err());
        let mut other = place();
        other.kind.space.model = "large".into();
        assert!(Manifest::decode(&bytes, &other, commit(1), None).is_err());
        other = place();
        other.project = "q".repeat(32);
        assert!(Manifest::decode(&bytes, &other, commit(1), None).is_err());
    }

    #[test]
    fn a_pack_cannot_be_named_out_of_its_folder_nor_be_huge() {
        let with = |change: fn(&mut PackEntry)| {
            let mut manifest = manifest();
            change(&mut manifest.packs[0]);
            problem(&manifest)
        };
        assert!(with(|pack| pack.id = "../../../../etc/passwd".into()).contains("not a hash"));
        assert!(with(|pack| pack.id = "A".repeat(64)).contains("not a hash"));
        assert!(with(|pack| pack.bytes = u64::MAX).contains("more than"));
        let many = Manifest { packs: vec![manifest().packs[0].clone(); MAX_PACKS + 1], ..manifest() };
        assert!(problem(&many).contains("packs"));
    }

    #[test]
    fn with_a_key_only_what_it_signed_is_taken() {
        let (signing, trusted) = crate::vectors::signature::tests::pair();
        let (_, other) = crate::vectors::signature::tests::pair();
        let signed = manifest().encode(Some(&signing)).unwrap();
        let read = |bytes: &[u8], key| Manifest::decode(bytes, &place(), commit(1), key);
        assert!(read(&signed, Some(&trusted)).is_ok());
        assert!(read(&signed, None).is_ok(), "a signature that nobody asks for does no harm");
        assert!(matches!(read(&signed, Some(&other)), Err(TeamError::BadSignature { .. })));
        let unsigned = manifest().encode(None).unwrap();
        assert!(matches!(read(&unsigned, Some(&trusted)), Err(TeamError::BadSignature { .. })));
        let mut torn = signed.clone();
        *torn.last_mut().unwrap() ^= 1;
        assert!(matches!(read(&torn, Some(&trusted)), Err(TeamError::BadSignature { .. })));
    }

    proptest! {
        #[test]
        fn no_bytes_are_more_than_an_error(
            raw in prop::collection::vec(any::<u8>(), 0..300),
            json in "[\\[\\]{}\":,a-z0-9]{0,200}",
            at in any::<prop::sample::Index>(),
            flip in 1u8..,
        ) {
            let read = |bytes: &[u8]| Manifest::decode(bytes, &place(), commit(1), None);
            let framed = |payload: &[u8]| [MAGIC.as_slice(), &[0; 4], payload].concat();
            prop_assert!(read(&raw).is_err());
            prop_assert!(read(&framed(&raw)).is_err());
            prop_assert!(read(&framed(&compress(json.as_bytes()).unwrap())).is_err());
            let mut changed = manifest().encode(None).unwrap();
            let place = at.index(changed.len());
            changed[place] ^= flip;
            // With a flipped bit it may still be a valid manifest, but it never causes a panic.
            let _ = read(&changed);
            changed.truncate(place);
            prop_assert!(read(&changed).is_err());
        }
    }
}
