#!/usr/bin/env python3
"""Fits the weights of the ranking signals on labelled questions, with cross-validation over repositories.

  vectorcode-eval features --bench DIR --trees DIR --mode fast --out fast.jsonl
  vectorcode-eval features --bench DIR --trees DIR --mode auto --out auto.jsonl
  fit-ranker.py --defects titles-fast.jsonl [titles-auto.jsonl] [--penalty P] [--write crates/vectorcode-engine/src/search]
  fit-ranker.py --questions fast.jsonl auto.jsonl [--reports fast.jsonl auto.jsonl] [--issues fast.jsonl auto.jsonl]
                [--titles fast.jsonl auto.jsonl] [--foreign fast.jsonl auto.jsonl] [--unrelated fast.jsonl auto.jsonl]
                [--samples fast.jsonl auto.jsonl] [--mined fast.jsonl auto.jsonl] [--other-words fast.jsonl auto.jsonl] [--ablate] [--penalty P] [--write crates/vectorcode-engine/src/search]

The features come from clones with their history:

  --questions    the benchmark
  --reports      the reports that `bug-bench.py` makes
  --issues       `features.jsonl` of `vectorcode-eval localise`
  --titles       the same for issues cut to their first line
  --samples      the sample projects
  --mined        questions made from documentation (there is no script for them yet)
  --other-words  questions that share almost no word with their answers; reported, never fitted to
  --foreign      questions and reports asked of other repositories. With them, the curves of `ranking.rs` are fitted and printed: the
                 probability that an answer is right, also cross-validated
  --unrelated    questions that no code answers; prints how often one of them gets a likely answer

`--defects` keeps those tables and fits what is added to them for queries that describe a defect, as titles do.

The engine has one table of weights for questions and one for reports, chosen by the length of the text. Each is fitted on all sets
that contain such texts. Figures are printed for each set, with every question ranked by the table that the engine would use.

A question whose words occur in no file of the project has separate weights: see `missing_words` in `ranking.rs`. Both tables are
fitted together; the share of missing words decides how much a question counts in each.

Needs numpy and scipy. The model is a weighted sum. In the fit, a file counts by its best chunk, and the weights maximise the
likelihood of the labelled files among all candidate files (a softmax), with a penalty on large weights. Every printed figure is
for questions whose repository was not part of the fit. Reports of stage one are ranked as in the engine, a file by the best of
each signal (fitting that form gained nothing, on 164 issues).
"""
import argparse
import collections
import dataclasses
import json
import math
import multiprocessing
import pathlib
import re

import numpy as np
from scipy.optimize import minimize

FOLDS = 8
PENALTY = 0.0005
REPEAT_COST = 2.0
MAX_REPEATS = 4
ROUNDS = 4
# Total weight of the answers to questions about other repositories in the fit of the score, relative to all others.
FOREIGN_SHARE = 0.5
PENALTY_OF_CURVE = 1.0
# The lead of a file without competitors, as in `score.rs`.
NO_RIVAL = 1.5
# Hits with a lower score are unlikely: `LIKELY_SCORE` in `core::api`.
LIKELY = 0.3
# Candidates below this place in the engine's list change neither the likelihood nor the first ten, but take time.
FITTED_CANDIDATES = 150

SEARCH = pathlib.Path(__file__).parent.parent / "crates/vectorcode-engine/src/search"

# Signals without a weight: they are part of other signals, or do not affect the order.
LEFT_OUT = {"full_text_rank", "symbol_coverage", "project_size", "describes_defect"}
PROVIDER = {"provider", "provider_rank", "file_provider", "title_provider", "best_provider"}
# Too rare in the questions to be fitted.
FIXED = {"foreign": -0.5, "declarations": -0.5, "generated": -1.0, "trace_mentioned": 5.0}
# Signals with weights of zero or less. All others have weights of zero or more: a negative weight would only compensate for a
# correlated signal, which holds on these questions but not on others. (In reports, such a fit preferred chunks without a symbol, so
# the imports of a file stood for it and were shown in its hit.) The length of a chunk may have either sign.
AGAINST = {"test", "docs", "barrel", "example", "config", "depth",
           "report_test", "report_example", "report_docs", "report_config"}
