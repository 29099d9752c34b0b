//! The bundled transformer on a graphics card, through Vulkan, Metal or Direct3D 12.
//!
//! The weights are the int8 ones, multiplied out; activations are floats and are not rounded. As on the processor, sequences lie
//! end to end, so that nothing is spent on padding. All buffers but a run's own tokens and vectors are made once: the card
//! works off one run after the other, whatever thread it came from.

mod card;

use std::ops::Range;
use std::sync::mpsc;

use wgpu::{
    BindGroup, Buffer, BufferUsages, CommandEncoderDescriptor, ComputePass, ComputePassDescriptor, MapMode,
    PollType, SubmissionIndex,
};

use super::initializers::Initializers;
use super::layer::LayerWeights;
use super::linear::Int8Weights;
use super::rows::Norm;
use super::{Encoder, INNER_WIDTH, LAYERS, WIDTH, WORDS, WordTable, attention, positions};
use card::{Card, Kernel};

/// Tokens that are worked on at a time: enough for a large card, and activations of 110 MB.
const RUN_TOKENS: usize = 8192;
/// Tokens, and columns, of one workgroup of `linear.wgsl`.
const TILE: usize = 128;
/// Tokens of one workgroup of `attention.wgsl`.
const ATTENTION_TOKENS: usize = 64;

pub(super) struct GpuMiniLm {
    card: Card,
    kernels: Kernels,
    words: Buffer,
    positions: Buffer,
    activations: Activations,
    norm: BindGroup,
    layers: Vec<Layer>,
}

struct Kernels {
    embed_tokens: Kernel,
    normalise: Kernel,
    project: Kernel,
    attend: Kernel,
    attention_output: Kernel,
    inner: Kernel,
    output: Kernel,
    mean: Kernel,
}

/// What the kernels hand to each other, a row for each token of a run.
struct Activations {
    hidden: Buffer,
    /// What is to be added to `hidden`.
    update: Buffer,
    projected: Buffer,
    context: Buffer,
    inner: Buffer,
}

/// What each kernel of a layer reads and writes.
struct Layer {
    project: BindGroup,
    attention_output: BindGroup,
    attention_norm: BindGroup,
    inner: BindGroup,
    output: BindGroup,
    output_norm: BindGroup,
}

/// Sequences that the card works on.
struct Run {
    vectors: Buffer,
    submission: SubmissionIndex,
}

impl GpuMiniLm {
    pub(super) fn load(model: &'static [u8]) -> Result<Self, String> {
        Self::load_on(Card::open()?, model)
    }

    fn load_on(card: Card, model: &'static [u8]) -> Result<Self, String> {
        let weights = Initializers::parse(model)?;
        let words = WordTable::load(&weights, "we", WORDS)?;
        let kernels = Kernels::new(&card, &words);
        let activations = Activations::new(&card);
        let model = Self {
            words: card.filled(words.bytes),
            positions: card.filled(&positions(&weights)?),
            norm: activations.norm(&card, &kernels, &Norm::load(&weights, "embeddings.LayerNorm")?),
            layers: (0..LAYERS)
                .map(|number| LayerWeights::load(&weights, number))
                .map(|layer| layer.map(|layer| Layer::new(&card, &kernels, &activations, &layer)))
                .collect::<Result<_, _>>()?,
            card,
            kernels,
            activations,
        };
        model.card.check()?;
        Ok(model)
    }

    /// What the card is called.
    pub(super) fn name(&self) -> &str {
        &self.card.name
    }

    fn start(&self, sequences: &[Vec<u32>]) -> Run {
        let length = sequences.len() * WIDTH;
        let means = self.card.floats(length, BufferUsages::STORAGE | BufferUsages::COPY_SRC);
        let vectors = self.card.floats(length, BufferUsages::MAP_READ | BufferUsages::COPY_DST);
        let mut commands = self.card.device.create_command_encoder(&CommandEncoderDescriptor::default());
        self.record(&mut commands.begin_compute_pass(&ComputePassDescriptor::default()), sequences, &means);
        commands.copy_buffer_to_buffer(&means, 0, &vectors, 0, None);
        let submission = self.card.queue.submit([commands.finish()]);
        Run { vectors, submission }
    }

