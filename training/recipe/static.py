"""The static model: a row for each common word and for each hash bucket of other words; the vector of a text is the mean of its rows.

Training starts from the bundled table, with four-bit rounding and the same teacher as for the transformer.
"""
import multiprocessing

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from recipe.distil import train
from recipe.tokens import Ragged
from recipe.words import Rows

TEXTS_A_TASK = 500
LEVELS = 7

_rows = None


def _rows_of_texts(texts):
    found = [_rows.of_text(text).astype(np.int32) for text in texts]
    return np.concatenate(found), np.array([len(row) for row in found], np.int32)


def rows_of_texts(rows, texts, processes):
    """The rows of each text's words."""
    global _rows
    _rows = rows
    tasks = [texts[start:start + TEXTS_A_TASK] for start in range(0, len(texts), TEXTS_A_TASK)]
    if processes > 1:
        with multiprocessing.get_context("fork").Pool(processes) as pool:
            parts = pool.map(_rows_of_texts, tasks)
    else:
        parts = list(map(_rows_of_texts, tasks))
    empty = np.zeros(0, np.int32)
    return Ragged(*(np.concatenate([empty, *column]) for column in (zip(*parts) if parts else ((), ()))))


def read_table(folder):
    """(words, table of floats) of a static model in the product's format."""
    words = (folder / "words.txt").read_text(encoding="utf-8").splitlines()
    scales = np.fromfile(folder / "scales.f32", "<f4")
    packed = np.fromfile(folder / "table.u4", np.uint8).reshape(len(scales), -1)
    nibbles = np.stack([packed & 15, packed >> 4], axis=2).reshape(len(scales), -1).astype(np.float32)
    return words, (nibbles - 8) * scales[:, None]


def texts_as_rows(words, table, texts, processes):
    rows = Rows(words, len(table) - len(words))
    return {kind: rows_of_texts(rows, of_kind, processes) for kind, of_kind in texts.items()}


def rounded(table):
    """The table rounded to four bits; the gradient passes through as if it were exact."""
    scale = table.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / LEVELS
    return table + ((table / scale).round().clamp(-LEVELS, LEVELS) * scale - table).detach()


def train_static(first, feed, teaching, goal, share, workers=0):
    """The weighted mean of the trained table, which has this share, and the one that it started from."""
    table = nn.Parameter(torch.from_numpy(first).to(teaching.device))

    def embed(batch):
        """Sums of rows, which have the same direction as means."""
        ids, counts, kept = map(teaching.on_device, (batch.ids, batch.counts, batch.kept.astype(np.float32)))
        return functional.embedding_bag(ids, rounded(table), torch.cumsum(counts, 0) - counts, mode="sum", per_sample_weights=kept)
    print(f"{train([([table], 1.0)], embed, feed, teaching, goal, workers=workers)} steps", flush=True)
    return share * table.detach().cpu().numpy() + (1 - share) * first


def four_bits(table):
    """(bytes, scales): two dimensions per byte, the even one in its low half; value = (nibble - 8) * scale of the row."""
    scales = np.abs(table).max(1).clip(1e-8) / LEVELS
    nibbles = (np.round(table / scales[:, None]).clip(-LEVELS, LEVELS) + 8).astype(np.uint8)
    return nibbles[:, 0::2] | nibbles[:, 1::2] << 4, scales.astype("<f4")


def write_static(folder, listed, table):
    folder.mkdir(parents=True, exist_ok=True)
    packed, scales = four_bits(table)
    (folder / "words.txt").write_text("".join(word + "\n" for word in listed))
    (folder / "table.u4").write_bytes(packed.tobytes())
    (folder / "scales.f32").write_bytes(scales.tobytes())