EITHER = {"size"}
# The lowest weights of demotions. No question of these sets wants a document or a test, so the fit would demote them without
# limit; but users ask for them.
LOWEST = {"test": -2.5, "docs": -2.0, "config": -1.5, "example": -1.5}

# The least weights of what a written-out name, path or message denotes. Few of these questions write one out, so the fit would
# let a file whose name resembles the subject outvote it.
AT_LEAST = {"defines": 1.5, "defines_alone": 2.0, "holds_name": 2.0, "file_holds_name": 3.5, "path_mentioned": 2.0,
            "message": 1.0, "file_message": 4.0}
# Reports write out many names and paths, so these weights can be fitted.
AT_LEAST_OF_REPORTS = {"file_message": 2.0}

# What is added to the weights for queries that describe a defect: `*_OF_DEFECT` in `weights.rs`. There are few such queries, so the penalty is
# larger. A path, a module or a message in the text denotes as much as in any other query.
PENALTY_OF_DEFECTS = 0.006
KEPT_FOR_DEFECTS = {"path_mentioned", "path_named", "line_mentioned", "module_mentioned", "file_named", "defines_qualified",
                    "literal", "literals", "message", "file_message"}
AGAINST_DEFECTS = AGAINST | {"foreign", "declarations"}
# Issues are ranked without tests, so nothing can be learnt about these; the others are too rare.
NOT_OF_DEFECTS = {"test", "generated", "trace_mentioned"}

# In characters. Longer texts are ranked as reports, see `Query::is_report`.
LONGEST_QUESTION = 100

# From this share of found words on, a question is fully in the project's words; from this share down, fully in other words (`ranking.rs`).
WORDS_FOUND, WORDS_MISSING = 0.6, 0.2
# Mined questions are only as good as their paraphrases: they are used only if at least this share of their words is missing.
LEAST_MISSING_OF_MINED = 0.3

# Signals of reports only. In a report of one sentence, which is all title, they repeat the signals of the whole.
OF_REPORTS = ("title_", "body_", "best_", "code_", "report_")

# Signals that mean the same in every query, for the score. The size is one, because the nearest of many chunks is near by chance.
STEADY = ["static", "provider", "file_coverage", "defines", "file_named", "name_precision", "path_mentioned",
          "module_mentioned", "history_likeness", "project_size"]
# For short questions, the share of words in a commit message says less than its vector.
STEADY_OF_REPORTS = ["history_share"]

# Groups of signals that the ablation removes together.
GROUPS = {
    "full text": "full_text file_full_text",
    "static vectors": "static static_rank file_static",
    "provider vectors": "provider provider_rank file_provider title_provider best_provider",
    "words in the text": "coverage file_coverage",
    "name of the file": "name_coverage name_precision name_full",
    "names of the folders": "folder_coverage",
    "name of the symbol": "symbol_precision defines_words",
    "definition of a name": "defines file_defines file_named defines_qualified defines_alone holds_name file_holds_name",
    "all chunks of the file": "file_sum",
    "title as a separate query": "title_",
    "body, code and traces": "body_ best_ code_",
    "files named in the text": "path_named path_mentioned module_mentioned trace_mentioned line_mentioned",
    "quoted texts": "literal literals message file_message",
    "history": "history",
    "tests": "test report_test",
    "documents": "docs config report_docs report_config",
    "re-exports": "barrel",
    "depth": "depth",
    "shape of the chunk": "named size",
}


