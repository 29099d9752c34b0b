//! Switching to another embedding provider.
//!
//! Re-embedding a project takes minutes or hours, during which the previous provider's vectors serve searches. So the
//! new vectors are first written to the user's embedding cache. When the cache has all of them, the old vectors are
//! dropped and the next stage two run takes the new ones from the cache. Without a cache the old vectors are dropped
//! at once.

use vectorcode_core::{CancelToken, Phase, ProgressSink};
use vectorcode_embed::Embedder;
use vectorcode_store::{EmbeddingCache, IndexWriter, LockRole, StoreError};

use crate::engine::{Engine, WhenLocked};
use crate::error::EngineError;
use crate::index::{Meter, embed_batches};

/// The progress of a provider change.
#[derive(Debug, Default)]
pub(crate) struct ProviderChange {
    /// Files whose texts the new provider has not embedded yet; `None` before it has begun.
    files_left: Option<Vec<String>>,
}

impl Engine {
    /// Whether the index has vectors of another provider than the configured one. False if the configured provider
    /// cannot be created.
    pub(crate) fn has_other_vectors(&self) -> Result<bool, EngineError> {
        let Ok(embedder) = self.embedder() else { return Ok(false) };
        if !self.is_indexed() {
            return Ok(false);
        }
        let reader = self.reader()?;
        Ok(reader.spaces()?.provider != *embedder.space() && reader.stats()?.embedded > 0)
    }

    /// Switches to the configured provider if the index has vectors of another, and returns a note about it. Fails if
    /// the provider cannot be created, even if all chunks have vectors: they are not those the user asked for.
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
        Ok(Some(format!("The provider is now {space}; all vectors are recomputed.")))
    }

    /// Switches the index to the configured provider, if that one works. A change that was cancelled resumes where it
    /// stopped.
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

    /// Makes sure that `writer` accepts vectors of the configured provider. An index without vectors takes any provider.
    /// One with another provider's vectors was switched earlier by [`Self::adopt_provider`], unless the settings changed
    /// just now, which is an error. If the provider cannot be created there is nothing to do: it makes no vectors.
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

/// Embeds the texts that the cache lacks. A text that the provider rejects here is rejected again in stage two, which
/// reports it.
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