    fn record(&self, pass: &mut ComputePass<'_>, sequences: &[Vec<u32>], means: &Buffer) {
        let Self {
            card, kernels, activations: Activations { hidden, update, projected, context, .. }, ..
        } = self;
        let tokens = tokens(sequences);
        let spans = spans(sequences);
        let blocks = attention_blocks(&spans);
        let tiles = tokens.len().div_ceil(TILE) as u32;
        let [count, texts, parts] = [tokens.len(), sequences.len(), blocks.len()].map(|count| count as u32);

        let inputs = [&card.filled(&tokens), &self.words, &self.positions, hidden, update];
        kernels.embed_tokens.run(pass, &card.bind(&kernels.embed_tokens, &inputs), [count, 1]);
        kernels.normalise.run(pass, &self.norm, [count, 1]);
        let attended = card.bind(&kernels.attend, &[&card.filled(&blocks), projected, context]);
        for layer in &self.layers {
            kernels.project.run(pass, &layer.project, [columns(3 * WIDTH), tiles]);
            kernels.attend.run(pass, &attended, [parts, attention::HEADS as u32]);
            kernels.attention_output.run(pass, &layer.attention_output, [columns(WIDTH), tiles]);
            kernels.normalise.run(pass, &layer.attention_norm, [count, 1]);
            kernels.inner.run(pass, &layer.inner, [columns(INNER_WIDTH), tiles]);
            kernels.output.run(pass, &layer.output, [columns(WIDTH), tiles]);
            kernels.normalise.run(pass, &layer.output_norm, [count, 1]);
        }
        let pooled = card.bind(&kernels.mean, &[&card.filled(&spans), hidden, means]);
        kernels.mean.run(pass, &pooled, [texts, 1]);
    }

    /// Waits for the vectors of `run`.
    fn finish(&self, run: Run) -> Result<Vec<Vec<f32>>, String> {
        let (sender, receiver) = mpsc::channel();
        run.vectors.map_async(MapMode::Read, .., move |result| {
            // The receiver below waits for this one answer.
            let _ = sender.send(result);
        });
        let wait = PollType::Wait { submission_index: Some(run.submission), timeout: None };
        self.card.device.poll(wait).map_err(|error| error.to_string())?;
        self.card.check()?;
        receiver.recv().map_err(|error| error.to_string())?.map_err(|error| error.to_string())?;
        let mapped = run.vectors.get_mapped_range(..).map_err(|error| error.to_string())?;
        let floats: &[f32] = bytemuck::cast_slice(&mapped);
        Ok(floats.chunks_exact(WIDTH).map(<[f32]>::to_vec).collect())
    }
}

impl Encoder for GpuMiniLm {
    fn encode(&self, sequences: &[Vec<u32>]) -> Result<Vec<Vec<f32>>, String> {
        self.card.check()?;
        let runs: Vec<Run> = runs(sequences).into_iter().map(|run| self.start(&sequences[run])).collect();
        let mut vectors = Vec::with_capacity(sequences.len());
        for run in runs {
            vectors.extend(self.finish(run)?);
        }
        Ok(vectors)
    }
}

impl Kernels {
    fn new(card: &Card, words: &WordTable) -> Self {
        let linear = |inputs: usize, outputs: usize, gelu: f64| {
            let shape = [("INPUTS", inputs as f64), ("OUTPUTS", outputs as f64), ("GELU", gelu)];
            card.kernel(include_str!("linear.wgsl"), &shape)
        };
        let word_scale = [("SCALE", f64::from(words.scale)), ("ZERO", f64::from(words.zero))];
        Self {
            embed_tokens: card.kernel(include_str!("embed_tokens.wgsl"), &word_scale),
            normalise: card.kernel(include_str!("normalise.wgsl"), &[]),
            project: linear(WIDTH, 3 * WIDTH, 0.0),
            attend: card.kernel(include_str!("attention.wgsl"), &[]),
            attention_output: linear(WIDTH, WIDTH, 0.0),
            inner: linear(WIDTH, INNER_WIDTH, 1.0),
            output: linear(INNER_WIDTH, WIDTH, 0.0),
            mean: card.kernel(include_str!("mean.wgsl"), &[]),
        }
    }
}

impl Activations {
    fn new(card: &Card) -> Self {
        let rows = |width: usize| card.floats(RUN_TOKENS * width, BufferUsages::STORAGE);
        Self {
            hidden: rows(WIDTH),
            update: rows(WIDTH),
            projected: rows(3 * WIDTH),
            context: rows(WIDTH),
            inner: rows(INNER_WIDTH),
        }
    }

    fn norm(&self, card: &Card, kernels: &Kernels, norm: &Norm) -> BindGroup {
        let (gain, bias) = (card.filled(&norm.gain), card.filled(&norm.bias));
        card.bind(&kernels.normalise, &[&gain, &bias, &self.hidden, &self.update])
    }
}

