//! The reason why the git data of a project is not used.

/// A reason shown to the user, as the end of a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub String);

impl Refusal {
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    pub fn leads_outside(name: &str) -> Self {
        Self(format!("{name} in its .git leads outside of it"))
    }

    pub fn not_a_file(name: &str) -> Self {
        Self(format!("{name} in its .git is not a regular file"))
    }

    pub fn too_large(name: &str) -> Self {
        Self(format!("{name} in its .git is too large"))
    }
}
