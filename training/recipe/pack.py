"""Rows become arrays: token ids of questions and documents, and which documents answer which question."""
import hashlib
import random
import re

import numpy as np

from recipe.tokens import encode

MAX_ANSWERS = 4
MAX_REPEATS_OF_A_QUESTION = 3
MIN_QUESTIONS_OF_A_REPOSITORY = 8


def fingerprint(text):
    return hashlib.blake2b(re.sub(r"\s+", "", text).lower().encode(), digest_size=8).digest()


def balanced(rows, shares, seed):
    """At most the wanted share of each kind, given how many there are of the scarcest; in random order."""
    rng = random.Random(seed)
    by_kind = {kind: [row for row in rows if row["kind"] == kind] for kind, _ in shares}
    # A kind may be half as common as wanted before the others are cut for it: more data is worth more than exact shares.
    whole = min((2 * len(by_kind[kind]) / share for kind, share in shares if by_kind[kind]), default=0)
    kept = []
    for kind, share in shares:
        rng.shuffle(by_kind[kind])
        kept += by_kind[kind][:max(int(whole * share), 1)]
    rng.shuffle(kept)
    return kept


def without_repeats(rows):
    """A question asked again and again ("Initialise the object.") has no single answer."""
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


class Numbering:
    """Distinct texts in the order of their first appearance."""

    def __init__(self):
        self.number, self.texts, self.owners = {}, [], []

    def add(self, text, owner):
        key = owner[0], fingerprint(text)
        if key not in self.number:
            self.number[key] = len(self.texts)
            self.texts.append(text)
            self.owners.append(owner)
        return self.number[key]


def file_of(document):
    return document.split("\n", 1)[0].split(" | ")[1]


def pack(rows, tokenizer, settings, kinds):
    """(the arrays of a data set by name; its questions, documents and names of repositories as texts)."""
    rows = sorted(balanced(list(without_repeats(list(rows))), settings.shares, settings.seed), key=lambda row: row["repository"])
    sizes = {}
    for row in rows:
        sizes[row["repository"]] = sizes.get(row["repository"], 0) + 1
    rows = [row for row in rows if sizes[row["repository"]] >= MIN_QUESTIONS_OF_A_REPOSITORY]
    repositories = {name: number for number, name in enumerate(sorted({row["repository"] for row in rows}))}
    documents, files = Numbering(), {}
    answers = np.full((len(rows), MAX_ANSWERS), -1, np.int32)
    for index, row in enumerate(rows):
        for place, text in enumerate(row["answers"][:MAX_ANSWERS]):
            answers[index, place] = documents.add(text, (row["repository"], file_of(text)))
    for owner in documents.owners:
        files.setdefault(owner, len(files))
    texts = {"questions": [row["question"] for row in rows], "documents": documents.texts, "repositories": list(repositories)}
    question_flat, question_counts = encode(tokenizer, texts["questions"], settings.question_tokens)
    document_flat, document_counts = encode(tokenizer, documents.texts, settings.document_tokens)
    arrays = {
        "question_flat": question_flat, "question_counts": question_counts,
        "document_flat": document_flat, "document_counts": document_counts,
        "answers": answers,
        "kind": np.array([kinds.index(row["kind"]) for row in rows], np.uint8),
        "question_repository": np.array([repositories[row["repository"]] for row in rows], np.int32),
        "document_repository": np.array([repositories[owner[0]] for owner in documents.owners], np.int32),
        "document_file": np.array([files[owner] for owner in documents.owners], np.int32),
    }
    return arrays, texts
