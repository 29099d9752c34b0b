//! The bundled transformer, run layer by layer on int8 kernels: those of `rten-gemm`, or [`panels`].
//!
//! The arithmetic is that of `models/code-minilm-l4/model.onnx`, with three differences. Activations are quantised with a scale
//! for each token rather than one for the batch: this is more accurate (a cosine of 0.9997 instead of 0.995 to unrounded
//! activations), and the vector of a text does not depend on the other texts of its batch. Sequences are stored end to end in one
//! matrix, so no time is spent on padding. GELU is a polynomial whose error is far below the rounding that follows.
//!
//! A group of sequences is processed on one thread, from tokens to vectors; several threads process several groups.

mod attention;
mod block;
mod gelu;
mod kernels;
mod layer;
mod linear;
mod panels;
mod prefix_code;
mod rows;
pub(super) mod tensors;
mod word_table;
mod workers;

use super::Encoder;
use kernels::Kernels;
use layer::{Layer, LayerWeights, Scratch};
use rows::LayerNorm;
use word_table::WordTable;
use workers::Workers;

const WIDTH: usize = 384;
const INNER_WIDTH: usize = 4 * WIDTH;
const LAYERS: usize = 4;
const WORDS: usize = 30_522;
const POSITIONS: usize = 512;

/// Maximum number of tokens in a group of several sequences, so that the activations of a group fit the cache of its core.
const GROUP_TOKENS: usize = 256;
/// Fewer tokens are not worth another thread.
const SMALL_GROUP_TOKENS: usize = 32;

/// The bundled model, with its weights packed for the kernels of this processor.
pub(super) struct MiniLmEncoder {
    words: WordTable,
    /// The embedding of each position, plus that of the token type, which is the same for all tokens.
    positions: Vec<f32>,
    norm: LayerNorm,
    layers: Vec<Layer>,
    workers: Workers,
}

impl MiniLmEncoder {
    pub(super) fn load(threads: usize) -> Result<Self, String> {
        let kernels = Kernels::default();
        let layers = (0..LAYERS).map(|number| LayerWeights::load(number).map(|layer| layer.pack(&kernels)));
        Ok(Self {
            words: WordTable::load(WORDS)?,
            positions: positions()?,
            norm: LayerNorm::load("embeddings.LayerNorm")?,
            layers: layers.collect::<Result<_, _>>()?,
            workers: Workers::new(threads)?,
        })
    }

    /// The vector of each sequence: the mean of its tokens after the last layer.
    fn encode_group(&self, sequences: &[&[u32]], scratch: &mut Scratch) -> Vec<Vec<f32>> {
        self.embed_tokens(sequences, &mut scratch.hidden);
        self.norm.normalise(&mut scratch.hidden);
        let kernels = Kernels::default();
        let lengths: Vec<usize> = sequences.iter().map(|ids| ids.len()).collect();
        for layer in &self.layers {
            layer.apply(&kernels, &lengths, scratch);
        }
        let mut rest = &scratch.hidden[..];
        let mut vectors = Vec::with_capacity(sequences.len());
        for length in lengths {
            let (tokens, others) = rest.split_at(length * WIDTH);
            vectors.push(mean(tokens));
            rest = others;
        }
        vectors
    }

    fn embed_tokens(&self, sequences: &[&[u32]], hidden: &mut Vec<f32>) {
        hidden.clear();
        for ids in sequences {
            for (id, position) in ids.iter().zip(self.positions.chunks_exact(WIDTH)) {
                let word = self.words.row(*id as usize);
                hidden.extend(word.iter().zip(position).map(|(word, position)| word + position));
            }
        }
    }
}

impl Encoder for MiniLmEncoder {
    fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String> {
        let groups = groups(sequences, self.workers.count());
        let mut vectors = vec![Vec::new(); sequences.len()];
        let done = self.workers.map(&groups, Scratch::default, |group, scratch| {
            let ids: Vec<&[u32]> = group.iter().map(|index| &sequences[*index][..]).collect();
            self.encode_group(&ids, scratch)
        });
        for (group, group_vectors) in groups.iter().zip(done) {
            for (index, vector) in group.iter().zip(group_vectors) {
                vectors[*index] = vector;
            }
        }
        Ok(vectors)
    }
}

/// The position embeddings plus the embedding of the first token type, which all tokens have.
fn positions() -> Result<Vec<f32>, String> {
    let scale = tensors::floats("te_scale", 1)?[0];
    let zero = f32::from(tensors::byte("te_zero_point")?);
    let kinds = tensors::sized_bytes("te_quantized", 2 * WIDTH)?;
    let mut positions = tensors::floats("pe", POSITIONS * WIDTH)?;
    for position in positions.chunks_exact_mut(WIDTH) {
        for (value, kind) in position.iter_mut().zip(kinds) {
            *value += (f32::from(*kind) - zero) * scale;
        }
    }
    Ok(positions)
}

