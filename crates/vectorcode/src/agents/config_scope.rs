//! Whose configuration is changed.

/// Which files an installation touches: the user's own, or those of one project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum ConfigScope {
    /// All projects of this user
    User,
    /// Only this project, for everyone who works on it
    Project,
}