impl Layer {
    fn new(card: &Card, kernels: &Kernels, activations: &Activations, weights: &LayerWeights) -> Self {
        let Activations { hidden, update, projected, context, inner } = activations;
        let linear = |kernel: &Kernel, weights: &Int8Weights, input: &Buffer, output: &Buffer| {
            let (matrix, bias) = (card.filled(&multiplied_out(weights)), card.filled(&weights.bias));
            card.bind(kernel, &[&matrix, &bias, input, output])
        };
        Self {
            project: linear(&kernels.project, &weights.projections, hidden, projected),
            attention_output: linear(&kernels.attention_output, &weights.attention_output, context, update),
            attention_norm: activations.norm(card, kernels, &weights.attention_norm),
            inner: linear(&kernels.inner, &weights.inner, hidden, inner),
            output: linear(&kernels.output, &weights.output, inner, update),
            output_norm: activations.norm(card, kernels, &weights.output_norm),
        }
    }
}

fn multiplied_out(weights: &Int8Weights) -> Vec<f32> {
    let rows = weights.weights.chunks_exact(weights.scales.len());
    rows.flat_map(|row| row.iter().zip(&weights.scales).map(|(weight, scale)| f32::from(*weight) * scale))
        .collect()
}

/// Workgroups side by side for this many columns.
fn columns(width: usize) -> u32 {
    (width / TILE) as u32
}

/// Neighbours whose tokens fit a run.
fn runs(sequences: &[Vec<u32>]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    let mut tokens = usize::MAX;
    for (index, sequence) in sequences.iter().enumerate() {
        if tokens.saturating_add(sequence.len()) > RUN_TOKENS {
            runs.push(index..index);
            tokens = 0;
        }
        tokens += sequence.len();
        runs.last_mut().expect("the first sequence opens a run").end = index + 1;
    }
    runs
}

/// The word and the place of every token.
fn tokens(sequences: &[Vec<u32>]) -> Vec<[u32; 2]> {
    sequences.iter().flat_map(|ids| ids.iter().copied().zip(0..).map(|(id, place)| [id, place])).collect()
}

/// The first token and the length of every sequence.
fn spans(sequences: &[Vec<u32>]) -> Vec<[u32; 2]> {
    let mut first = 0;
    let span = |ids: &Vec<u32>| {
        let span = [first, ids.len() as u32];
        first += span[1];
        span
    };
    sequences.iter().map(span).collect()
}

/// The span and the first own token of every workgroup; four numbers, as the card reads them.
fn attention_blocks(spans: &[[u32; 2]]) -> Vec<[u32; 4]> {
    let blocks = |[first, length]: &[u32; 2]| {
        let (first, length) = (*first, *length);
        (0..length).step_by(ATTENTION_TOKENS).map(move |own| [first, length, own, 0])
    };
    spans.iter().flat_map(blocks).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::BUNDLED_MODEL as MODEL;
    use super::super::MiniLm;
    use super::super::tests::sequences;
    use super::*;
    use crate::vector::cosine;

    #[test]
    fn vectors_are_those_of_the_processor() {
        // Any machine with Vulkan and Mesa has a card that is played by the processor.
        let Some(card) = Card::any() else {
            eprintln!("no graphics card and none that is played: nothing was compared");
            return;
        };
        let sequences = sequences(&[3, 120, 256, 1, 64, 65, 17, 512, 80, 300, 2, 128, 41]);
        let ours = GpuMiniLm::load_on(card, MODEL).unwrap().encode(&sequences).unwrap();
        let expected = MiniLm::load(MODEL, 2).unwrap().encode(&sequences).unwrap();
        assert_eq!(ours.len(), expected.len());
        for ((ours, expected), sequence) in ours.iter().zip(&expected).zip(&sequences) {
            assert!(cosine(ours, expected) > 0.999, "{}: {}", sequence.len(), cosine(ours, expected));
        }
    }

    #[test]
    fn runs_hold_every_sequence_once_and_fit_the_buffers() {
        let sequences = sequences(&[512; 40]);
        let runs = runs(&sequences);
        assert_eq!(runs, [0..16, 16..32, 32..40]);
        assert!(super::runs(&[]).is_empty());
    }

    #[test]
    fn each_token_belongs_to_one_block_of_its_sequence() {
        let spans = spans(&sequences(&[3, 130]));
        assert_eq!(spans, [[0, 3], [3, 130]]);
        assert_eq!(
            attention_blocks(&spans),
            [[0, 3, 0, 0], [3, 130, 0, 0], [3, 130, 64, 0], [3, 130, 128, 0]]
        );
    }
}
