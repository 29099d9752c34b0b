"""Token ids of many texts as one flat array, on disk and on the device, where batches are cut out of it."""
import numpy as np
import torch
from tokenizers import Tokenizer

CLS, SEP = 101, 102
# Kernels like widths that are a multiple of this, and compiled ones are made for fewer widths.
ROUNDED_TO = 16
TEXTS_A_TURN = 20_000


def on_device(array, device):
    """A copy that the host does not wait for: a plain one would wait for all that the device still has to do."""
    return torch.from_numpy(array).to(device, non_blocking=True)


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
        # On the host too: asking the device for the longest text of a batch would wait for all that it still has to do.
        self.lengths = counts.astype(np.int64)
        self.device = device

    def __len__(self):
        return len(self.counts)

    def rows(self, index, limit):
        """(ids, lengths): `[CLS] text [SEP]` for each of the index, a numpy array; padded to the longest, rounded up."""
        width = min(int(self.lengths[index].max()), limit) + 2
        step = torch.arange(-(-width // ROUNDED_TO) * ROUNDED_TO, device=self.device)[None]
        index = on_device(index, self.device)
        counts = self.counts[index].clamp(max=limit)[:, None]
        at = (self.starts[index][:, None] + step - 1).clamp(0, max(len(self.flat) - 1, 0))
        ids = torch.where((step > 0) & (step <= counts), self.flat[at].long(), 0)
        ids = torch.where(step == 0, CLS, torch.where(step == counts + 1, SEP, ids))
        return ids, counts[:, 0] + 2

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