class Question:
    """One question: the signals of its candidates, the file of each, and the targets that each hits."""

    def __init__(self, row, signals):
        self.repo, self.targets, self.category = row["repo"], row["targets"], row["category"]
        rows = row["candidates"]
        self.is_report = len(row["query"]) > LONGEST_QUESTION
        order = sorted(range(len(rows)), key=lambda n: (rows[n]["path"], n))
        candidates = [rows[n] for n in order]
        self.place = np.array(order)
        self.values = np.array([[c["signals"].get(s, 0.0) for s in signals] for c in candidates], dtype=np.float32)
        self.values = self.values.reshape(len(candidates), len(signals))
        fixed = [sum(w * c["signals"].get(s, 0.0) for s, w in FIXED.items()) for c in candidates]
        self.fixed = np.array(fixed, dtype=np.float32)
        found = max((c["signals"].get("file_coverage", 0.0) for c in candidates), default=1.0)
        self.describes_defect = any(c["signals"].get("describes_defect") for c in candidates)
        self.missing = 0.0 if self.is_report else min(max((WORDS_FOUND - found) / (WORDS_FOUND - WORDS_MISSING), 0.0), 1.0)
        self.file = np.unique([c["path"] for c in candidates], return_inverse=True)[1]
        self.hits = [c["hits"] for c in candidates]
        # `FileRelevance::BestOfEachSignal` of `ranking.rs`.
        self.gathers = self.is_report and not PROVIDER & set(signals)
        self.steady = np.array([[c["signals"].get(s, 0.0) for s in (*STEADY, *STEADY_OF_REPORTS)] for c in candidates])

    def with_signals(self, kept, by_words):
        """A copy with some signals. With `by_words` they occur twice: weighted by the share of found words and by that of missing words."""
        copy, values = object.__new__(Question), self.values[:, kept]
        if by_words:
            values = np.concatenate([values * np.float32(1 - self.missing), values * np.float32(self.missing)], axis=1)
        copy.__dict__ = {**self.__dict__, "values": values}
        return copy

    def best_rows(self):
        """The candidates that the fit uses: the first of the list, and all that are right."""
        right = np.array([bool(hits) for hits in self.hits], dtype=bool)
        return np.flatnonzero((self.place < FITTED_CANDIDATES) | right)

    def relevances(self, weights):
        """The relevance of each candidate, as in the engine."""
        scores = self.values @ weights + self.fixed
        if not self.gathers or not len(scores):
            return scores
        added = np.column_stack([self.values * weights, self.fixed])
        best_of_each = np.full((self.file.max() + 1, added.shape[1]), -np.inf)
        np.maximum.at(best_of_each, self.file, added)
        best_chunk = np.full(len(best_of_each), -np.inf)
        np.maximum.at(best_chunk, self.file, scores)
        return scores + (best_of_each.sum(axis=1) - best_chunk)[self.file]

    def first_ten(self, weights):
        """Relevances and candidates, in the order of the engine."""
        scores = self.relevances(weights)
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

    def is_first_right(self, weights):
        return any(self.hits[index] for _, index in self.first_ten(weights)[:1])

    def accuracy(self, weights):
        """Acc@1, 3, 5 and 10 over distinct files, as in `vectorcode-eval localise`."""
        scores = self.relevances(weights)
        files, right = np.full(self.file.max(initial=-1) + 1, -np.inf), set()
        np.maximum.at(files, self.file, scores)
        right = {file for file, hits in zip(self.file, self.hits) if hits}
        ranks = [rank for rank, file in enumerate(np.argsort(-files, kind="stable")) if file in right]
        return [float(sum(rank < k for rank in ranks) == min(self.targets, k)) for k in (1, 3, 5, 10)]


