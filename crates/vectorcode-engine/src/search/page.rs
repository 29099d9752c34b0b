//! Cuts one page from the ranked list and turns it into hits for the caller.

use std::collections::HashMap;
use std::sync::Arc;

use vectorcode_core::api::{
    Cursor, Freshness, Hit, LIKELY_SCORE, SearchRequest, Signal as SignalPart, UNRELATED_HIT_LIMIT,
    UNRELATED_SCORE,
};
use vectorcode_core::{Chunk, Definition, Span};
use vectorcode_store::{ChunkFacts, ChunkRow, IndexReader};

use super::freshness::Disk;
use super::merge::joined_text;
use super::ranking::Ranking;
use super::score::ScoredGroup;
use super::signals::Signals;
use crate::error::EngineError;

/// The groups of one page, and how many there are on all pages.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    groups: Vec<ScoredGroup>,
    /// The best score on all pages; 0 if there is none.
    pub best: f32,
    pub total: usize,
    /// How many on all pages are likely relevant.
    pub likely: usize,
    pub next: Option<Cursor>,
}

impl Page {
    /// Drops groups below the threshold and takes the page that the request asks for.
    pub fn cut(groups: Vec<ScoredGroup>, request: &SearchRequest) -> Self {
        // Scores fall with rank.
        let reaching = |least: f32| groups.iter().take_while(|group| group.score >= least).count();
        let total = match request.threshold {
            Some(threshold) => reaching(threshold),
            None if reaching(UNRELATED_SCORE) == 0 => groups.len().min(UNRELATED_HIT_LIMIT),
            None => groups.len(),
        };
        let likely = reaching(LIKELY_SCORE).min(total);
        let start = request.cursor.map_or(0, |cursor| cursor.offset).min(total);
        let end = start.saturating_add(request.limit).min(total);
        let next = (end < total && end > start).then_some(Cursor::at(end));
        let best = groups.first().map_or(0.0, |group| group.score);
        let groups = groups.into_iter().take(end).skip(start).collect();
        Self { groups, best, total, likely, next }
    }

    /// The hits with their texts, which are read now. A hit whose chunks no longer exist is left out.
    pub fn hits(
        &self,
        reader: &dyn IndexReader,
        pool: &[Arc<ChunkFacts>],
        explained: Option<(&Ranking, &[Signals])>,
    ) -> Result<Vec<IndexedHit>, EngineError> {
        let row = |index: &usize| pool[*index].row;
        let members = self.groups.iter().flat_map(|scored| scored.group.members());
        let rows: Vec<ChunkRow> = members.map(row).collect();
        let chunks = reader.chunks(&rows)?;
        let chunks: HashMap<ChunkRow, &Chunk> =
            chunks.iter().map(|chunk| (chunk.row, &chunk.chunk)).collect();
        // After a rebuild of the index, the row may belong to another chunk.
        let chunk = |index: &usize| {
            chunks.get(&row(index)).copied().filter(|chunk| *chunk.path == *pool[*index].path)
        };
        let hits = self.groups.iter().filter_map(|scored| {
            let best = scored.group.best.index;
            let members = scored.group.members().iter().filter_map(chunk);
            let signals = explained.map_or_else(Vec::new, |(ranking, all)| parts(ranking, &all[best]));
            let mut found = indexed_hit(scored.score, chunk(&best)?, &members.collect::<Vec<_>>(), signals);
            found.hit.also_in = scored.group.copies.iter().map(|copy| pool[*copy].path.to_string()).collect();
            Some(found)
        });
        Ok(hits.collect())
    }
}

/// A hit as stored in the index, with its position in the file when it was indexed.
#[derive(Clone, Debug)]
pub(crate) struct IndexedHit {
    hit: Hit,
    span: Span,
}