/// Groups of sequences, as indices: enough for all threads, unless the groups would be too small. The longest sequences come
/// first, so that the groups that finish last are short.
fn groups(sequences: &[Vec<u32>], threads: usize) -> Vec<Vec<usize>> {
    let all_tokens: usize = sequences.iter().map(Vec::len).sum();
    let most_tokens = all_tokens.div_ceil(threads).clamp(SMALL_GROUP_TOKENS, GROUP_TOKENS);
    let mut by_length: Vec<usize> = (0..sequences.len()).collect();
    by_length.sort_by_key(|index| std::cmp::Reverse(sequences[*index].len()));
    let mut groups: Vec<Vec<usize>> = Vec::new();
    let mut tokens = usize::MAX;
    for index in by_length {
        let length = sequences[index].len();
        if tokens.saturating_add(length) > most_tokens {
            groups.push(Vec::new());
            tokens = 0;
        }
        tokens += length;
        groups.last_mut().expect("the first sequence opens a group").push(index);
    }
    groups
}

/// The first `length` elements of a buffer that grows if necessary. Elements are not cleared.
fn at_least<T: Clone + Default>(buffer: &mut Vec<T>, length: usize) -> &mut [T] {
    if buffer.len() < length {
        buffer.resize(length, T::default());
    }
    &mut buffer[..length]
}

fn mean(tokens: &[f32]) -> Vec<f32> {
    let mut sum = vec![0.0; WIDTH];
    let share = WIDTH as f32 / tokens.len() as f32;
    for token in tokens.chunks_exact(WIDTH) {
        for (sum, value) in sum.iter_mut().zip(token) {
            *sum += value * share;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use vectorcode_core::config::Pooling;

    use super::super::pooled::PoolingEncoder;
    use super::*;
    use crate::vector::cosine;

    /// Sequences of these lengths with varied tokens.
    pub(super) fn sequences(lengths: &[usize]) -> Vec<Vec<u32>> {
        let mut token = 1;
        let mut next = || {
            token = token * 7919 % 29_000;
            1000 + token
        };
        lengths.iter().map(|length| (0..*length).map(|_| next()).collect()).collect()
    }

    #[test]
    fn equals_the_plain_graph() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/code-minilm-l4/model.onnx");
        let graph = PoolingEncoder::load(&path, Pooling::Mean, 1).unwrap();
        let model = MiniLmEncoder::load(2).unwrap();
        for length in [1, 2, 7, 8, 9, 31, 33, 63, 64, 65, 100, 130, 256, 512] {
            // One sequence at a time, because the graph quantises a batch with a single scale. That scale is also why the results
            // differ so much.
            let alone = sequences(&[length]);
            let (ours, plain) = (model.encode(&alone).unwrap(), graph.encode(&alone).unwrap());
            assert!(cosine(&ours[0], &plain[0]) > 0.985, "{length}: {}", cosine(&ours[0], &plain[0]));
        }
    }

    #[test]
    fn a_vector_depends_neither_on_its_neighbours_nor_on_threads() {
        let sequences = sequences(&[3, 120, 256, 1, 64, 17, 80, 300, 5, 5, 41]);
        let one = MiniLmEncoder::load(1).unwrap();
        let together = MiniLmEncoder::load(3).unwrap().encode(&sequences).unwrap();
        for (sequence, vector) in sequences.iter().zip(together) {
            assert_eq!(one.encode(std::slice::from_ref(sequence)).unwrap()[0], vector);
        }
    }

    #[test]
    fn groups_hold_every_sequence_once_and_few_tokens() {
        let sequences = sequences(&[300, 10, 200, 56, 1, 256]);
        let groups = groups(&sequences, 1);
        let mut all = groups.concat();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
        let tokens = |group: &Vec<usize>| group.iter().map(|index| sequences[*index].len()).sum::<usize>();
        assert!(groups.iter().all(|group| group.len() == 1 || tokens(group) <= GROUP_TOKENS));
        assert_eq!(super::groups(&[], 2).len(), 0);
    }

    #[test]
    fn short_texts_are_spread_over_the_threads() {
        assert_eq!(groups(&sequences(&[16; 16]), 2).len(), 2);
        assert_eq!(groups(&sequences(&[8; 4]), 2).len(), 1);
    }
}