class Stack:
    """Many questions as one matrix, so that the loss of all is a few operations."""

    def __init__(self, questions):
        chosen = [(q, q.best_rows()) for q in questions if any(q.hits)]
        self.count = len(chosen)
        self.values = np.concatenate([q.values[rows] for q, rows in chosen])
        self.fixed = np.concatenate([q.fixed[rows] for q, rows in chosen])
        self.place = np.concatenate([q.place[rows] for q, rows in chosen])
        files, wanted = [], []
        for q, rows in chosen:
            files.append(np.unique(q.file[rows], return_inverse=True)[1])
            right = np.zeros(files[-1][-1] + 1, dtype=np.float32)
            right[[file for file, row in zip(files[-1], rows) if q.hits[row]]] = 1
            wanted.append(right / right.sum())
        self.wanted = np.concatenate(wanted)
        counts = np.array([len(right) for right in wanted])
        self.first_file = np.concatenate([[0], np.cumsum(counts)[:-1]])
        self.question = np.repeat(np.arange(self.count), counts)
        self.file = np.concatenate([own + first for own, first in zip(files, self.first_file)])
        self.first_row = np.unique(self.file, return_index=True)[1]

    def best(self, scores):
        """The best candidate of each file."""
        top = np.maximum.reduceat(scores, self.first_row)
        rows = np.flatnonzero(scores == top[self.file])
        return rows[np.unique(self.file[rows], return_index=True)[1]]

    def loss(self, weights, values, fixed):
        """Mean cross-entropy of the right files under a softmax over each question's files, and its gradient."""
        top = values @ weights + fixed
        top = top - np.maximum.reduceat(top, self.first_file)[self.question]
        weight = np.exp(top)
        total = np.add.reduceat(weight, self.first_file)[self.question]
        loss = -(self.wanted * (top - np.log(total))).sum() / self.count
        return loss, (weight / total - self.wanted) @ values / self.count


def load(path, signals):
    # If a question occurs twice, it was asked again: the later line counts.
    rows = {}
    for line in open(path, encoding="utf-8"):
        row = json.loads(line)
        rows[row["repo"], row["query"]] = row
    return [Question(row, signals) for row in rows.values()]


def bounds(signals, at_least):
    return [(None, None) if s in EITHER else (LOWEST.get(s), 0) if s in AGAINST else (at_least.get(s, 0), None) for s in signals]


def fit(questions, signals, penalty, at_least, limits=None):
    """Alternates between the best chunk of each file and the weights, because the loss is convex for fixed best chunks."""
    stack, weights = Stack(questions), np.array([at_least.get(s, 0.0) for s in signals])
    limits = limits or bounds(signals, at_least)
    rows = stack.best(-stack.place)
    for _ in range(ROUNDS):
        values, fixed = stack.values[rows].astype(np.float64), stack.fixed[rows].astype(np.float64)

        def penalised(weights):
            loss, gradient = stack.loss(weights, values, fixed)
            return loss + penalty * (weights @ weights), gradient + 2 * penalty * weights

        weights = minimize(penalised, weights, jac=True, method="L-BFGS-B", bounds=limits, options={"maxiter": 150, "ftol": 1e-7}).x
        chosen = stack.best(stack.values @ weights.astype(np.float32) + stack.fixed)
        if (chosen == rows).all():
            break
        rows = chosen
    return weights


def over_repositories(questions, values):
    groups = collections.defaultdict(list)
    for question, value in zip(questions, values):
        groups[question.repo].append(value)
    return float(np.mean([np.mean(group) for group in groups.values()]))


def folds(questions):
    repositories = sorted({q.repo for q in questions})
    return [set(repositories[n::FOLDS]) for n in range(FOLDS)]


def cross_validated(questions, signals, penalty, at_least):
    """The weights for each question, fitted without its repository."""
    parts = folds(questions)
    # Forked processes share the questions in memory.
    global FOLD_FIT
    FOLD_FIT = lambda part: fit([q for q in questions if q.repo not in parts[part]], signals, penalty, at_least)
    with multiprocessing.get_context("fork").Pool() as pool:
        fitted = pool.map(fit_fold, range(FOLDS), chunksize=1)
    return {id(q): weights for part, weights in zip(parts, fitted) for q in questions if q.repo in part}


