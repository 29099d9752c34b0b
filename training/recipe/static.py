"""The static model: a row for each common word and for each hash bucket of other words; a text is the mean of its rows.

Trained contrastively and towards the similarities of a teacher, then rounded to four bits.
"""
import random
from collections import Counter

import numpy as np
import torch
from torch.nn import functional

from recipe.dataset import embed_all
from recipe.stage_one import rows_of_texts
from recipe.tokens import Tokens, encode
from recipe.words import Rows, words_of

# Frequent words say little about a text. As in SIF, the weight of a word begins at a / (a + its share of all words).
RARE_SHARE = 1e-3
# Enough to tell which words are common; one process counts them.
COUNTED_TEXTS = 100_000


def vocabulary(texts, size):
    counts = Counter(word for text in texts for word in set(words_of(text)))
    return [word for word, _ in counts.most_common(size)], counts


def first_table(listed, counts, buckets, word_vectors, dimensions, seed):
    """The teacher's vectors of the words on their strongest axes, frequent words damped; small noise for the buckets."""
    centred = word_vectors - word_vectors.mean(0)
    _, _, axes = torch.linalg.svd(centred, full_matrices=False)
    projected = centred @ axes.T[:, :dimensions]
    projected = functional.pad(projected, (0, dimensions - projected.shape[1]))
    share = torch.tensor([counts[word] for word in listed], dtype=torch.float)
    damped = projected * (RARE_SHARE / (RARE_SHARE + share / share.sum()))[:, None] * 0.5
    noise = torch.randn(buckets, dimensions, generator=torch.Generator().manual_seed(seed)) * 0.03
    return torch.cat([damped, noise])


def split_rows(flat, counts):
    return np.split(flat.astype(np.int64), np.cumsum(counts)[:-1])


def mean_rows(table, texts, device):
    flat = torch.from_numpy(np.concatenate(texts)).to(device)
    starts = torch.from_numpy(np.cumsum([0] + [len(text) for text in texts[:-1]])).to(device)
    return functional.embedding_bag(flat, table, starts, mode="mean")


def train_static(table, question_rows, document_rows, teacher, sampler, settings, device, log=print):
    """`teacher` has unit vectors of all questions and documents, which say how alike two texts should be."""
    table = torch.nn.Parameter(table.to(device))
    optimiser = torch.optim.Adam([table], lr=settings.static_rate)
    for step in range(settings.static_steps):
        batch = sampler.draw(step)
        question = functional.normalize(mean_rows(table, [question_rows[i] for i in batch.question], device), dim=-1)
        document = functional.normalize(mean_rows(table, [document_rows[i] for i in batch.document], device), dim=-1)
        scores = question @ document.T / settings.temperature
        asked, answered = (torch.from_numpy(index).long().to(device) for index in (batch.question, batch.document))
        wanted = teacher[0][asked].float() @ teacher[1][answered].float().T
        target = torch.arange(len(question), device=device)
        towards = functional.kl_div(functional.log_softmax(scores, -1), functional.log_softmax(wanted / settings.temperature, -1),
                                    log_target=True, reduction="batchmean")
        loss = 0.5 * functional.cross_entropy(scores, target) + 0.5 * towards
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
        if (step + 1) % 200 == 0:
            log(f"static: step {step + 1}, loss {loss.item():.4f}")
    return table.detach().cpu().numpy()


def make_static(texts, encoder, teacher, sampler, tokenizer, processes=1):
    """(listed words, table) from the texts of a data set."""
    settings, device = sampler.settings, sampler.data.device
    every = texts["questions"] + texts["documents"]
    some = random.Random(settings.seed).sample(every, min(len(every), COUNTED_TEXTS))
    listed, counts = vocabulary(some, settings.words)
    rows = Rows(listed, settings.buckets)
    question_rows, document_rows = (split_rows(*rows_of_texts(rows, texts[name], processes)) for name in ("questions", "documents"))
    word_vectors = embed_all(encoder, Tokens(*encode(tokenizer, listed, 8), device), 8).float().cpu()
    table = first_table(listed, counts, settings.buckets, word_vectors, settings.static_dimensions, settings.seed)
    return listed, train_static(table, question_rows, document_rows, teacher, sampler, settings, device)


def four_bits(table):
    """(bytes, scales): two dimensions to a byte, the even one in its low half; value = (nibble - 8) * scale of the row."""
    scales = np.abs(table).max(1).clip(1e-8) / 7
    nibbles = (np.round(table / scales[:, None]).clip(-7, 7) + 8).astype(np.uint8)
    return nibbles[:, 0::2] | nibbles[:, 1::2] << 4, scales.astype("<f4")


def write_static(folder, listed, table):
    folder.mkdir(parents=True, exist_ok=True)
    packed, scales = four_bits(table)
    (folder / "words.txt").write_text("".join(word + "\n" for word in listed))
    (folder / "table.u4").write_bytes(packed.tobytes())
    (folder / "scales.f32").write_bytes(scales.tobytes())
