#!/usr/bin/env python3
"""Fit the weights of the ranking signals on labelled questions, judged by cross-validation over repositories.

  vectorcode-eval features --bench DIR --trees DIR --mode fast --out fast.jsonl
  vectorcode-eval features --bench DIR --trees DIR --mode auto --out auto.jsonl
  fit-ranker.py fast.jsonl auto.jsonl [--ablate] [--write crates/vectorcode-engine/src/search/weights.rs]
                [--also fast.jsonl auto.jsonl] [--unrelated fast.jsonl auto.jsonl]

`--also` fits on the questions of another benchmark over the same repositories too (that of `bug-bench.py`); the figures
of both are printed apart.
`--unrelated` takes the signals of questions asked of repositories that they are not about, and prints the curve of
`ranking.rs`, which tells hits from the answers to such questions.

Needs numpy and scipy. The model is a weighted sum. A file counts by its best chunk, and the weights maximise the
likelihood of the labelled files among all candidate files (a softmax), with a penalty on large weights. Every figure
printed is of questions whose repository took no part in the fit.
"""
import argparse
import collections
import json
import math
import pathlib
import re

import numpy as np
from scipy.optimize import minimize

FOLDS = 8
PENALTY = 0.002
REPEAT_COST = 2.0
MAX_REPEATS = 4

# What each table is fitted on. Signals that the benchmark does not speak of keep the weight in FIXED.
STAGE_ONE = """full_text static static_rank coverage name_coverage name_precision name_full
    folder_coverage symbol_precision file_coverage defines defines_words file_defines file_named
    file_full_text file_static file_sum test docs barrel depth named size""".split()
BOTH_STAGES = STAGE_ONE + ["provider", "provider_rank", "file_provider"]
FIXED = {"literal": 2.0, "path_named": 3.0, "generated": -1.0, "example": -1.0, "foreign": -0.5, "config": -1.0,
         "declarations": -0.5}

# Signals that mean the same in every query, for the score.
STEADY = ["static", "provider", "file_coverage"]

# What the ablation takes away together.
GROUPS = {
    "full text": "full_text file_full_text",
    "static vectors": "static static_rank file_static",
    "provider vectors": "provider provider_rank file_provider",
    "words in the text": "coverage file_coverage",
    "name of the file": "name_coverage name_precision name_full",
    "names of the folders": "folder_coverage",
    "name of the symbol": "symbol_precision defines_words",
    "definition of a name": "defines file_defines file_named",
    "all chunks of the file": "file_sum",
    "tests": "test",
    "documents": "docs",
    "re-exports": "barrel",
    "depth": "depth",
    "shape of the chunk": "named size",
}


class Question:
    """One question: the signals of its candidates, which file each is of, and which targets each hits."""

    def __init__(self, row, signals):
        self.repo, self.targets, self.category = row["repo"], row["targets"], row["category"]
        candidates = sorted(row["candidates"], key=lambda c: c["path"])
        self.values = np.array([[c["signals"].get(s, 0.0) for s in signals] for c in candidates], dtype=np.float32)
        self.values = self.values.reshape(len(candidates), len(signals))
        self.fixed = np.array([sum(w * c["signals"].get(s, 0.0) for s, w in FIXED.items()) for c in candidates])
        self.file = np.unique([c["path"] for c in candidates], return_inverse=True)[1]
        self.hits = [c["hits"] for c in candidates]
        self.steady = np.array([[c["signals"].get(s, 0.0) for s in STEADY] for c in candidates])

    def wanted(self):
        """The part of the wanted files that each file is; None when no candidate is wanted."""
        wanted = np.zeros(self.file[-1] + 1 if len(self.file) else 0)
        for file, hits in zip(self.file, self.hits):
            wanted[file] = max(wanted[file], bool(hits))
        return wanted / wanted.sum() if wanted.any() else None

    def first_ten(self, weights):
        """Relevance and candidate, in the order that the engine would make."""
        scores = self.values @ weights + self.fixed
        seen = collections.Counter()
        paid = []
        for index in np.argsort(-scores, kind="stable"):
            paid.append((REPEAT_COST * min(seen[self.file[index]], MAX_REPEATS) - scores[index], index))
            seen[self.file[index]] += 1
        return [(-cost, index) for cost, index in sorted(paid)[:10]]

    def ndcg(self, weights):
        ranks = {}
        for rank, (_, index) in enumerate(self.first_ten(weights), 1):
            for target in self.hits[index]:
                ranks.setdefault(target, rank)
        gain = sum(1 / math.log2(rank + 1) for rank in set(ranks.values()))
        return gain / sum(1 / math.log2(n + 1) for n in range(1, min(self.targets, 10) + 1))


