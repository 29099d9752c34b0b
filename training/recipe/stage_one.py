"""What the product's first stage says of a repository's documents: static vectors and words, without an index.

The second stage is worth its time only where it tells apart what the first one cannot. So the wrong answers that a question is trained
with are the first stage's own favourites, and its scores go into the loss (`embedder.residual`).
"""
import multiprocessing

import numpy as np
import torch
from torch.nn import functional

from recipe.words import Rows

TEXTS_A_TASK = 500
# BM25's usual constants.
SATURATION, LENGTH_SHARE = 1.2, 0.75
# The product's fitted tables give words about twice the weight of static similarity.
STATIC_WEIGHT, WORDS_WEIGHT = 0.5, 1.0

_rows = None


def _rows_of_texts(texts):
    found = [_rows.of_text(text).astype(np.int32) for text in texts]
    return np.concatenate(found), np.array([len(row) for row in found], np.int32)


def rows_of_texts(rows, texts, processes):
    """(flat rows, number of each text's rows)."""
    global _rows
    _rows = rows
    tasks = [texts[start:start + TEXTS_A_TASK] for start in range(0, len(texts), TEXTS_A_TASK)]
    if processes > 1:
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            parts = pool.map(_rows_of_texts, tasks)
    else:
        parts = list(map(_rows_of_texts, tasks))
    return np.concatenate([flat for flat, _ in parts]), np.concatenate([counts for _, counts in parts])


def read_table(folder):
    """(words, table of floats) of a static model in the product's format."""
    words = (folder / "words.txt").read_text(encoding="utf-8").splitlines()
    scales = np.fromfile(folder / "scales.f32", "<f4")
    packed = np.fromfile(folder / "table.u4", np.uint8).reshape(len(scales), -1)
    nibbles = np.stack([packed & 15, packed >> 4], axis=2).reshape(len(scales), -1).astype(np.float32)
    return words, (nibbles - 8) * scales[:, None]


class Texts:
    """The rows of many texts on the device, and their static vectors."""

    def __init__(self, flat, counts, table, device):
        self.flat, self.counts = torch.from_numpy(flat).to(device).long(), torch.from_numpy(counts).to(device).long()
        self.starts = torch.cumsum(self.counts, 0) - self.counts
        self.vectors = functional.normalize(functional.embedding_bag(self.flat, table, self.starts, mode="mean"), dim=-1)

    def words(self, index):
        """(place in `index`, row) of every word of the chosen texts."""
        counts = self.counts[index]
        place = torch.repeat_interleave(torch.arange(len(index), device=index.device), counts)
        within = torch.arange(len(place), device=index.device) - torch.repeat_interleave(torch.cumsum(counts, 0) - counts, counts)
        return place, self.flat[self.starts[index][place] + within]


class Shelf:
    """The documents of one repository, weighted for BM25."""

    def __init__(self, stage, documents):
        self.stage, self.documents = stage, documents
        place, row = stage.documents.words(documents)
        key, times = torch.unique(place * stage.size + row, return_counts=True)
        place, row = key // stage.size, key % stage.size
        length = stage.documents.counts[documents].float()
        rarity = torch.bincount(row, minlength=stage.size).float()
        rarity = torch.log(1 + (len(documents) - rarity + 0.5) / (rarity + 0.5))
        damping = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length / length.mean())
        weight = rarity[row] * times * (SATURATION + 1) / (times + damping[place])
        self.matrix = torch.sparse_coo_tensor(torch.stack([place, row]), weight, (len(documents), stage.size)).coalesce()

    def scores(self, questions):
        """Questions x documents, each question's at mean 0 and deviation 1 before they are weighted and added."""
        place, row = self.stage.questions.words(questions)
        asked = torch.zeros(self.stage.size, len(questions), device=questions.device)
        asked[row, place] = 1
        words = torch.sparse.mm(self.matrix, asked).T
        static = self.stage.questions.vectors[questions] @ self.stage.documents.vectors[self.documents].T
        return STATIC_WEIGHT * standard(static) + WORDS_WEIGHT * standard(words)


def standard(scores):
    return (scores - scores.mean(1, keepdim=True)) / scores.std(1, keepdim=True).clamp_min(1e-4)


class StageOne:
    def __init__(self, texts, folder, device, processes=1):
        words, table = read_table(folder)
        self.size, rows = len(table), Rows(words, len(table) - len(words))
        table = torch.from_numpy(table).to(device)
        self.questions, self.documents = (Texts(*rows_of_texts(rows, texts[name], processes), table, device) for name in ("questions", "documents"))
