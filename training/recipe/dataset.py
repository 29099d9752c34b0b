"""The packed data: vectors of all its texts, and which questions and hard negatives are used for training."""
import numpy as np
import torch
from torch.nn import functional

from recipe.tokens import Ragged, framed
from recipe.words import MIN_STEM_CHARACTERS, STOP_WORDS, stem

TEXTS_A_PART = 1024
NEGATIVES = 6
# A question whose answer is ranked lower than this within its source is more often noise than a hard case.
WORST_RANK = 20
# A negative that is nearer than the answer by more than this is often right as well.
TOO_GOOD = 0.05
# The fewer of its words are in the answer, the more a question counts: (upper limit of the share, weight).
WEIGHTS = ((0.15, 2.0), (0.3, 1.7), (0.5, 1.2), (np.inf, 0.7))


def texts_of(arrays):
    """{kind of text: its token ids}."""
    return {name.removesuffix("_flat"): Ragged(arrays[name], arrays[name.replace("_flat", "_counts")]) for name in arrays if name.endswith("_flat")}


def spans(source, count):
    """(start, end) of each of `count` sources in an array that is sorted by source."""
    return list(zip(np.searchsorted(source, range(count)), np.searchsorted(source, range(count), side="right")))


def stems_of_tokens(vocabulary):
    """The number of each token's stem; 0 for stop words and other tokens without meaning."""
    numbers, of_token = {}, np.zeros(max(vocabulary.values()) + 1, np.int64)
    for token, place in sorted(vocabulary.items(), key=lambda item: item[1]):
        word = token.removeprefix("##")
        if word.isalpha() and word.isascii() and len(word) >= MIN_STEM_CHARACTERS and word not in STOP_WORDS:
            of_token[place] = numbers.setdefault(stem(word), len(numbers) + 1)
    return of_token


def words_of_texts(texts, index, stem_of):
    """Matrix of texts x stems: 1 if the text has the stem."""
    flat, counts = texts.take(index)
    found = np.zeros((len(index), stem_of.max() + 1), np.float32)
    found[np.repeat(np.arange(len(index)), counts), stem_of[flat]] = 1
    found[:, 0] = 0
    return found


def sharing_words(texts, arrays, stem_of):
    """For each question, the documents from other files of its source that share most words with it; padded with -1."""
    chosen = np.full((len(arrays["source"]), NEGATIVES), -1, np.int64)
    for start, end in spans(arrays["source"], arrays["source"].max() + 1):
        index, file = np.arange(start, end), arrays["document_file"][start:end]
        asked, answered = (words_of_texts(texts[kind], index, stem_of) for kind in ("questions", "documents"))
        used = answered.any(0)
        asked, answered = asked[:, used], answered[:, used]
        rarity = np.log(1 + len(index) / (1 + answered.sum(0)))
        scores = asked @ (answered * rarity / np.sqrt(answered.sum(1, keepdims=True) + 20)).T
        scores[file[:, None] == file[None]] = 0
        order = np.argsort(-scores, axis=1, kind="stable")[:, :NEGATIVES]
        chosen[start:end, :order.shape[1]] = np.where(np.take_along_axis(scores, order, 1) > 0, index[order], -1)
    return chosen


def filtered(arrays, negatives, questions, documents):
    """(weight of each question, its negatives), judged by the vectors of a model. Questions whose answer it ranks low get weight 0, and negatives
    that it scores clearly above the answer are dropped."""
    weight, kept = np.zeros(len(negatives), np.float32), np.full_like(negatives, -1)
    for start, end in spans(arrays["source"], arrays["source"].max() + 1):
        similarity = questions[start:end].astype(np.float32) @ documents[start:end].astype(np.float32).T
        file, own = arrays["document_file"][start:end], np.diagonal(similarity)
        rank = ((similarity > own[:, None]) & (file[:, None] != file[None])).sum(1)
        share = arrays["overlap"][start:end]
        weight[start:end] = np.select([share < limit for limit, _ in WEIGHTS], [value for _, value in WEIGHTS]) * (rank < WORST_RANK)
        wrong = negatives[start:end]
        of_wrong = np.take_along_axis(similarity, np.maximum(wrong - start, 0), 1)
        good = np.where((wrong >= 0) & (of_wrong < own[:, None] + TOO_GOOD), wrong, -1)
        kept[start:end] = np.take_along_axis(good, np.argsort(good < 0, axis=1, kind="stable"), 1)
    return weight, kept


def embed_texts(encoder, flat, counts, device, part=None):
    """Vectors of framed texts, in order. With `part`, texts of similar length are embedded together, because attention may be padded."""
    order = np.argsort(counts, kind="stable") if part else np.arange(len(counts))
    texts, found = Ragged(flat, counts), []
    for start in range(0, len(order), part or max(len(order), 1)):
        ids, lengths = texts.take(order[start:start + (part or len(order))])
        longest = int(lengths.max())
        with torch.autocast(device, dtype=torch.bfloat16, enabled=device == "cuda"):
            found.append(encoder.embed(*(torch.from_numpy(array).to(device, non_blocking=True) for array in (ids, lengths)), longest))
    return torch.cat(found)[torch.from_numpy(np.argsort(order)).to(device)]


@torch.no_grad()
def embed_all(encoder, texts, limit, device):
    """Unit vectors of all texts, in half precision, on the host."""
    encoder, order, vectors = encoder.to(device).eval(), np.argsort(texts.counts, kind="stable"), None
    for start in range(0, len(texts), TEXTS_A_PART):
        index = order[start:start + TEXTS_A_PART]
        found = functional.normalize(embed_texts(encoder, *framed(*texts.take(index, limit)), device), dim=-1).half().cpu().numpy()
        vectors = np.zeros((len(texts), found.shape[1]), np.float16) if vectors is None else vectors
        vectors[index] = found
    return np.zeros((0, encoder.shape.hidden), np.float16) if vectors is None else vectors
