//! Writes and merges full-text segments, and deletes texts and vectors that no manifest needs.

use std::collections::HashMap;

use super::manifest::{Manifest, space_key, space_of};
use super::session::{Param, Query, Session};
use super::view::{SELECT_SEGMENTS, segment};
use crate::contract::Result;
use crate::index::fulltext::{
    Extent, PostingEncoder, PostingList, Segment, SegmentBuilder, segments_to_merge, should_merge_all,
};
use crate::index::row_bitmap::RowBitmap;
use crate::index::stage::Stage;

/// A merge fetches and writes this many terms at a time.
const TERMS_AT_A_TIME: usize = 4000;

/// Adds a segment with the words of new chunks.
pub(super) fn write(session: &mut Session, manifest: &Manifest, builder: &SegmentBuilder) -> Result<()> {
    let Some(extent) = builder.extent() else { return Ok(()) };
    let segment = insert_segment(session, manifest, &extent)?;
    let (mut terms, mut lists) = (Vec::new(), Vec::new());
    builder.for_each_list(|term, list| {
        terms.push(term.to_owned());
        lists.push(list);
    });
    insert_postings(session, manifest, segment, &terms, &lists)
}

fn insert_segment(session: &mut Session, manifest: &Manifest, extent: &Extent) -> Result<i32> {
    let [first, last, documents] =
        [extent.first_row, extent.last_row, extent.documents].map(|number| number as i32);
    let row = session.query_one(
        "INSERT INTO segments (project, manifest, segment, first_row, last_row, documents, words)
         SELECT $1::bigint, $2::int,
             (SELECT coalesce(max(segment), 0) + 1 FROM segments WHERE project = $1 AND manifest = $2),
             $3::int, $4::int, $5::int, $6::bigint
         RETURNING segment",
        &[&manifest.project, &manifest.id, &first, &last, &documents, &extent.words],
    )?;
    Ok(row.get(0))
}

fn insert_postings(
    session: &mut Session,
    manifest: &Manifest,
    segment: i32,
    terms: &[String],
    lists: &[Vec<u8>],
) -> Result<()> {
    session.query(
        "INSERT INTO postings (project, manifest, segment, term, list)
         SELECT $1::bigint, $2::int, $3::int, * FROM unnest($4::text[], $5::bytea[])",
        &[&manifest.project, &manifest.id, &segment, &terms, &lists],
    )?;
    Ok(())
}

