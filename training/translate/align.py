"""Aligns foreign words with English words: IBM model 1 with a diagonal prior, in both directions, scored by their agreement.

  python -m translate.align --corpus CORPUS --out TABLE.json [--languages es de ...]
"""
import argparse
import collections
import gzip
import json
import pathlib

import numpy as np

from translate.words import SPACELESS_RUN, english_words, fold, foreign_words, stem

MAX_WORDS = 40
ROUNDS = 6
MIN_PAIRS = 2
# Maximum number of English words for a word, and the minimum share of the word's occurrences aligned to each.
MOST = 4
LEAST = 0.12
# Exponent of the direction in which each foreign word has one English word. With a larger one, compounds keep only one of their words.
FOREIGN = 0.25
VOCABULARY = {"zh": 14000, "zh-hant": 14000, "ja": 16000, "ko": 14000}
# English words that carry no meaning in a question about code; the product drops most of them from questions anyway.
EMPTY = set("""a an the of to in on at by for from with without and or not no is are was were be been being it its this that these those as if
then than so such do does did done can could may might must should will would shall has have had you your we our they their he she i me my us
there here what which who whom whose when where why how all any each some more most other into onto over under about between during before after
up down out off again only own same too very just also etc via per vs please s t re ll ve d m isn doesn don""".split())


def read_pairs(path):
    with gzip.open(path, "rt") as lines:
        for line in lines:
            english, target = line.rstrip("\n").split("\t")
            yield english, target


def known_pieces(language, targets):
    """The vocabulary to split a language without spaces: SentencePiece's unigram model of the corpus."""
    import io
    import sentencepiece
    runs = []
    for target in targets:
        runs += SPACELESS_RUN.findall(fold(target))
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(runs), model_writer=model, vocab_size=VOCABULARY[language], character_coverage=0.9995, model_type="unigram",
        add_dummy_prefix=False, normalization_rule_name="identity", max_sentencepiece_length=8, split_by_unicode_script=True, minloglevel=2,
        input_sentence_size=400_000, shuffle_input_sentence=False, hard_vocab_limit=False)
    loaded = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    return {loaded.id_to_piece(number) for number in range(3, loaded.get_piece_size())}


class Numbers(dict):
    def __missing__(self, word):
        self[word] = len(self)
        return self[word]


class Corpus:
    """Pairs as numbers: one entry for each possible link between a foreign and an English word."""

    def __init__(self, language, path):
        pairs = list(read_pairs(path))
        self.known = known_pieces(language, (target for _, target in pairs)) if language in VOCABULARY else set()
        self.foreign, self.english, self.surfaces = Numbers(), Numbers(), []
        self.counts, self.form_counts, self.forms = collections.Counter(), collections.Counter(), Numbers()
        f_links, e_links, f_slots, e_slots, near, surface_links, form_links = [], [], [], [], [], [], []
        surfaces, f_total, e_total, seen = Numbers(), 0, 0, set()
        for english, target in pairs:
            ours, theirs = english_words(english), foreign_words(language, target, self.known)
            # A word that is the same on both sides is a name and is skipped.
            if not ours or not theirs or max(len(ours), len(theirs)) > MAX_WORDS or max(len(ours), len(theirs)) > 4 * min(len(ours), len(theirs)) + 3:
                continue
            mark = (tuple(ours), tuple(theirs))
            if mark in seen:
                continue
            seen.add(mark)
            e = np.array([self.english[stem(word)] for word in ours], np.int32)
            s = np.array([surfaces[word] for word in ours], np.int32)
            f = np.array([self.foreign[name] for _, name in theirs], np.int32)
            forms = np.array([self.forms[word] for word, _ in theirs], np.int32)
            self.counts.update(name for _, name in theirs)
            self.form_counts.update(word for word, _ in theirs)
            n, m = len(e), len(f)
            f_links.append(np.repeat(f, n)); e_links.append(np.tile(e, m)); surface_links.append(np.tile(s, m)); form_links.append(np.repeat(forms, n))
            f_slots.append(np.repeat(np.arange(f_total, f_total + m), n)); e_slots.append(np.tile(np.arange(e_total, e_total + n), m))
            distance = np.abs((np.arange(m)[:, None] + 0.5) / m - (np.arange(n)[None, :] + 0.5) / n)
            near.append(np.exp(-3.0 * distance).ravel().astype(np.float32))
            f_total, e_total = f_total + m, e_total + n
        self.f, self.e, self.s = np.concatenate(f_links), np.concatenate(e_links), np.concatenate(surface_links)
        self.form = np.concatenate(form_links)
        self.f_slots, self.e_slots, self.near = np.concatenate(f_slots), np.concatenate(e_slots), np.concatenate(near)
        self.f_total, self.e_total, self.size = f_total, e_total, len(seen)
        self.surface_names = list(surfaces)
        codes = self.f.astype(np.int64) * len(self.english) + self.e
        self.codes, self.kinds = np.unique(codes, return_inverse=True)


