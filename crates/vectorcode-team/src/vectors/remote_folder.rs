//! The paths of a project's objects at a location.

use vectorcode_core::CommitId;
use vectorcode_engine::VectorKind;

use crate::vectors::ProjectIdentity;

/// The version of the layout and of all formats in it.
const LAYOUT: &str = "vectorcode/v1";

/// The folder of one project and one kind of vectors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RemoteFolder {
    /// [`ProjectIdentity::key`].
    pub project: String,
    pub kind: VectorKind,
}

impl RemoteFolder {
    pub(crate) fn new(identity: &ProjectIdentity, kind: &VectorKind) -> Self {
        Self { project: identity.key(), kind: kind.clone() }
    }

    pub(crate) fn commit_list(&self) -> String {
        self.key("commits")
    }

    pub(crate) fn manifests(&self) -> String {
        self.key("manifests")
    }

    pub(crate) fn manifest(&self, commit: CommitId) -> String {
        self.key(&format!("manifests/{commit}"))
    }

    pub(crate) fn packs(&self) -> String {
        self.key("packs")
    }

    pub(crate) fn pack(&self, id: &str) -> String {
        self.key(&format!("packs/{id}"))
    }

    fn key(&self, name: &str) -> String {
        format!("{LAYOUT}/{}/{}/{name}", self.project, kind_key(&self.kind))
    }
}

/// A hash of the models and the content version.
fn kind_key(kind: &VectorKind) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("vectorcode 2026-11 kind of shared vectors");
    let dimensions = kind.space.dimensions.to_string();
    for part in [&kind.content_version, &kind.space.provider, &kind.space.model, &dimensions] {
        hasher.update(part.as_bytes()).update(b"\0");
    }
    hasher.finalize().to_hex()[..16].to_owned()
}
