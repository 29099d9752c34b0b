//! Pulls vectors: finds the newest bundle of an ancestor of this checkout, and takes the vectors of texts that are on this
//! disk.

use std::collections::HashSet;

use futures_util::{StreamExt, stream};
use serde::Serialize;
use vectorcode_core::config::ShareConfig;
use vectorcode_core::{CancelToken, CommitId, VERSION};
use vectorcode_engine::{FileKey, PullTarget, VectorGaps};
use vectorcode_history::Repository;

use crate::TeamError;
use crate::vectors::commit_list::{self, CommitList};
use crate::vectors::manifest::{self, Manifest, PackEntry};
use crate::vectors::remote::{Access, Remote};
use crate::vectors::remote_folder::RemoteFolder;
use crate::vectors::{Location, ProjectIdentity, TrustedKey, pack, runtime};

/// Packs that are downloaded at a time: each takes up to 32 MiB of memory.
const PARALLEL: usize = 4;

/// A bundle lists for each pack the files that it is for. After this many packs without a vector for our files, the bundle is
/// not trusted any further: an honest one has about twenty packs, and rarely one whose texts were all in another pack.
const MAX_USELESS_PACKS: usize = 32;

/// What to pull, and from where.
pub struct PullRequest<'a> {
    pub location: &'a Location,
    pub settings: &'a ShareConfig,
    /// Called with the number of chunks that got a vector, and the number that had none at the start.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    pub cancel: &'a CancelToken,
}

impl std::fmt::Debug for PullRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PullRequest").field("location", self.location).finish_non_exhaustive()
    }
}

/// The result of a pull.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PullReport {
    pub place: String,
    /// The project and commit of the bundle; `None` if there is no bundle for an ancestor of this checkout.
    pub project: Option<String>,
    pub commit: Option<String>,
    /// Chunks that had no vector before.
    pub missing: u64,
    /// How many of these got one.
    pub filled: u64,
    /// Files that lacked vectors, and how many of them are in the bundle with the same path and content.
    pub files: u64,
    pub files_matched: u64,
    pub packs: u64,
    pub bytes: u64,
    /// Problems that did not stop the pull, and why there is no bundle, as sentences.
    pub notes: Vec<String>,
}

/// The bundle to pull from.
struct Found {
    identity: ProjectIdentity,
    place: RemoteFolder,
    commit: CommitId,
    manifest: Manifest,
}

/// Fills in the missing vectors of an index whose files have been read.
pub fn pull(index: &dyn PullTarget, request: &PullRequest<'_>) -> Result<PullReport, TeamError> {
    let trusted = TrustedKey::from_setting(&request.settings.public_key)?;
    let repository = Repository::open(index.root())?.ok_or(TeamError::NoCommit)?;
    let head = repository.head()?.ok_or(TeamError::NoCommit)?;
    let identities = ProjectIdentity::candidates(&repository, request.settings)?;
    let mut gaps = index.vector_gaps()?;
    let mut report = PullReport {
        place: request.location.to_string(),
        missing: gaps.chunks() as u64,
        files: gaps.files.len() as u64,
        ..PullReport::default()
    };
    if report.missing == 0 {
        report.notes.push("Every chunk has its vector already.".into());
        return Ok(report);
    }
    let remote = Remote::open(request.location, Access::Read)?;
    let lists = runtime::run(request.cancel, || commit_lists(&remote, &identities, &gaps))?;
    let Some((identity, place, commit)) = choose(&repository, head, lists, &mut report)? else {
        return Ok(report);
    };
    let found = runtime::run(request.cancel, || async {
        let manifest = load_manifest(&remote, &place, commit, trusted.as_ref()).await?;
        Ok(Found { identity, place, commit, manifest })
    })?;
    report.project = Some(found.identity.to_string());
    report.commit = Some(found.commit.to_string());
    runtime::run(request.cancel, || fill(index, request, &remote, &found, &mut gaps, &mut report))?;
    Ok(report)
}

/// The list of commits with a bundle, for each identity.
async fn commit_lists(
    remote: &Remote,
    identities: &[ProjectIdentity],
    gaps: &VectorGaps,
) -> Result<Vec<(ProjectIdentity, RemoteFolder, CommitList)>, TeamError> {
    let mut lists = Vec::new();
    for identity in identities {
        let place = RemoteFolder::new(identity, &gaps.kind);
        let list = load_list(remote, &place).await?;
        lists.push((identity.clone(), place, list));
    }
    Ok(lists)
}

pub(crate) async fn load_list(remote: &Remote, place: &RemoteFolder) -> Result<CommitList, TeamError> {
    let bytes = remote.get(&place.commit_list(), commit_list::MAX_BYTES).await?;
    Ok(bytes.map_or_else(CommitList::default, |bytes| CommitList::parse(&bytes)))
}