def fit_defects(stage, path, penalties):
    """Fits what is added to a table of `weights.rs` for queries that describe a defect; no evidence becomes its opposite. Prints the
    figures of weights that were fitted without the repository, and returns what was fitted on all."""
    tables = tables_of_engine()
    found, missing = tables[stage], tables[f"{stage}_WITHOUT_WORDS"]
    none = {*LEFT_OUT, *NOT_OF_DEFECTS, *(PROVIDER if stage == "STAGE_ONE" else ())}
    signals = [s for s in VARIANTS if s not in none and not s.startswith(OF_REPORTS)]
    everything = sorted({*found, *missing, *signals})
    questions = [q for q in load(path, everything) if q.describes_defect and not q.is_report and any(q.hits)]
    for q in questions:
        own = [(1 - q.missing) * found.get(s, 0.0) + q.missing * missing.get(s, 0.0) for s in everything]
        q.fixed = (q.values @ np.array(own)).astype(np.float32)
        q.values = q.values[:, [everything.index(s) for s in signals]]

    def limit(signal):
        weight = found.get(signal, 0.0)
        if signal in KEPT_FOR_DEFECTS:
            return 0.0, None
        return (None, None) if signal in EITHER else (None, -weight) if signal in AGAINST_DEFECTS else (-weight, None)

    limits = [limit(s) for s in signals]
    show = lambda weights: "/".join(f"{100 * v:.1f}" for v in np.mean([q.accuracy(weights(q)) for q in questions], axis=0))
    nothing = np.zeros(len(signals))
    print(f"{stage}: {len(questions)} queries that describe a defect, Acc@1/3/5/10 {show(lambda q: nothing)} without weights of their own")
    for penalty in penalties:
        added = {}
        for part in folds(questions):
            fitted = fit([q for q in questions if q.repo not in part], signals, penalty, {}, limits)
            added |= {id(q): fitted for q in questions if q.repo in part}
        print(f"  penalty {penalty}, cross-validated: {show(lambda q: added[id(q)])}", flush=True)
    fitted = fit(questions, signals, penalties[-1], {}, limits)
    return {stage: dict(zip(signals, fitted))}


def sources_of_defects(added):
    """Where there are no vectors of the provider to fit on, both stages get what stage one got, as far as there is weight to take."""
    if "BOTH_STAGES" not in added:
        weights = tables_of_engine()["BOTH_STAGES"]
        added["BOTH_STAGES"] = {s: v if v > 0 or s in AGAINST_DEFECTS else max(v, -weights.get(s, 0.0)) for s, v in added["STAGE_ONE"].items()}
    sources = {}
    for stage, values in added.items():
        doc = "Added to the weights of short queries that describe a defect, " + DOCS[stage]
        sources[f"{stage}_OF_DEFECT"] = source_of(f"{stage}_OF_DEFECT", doc, list(values), values.values(), {})
    return sources


def tables_of_engine():
    """The weights of `weights.rs`, by table and signal."""
    names = {variant: name for name, variant in VARIANTS.items()}
    found = re.findall(r"const (\w+): &\[Weight\] =\s*&\[(.*?)\];", (SEARCH / "weights.rs").read_text(), flags=re.S)
    return {table: {names[v]: float(w) for v, w in re.findall(r"\(Signal::(\w+), (-?[\d.]+)\)", body)} for table, body in found}


def fit_fold(part):
    return FOLD_FIT(part)


def figures(sets, weights):
    """One line of figures for each kind of question; `weights` returns those for a question."""
    lines = []
    for name, questions in sets.items():
        ndcg = over_repositories(questions, [q.ndcg(weights(q)) for q in questions])
        first = np.mean([q.is_first_right(weights(q)) for q in questions])
        line = f"{name:<12} NDCG@10 {ndcg:.4f}, first {100 * first:.1f}"
        if name in ("issues", "titles"):
            accuracy = np.mean([q.accuracy(weights(q)) for q in questions], axis=0)
            line += "   Acc@1/3/5/10 " + "/".join(f"{100 * value:.1f}" for value in accuracy)
        lines.append(line)
    return lines


