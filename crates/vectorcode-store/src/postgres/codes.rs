//! Writes blocks of codes, each once per transaction.

use std::collections::BTreeMap;

use super::manifest::Manifest;
use super::session::{Param, Query, Session};
use super::view::stage_code;
use crate::contract::Result;
use crate::index::stage::Stage;
use crate::index::vectors::{Block, BlockChanges, CodeLayout, block_of};

/// The codes that a transaction sets and removes.
#[derive(Debug, Default)]
pub(super) struct CodeChanges(BTreeMap<(i16, i32), BlockChanges>);

impl CodeChanges {
    pub fn set(&mut self, stage: Stage, row: i32, vector: &[i8]) {
        let code = CodeLayout::of(vector.len()).encode(vector);
        self.block(stage, row).set(row.into(), Some(code));
    }

    pub fn remove(&mut self, row: i32) {
        for stage in Stage::ALL {
            self.block(stage, row).set(row.into(), None);
        }
    }

    fn block(&mut self, stage: Stage, row: i32) -> &mut BlockChanges {
        self.0.entry((stage_code(stage), block_of(row.into()) as i32)).or_default()
    }

    pub fn write(self, session: &mut Session, manifest: &Manifest) -> Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let (stages, blocks): (Vec<i16>, Vec<i32>) = self.0.keys().copied().unzip();
        let keys: [Param<'_>; 4] = [&manifest.project, &manifest.id, &stages, &blocks];
        let before = session.query(
            "SELECT c.stage, c.block, c.codes FROM unnest($3::smallint[], $4::int[]) AS k(stage, block)
             JOIN codes AS c ON c.project = $1 AND c.manifest = $2 AND c.stage = k.stage AND c.block = k.block",
            &keys,
        )?;
        let before: BTreeMap<(i16, i32), &[u8]> =
            before.iter().map(|row| ((row.get(0), row.get(1)), row.get(2))).collect();
        let (mut kept, mut gone) = (Columns::default(), Columns::default());
        for (key, changes) in &self.0 {
            let stage = Stage::ALL[key.0 as usize];
            let space = manifest.space(stage).ok_or_else(|| session.damaged())?;
            let layout = CodeLayout::of(space.dimensions);
            let old = before.get(key).map(|bytes| Block::parse(&layout, key.1.into(), bytes)).transpose();
            let old = old.map_err(|_| session.damaged())?;
            match changes.apply(&layout, old) {
                Some(bytes) => kept.push(*key, bytes),
                None => gone.push(*key, Vec::new()),
            }
        }
        let written: [Param<'_>; 5] =
            [&manifest.project, &manifest.id, &kept.stages, &kept.blocks, &kept.codes];
        let deleted: [Param<'_>; 4] = [&manifest.project, &manifest.id, &gone.stages, &gone.blocks];
        session.pipeline(
            None,
            &[
                Query {
                    sql: "INSERT INTO codes (project, manifest, stage, block, codes)
                      SELECT $1::bigint, $2::int, * FROM unnest($3::smallint[], $4::int[], $5::bytea[])
                      ON CONFLICT (project, manifest, stage, block) DO UPDATE SET codes = excluded.codes",
                    params: &written,
                },
                Query {
                    sql: "DELETE FROM codes AS c USING unnest($3::smallint[], $4::int[]) AS k(stage, block)
                      WHERE c.project = $1 AND c.manifest = $2 AND c.stage = k.stage AND c.block = k.block",
                    params: &deleted,
                },
            ],
        )?;
        Ok(())
    }
}

/// Blocks of codes, as columns.
#[derive(Default)]
struct Columns {
    stages: Vec<i16>,
    blocks: Vec<i32>,
    codes: Vec<Vec<u8>>,
}

impl Columns {
    fn push(&mut self, (stage, block): (i16, i32), codes: Vec<u8>) {
        self.stages.push(stage);
        self.blocks.push(block);
        self.codes.push(codes);
    }
}
