//! The arguments of `vectorcode index push` and `pull`.

use crate::arg_values::at_least_one;

/// To index a folder with one of these names, write `./push` or `./pull`.
#[derive(Debug, clap::Subcommand)]
pub enum ShareCommand {
    /// Upload the vectors of the commit that is checked out, for colleagues to pull
    #[command(after_help = "\
Brings the index up to date, then pushes the vectors of all files that are the same as in the
commit, without source text and paths. Only what is not there yet is uploaded.

With VECTORCODE_SHARE_SIGNING_KEY, the secret key of minisign, the bundle is signed.

Examples:
  vectorcode index push s3://team-bucket/indexes
  vectorcode index push /mnt/share/indexes --dry-run
  vectorcode index push                                # to share.url")]
    Push(PushArgs),

    /// Bring the index up to date with vectors that a colleague or CI has pushed
    #[command(after_help = "\
Takes the newest bundle of a commit that this checkout descends from, and from it the vectors of
texts that are on this disk. All other vectors are computed here, as by `vectorcode index`.

Examples:
  vectorcode index pull s3://team-bucket/indexes
  vectorcode index pull https://example.com/indexes --project github.com/team/shop
  vectorcode index pull                                # from share.url

Exit codes: 0 success, 2 error, 3 searchable, but vectors of the provider are missing")]
    Pull(PullArgs),
}

#[derive(Debug, clap::Args)]
pub struct PlaceArgs {
    /// A folder, `s3://bucket/path`, `gs://bucket/path`, `az://container/path`, or `https://host/path` to pull [default: share.url]
    #[arg(value_name = "URL")]
    pub url: Option<String>,

    /// Name of the project in that location, such as github.com/team/shop [default: share.project, or the git remote]
    #[arg(long, value_name = "NAME")]
    pub project: Option<String>,

    /// Print the report as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, clap::Args)]
pub struct PushArgs {
    #[command(flatten)]
    pub place: PlaceArgs,

    /// Print what would be uploaded, and upload nothing
    #[arg(long)]
    pub dry_run: bool,

    /// Delete older bundles of the project, all but the N that were pushed last
    #[arg(long, value_name = "N", value_parser = at_least_one)]
    pub keep: Option<usize>,
}

#[derive(Debug, clap::Args)]
pub struct PullArgs {
    #[command(flatten)]
    pub place: PlaceArgs,
}