@dataclasses.dataclass
class Fit:
    """One table of weights: its signals, and the sets that it is fitted on."""
    name: str
    doc: str
    signals: list
    questions: list
    # Whether there is a second table for questions with missing words.
    by_words: bool

    @property
    def at_least(self):
        return AT_LEAST if self.by_words else AT_LEAST_OF_REPORTS

    @property
    def columns(self):
        return self.signals * (2 if self.by_words else 1)

    def weights_of(self, question, fitted, signals):
        """The weights of all signals for a question; zero for signals that are not in this table."""
        tables = np.split(fitted, 2) if self.by_words else [fitted, fitted]
        blended = (1 - question.missing) * tables[0] + question.missing * tables[1]
        own = dict(zip(self.signals, blended))
        return np.array([own.get(s, 0.0) for s in signals])

    def of(self, questions, signals):
        """The questions, reduced to the signals of this table."""
        kept = [signals.index(s) for s in self.signals]
        return [q.with_signals(kept, self.by_words) for q in questions]

    def takes(self, question):
        return question.is_report == self.name.startswith("REPORT")


def judge(fits, sets, asked, signals, penalty):
    """The figures of each set. Each question is ranked by the table of its kind, fitted without its repository."""
    weights = {}
    for table in fits:
        own = table.of(table.questions, signals)
        fitted = cross_validated(own, table.columns, penalty, table.at_least)
        without = {q.repo: fitted[id(o)] for q, o in zip(table.questions, own)}
        also = [q for questions in asked.values() for q in questions if table.takes(q) and q.repo in without]
        weights |= {id(q): table.weights_of(q, without[q.repo], signals) for q in (*table.questions, *also)}
    judged = sets | {kind: [q for q in questions if id(q) in weights] for kind, questions in asked.items()}
    return figures({kind: questions for kind, questions in judged.items() if questions}, lambda q: weights[id(q)])


def ablate(fits, sets, signals, penalty):
    """The cross-validated figures without each group of signals."""
    for name, group in GROUPS.items():
        group = group.split()
        gone = {s for s in signals if s in group or any(g.endswith("_") and s.startswith(g) for g in group)
                or "history" in group and s.startswith("history")}
        if gone:
            without = [dataclasses.replace(fit, signals=[s for s in fit.signals if s not in gone]) for fit in fits]
            print(f"  without {name}: " + "; ".join(judge(without, sets, {}, signals, penalty)), flush=True)


class Answers:
    """The first ten answers to a question: the inputs of the score, and whether each answer is right."""

    def __init__(self, kind, question, weights, columns):
        self.kind, self.repo = kind, question.repo
        first = question.first_ten(weights)
        self.right = np.array([bool(question.hits[index]) for _, index in first], dtype=bool)
        gaps = self.gaps([relevance for relevance, _ in first], [question.file[index] for _, index in first])
        rows = [[gap, *question.steady[index][columns], 1.0] for gap, (_, index) in zip(gaps, first)]
        self.values = np.array(rows).reshape(len(first), len(columns) + 2)

    @staticmethod
    def gaps(relevances, files):
        """The relevance of each, minus that of the best other file, as in `score.rs`."""
        rival = next((r for r, file in zip(relevances, files) if file != files[0]), None)
        other = [rival if file == files[0] else relevances[0] for file in files]
        return [r - relevances[0] + NO_RIVAL if o is None else r - o for r, o in zip(relevances, other)]

    def scores(self, curve):
        return never_rising(1 / (1 + np.exp(-(self.values @ curve))))


def never_rising(scores):
    """Replaces rising neighbours by their mean, as in `score.rs`."""
    pools = []
    for score in scores:
        pools.append((score, 1))
        while len(pools) > 1 and pools[-1][0] > pools[-2][0]:
            (mean, count), (above, others) = pools.pop(), pools.pop()
            pools.append(((mean * count + above * others) / (count + others), count + others))
    return np.array([mean for mean, count in pools for _ in range(count)])


