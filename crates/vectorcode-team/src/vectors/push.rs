//! Pushes vectors: uploads those of a commit's files that the remote does not have, then publishes them.
//!
//! The order keeps the remote consistent at any time: first packs, then the manifest that refers to them, then the list that
//! refers to the manifest. A push that is killed leaves packs that the next one finds. Objects are written atomically and
//! never changed, so any number of pushes may run at the same time.

use std::collections::BTreeMap;

use futures_util::{StreamExt, TryStreamExt, stream};
use serde::Serialize;
use vectorcode_core::config::ShareConfig;
use vectorcode_core::{CancelToken, CommitId, Links, read_bounded_regular_file};
use vectorcode_engine::{Engine, FileKey, ShareableFile};
use vectorcode_history::Repository;

use crate::TeamError;
use crate::vectors::commit_list::CommitList;
use crate::vectors::manifest::{Manifest, PackEntry};
use crate::vectors::packing::{Packing, groups};
use crate::vectors::pull::{load_list, load_manifest};
use crate::vectors::remote::{Access, Remote};
use crate::vectors::remote_folder::RemoteFolder;
use crate::vectors::{Location, ProjectIdentity, SigningKey, TrustedKey, pack, prune, runtime};

/// Packs that are uploaded at a time.
const PARALLEL: usize = 4;
/// Pushes that finish at the same moment see each other in the second round.
const LIST_ROUNDS: usize = 10;

/// What to push, and where to.
pub struct PushRequest<'a> {
    pub location: &'a Location,
    pub settings: &'a ShareConfig,
    /// Upload nothing, but report what would be uploaded.
    pub dry_run: bool,
    /// Delete all bundles except this many, those that were pushed last.
    pub keep: Option<usize>,
    /// Called with the number of vectors packed so far, and the total.
    pub progress: &'a (dyn Fn(u64, u64) + Sync),
    pub cancel: &'a CancelToken,
}

impl std::fmt::Debug for PushRequest<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PushRequest").field("location", self.location).finish_non_exhaustive()
    }
}

/// The result of a push.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PushReport {
    pub place: String,
    pub project: String,
    pub commit: String,
    /// Files of the commit that the bundle contains, and the number of their vectors.
    pub files: u64,
    pub vectors: u64,
    /// Files whose vectors were uploaded; the others were already there.
    pub files_new: u64,
    pub vectors_new: u64,
    pub packs: u64,
    pub packs_new: u64,
    /// Size of the packs, the manifest and the list.
    pub bytes: u64,
    pub signed: bool,
    /// Number of bundles and packs that were deleted.
    pub pruned: u64,
    pub dry_run: bool,
}

/// Pushes the vectors of the commit that is checked out.
pub fn push(engine: &Engine, request: &PushRequest<'_>) -> Result<PushReport, TeamError> {
    let signing = SigningKey::from_environment()?;
    let trusted = TrustedKey::from_setting(&request.settings.public_key)?;
    let repository = Repository::open(engine.project().root())?.ok_or(TeamError::NoCommit)?;
    let head = repository.head()?.ok_or(TeamError::NoCommit)?;
    let identity = ProjectIdentity::of(&repository, request.settings)?;
    let place = RemoteFolder::new(&identity, &engine.vector_kind()?);
    let access = if request.dry_run { Access::Preview } else { Access::Write };
    let remote = Remote::open(request.location, access)?;
    let files = committed_files(engine, &repository, head)?;
    let known = runtime::run(request.cancel, || load_list(&remote, &place))?;
    let base = base_commit(&repository, head, &known)?;
    let job = Job { engine, request, remote, place, head, signing };
    let report = PushReport {
        place: request.location.to_string(),
        project: identity.to_string(),
        commit: head.to_string(),
        files: files.len() as u64,
        vectors: files.iter().map(|file| file.vectors as u64).sum(),
        signed: job.signing.is_some(),
        dry_run: request.dry_run,
        ..PushReport::default()
    };
    runtime::run(request.cancel, || async {
        let base = match base {
            // A bundle that cannot be used is replaced, and its packs are not reused.
            Some(commit) => load_manifest(&job.remote, &job.place, commit, trusted.as_ref()).await.ok(),
            None => None,
        };
        job.upload(&files, base.as_ref(), report).await
    })
}

