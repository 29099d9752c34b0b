"""Draws the texts of one training step: pairs with hidden words, hard negatives that share words with the question, and unpaired texts.

It is all numpy and runs in worker processes, so that the device never waits for the next batch.
"""
import contextlib
import multiprocessing
from dataclasses import dataclass

import numpy as np

from recipe.dataset import spans
from recipe.tokens import framed

# The share of draws with hidden words in which all shared words are hidden; in the others, half of them are.
ALL_HIDDEN = 0.6
NOISE_OF_WRONG_ANSWERS = 0.06
MAX_WEIGHT_OF_A_SOURCE, MIN_QUESTIONS, MIN_TOKENS_LEFT = 150, 6, 8
BATCHES_AHEAD = 48


@dataclass
class Batch:
    question: np.ndarray
    """Indices of the questions, which are also the indices of the documents that answer them."""
    wrong: np.ndarray
    sentence: np.ndarray
    piece: np.ndarray
    ids: np.ndarray
    """All texts, concatenated: questions, sentences, answers, hard negatives, pieces."""
    counts: np.ndarray
    kept: np.ndarray
    """Which ids to use. For the static model, hidden words are masked here; for the transformer they are replaced by random tokens."""


class Feed:
    def __init__(self, texts, arrays, weight, negatives, draw, stem_of=None):
        """`texts` are token ids, or rows of a static table if `stem_of` is None."""
        self.texts, self.arrays, self.negatives, self.draw, self.stem_of = texts, arrays, negatives, draw, stem_of
        count = arrays["source"].max() + 1
        extra = zip(*(spans(arrays[f"{kind}_source"], count) for kind in ("sentence", "piece")))
        self.sources = []
        for (start, end), others in zip(spans(arrays["source"], count), extra):
            index = np.arange(start, end)[weight[start:end] > 0]
            if len(index) >= MIN_QUESTIONS:
                self.sources.append((index, np.log(weight[index]), others))
        self.log_share = np.log([min(len(index), MAX_WEIGHT_OF_A_SOURCE) for index, _, _ in self.sources])

    def chosen(self, rng):
        """(questions, sentences, pieces) in blocks of one source, because documents of the same source are the useful negatives."""
        found, size = ([], [], []), 0
        for place in drawn(rng, self.log_share, len(self.log_share)):
            index, log_weight, others = self.sources[place]
            found[0].append(index[drawn(rng, log_weight, self.draw.block)])
            size += len(found[0][-1])
            for kind, (start, end) in zip(found[1:], others):
                kind.append(rng.integers(start, end, min(self.draw.unpaired, end - start)))
            if size >= self.draw.questions:
                break
        questions, sentences, pieces = (np.unique(np.concatenate(kind)) for kind in found)
        return rng.permutation(questions)[:self.draw.questions], sentences, pieces

    def asked(self, rng, question):
        """The texts of the questions, a share of them in other words."""
        parts = [self.texts[name].take(question, self.draw.question_tokens) for name in ("questions", f"questions{rng.integers(1, 3)}")]
        is_rewritten = rng.random(len(question)) < self.draw.rewritten
        plain, other = (np.split(flat, np.cumsum(counts)[:-1]) for flat, counts in parts)
        flat = np.concatenate([second if use else first for first, second, use in zip(plain, other, is_rewritten)])
        return (flat, np.where(is_rewritten, parts[1][1], parts[0][1])), parts[0]

    def answered(self, rng, question, asked):
        """(documents, mask of hidden ids): in a share of the documents, words of the question are hidden; in a share, the header is left out."""
        skipped = np.zeros(len(question), np.int64)
        if self.stem_of is not None:
            skipped = np.where(rng.random(len(question)) < self.draw.headless, self.arrays["header"][question], 0)
            skipped = np.minimum(skipped, np.maximum(self.texts["documents"].counts[question] - MIN_TOKENS_LEFT, 0))
        flat, counts = self.texts["documents"].take(question, self.draw.document_tokens, skipped)
        keys = [np.repeat(np.arange(len(question)), n) * 2 ** 20 + self.words(ids) for ids, n in ((flat, counts), asked)]
        is_shared = np.isin(*keys) & (self.words(flat) > 0)
        turn = rng.random(len(question))
        rate = np.where(turn < self.draw.hidden * ALL_HIDDEN, 1.0, np.where(turn < self.draw.hidden, 0.5, 0.0))
        return (flat, counts), is_shared & (rng.random(len(flat)) < np.repeat(rate, counts))

    def words(self, ids):
        return ids + 1 if self.stem_of is None else self.stem_of[ids]

    def batch(self, rng):
        question, sentence, piece = self.chosen(rng)
        asked, plain = self.asked(rng, question)
        answered, hidden = self.answered(rng, question, plain)
        wrong = self.negatives[question]
        wrong = wrong[np.arange(len(question)), (rng.random(len(question)) * np.maximum((wrong >= 0).sum(1), 1)).astype(int)]
        wrong = wrong[(wrong >= 0) & (rng.random(len(question)) < self.draw.wrong)]
        others = self.texts["documents"].take(wrong, self.draw.document_tokens)
        parts = [asked, self.texts["sentences"].take(sentence, self.draw.question_tokens), answered, others,
                 self.texts["pieces"].take(piece, self.draw.piece_tokens)]
        flat, counts = (np.concatenate(column) for column in zip(*parts))
        changed = [np.zeros(len(part), bool) for part, _ in parts]
        changed[2] = hidden
        if self.stem_of is None:
            return Batch(question, wrong, sentence, piece, flat, counts, ~np.concatenate(changed))
        changed[3] = rng.random(len(others[0])) < NOISE_OF_WRONG_ANSWERS
        pool = self.texts["documents"].flat
        flat = np.where(np.concatenate(changed), pool[rng.integers(0, len(pool), len(flat))], flat)
        ids, counts = framed(flat, counts)
        return Batch(question, wrong, sentence, piece, ids, counts, np.ones(len(ids), bool))


def drawn(rng, log_weight, count):
    """Weighted sampling of indices without replacement (Gumbel trick)."""
    return np.argsort(-(log_weight + rng.gumbel(size=len(log_weight))))[:count]


def work(feed, seed, queue):
    rng = np.random.default_rng(seed)
    while True:
        queue.put(feed.batch(rng))


@contextlib.contextmanager
def batches(feed, seed, workers):
    """A function that returns the next batch; without workers it is drawn in this process."""
    if not workers:
        rng = np.random.default_rng(seed)
        yield lambda: feed.batch(rng)
        return
    context = multiprocessing.get_context("fork")
    queue = context.Queue(BATCHES_AHEAD)
    processes = [context.Process(target=work, args=(feed, [seed, number], queue), daemon=True) for number in range(workers)]
    for process in processes:
        process.start()
    try:
        yield queue.get
    finally:
        for process in processes:
            process.terminate()
