"""Token ids of many texts as one flat array without padding, on disk and in batches."""
import numpy as np
from tokenizers import Tokenizer

CLS, SEP = 101, 102
TEXTS_A_TURN = 20_000
NO_LIMIT = 2 ** 31


def load_tokenizer(path):
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def encode(tokenizer, texts, limit):
    """(flat ids, number of ids of each text), without special tokens, each text truncated to `limit`."""
    parts = [np.zeros(0, np.uint16)]
    for start in range(0, len(texts), TEXTS_A_TURN):
        # Longer texts cannot matter: about four characters per token, and as many again for long runs of blanks.
        turn = [text[:limit * 8] for text in texts[start:start + TEXTS_A_TURN]]
        parts += [np.array(found.ids[:limit], np.uint16) for found in tokenizer.encode_batch_fast(turn, add_special_tokens=False)]
    return np.concatenate(parts), np.array([len(part) for part in parts[1:]], np.uint16)


class Ragged:
    """Texts of different lengths: their ids (or rows of a static table), concatenated."""

    def __init__(self, flat, counts):
        self.flat, self.counts = flat, counts.astype(np.int64)
        self.starts = np.cumsum(self.counts) - self.counts

    def __len__(self):
        return len(self.counts)

    def take(self, index, limit=NO_LIMIT, skipped=0):
        """(flat, counts) of the chosen texts, without the first `skipped` ids of each and truncated to `limit`."""
        counts = np.minimum(self.counts[index] - skipped, limit)
        place = np.cumsum(counts) - counts
        return self.flat[np.repeat(self.starts[index] + skipped - place, counts) + np.arange(counts.sum())].astype(np.int64), counts


def framed(flat, counts):
    """The same texts as `[CLS] text [SEP]`."""
    ends = np.cumsum(counts + 2)
    ids, inner = np.empty(len(flat) + 2 * len(counts), np.int64), np.ones(len(flat) + 2 * len(counts), bool)
    inner[ends - counts - 2] = inner[ends - 1] = False
    ids[ends - counts - 2], ids[ends - 1], ids[inner] = CLS, SEP, flat
    return ids, counts + 2
