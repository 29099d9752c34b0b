#!/usr/bin/env python3
"""Fit the weights of the ranking signals on labelled questions, judged by cross-validation over repositories.

  vectorcode-eval features --bench DIR --trees DIR --mode fast --out fast.jsonl
  vectorcode-eval features --bench DIR --trees DIR --mode auto --out auto.jsonl
  fit-ranker.py fast.jsonl auto.jsonl [--ablate] [--write crates/vectorcode-engine/src/search/weights.rs]

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
STAGE_ONE = """full_text full_text_rank static static_rank coverage name_coverage name_precision folder_coverage
    symbol_coverage symbol_precision file_coverage defines defines_words file_defines file_named file_full_text
    file_static file_share test generated example foreign docs config barrel declarations named size""".split()
BOTH_STAGES = STAGE_ONE + ["provider", "provider_rank", "file_provider"]
FIXED = {"literal": 2.0, "path_named": 3.0}


class Question:
    def __init__(self, row, signals):
        self.repo, self.targets, self.category = row["repo"], row["targets"], row["category"]
        candidates = row["candidates"]
        self.values = np.array([[c["signals"].get(s, 0.0) for s in signals] for c in candidates], dtype=np.float64)
        self.values = self.values.reshape(len(candidates), len(signals))
        files = {path: n for n, path in enumerate(dict.fromkeys(c["path"] for c in candidates))}
        self.file = np.array([files[c["path"]] for c in candidates], dtype=int)
        self.hits = [c["hits"] for c in candidates]
        self.file_count = len(files)
        wanted = np.zeros(len(files))
        for file, hits in zip(self.file, self.hits):
            wanted[file] = max(wanted[file], bool(hits))
        self.wanted = wanted / wanted.sum() if wanted.sum() else None

    def loss(self, weights):
        """Cross-entropy of the labelled files under a softmax over files, and its gradient."""
        scores = self.values @ weights
        order = np.argsort(scores)
        best = np.zeros(self.file_count, dtype=int)
        best[self.file[order]] = order
        of_file = scores[best]
        shifted = of_file - of_file.max()
        probability = np.exp(shifted) / np.exp(shifted).sum()
        loss = -(self.wanted * (shifted - math.log(np.exp(shifted).sum()))).sum()
        return loss, (probability - self.wanted) @ self.values[best]

    def ndcg(self, weights):
        """NDCG@10 of the order that the engine would make."""
        scores = self.values @ weights
        order = np.argsort(-scores, kind="stable")
        seen = collections.Counter()
        paid = []
        for index in order:
            paid.append((-(scores[index] - REPEAT_COST * min(seen[self.file[index]], MAX_REPEATS)), index))
            seen[self.file[index]] += 1
        ranks = {}
        for rank, (_, index) in enumerate(sorted(paid)[:10], 1):
            for target in self.hits[index]:
                ranks.setdefault(target, rank)
        gain = sum(1 / math.log2(rank + 1) for rank in set(ranks.values()))
        return gain / sum(1 / math.log2(n + 1) for n in range(1, min(self.targets, 10) + 1))


def load(path, signals):
    return [Question(json.loads(line), signals) for line in open(path, encoding="utf-8")]


def fit(questions, count):
    useful = [q for q in questions if q.wanted is not None]

    def total(weights):
        losses, gradients = zip(*(q.loss(weights) for q in useful))
        n = len(useful)
        return (sum(losses) / n + PENALTY * (weights @ weights), sum(gradients) / n + 2 * PENALTY * weights)

    return minimize(total, np.zeros(count), jac=True, method="L-BFGS-B", options={"maxiter": 300}).x


def over_repositories(questions, values):
    groups = collections.defaultdict(list)
    for question, value in zip(questions, values):
        groups[question.repo].append(value)
    return float(np.mean([np.mean(group) for group in groups.values()]))


def folds(questions):
    repositories = sorted({q.repo for q in questions})
    return [set(repositories[n::FOLDS]) for n in range(FOLDS)]


def cross_validated(questions, count):
    """NDCG@10 of each question under weights fitted without its repository."""
    values = {}
    for held_out in folds(questions):
        weights = fit([q for q in questions if q.repo not in held_out], count)
        values |= {id(q): q.ndcg(weights) for q in questions if q.repo in held_out}
    return [values[id(q)] for q in questions]


def report(name, questions, count):
    values = cross_validated(questions, count)
    print(f"{name}: cross-validated NDCG@10 {over_repositories(questions, values):.4f}")
    for category in sorted({q.category for q in questions}):
        chosen = [(q, v) for q, v in zip(questions, values) if q.category == category]
        print(f"  {category:<14} {over_repositories(*zip(*chosen)):.4f}")


def ablate(questions, signals):
    whole = over_repositories(questions, cross_validated(questions, len(signals)))
    for index, signal in enumerate(signals):
        kept = [n for n in range(len(signals)) if n != index]
        without = [object.__new__(Question) for _ in questions]
        for copy, question in zip(without, questions):
            copy.__dict__ = {**question.__dict__, "values": question.values[:, kept]}
        value = over_repositories(without, cross_validated(without, len(kept)))
        print(f"  without {signal:<18} {value:.4f}  {value - whole:+.4f}", flush=True)


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
    args = parser.parse_args()
    tables = {}
    runs = [("STAGE_ONE", "Stage one alone: full text, definitions, static vectors.", args.fast, STAGE_ONE),
            ("BOTH_STAGES", "Stage one and the provider's vectors together.", args.auto, BOTH_STAGES)]
    for name, doc, path, signals in runs:
        if not path:
            continue
        questions = load(path, signals)
        report(name, questions, len(signals))
        weights = fit(questions, len(signals))
        print(f"  fitted on all: NDCG@10 {over_repositories(questions, [q.ndcg(weights) for q in questions]):.4f}")
        for signal, weight in zip(signals, weights):
            print(f"    {signal:<18} {weight:+.3f}")
        if args.ablate:
            ablate(questions, signals)
        tables[name] = table(name, doc, signals, weights)
    if args.write:
        write(args.write, tables)


if __name__ == "__main__":
    main()