def fit_curve(answers, steady):
    """Fits a logistic curve that separates right answers from wrong ones and from answers to questions about other repositories."""
    foreign = sum(len(a.right) for a in answers if a.kind == "foreign")
    share = FOREIGN_SHARE * (sum(len(a.right) for a in answers) - foreign) / max(foreign, 1)
    values, right = np.concatenate([a.values for a in answers]), np.concatenate([a.right for a in answers])
    weight = np.concatenate([np.full(len(a.right), share if a.kind == "foreign" else 1.0) for a in answers])
    sign = np.where(right, -1.0, 1.0)

    def loss(curve):
        margin, penalised = sign * (values @ curve), PENALTY_OF_CURVE * np.append(curve[:-1], 0.0)
        slope = weight * sign / (1 + np.exp(-margin))
        return (weight * np.logaddexp(0, margin)).sum() + 0.5 * curve @ penalised, slope @ values + penalised

    # Only the size of the project may have a negative weight.
    limits = [(0, None), *((None, 0) if s == "project_size" else (0, None) for s in steady), (None, None)]
    return minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B", bounds=limits).x


def calibrate(sets, weights, steady):
    """Prints the curve of the score, and its calibration on repositories that were not part of the fit."""
    columns = [(*STEADY, *STEADY_OF_REPORTS).index(signal) for signal in steady]
    answers = [Answers(kind, q, weights(q), columns) for kind, questions in sets.items() for q in questions if q.hits]
    fitted = [a for a in answers if a.kind in (*SETS, "foreign")]
    parts = folds(answers)
    curves = [fit_curve([a for a in fitted if a.repo not in part], steady) for part in parts]
    shown = {id(a): a.scores(curve) for part, curve in zip(parts, curves) for a in answers if a.repo in part}
    curve = fit_curve(fitted, steady)
    terms = ", ".join(f"(Signal::{VARIANTS[s]}, {v:.3f})" for s, v in zip(steady, curve[1:-1]) if abs(v) >= 0.0005)
    print(f"  score: gap: {curve[0]:.3f}, steady: &[{terms}], offset: {curve[-1]:.3f}")
    report_scores(answers, shown)


def report_scores(answers, shown):
    own = [a for a in answers if a.kind in SETS]
    scores, right = np.concatenate([shown[id(a)] for a in own]), np.concatenate([a.right for a in own])
    for low in range(10):
        inside = (scores >= low / 10) & ((scores < (low + 1) / 10) | (low == 9))
        if inside.any():
            print(f"    {low / 10:.1f} to {(low + 1) / 10:.1f}: {inside.sum():>5} hits, mean {scores[inside].mean():.3f}, right {right[inside].mean():.3f}")
    for kind in dict.fromkeys(a.kind for a in answers):
        of_kind = [a for a in answers if a.kind == kind]
        sure = [r for a in of_kind for r, score in zip(a.right, shown[id(a)]) if score >= 0.9]
        likely = np.mean([shown[id(a)][0] >= LIKELY for a in of_kind])
        print(f"    {kind:<12} {len(of_kind)} questions, {likely:.3f} with a likely answer; above 0.9: {len(sure)}, right {np.mean(sure or [0]):.3f}")


def source_of(name, doc, signals, weights, fixed=FIXED):
    weights = {**{s: w for s, w in zip(signals, weights) if abs(w) >= 0.0005}, **fixed}
    lines = [f"    (Signal::{VARIANTS[s]}, {w:.3f})," for s, w in weights.items()]
    return f"/// {doc}\npub(crate) const {name}: &[Weight] = &[\n" + "\n".join(lines) + "\n];\n"


def write(folder, tables):
    """Replaces the fitted tables in `weights.rs`; the rest of the file is kept. The curves in `ranking.rs` are only printed."""
    path = folder / "weights.rs"
    text = path.read_text()
    for name, source in tables.items():
        text = re.sub(rf"/// [^\n]*\npub\(crate\) const {name}: &\[Weight\] = &\[\n.*?\n\];\n", lambda _: source, text, flags=re.S)
    path.write_text(text)


def variants():
    """The engine's signals, in order: name -> variant."""
    text = "".join(path.read_text() for path in sorted((SEARCH / "signals").glob("*.rs")))
    return {name: variant for variant, name in re.findall(r"^\s+(\w+) => \"(\w+)\",$", text, flags=re.M)}