/// The indexed files that are the same as in the commit. Uncommitted and untracked files stay on this machine.
fn committed_files(
    engine: &Engine,
    repository: &Repository,
    head: CommitId,
) -> Result<Vec<ShareableFile>, TeamError> {
    let tree = repository.files(head)?;
    let complete = engine.shareable_files()?;
    let found = complete.len();
    let max_bytes = engine.config().indexing.max_file_size;
    let is_committed = |file: &ShareableFile| {
        let Some(blob) = tree.get(&file.path) else { return false };
        let path = engine.project().absolute(&file.path);
        read_bounded_regular_file(&path, max_bytes, Links::Refuse).is_ok_and(|content| blob.is_of(&content))
    };
    let files: Vec<ShareableFile> = complete.into_iter().filter(is_committed).collect();
    if files.is_empty() {
        let all = engine.files()?.len() as u64;
        return Err(TeamError::NothingToPush { files: found, all });
    }
    Ok(files)
}

/// The bundle whose packs are reused: that of this commit or its nearest ancestor, or else the one pushed last.
fn base_commit(
    repository: &Repository,
    head: CommitId,
    known: &CommitList,
) -> Result<Option<CommitId>, TeamError> {
    Ok(known.newest_ancestor(repository, head)?.or_else(|| known.newest()))
}

struct Job<'a> {
    engine: &'a Engine,
    request: &'a PushRequest<'a>,
    remote: Remote,
    place: RemoteFolder,
    head: CommitId,
    signing: Option<SigningKey>,
}

impl Job<'_> {
    async fn upload(
        &self,
        files: &[ShareableFile],
        base: Option<&Manifest>,
        mut report: PushReport,
    ) -> Result<PushReport, TeamError> {
        let is_of_head = base.is_some_and(|base| base.commit == self.head.to_string());
        let Packing { kept, files: missing } = Packing::new(files, base);
        report.files_new = missing.len() as u64;
        report.vectors_new = missing.iter().map(|file| file.vectors as u64).sum();
        let (packed, mut packs) = (self.upload_packs(missing, report.vectors_new).await?, kept);
        report.packs_new = packed.len() as u64;
        report.bytes = packed.iter().map(|pack| pack.bytes).sum();
        packs.extend(packed);
        report.packs = packs.len() as u64;
        if self.request.dry_run {
            return Ok(report);
        }
        if !(is_of_head && report.packs_new == 0) {
            let manifest = Manifest::new(&self.place, self.head, packs).encode(self.signing.as_ref())?;
            report.bytes += manifest.len() as u64;
            self.remote.put(&self.place.manifest(self.head), manifest).await?;
        }
        if let Some(keep) = self.request.keep {
            report.pruned = prune::prune(&self.remote, &self.place, self.head, keep).await?;
        }
        report.bytes += self.update_list().await?;
        Ok(report)
    }

    async fn upload_packs(&self, files: Vec<ShareableFile>, total: u64) -> Result<Vec<PackEntry>, TeamError> {
        let capacity = pack::capacity(self.place.kind.space.dimensions);
        let uploads = groups(files, capacity).into_iter().map(|group| self.upload_pack(group));
        let mut packs: Vec<PackEntry> = Vec::new();
        let mut uploading = stream::iter(uploads).buffer_unordered(PARALLEL);
        while let Some(pack) = uploading.try_next().await? {
            packs.push(pack);
            (self.request.progress)(packs.iter().map(|pack| pack.vectors).sum(), total);
        }
        Ok(packs)
    }

    async fn upload_pack(&self, group: Vec<ShareableFile>) -> Result<PackEntry, TeamError> {
        let mut vectors = BTreeMap::new();
        let mut files: Vec<FileKey> = Vec::with_capacity(group.len());
        let mut count = 0;
        for file in group {
            vectors.extend(self.engine.vectors_of(&file.path)?);
            count += file.vectors as u64;
            files.push(file.key);
        }
        let bytes = pack::encode(&vectors, self.place.kind.space.dimensions)?;
        let entry = PackEntry { id: pack::id(&bytes), bytes: bytes.len() as u64, vectors: count, files };
        let key = self.place.pack(&entry.id);
        if !self.request.dry_run && !self.remote.exists(&key).await? {
            self.remote.put(&key, bytes).await?;
        }
        Ok(entry)
    }

    /// Writes the list of bundles. Two pushes may overwrite each other's list with an older one, so each reads it again after
    /// writing: the last one to write has then seen everything.
    async fn update_list(&self) -> Result<u64, TeamError> {
        let (mut written, mut bytes) = (None, 0);
        for _ in 0..LIST_ROUNDS {
            let list = prune::listed_commits(&self.remote, &self.place).await?;
            if written.as_ref() == Some(&list) {
                break;
            }
            let content = list.to_bytes();
            bytes += content.len() as u64;
            self.remote.put(&self.place.commit_list(), content).await?;
            written = Some(list);
        }
        Ok(bytes)
    }
}