def posteriors(corpus, given, slots, slot_count):
    """The probability of each link, if every word of one side is generated by one word of the other (`given`)."""
    kinds, kind_count = corpus.kinds, len(corpus.codes)
    givens = len(corpus.foreign) if given is corpus.f else len(corpus.english)
    of_kind = np.zeros(kind_count, np.int64)
    of_kind[kinds] = given
    probability = np.ones(kind_count, np.float64)
    for _ in range(ROUNDS):
        weights = probability[kinds] * corpus.near
        # Unexplained words are generated by the empty word, which keeps rare words from explaining everything.
        sums = np.bincount(slots, weights, slot_count) + 1e-4
        posterior = weights / sums[slots]
        counts = np.bincount(kinds, posterior, kind_count)
        probability = (counts + 0.0) / (np.bincount(of_kind, counts, givens)[of_kind] + 0.5)
    return posterior


def meanings(names, counts, corpus, agreed):
    """{name: [(English word, share of the name's occurrences)]}, likeliest first; `names` is the foreign word of each link."""
    numbers, total = names
    width = len(corpus.english)
    codes, kinds = np.unique(numbers.astype(np.int64) * width + corpus.e, return_inverse=True)
    sums = np.bincount(kinds, agreed, len(codes))
    # The most frequent form of an English word in its translations.
    strong = agreed > 0.2
    spelled, amounts = np.unique(kinds[strong].astype(np.int64) * len(corpus.surface_names) + corpus.s[strong], return_counts=True)
    best = {}
    for code, amount in zip(spelled.tolist(), amounts.tolist()):
        kind, surface = divmod(code, len(corpus.surface_names))
        if amount > best.get(kind, (0,))[0]:
            best[kind] = (amount, corpus.surface_names[surface])
    entries = collections.defaultdict(list)
    for kind in np.nonzero(sums > 0.5)[0].tolist():
        if kind in best:
            number = int(codes[kind]) // width
            entries[total[number]].append((float(sums[kind]), best[kind][1]))
    result = {}
    for name, found in entries.items():
        if counts[name] < MIN_PAIRS:
            continue
        found = sorted(((amount / counts[name], word) for amount, word in found), reverse=True)
        result[name] = [(word, round(part, 3)) for part, word in found[:MOST + 4] if part >= LEAST and word not in EMPTY and len(word) > 1][:MOST]
    return result


def table(language, path, exponent=FOREIGN):
    """The meanings of keys and of whole words, with the number of their occurrences."""
    corpus = Corpus(language, path)
    english = posteriors(corpus, corpus.f, corpus.e_slots, corpus.e_total)
    foreign = posteriors(corpus, corpus.e, corpus.f_slots, corpus.f_total)
    agreed = english * foreign ** exponent
    keys = meanings((corpus.f, list(corpus.foreign)), corpus.counts, corpus, agreed)
    words = meanings((corpus.form, list(corpus.forms)), corpus.form_counts, corpus, agreed)
    print(language, corpus.size, "pairs", len(corpus.f), "links", len(keys), "keys", len(words), "words", flush=True)
    return {"keys": keys, "words": words, "key_counts": {name: corpus.counts[name] for name in keys},
            "word_counts": {name: corpus.form_counts[name] for name in words}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--corpus", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--languages", nargs="*")
    parser.add_argument("--exponent", type=float, default=FOREIGN)
    options = parser.parse_args()
    languages = options.languages or sorted(path.name.split(".")[0] for path in options.corpus.glob("*.tsv.gz"))
    options.out.mkdir(parents=True, exist_ok=True)
    for language in languages:
        made = table(language, options.corpus / f"{language}.tsv.gz", options.exponent)
        (options.out / f"{language}.json").write_text(json.dumps(made, ensure_ascii=False))


if __name__ == "__main__":
    main()