VARIANTS = variants()


# The sets for fitting weights and curves, and those that are only reported.
SETS = ("questions", "samples", "reports", "issues", "titles", "mined")
ASKED = ("other_words", "foreign", "unrelated")


DOCS = {"STAGE_ONE": "stage one alone: full text, definitions, static vectors.", "BOTH_STAGES": "stage one and provider vectors together."}


def tables_of(stage, sets, signals):
    """The two tables of a stage."""
    everything = [q for questions in sets.values() for q in questions]
    short = [s for s in signals if not s.startswith(OF_REPORTS)]
    doc = DOCS[stage]
    fits = [Fit(stage, "Short queries, " + doc, short, [q for q in everything if not q.is_report], by_words=True),
            Fit(f"REPORT_{stage}", "Reports, " + doc, signals, [q for q in everything if q.is_report], by_words=False)]
    return [fit for fit in fits if fit.questions]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for kind in (*SETS, *ASKED):
        parser.add_argument(f"--{kind.replace('_', '-')}", nargs="+", default=[])
    parser.add_argument("--defects", nargs="+", default=[])
    parser.add_argument("--ablate", action="store_true")
    parser.add_argument("--penalty", type=float, nargs="+")
    parser.add_argument("--write", type=pathlib.Path)
    args = parser.parse_args()
    if args.defects:
        added = {}
        for stage, path in zip(DOCS, args.defects):
            added |= fit_defects(stage, path, args.penalty or [PENALTY_OF_DEFECTS])
        return write(args.write, sources_of_defects(added)) if args.write else None
    args.penalty = args.penalty or [PENALTY]
    known = [s for s in VARIANTS if s not in LEFT_OUT and s not in FIXED]
    runs = [("STAGE_ONE", [s for s in known if s not in PROVIDER]), ("BOTH_STAGES", known)]
    tables = {}
    for number, (stage, signals) in enumerate(runs):
        read = {kind: load(path, signals) for kind in (*SETS, *ASKED) for path in getattr(args, kind)[number:number + 1]}
        read["mined"] = [q for q in read.get("mined", []) if q.missing > LEAST_MISSING_OF_MINED]
        asked = {kind: read.pop(kind) for kind in ASKED if kind in read}
        read = {kind: questions for kind, questions in read.items() if questions}
        if not read:
            continue
        fits = tables_of(stage, read, signals)
        for penalty in args.penalty:
            print(f"{stage}, penalty {penalty}, cross-validated")
            words = {kind: asked[kind] for kind in ("other_words",) if kind in asked}
            print("\n".join("  " + line for line in judge(fits, read, words, signals, penalty)), flush=True)
        for table in fits:
            tables |= fit_table(table, read, asked, signals, args.penalty[-1])
        if args.ablate:
            ablate(fits, read, signals, args.penalty[-1])
    if args.write:
        write(args.write, tables)


def fit_table(table, sets, asked, signals, penalty):
    """Fits a table on all its sets, prints its curve, and returns its source and that of its second table."""
    fitted = fit(table.of(table.questions, signals), table.columns, penalty, table.at_least)
    if "foreign" in asked:
        steady = [s for s in (*STEADY, *([] if table.by_words else STEADY_OF_REPORTS)) if s in signals or s not in PROVIDER]
        chosen = {name: [q for q in questions if table.takes(q)] for name, questions in (sets | asked).items()}
        print(f"  {table.name}")
        calibrate(chosen, lambda q: table.weights_of(q, fitted, signals), steady)
    if not table.by_words:
        return {table.name: source_of(table.name, table.doc, table.signals, fitted)}
    found, missing = np.split(fitted, 2)
    other, doc = f"{table.name}_WITHOUT_WORDS", table.doc.replace("Short queries,", "Short queries in other words than the project's,")
    return {table.name: source_of(table.name, table.doc, table.signals, found), other: source_of(other, doc, table.signals, missing)}


if __name__ == "__main__":
    main()
