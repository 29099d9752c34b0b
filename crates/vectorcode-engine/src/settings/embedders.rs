//! The embedders of this process: one per provider configuration, shared by all engines.

use std::sync::{Arc, Mutex, Weak};

use vectorcode_core::config::{Config, ProviderConfig, ProviderName};
use vectorcode_core::{VectorSpace, lock};
use vectorcode_embed::{EmbedError, Embedder};

use super::dedup_embedder::DedupEmbedder;

/// Creates embedders for engines and shares them. Clones use the same pool: a model is large, and a provider's rate
/// limit applies to all engines together.
#[derive(Clone, Default)]
pub struct Embedders(Arc<Source>);

impl std::fmt::Debug for Embedders {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Embedders").finish_non_exhaustive()
    }
}

type Known = Vec<(ProviderConfig, Weak<dyn Embedder>)>;

enum Source {
    /// Created on first use, dropped with the last engine that uses it.
    Settings(Mutex<Known>),
    /// The current embedder first, then previous ones.
    Fixed(Vec<Arc<dyn Embedder>>),
}

impl Default for Source {
    fn default() -> Self {
        Self::Settings(Mutex::default())
    }
}

impl Embedders {
    /// Always this embedder, whatever the settings say.
    pub fn fixed(embedder: Arc<dyn Embedder>) -> Self {
        Self::fixed_after(embedder, [])
    }

    /// Always this embedder, which has replaced the `before` ones. For tests of a provider change.
    pub fn fixed_after(
        embedder: Arc<dyn Embedder>,
        before: impl IntoIterator<Item = Arc<dyn Embedder>>,
    ) -> Self {
        let shared = |embedder| Arc::new(DedupEmbedder::new(embedder)) as Arc<dyn Embedder>;
        Self(Arc::new(Source::Fixed(std::iter::once(embedder).chain(before).map(shared).collect())))
    }

    /// The embedder of the configured provider.
    pub(crate) fn get(&self, config: &Config) -> Result<Arc<dyn Embedder>, EmbedError> {
        let known = match &*self.0 {
            Source::Fixed(embedders) => return Ok(embedders[0].clone()),
            Source::Settings(known) => known,
        };
        if let Some(embedder) = find(&lock(known), &config.provider) {
            return Ok(embedder);
        }
        // Created without holding the lock, because a model file may be on a slow disk. If two threads create one,
        // the first wins.
        let made: Arc<dyn Embedder> = Arc::new(DedupEmbedder::new(vectorcode_embed::provider(config)?));
        let mut known = lock(known);
        if let Some(embedder) = find(&known, &config.provider) {
            return Ok(embedder);
        }
        known.retain(|(_, embedder)| embedder.strong_count() > 0);
        known.push((config.provider.clone(), Arc::downgrade(&made)));
        Ok(made)
    }

    /// The embedder that made vectors of `space`, if the settings of its provider still produce that space.
    pub(crate) fn of_space(&self, space: &VectorSpace, config: &Config) -> Option<Arc<dyn Embedder>> {
        let made = match &*self.0 {
            Source::Fixed(embedders) => embedders.clone(),
            Source::Settings(_) => {
                let mut config = config.clone();
                config.provider.name = ProviderName::parse(&space.provider)?;
                vec![self.get(&config).ok()?]
            }
        };
        made.into_iter().find(|embedder| embedder.space() == space)
    }
}

fn find(
    known: &[(ProviderConfig, Weak<dyn Embedder>)],
    provider: &ProviderConfig,
) -> Option<Arc<dyn Embedder>> {
    known.iter().filter(|(settings, _)| settings == provider).find_map(|(_, embedder)| embedder.upgrade())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_of_the_same_settings_share_one_embedder() {
        let embedders = Embedders::default();
        let mut config = Config::default();
        let first = embedders.get(&config).unwrap();
        assert!(Arc::ptr_eq(&first, &embedders.clone().get(&config).unwrap()));
        config.provider.onnx.max_tokens = 128;
        assert!(!Arc::ptr_eq(&first, &embedders.get(&config).unwrap()));
    }
}
