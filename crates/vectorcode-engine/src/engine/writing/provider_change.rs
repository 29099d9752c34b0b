//! Going over to another provider.
//!
//! Embedding a project anew takes minutes or hours, in which the vectors of the provider before answer. So the new ones are made
//! into the user's cache first. When it has all of them the old ones go, and the next run of stage two takes the new ones from
//! there. Without a cache the old ones go at once.

use vectorcode_core::{CancelToken, Phase, ProgressSink};
use vectorcode_embed::Embedder;
use vectorcode_store::{EmbeddingCache, IndexWriter, LockRole, StoreError};

use crate::engine::{Engine, WhenLocked};
use crate::error::EngineError;
use crate::index::{Meter, embed_batches};

/// How far a change of the provider is.
#[derive(Debug, Default)]
pub(crate) struct ProviderChange {
    /// Files whose texts the new provider has not embedded yet; `None` before it has begun.
    files_left: Option<Vec<String>>,
}

impl Engine {
    /// Whether the index has vectors of another provider than the one that the settings name now. One that cannot be made is
    /// no other.
    pub(crate) fn has_other_vectors(&self) -> Result<bool, EngineError> {
        let Ok(embedder) = self.embedder() else { return Ok(false) };
        if !self.is_indexed() {
            return Ok(false);
        }
        let reader = self.reader()?;
        Ok(reader.spaces()?.provider != *embedder.space() && reader.stats()?.embedded > 0)
    }

    /// Goes over to the provider of the settings where the index has vectors of another, and says so. A provider that cannot
    /// be made is an error, also where all chunks have vectors: they are not those that the user asked for.
    pub(crate) fn adopt_changed_provider(
        &self,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<Option<String>, EngineError> {
        self.embedder()?;
        if !self.has_other_vectors()? {
            return Ok(None);
        }
        self.adopt_provider(&mut ProviderChange::default(), sink, cancel)?;
        let space = self.embedder()?.space().clone();
        Ok(Some(format!("The provider is now {space}; all vectors are made anew.")))
    }

    /// Makes the index one of the provider that the settings name now, if that one works. A change that was cancelled goes on
    /// where it was.
    pub(crate) fn adopt_provider(
        &self,
        change: &mut ProviderChange,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<(), EngineError> {
        let _running = self.running().enter(cancel);
        let embedder = self.embedder()?;
        embedder.check_ready()?;
        let _embed_lock = self.lock(LockRole::Embed, WhenLocked::Wait, cancel)?;
        if self.has_other_vectors()?
            && let Some(cache) = self.settings().cache()
        {
            change.embed_ahead(self, &*embedder, cache, sink, cancel)?;
        }
        let _write_lock = self.lock(LockRole::Write, WhenLocked::Wait, cancel)?;
        let mut writer = self.store().writer()?;
        if writer.reader().spaces()?.provider != *embedder.space() {
            tracing::info!(space = %embedder.space(), "the provider has changed");
            writer.change_provider(embedder.space())?;
        }
        Ok(())
    }

    /// An index without vectors takes any provider. One with vectors of another went over to it before, unless the settings
    /// changed in this moment. A provider that cannot be made has no vectors to mix with others.
    pub(crate) fn settle_provider(&self, writer: &mut dyn IndexWriter) -> Result<(), EngineError> {
        let Ok(embedder) = self.embedder() else { return Ok(()) };
        let made_with = writer.reader().spaces()?.provider;
        if made_with == *embedder.space() {
            return Ok(());
        }
        if writer.reader().stats()?.embedded > 0 {
            return Err(StoreError::provider_mismatch(&made_with, embedder.space()).into());
        }
        Ok(writer.change_provider(embedder.space())?)
    }
}

impl ProviderChange {
    /// Embeds the texts of all files into the cache.
    fn embed_ahead(
        &mut self,
        engine: &Engine,
        embedder: &dyn Embedder,
        cache: &EmbeddingCache,
        sink: &dyn ProgressSink,
        cancel: &CancelToken,
    ) -> Result<(), EngineError> {
        let reader = engine.reader()?;
        let files = match &mut self.files_left {
            Some(files) => files,
            None => self.files_left.insert(reader.files()?.into_keys().collect()),
        };
        let doing = engine.activity_board().begin();
        let sink = doing.tee(sink);
        let mut meter = Meter::start(&sink, Phase::Embed, reader.coverage()?.total);
        let limits = embedder.limits();
        let window = limits.batch_size.max(1) * limits.concurrency.max(1);
        while !files.is_empty() {
            let (mut taken, mut texts) = (0, Vec::new());
            while let Some(path) = files.iter().rev().nth(taken).filter(|_| texts.len() < window) {
                let chunks = reader.chunks_of(path)?;
                texts.extend(chunks.iter().map(|stored| stored.chunk.embedding_text()));
                taken += 1;
            }
            embed_into(cache, embedder, &texts, cancel)?;
            files.truncate(files.len() - taken);
            meter.advance(texts.len() as u64, 0);
        }
        meter.finish();
        Ok(())
    }
}

/// Embeds what the cache does not have. A text that the provider refuses is refused again when stage two asks for it.
fn embed_into(
    cache: &EmbeddingCache,
    embedder: &dyn Embedder,
    texts: &[String],
    cancel: &CancelToken,
) -> Result<(), EngineError> {
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let known = cache.get_many(embedder.space(), &texts);
    let missing: Vec<&str> =
        texts.iter().zip(known).filter(|(_, known)| known.is_none()).map(|(text, _)| *text).collect();
    let limits = embedder.limits();
    for window in missing.chunks(limits.batch_size.max(1) * limits.concurrency.max(1)) {
        if cancel.is_cancelled() {
            return Err(EngineError::Cancelled);
        }
        embed_batches(
            embedder,
            window,
            |text| text,
            |batch, answer| {
                let vectors = answer?;
                let made = batch.iter().zip(&vectors);
                let made = made.filter_map(|(text, vector)| Some((*text, vector.as_deref().ok()?)));
                cache.put_many(embedder.space(), made);
                Ok(())
            },
        )?;
    }
    Ok(())
}