impl IndexedHit {
    /// The hit with its current lines and freshness. If its file no longer exists, it is left out and the file is
    /// named in `notes`.
    pub fn check_against_disk(
        &self,
        disk: &mut Disk<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Option<Hit>, EngineError> {
        let checked = disk.check(&self.hit.path, &self.hit.language, self.span, &self.hit.content)?;
        if checked.gone {
            let note = format!("{} no longer exists; its results are left out.", self.hit.path);
            if !notes.contains(&note) {
                notes.push(note);
            }
            return Ok(None);
        }
        let also_in = self.hit.also_in.iter().filter(|path| disk.has(path)).cloned().collect();
        Ok(Some(Hit {
            also_in,
            start_line: checked.start_line,
            end_line: checked.end_line,
            freshness: checked.freshness,
            weak: self.hit.score < LIKELY_SCORE,
            ..self.hit.clone()
        }))
    }

    pub fn path(&self) -> &str {
        &self.hit.path
    }

    pub fn text(&self) -> &str {
        &self.hit.content
    }

    pub fn kind(&self) -> &str {
        &self.hit.kind
    }

    pub fn is_named(&self, symbol: &str) -> bool {
        self.hit.symbol.as_deref() == Some(symbol)
    }

    /// The part of the hit that a span of its file covers; `None` if the hit does not contain all of it.
    pub fn text_of(&self, span: Span) -> Option<&str> {
        // Joined chunks may omit blank lines between them; byte offsets cannot be used then.
        let is_gapless = self.span.bytes().len() == self.hit.content.len();
        let start = span.bytes().start.checked_sub(self.span.bytes().start).filter(|_| is_gapless)?;
        self.hit.content.get(start..start + span.bytes().len())
    }

    /// Narrows the hit to this definition, in whole lines, with this kind and this share of its score.
    pub fn narrow(&mut self, definition: &Definition, kind: &str, share: f32) {
        let mut span = definition.span;
        let before = Span { byte_start: self.span.byte_start, byte_end: span.byte_start, ..span };
        let Some(indent) =
            self.text_of(before).map(|text| text.len() - text.trim_end_matches([' ', '\t']).len())
        else {
            return;
        };
        span.byte_start -= indent as u32;
        let Some(text) = self.text_of(span) else { return };
        self.hit.content = text.to_owned();
        self.hit.score *= share;
        self.hit.symbol = Some(definition.qualified.clone());
        kind.clone_into(&mut self.hit.kind);
        (self.hit.start_line, self.hit.end_line) = (span.start_line, span.end_line);
        self.span = span;
    }

    pub fn score(&self) -> f32 {
        self.hit.score
    }

    pub fn text_bytes(&self) -> usize {
        self.hit.content.len()
    }
}

/// `chunks` are those that make up the hit, in file order, including the best.
fn indexed_hit(score: f32, best: &Chunk, chunks: &[&Chunk], signals: Vec<SignalPart>) -> IndexedHit {
    let mut span = best.span;
    for chunk in chunks {
        span.start_line = span.start_line.min(chunk.span.start_line);
        span.end_line = span.end_line.max(chunk.span.end_line);
        span.byte_start = span.byte_start.min(chunk.span.byte_start);
        span.byte_end = span.byte_end.max(chunk.span.byte_end);
    }
    let hit = Hit {
        project: None,
        artifact: None,
        path: best.path.clone(),
        start_line: span.start_line,
        end_line: span.end_line,
        symbol: best.symbol.clone(),
        kind: best.kind.clone(),
        language: best.language.clone(),
        class: best.class,
        is_test: best.is_test,
        parent_context: best.parent_context.clone(),
        content: joined_text(chunks.iter().copied()),
        score,
        weak: score < LIKELY_SCORE,
        freshness: Freshness::Fresh,
        also_in: Vec::new(),
        matching_lines: Vec::new(),
        signals,
        neighbours: None,
        diff: None,
    };
    IndexedHit { hit, span }
}

fn parts(ranking: &Ranking, signals: &Signals) -> Vec<SignalPart> {
    let part = |(signal, value, contribution): (super::signals::Signal, f32, f32)| SignalPart {
        name: signal.name().to_owned(),
        value,
        contribution,
    };
    ranking.contributions(signals).into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::merge::Group;
    use crate::search::ranking::Ranked;

    /// How many groups are left, and how many of them are likely.
    fn cut(scores: &[f32], threshold: Option<f32>) -> (usize, usize) {
        let group = |(index, score): (usize, &f32)| ScoredGroup {
            group: Group::alone(Ranked { index, relevance: 0.0 }),
            score: *score,
        };
        let groups = scores.iter().enumerate().map(group).collect();
        let page = Page::cut(groups, &SearchRequest { threshold, ..SearchRequest::query("q") });
        assert_eq!(page.groups.len(), page.total);
        (page.total, page.likely)
    }

    #[test]
    fn without_a_threshold_all_are_there_or_the_nearest_to_an_unrelated_question() {
        assert_eq!(cut(&[0.8, 0.3, 0.2, 0.1], None), (4, 2));
        assert_eq!(cut(&[0.2, 0.1, 0.1, 0.01], None), (4, 0));
        assert_eq!(cut(&[0.04, 0.03, 0.03, 0.02], None), (UNRELATED_HIT_LIMIT, 0));
        assert_eq!(cut(&[0.04], None), (1, 0));
        assert_eq!(cut(&[], None), (0, 0));
    }

    #[test]
    fn a_threshold_is_kept_to_whatever_it_is() {
        assert_eq!(cut(&[0.8, 0.3, 0.2, 0.1], Some(0.3)), (2, 2));
        assert_eq!(cut(&[0.2, 0.1, 0.1, 0.1], Some(0.3)), (0, 0));
        assert_eq!(cut(&[0.2, 0.1, 0.1, 0.1], Some(0.0)), (4, 0));
        assert_eq!(cut(&[0.8, 0.2], Some(0.9)), (0, 0));
    }
}
