//! Lists the manifests at a location, and deletes old ones.

use std::collections::HashSet;
use std::time::{SystemTime, UNIX_EPOCH};

use vectorcode_core::CommitId;

use crate::TeamError;
use crate::vectors::commit_list::CommitList;
use crate::vectors::manifest::Manifest;
use crate::vectors::pull::load_manifest;
use crate::vectors::remote::{Listed, Remote};
use crate::vectors::remote_folder::RemoteFolder;

/// A pack that no manifest refers to may belong to a push that is still running. No push takes a day.
const GRACE_US: i64 = 86_400_000_000;

/// The commits that have a manifest, last pushed first.
pub(crate) async fn listed_commits(remote: &Remote, place: &RemoteFolder) -> Result<CommitList, TeamError> {
    let manifests = manifests(remote, place).await?;
    Ok(CommitList::new(manifests.into_iter().map(|(commit, _)| commit)))
}

async fn manifests(remote: &Remote, place: &RemoteFolder) -> Result<Vec<(CommitId, Listed)>, TeamError> {
    let listed = remote.list(&place.manifests()).await?;
    let mut found: Vec<(CommitId, Listed)> =
        listed.into_iter().filter_map(|object| Some((CommitId::from_hex(&object.name)?, object))).collect();
    // Within the same second, sorted by name, so that all pushers list them in the same order.
    found.sort_by(|(a, one), (b, other)| other.time_us.cmp(&one.time_us).then_with(|| a.cmp(b)));
    Ok(found)
}

/// Deletes all manifests except that of `head` and the last pushed ones, `keep` in total, and the packs that none of these
/// refer to. Returns how many objects were deleted.
pub(crate) async fn prune(
    remote: &Remote,
    place: &RemoteFolder,
    head: CommitId,
    keep: usize,
) -> Result<u64, TeamError> {
    let mut kept = manifests(remote, place).await?;
    // Another push in the same second may be listed before it.
    kept.sort_by_key(|(commit, _)| *commit != head);
    let old = kept.split_off(keep.max(1).min(kept.len()));
    if old.is_empty() {
        return Ok(0);
    }
    let mut used: HashSet<String> = HashSet::new();
    for (commit, _) in &kept {
        // A manifest that cannot be read may refer to any pack, so nothing is deleted then.
        let manifest: Manifest = load_manifest(remote, place, *commit, None).await?;
        used.extend(manifest.packs.into_iter().map(|pack| pack.id));
    }
    for (commit, _) in &old {
        remote.delete(&place.manifest(*commit)).await?;
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_micros() as i64);
    let is_unused = |pack: &Listed| !used.contains(&pack.name) && now - pack.time_us > GRACE_US;
    let unused: Vec<Listed> = remote.list(&place.packs()).await?.into_iter().filter(is_unused).collect();
    for pack in &unused {
        remote.delete(&place.pack(&pack.name)).await?;
    }
    Ok((old.len() + unused.len()) as u64)
}
