//! Embeds a window of texts in batches, each on its own thread.

use crossbeam_channel::bounded;
use vectorcode_embed::{EmbedError, Embedder, Embedding, TextKind};

use crate::error::EngineError;

/// Passes every batch to `hand_over` as soon as its result arrives. If one batch fails, the others are still handed
/// over, since they may have cost money; the first error is returned.
pub(crate) fn embed_batches<'t, T: Sync>(
    embedder: &dyn Embedder,
    window: &'t [T],
    text: impl Fn(&T) -> &str + Copy + Send,
    mut hand_over: impl FnMut(&'t [T], Result<Vec<Embedding>, EmbedError>) -> Result<(), EngineError>,
) -> Result<(), EngineError> {
    let batches: Vec<&[T]> = window.chunks(embedder.limits().batch_size.max(1)).collect();
    let (sender, receiver) = bounded(batches.len().max(1));
    std::thread::scope(|scope| {
        let mut done = Ok(());
        for batch in batches {
            let sender = sender.clone();
            let embed = move || {
                let texts: Vec<&str> = batch.iter().map(text).collect();
                // The receiver takes all results, so a failed send cannot lose one.
                let _ = sender.send((batch, embedder.embed(TextKind::Document, &texts)));
            };
            let started = std::thread::Builder::new().spawn_scoped(scope, embed);
            done = done.and(started.map(|_| ()).map_err(EngineError::no_thread));
        }
        drop(sender);
        for (batch, answer) in receiver {
            done = done.and(hand_over(batch, answer));
        }
        done
    })
}