/// Marks chunks as deleted, each with its number of words. The statistics of segments only count live chunks.
pub(super) fn forget(session: &mut Session, manifest: &Manifest, rows: &[i32], words: &[i32]) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let dead: [Param<'_>; 3] = [&manifest.project, &manifest.id, &rows];
    let figures: [Param<'_>; 4] = [&manifest.project, &manifest.id, &rows, &words];
    session.pipeline(None, &[
        Query {
            sql: "INSERT INTO dead (project, manifest, row) SELECT $1::bigint, $2::int, * FROM unnest($3::int[])",
            params: &dead,
        },
        Query {
            sql: "UPDATE segments AS s SET documents = s.documents - gone.documents, words = s.words - gone.words
                  FROM (SELECT t.segment, count(*)::int AS documents, sum(d.words)::bigint AS words
                        FROM unnest($3::int[], $4::int[]) AS d(row, words)
                        JOIN segments AS t ON t.project = $1 AND t.manifest = $2
                            AND d.row BETWEEN t.first_row AND t.last_row
                        GROUP BY t.segment) AS gone
                  WHERE s.project = $1 AND s.manifest = $2 AND s.segment = gone.segment",
            params: &figures,
        },
    ])?;
    Ok(())
}

/// Merges the segments that are due, in the transaction that made them due.
pub(super) fn merge_due_segments(session: &mut Session, manifest: &Manifest) -> Result<()> {
    loop {
        let scope: [Param<'_>; 2] = [&manifest.project, &manifest.id];
        let dead = "SELECT count(*) FROM dead WHERE project = $1 AND manifest = $2";
        let queries = [Query { sql: SELECT_SEGMENTS, params: &scope }, Query { sql: dead, params: &scope }];
        let answers = session.pipeline(None, &queries)?;
        let segments: Vec<Segment> = answers[0].iter().map(segment).collect();
        if should_merge_all(&segments, answers[1][0].get(0)) {
            return merge(session, manifest, &segments);
        }
        match segments_to_merge(&segments) {
            Some(sources) => merge(session, manifest, sources)?,
            None => return Ok(()),
        }
    }
}

fn merge(session: &mut Session, manifest: &Manifest, sources: &[Segment]) -> Result<()> {
    let (Some(first), Some(last)) = (sources.first(), sources.last()) else { return Ok(()) };
    let (first_row, last_row) = (first.extent.first_row as i32, last.extent.last_row as i32);
    let range: [Param<'_>; 4] = [&manifest.project, &manifest.id, &first_row, &last_row];
    let dead = session.query(
        "DELETE FROM dead WHERE project = $1 AND manifest = $2 AND row BETWEEN $3 AND $4 RETURNING row",
        &range,
    )?;
    let dead: RowBitmap = dead.iter().map(|row| i64::from(row.get::<_, i32>(0))).collect();
    let live = session.query_one(
        "SELECT count(*), coalesce(sum(words), 0)::bigint FROM chunks
         WHERE project = $1 AND manifest = $2 AND row BETWEEN $3 AND $4",
        &range,
    )?;
    let (documents, words): (i64, i64) = (live.get(0), live.get(1));
    let ids: Vec<i32> = sources.iter().map(|source| source.id as i32).collect();
    if documents > 0 {
        let extent = Extent { first_row: first_row.into(), last_row: last_row.into(), documents, words };
        let target = insert_segment(session, manifest, &extent)?;
        merge_lists(session, manifest, &ids, target, &dead)?;
    }
    let gone: [Param<'_>; 3] = [&manifest.project, &manifest.id, &ids];
    session.pipeline(
        None,
        &[
            Query {
                sql: "DELETE FROM postings WHERE project = $1 AND manifest = $2 AND segment = ANY($3)",
                params: &gone,
            },
            Query {
                sql: "DELETE FROM segments WHERE project = $1 AND manifest = $2 AND segment = ANY($3)",
                params: &gone,
            },
        ],
    )?;
    Ok(())
}

/// Merges posting lists, a few thousand terms at a time, however large the segments are.
fn merge_lists(
    session: &mut Session,
    manifest: &Manifest,
    sources: &[i32],
    target: i32,
    dead: &RowBitmap,
) -> Result<()> {
    let sources: Vec<String> = sources.iter().map(ToString::to_string).collect();
    let (project, id) = (manifest.project, manifest.id);
    session.batch(&format!(
        "DECLARE merging NO SCROLL CURSOR FOR
         SELECT p.term, array_agg(p.list ORDER BY s.first_row)
         FROM postings AS p
         JOIN segments AS s ON s.project = p.project AND s.manifest = p.manifest AND s.segment = p.segment
         WHERE p.project = {project} AND p.manifest = {id} AND p.segment IN ({})
         GROUP BY p.term",
        sources.join(", ")
    ))?;
    let mut encoder = PostingEncoder::default();
    loop {
        let fetched = session.query("FETCH 4000 FROM merging", &[])?;
        let (mut terms, mut lists) = (Vec::new(), Vec::new());
        for row in &fetched {
            let parts: Vec<&[u8]> = row.get(1);
            let postings = parts.iter().flat_map(|part| PostingList::new(part));
            postings.filter(|posting| !dead.contains(posting.row)).for_each(|posting| encoder.push(posting));
            if let Some(list) = encoder.finish() {
                terms.push(row.get(0));
                lists.push(list);
            }
        }
        insert_postings(session, manifest, target, &terms, &lists)?;
        if fetched.len() < TERMS_AT_A_TIME {
            return session.batch("CLOSE merging");
        }
    }
}

/// The key of a lock that is taken shared for writing chunks, and exclusively for deleting texts and vectors that no chunk refers
/// to: a new chunk must not refer to one that is just being deleted.
pub(super) fn content_lock(project: i64) -> i64 {
    super::rows::key_of(&format!("content {project}"))
}

/// Deletes the texts and vectors that no manifest of the project needs, in the session's transaction.
pub(super) fn collect_garbage(session: &mut Session, project: i64) -> Result<()> {
    session.query("SELECT pg_advisory_xact_lock($1)", &[&content_lock(project)])?;
    let rows = session.query("SELECT meta::text FROM manifests WHERE project = $1", &[&project])?;
    let mut spaces: Vec<i64> = Vec::new();
    for row in &rows {
        let meta: HashMap<String, String> =
            serde_json::from_str(row.get(0)).map_err(|_| session.damaged())?;
        spaces.extend(Stage::ALL.iter().filter_map(|stage| Some(space_key(&space_of(&meta, *stage)?))));
    }
    let texts: [Param<'_>; 1] = [&project];
    let vectors: [Param<'_>; 2] = [&project, &spaces];
    session.pipeline(None, &[
        Query {
            sql: "DELETE FROM texts AS t WHERE t.project = $1
                  AND NOT EXISTS (SELECT 1 FROM chunks AS c WHERE c.project = $1 AND c.content_hash = t.hash)",
            params: &texts,
        },
        Query {
            sql: "DELETE FROM vectors AS v WHERE v.project = $1 AND (v.space <> ALL($2)
                  OR NOT EXISTS (SELECT 1 FROM chunks AS c WHERE c.project = $1 AND c.text_hash = v.hash))",
            params: &vectors,
        },
    ])?;
    Ok(())
}
