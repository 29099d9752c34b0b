"""Token ids of many texts as one flat array, on disk and on the device, where batches are cut out of it."""
import numpy as np
import torch
from tokenizers import Tokenizer

CLS, SEP = 101, 102
TEXTS_A_TURN = 20_000


def load_tokenizer(path):
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def encode(tokenizer, texts, limit):
    """(flat ids, number of each text's ids), without special tokens, each text cut to `limit`."""
    parts = [np.zeros(0, np.uint16)]
    for start in range(0, len(texts), TEXTS_A_TURN):
        # No more characters than can matter: four times the limit in tokens, and some for long runs of blanks.
        turn = [text[:limit * 8] for text in texts[start:start + TEXTS_A_TURN]]
        parts += [np.array(found.ids[:limit], np.uint16) for found in tokenizer.encode_batch_fast(turn, add_special_tokens=False)]
    return np.concatenate(parts), np.array([len(part) for part in parts[1:]], np.uint16)


class Tokens:
    def __init__(self, flat, counts, device):
        self.flat = torch.from_numpy(flat.astype(np.int32)).to(device)
        self.counts = torch.from_numpy(counts.astype(np.int64)).to(device)
        self.starts = torch.cumsum(self.counts, 0) - self.counts
        self.device = device

    def __len__(self):
        return len(self.counts)

    def rows(self, index, limit):
        """(ids, lengths): `[CLS] text [SEP]` for each index, padded to the longest."""
        counts = self.counts[index].clamp(max=limit)
        ids = torch.zeros(len(index), int(counts.max()) + 2, dtype=torch.long, device=self.device)
        ids[:, 0] = CLS
        self._copy(ids, torch.ones_like(counts), index, counts)
        ids[torch.arange(len(index), device=self.device), counts + 1] = SEP
        return ids, counts + 2

    def _copy(self, ids, at, index, counts):
        """Writes the first `counts` tokens of each text into its row of `ids`, from column `at` on."""
        step = torch.arange(int(counts.max()), device=self.device)[None]
        wanted = step < counts[:, None]
        rows = torch.arange(len(index), device=self.device)[:, None].expand_as(wanted)[wanted]
        columns = (at[:, None] + step)[wanted]
        ids[rows, columns] = self.flat[(self.starts[index][:, None] + step)[wanted]].long()


def pair_rows(questions, documents, question, document, limits):
    """(ids, types, lengths) of `[CLS] question [SEP] document [SEP]`."""
    first = questions.counts[question].clamp(max=limits[0])
    second = documents.counts[document].clamp(max=limits[1])
    lengths = first + second + 3
    rows = torch.arange(len(question), device=questions.device)
    ids = torch.zeros(len(question), int(lengths.max()), dtype=torch.long, device=questions.device)
    ids[:, 0] = CLS
    questions._copy(ids, torch.ones_like(first), question, first)
    ids[rows, first + 1] = SEP
    documents._copy(ids, first + 2, document, second)
    ids[rows, lengths - 1] = SEP
    step = torch.arange(ids.shape[1], device=questions.device)[None]
    types = ((step > first[:, None] + 1) & (step < lengths[:, None])).long()
    return ids, types, lengths