/// The newest commit with a bundle that is an ancestor of `head`. A shallow clone does not know its ancestors: it takes what
/// was pushed last, because each vector is compared with the text on this disk anyway.
fn choose(
    repository: &Repository,
    head: CommitId,
    lists: Vec<(ProjectIdentity, RemoteFolder, CommitList)>,
    report: &mut PullReport,
) -> Result<Option<(ProjectIdentity, RemoteFolder, CommitId)>, TeamError> {
    let is_shallow = repository.is_shallow();
    let names: Vec<String> = lists.iter().map(|(identity, ..)| identity.to_string()).collect();
    let has_any = lists.iter().any(|(.., list)| !list.is_empty());
    for (identity, place, list) in lists {
        let ancestor = list.newest_ancestor(repository, head)?;
        if let Some(commit) = ancestor.or_else(|| list.newest().filter(|_| is_shallow)) {
            return Ok(Some((identity, place, commit)));
        }
    }
    report.notes.push(if has_any {
        format!("No bundle of {} is of a commit that this checkout is based on.", names.join(" or "))
    } else {
        format!(
            "There is no bundle of {} for this model and this version of vectorcode ({}) yet.",
            names.join(" or "),
            VERSION
        )
    });
    Ok(None)
}

pub(crate) async fn load_manifest(
    remote: &Remote,
    place: &RemoteFolder,
    commit: CommitId,
    trusted: Option<&TrustedKey>,
) -> Result<Manifest, TeamError> {
    let bytes = remote.get(&place.manifest(commit), manifest::MAX_BYTES).await?;
    let bytes = bytes.ok_or_else(|| {
        TeamError::bad_bundle(format!("The bundle of commit {commit}"), "it is listed but missing")
    })?;
    Manifest::decode(&bytes, place, commit, trusted)
}

/// Downloads the packs with files that lack vectors, and writes the vectors as they arrive. A damaged or missing pack only
/// causes a note: its texts are embedded here.
async fn fill(
    index: &dyn PullTarget,
    request: &PullRequest<'_>,
    remote: &Remote,
    found: &Found,
    gaps: &mut VectorGaps,
    report: &mut PullReport,
) -> Result<(), TeamError> {
    let has_files = |pack: &&PackEntry| pack.files.iter().any(|file| gaps.files.contains(file));
    let mut seen = HashSet::new();
    let packs = found.manifest.packs.iter().filter(has_files).filter(|pack| seen.insert(pack.id.as_str()));
    let wanted: Vec<&PackEntry> = packs.collect();
    let known: HashSet<FileKey> = found.manifest.files();
    report.files_matched = gaps.files.intersection(&known).count() as u64;
    (request.progress)(0, report.missing);
    let loads = wanted.into_iter().map(|pack| load_pack(remote, &found.place, pack));
    let mut loading = stream::iter(loads).buffer_unordered(PARALLEL);
    let mut useless = 0;
    while let Some(loaded) = loading.next().await {
        let filled_before = report.filled;
        let read =
            loaded.and_then(|bytes| Ok((bytes.len(), pack::decode(&bytes, gaps.kind.space.dimensions)?)));
        match read {
            Ok((bytes, vectors)) => {
                report.packs += 1;
                report.bytes += bytes as u64;
                let vectors = vectors.into_iter().filter(|(key, _)| gaps.wants(key)).collect();
                report.filled += index.fill_gaps(gaps, vectors, request.cancel)?;
                (request.progress)(report.filled, report.missing);
            }
            Err(error) => report.notes.push(format!("{error}. Its texts are embedded here instead.")),
        }
        useless += usize::from(report.filled == filled_before);
        if useless >= MAX_USELESS_PACKS || report.filled >= report.missing {
            break;
        }
    }
    if useless >= MAX_USELESS_PACKS {
        report.notes.push(format!(
            "{useless} packs had no vector that is missing here. The rest of the bundle is not downloaded."
        ));
    }
    Ok(())
}

async fn load_pack(remote: &Remote, place: &RemoteFolder, entry: &PackEntry) -> Result<Vec<u8>, TeamError> {
    let what = || format!("The pack {}", &entry.id[..12]);
    let bytes = remote.get(&place.pack(&entry.id), pack::MAX_BYTES).await?;
    let bytes = bytes.ok_or_else(|| TeamError::bad_bundle(what(), "it is missing"))?;
    if pack::id(&bytes) != entry.id {
        return Err(TeamError::bad_bundle(what(), "its content does not match its name"));
    }
    Ok(bytes)
}
