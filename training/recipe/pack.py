"""Converts rows to arrays: token ids of pairs and of unpaired texts, and what training needs to know about them."""
import hashlib
import random
import re

import numpy as np

from recipe.synonyms import in_other_words
from recipe.tokens import encode
from recipe.words import overlap, split_identifiers

MAX_REPEATS_OF_A_QUESTION = 3
MIN_QUESTIONS_OF_A_SOURCE = 8
# Each question is stored as written and this many times in other words.
REWRITTEN = 2
SENTENCE_END = re.compile(r"[.;:]\s+(?=[A-Z])")
MIN_WORDS_OF_A_SENTENCE, MIN_REST_CHARACTERS, MAX_REST_CHARACTERS = 5, 20, 260
TEXT_KINDS = ("questions", "documents", "sentences", "pieces")


def fingerprint(text):
    return hashlib.blake2b(re.sub(r"\s+", "", text).lower().encode(), digest_size=8).digest()


def without_repeats(rows):
    """Drops questions that occur too often ("Initialise the object."), because they have no single answer, and other repeats."""
    counts = {}
    for row in rows:
        key = row["repository"], fingerprint(row["question"])
        counts[key] = counts.get(key, 0) + 1
    asked = set()
    for row in rows:
        key = row["repository"], fingerprint(row["question"])
        if counts[key] <= MAX_REPEATS_OF_A_QUESTION and key not in asked:
            asked.add(key)
            yield row


def with_few_shared_words(rows, most):
    """For each source, the questions that share the fewest words with their answer; sources with too few questions are dropped."""
    by_source = {}
    for row in rows:
        by_source.setdefault(row["repository"], []).append(row | {"overlap": overlap(row["question"], row["answers"][0])})
    for name in sorted(by_source):
        if len(by_source[name]) >= MIN_QUESTIONS_OF_A_SOURCE:
            yield from sorted(by_source[name], key=lambda row: row["overlap"])[:most]


def formed(row, rng):
    """(question, document). The first sentence of a comment may be the whole question; the rest of the comment is then kept in the document, as in
    most code, or left out."""
    question, document, comment = row["question"], row["answers"][0], row.get("comment", "")
    end = SENTENCE_END.search(question)
    first = question[:end.start()] if end and len(question[:end.start()].split()) >= MIN_WORDS_OF_A_SENTENCE else None
    if rng.random() < 0.45:
        asked = first or (question if len(comment) > len(question) + 60 else None)
        rest = comment.replace(asked, "", 1).strip(" .;:*")[:MAX_REST_CHARACTERS] if asked else ""
        if len(rest) > MIN_REST_CHARACTERS:
            header, _, code = document.partition("\n")
            return asked, f"{header}\n// {rest}\n{code}"
    return first if first and rng.random() < 0.5 else question, document


def file_of(document):
    return document.split("\n", 1)[0].split(" | ")[1]


def texts_of_rows(rows, settings, synonyms):
    """({kind of text: texts}, rows of the pairs, rows of the unpaired texts)."""
    rows, rng = list(rows), random.Random(settings.seed)
    pairs = list(with_few_shared_words(without_repeats([row for row in rows if row["kind"] in settings.kinds]), settings.questions_of_a_source))
    sources = {row["repository"] for row in pairs}
    others = {kind: sorted((row for row in rows if row["kind"] == kind and row["repository"] in sources), key=lambda row: row["repository"])
              for kind in ("sentence", "piece")}
    questions, documents = map(list, zip(*(formed(row, rng) for row in pairs)))
    texts = {"questions": questions, "documents": documents} | {f"{kind}s": [row["text"] for row in found] for kind, found in others.items()}
    for turn in range(1, REWRITTEN + 1):
        texts[f"questions{turn}"] = [in_other_words(question, document, synonyms, f"{settings.seed} {turn} {number}")
                                     for number, (question, document) in enumerate(zip(questions, documents))]
    return texts, pairs, others


def pack(rows, tokenizer, settings, synonyms):
    """(arrays of a data set by name, its texts by kind). Document n answers question n."""
    texts, pairs, others = texts_of_rows(rows, settings, synonyms)
    names = {name: number for number, name in enumerate(sorted({row["repository"] for row in pairs}))}
    files = {}
    arrays = {
        "overlap": np.array([row["overlap"] for row in pairs], np.float32),
        "source": np.array([names[row["repository"]] for row in pairs], np.int32),
        "document_file": np.array([files.setdefault((row["repository"], file_of(row["answers"][0])), len(files)) for row in pairs], np.int32),
        "header": encode(tokenizer, [split_identifiers(text.split("\n", 1)[0]) for text in texts["documents"]], settings.document_tokens)[1],
    } | {f"{kind}_source": np.array([names[row["repository"]] for row in found], np.int32) for kind, found in others.items()}
    for kind, of_kind in texts.items():
        is_code = kind in ("documents", "pieces")
        ready = [split_identifiers(text) for text in of_kind] if is_code else of_kind
        limit = settings.document_tokens if is_code else settings.question_tokens
        arrays[f"{kind}_flat"], arrays[f"{kind}_counts"] = encode(tokenizer, ready, limit)
    return arrays, texts