class Stack:
    """Many questions as one matrix, so that the loss of all is a few operations."""

    def __init__(self, questions):
        useful = [(q, q.wanted()) for q in questions]
        useful = [(q, wanted) for q, wanted in useful if wanted is not None]
        self.count = len(useful)
        self.values = np.concatenate([q.values for q, _ in useful])
        self.fixed = np.concatenate([q.fixed for q, _ in useful])
        self.wanted = np.concatenate([wanted for _, wanted in useful])
        files = np.array([len(wanted) for _, wanted in useful])
        self.first_file = np.concatenate([[0], np.cumsum(files)[:-1]])
        self.question = np.repeat(np.arange(self.count), files)
        self.file = np.concatenate([q.file + first for (q, _), first in zip(useful, self.first_file)])
        self.first_row = np.unique(self.file, return_index=True)[1]

    def loss(self, weights):
        """Mean cross-entropy of the wanted files under a softmax over each question's files, and its gradient."""
        scores = self.values @ weights + self.fixed
        top = np.maximum.reduceat(scores, self.first_row)
        rows = np.flatnonzero(scores == top[self.file])
        best = rows[np.unique(self.file[rows], return_index=True)[1]]
        top = top - np.maximum.reduceat(top, self.first_file)[self.question]
        weight = np.exp(top)
        total = np.add.reduceat(weight, self.first_file)[self.question]
        loss = -(self.wanted * (top - np.log(total))).sum() / self.count
        return loss, (weight / total - self.wanted) @ self.values[best] / self.count


def load(path, signals):
    return [Question(json.loads(line), signals) for line in open(path, encoding="utf-8")]


def fit(questions, count):
    stack = Stack(questions)

    def penalised(weights):
        loss, gradient = stack.loss(weights)
        return loss + PENALTY * (weights @ weights), gradient + 2 * PENALTY * weights

    return minimize(penalised, np.zeros(count), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x


def over_repositories(questions, values):
    groups = collections.defaultdict(list)
    for question, value in zip(questions, values):
        groups[question.repo].append(value)
    return float(np.mean([np.mean(group) for group in groups.values()]))


def folds(questions):
    repositories = sorted({q.repo for q in questions})
    return [set(repositories[n::FOLDS]) for n in range(FOLDS)]


def cross_validated(questions, count, also=()):
    """NDCG@10 of each question under weights fitted without its repository."""
    values = {}
    everything = [*questions, *also]
    for held_out in folds(everything):
        weights = fit([q for q in everything if q.repo not in held_out], count)
        values |= {id(q): q.ndcg(weights) for q in questions if q.repo in held_out}
    return [values[id(q)] for q in questions]


def report(name, questions, count, also):
    values = cross_validated(questions, count, also)
    print(f"{name}: cross-validated NDCG@10 {over_repositories(questions, values):.4f}")
    for category in sorted({q.category for q in questions}):
        chosen = [(q, v) for q, v in zip(questions, values) if q.category == category]
        print(f"  {category:<14} {over_repositories(*zip(*chosen)):.4f}")


def without_signals(questions, kept):
    copies = [object.__new__(Question) for _ in questions]
    for copy, question in zip(copies, questions):
        copy.__dict__ = {**question.__dict__, "values": question.values[:, kept]}
    return copies


def ablate(questions, signals, also):
    """What the cross-validated figure loses without each group of signals."""
    whole = over_repositories(questions, cross_validated(questions, len(signals), also))
    for name, group in GROUPS.items():
        kept = [n for n, signal in enumerate(signals) if signal not in group.split()]
        if len(kept) == len(signals):
            continue
        without = without_signals(questions, kept)
        value = over_repositories(without, cross_validated(without, len(kept), without_signals(also, kept)))
        print(f"  without {name:<24} {value:.4f}  {value - whole:+.4f}", flush=True)


def calibrate(questions, unrelated, weights):
    """The curve of the score: hits against answers to unrelated questions, a hit weighing as much as all of these."""
    def rows(question, wanted):
        return [[relevance, *question.steady[index], 1.0] for relevance, index in question.first_ten(weights)
                if not wanted or question.hits[index]]

    good = np.array([row for q in questions for row in rows(q, True)])
    bad = np.array([row for q in unrelated for row in rows(q, False)])
    sign = np.concatenate([-np.ones(len(good)), np.ones(len(bad))])
    values = np.concatenate([good, bad])
    weight = np.concatenate([np.full(len(good), 3 * len(bad) / len(good)), np.ones(len(bad))])

    def loss(curve):
        margin = sign * (values @ curve)
        slope = weight * sign / (1 + np.exp(-margin))
        return (weight * np.logaddexp(0, margin)).sum() + 0.5 * (curve[:-1] @ curve[:-1]), \
            slope @ values + np.append(curve[:-1], 0.0)

    curve = minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x
    # Half as steep around the default threshold, so that good hits differ in their scores.
    curve = curve / 2 + np.append(np.zeros(len(curve) - 1), math.log(0.3 / 0.7) / 2)
    print("  score: " + ", ".join(f"{n} {v:.3f}" for n, v in zip(["relevance", *STEADY, "offset"], curve)))
    cut = (1 / (1 + np.exp(-good @ curve)) < 0.3).mean()
    kept = (1 / (1 + np.exp(-bad @ curve)) >= 0.3).mean()
    print(f"  at the threshold: {cut:.4f} of the hits cut, {kept:.4f} of the unrelated answers kept")


def table(name, doc, signals, weights):
    known = {**dict(zip(signals, weights)), **FIXED}
    lines = [f"    (Signal::{''.join(part.title() for part in s.split('_'))}, {w:.3f})," for s, w in known.items()]
    return f"/// {doc}\npub(crate) const {name}: &[Weight] = &[\n" + "\n".join(lines) + "\n];\n"


def write(path, tables):
    """Replaces the two fitted tables of the file and leaves the rest of it alone."""
    text = path.read_text()
    for name, source in tables.items():
        text = re.sub(rf"/// [^\n]*\npub\(crate\) const {name}: &\[Weight\] = &\[\n.*?\n\];\n", lambda _: source, text, flags=re.S)
    path.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("fast")
    parser.add_argument("auto", nargs="?")
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--write", type=pathlib.Path)
    parser.add_argument("--also", nargs=2, default=[None, None])
    parser.add_argument("--unrelated", nargs=2, default=[None, None])
    args = parser.parse_args()
    tables = {}
    runs = [("STAGE_ONE", "Stage one alone: full text, definitions, static vectors.", args.fast, STAGE_ONE),
            ("BOTH_STAGES", "Stage one and the provider's vectors together.", args.auto, BOTH_STAGES)]
    for (name, doc, path, signals), also, unrelated in zip(runs, args.also, args.unrelated):
        if not path:
            continue
        questions = load(path, signals)
        also = load(also, signals) if also else []
        report(name, questions, len(signals), also)
        if also:
            report(f"{name}, of --also", also, len(signals), questions)
        weights = fit([*questions, *also], len(signals))
        print(f"  fitted on all: NDCG@10 {over_repositories(questions, [q.ndcg(weights) for q in questions]):.4f}")
        for signal, weight in zip(signals, weights):
            print(f"    {signal:<18} {weight:+.3f}")
        if unrelated:
            calibrate([*questions, *also], load(unrelated, signals), weights)
        if args.ablate:
            ablate(questions, signals, also)
        tables[name] = table(name, doc, signals, weights)
    if args.write:
        write(args.write, tables)


if __name__ == "__main__":
    main()
