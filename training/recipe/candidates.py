"""Recorded searches: the texts of their candidates, and the provider's signals recomputed with the vectors of another model."""
import json
import sqlite3

import numpy as np

MAX_RANK = 150
TEXT = """select c.start_line, c.symbol, c.parent_context, f.path, l.name, t.content from chunks c join files f on f.id = c.file_id
          join labels l on l.id = f.language join chunk_text t on t.id = c.id where f.path = ?"""


class Index:
    """The embedded texts of the index below a tree, by path and first line."""

    def __init__(self, tree):
        found = next((folder for folder in (tree, *sorted(tree.rglob(".vectorcode"))) if (folder / "index.db").exists()), None)
        if found is None:
            raise FileNotFoundError(f"no index below {tree}: run vectorcode-eval on it first")
        # For some repositories the benchmark indexes one folder only, but its paths start at the root of the tree.
        self.prefix = "" if found.parent == tree else found.parent.relative_to(tree).as_posix() + "/"
        self.connection = sqlite3.connect(f"file:{found / 'index.db'}?mode=ro&immutable=1", uri=True)
        self.files = {}

    def text(self, path, line):
        path = path.removeprefix(self.prefix)
        if path not in self.files:
            self.files[path] = {start: " | ".join(part for part in (language, path, parent, symbol) if part) + "\n" + content
                                for start, symbol, parent, path, language, content in self.connection.execute(TEXT, (path,))}
        return self.files[path].get(line)


def records(path):
    """The records of a file. If a question occurs twice, it was asked again, and the later line counts."""
    rows = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            row = json.loads(line)
            rows[row["repo"], row["query"]] = row
    return list(rows.values())


def title_of(question):
    """The part that the product embeds separately: the first line that is not empty."""
    return next((line.strip() for line in question.splitlines() if line.strip()), question)


def by_rank(similarity):
    """10 / (10 + rank) for the first 150, like the engine's `set_ranks`."""
    value = np.zeros(len(similarity), np.float32)
    order = np.argsort(-similarity, kind="stable")[:MAX_RANK]
    value[order] = 10 / (10 + np.arange(len(order)))
    return value


def filled(similarity):
    """The similarities; a chunk without a vector gets the median of the others."""
    known = np.sort(similarity[~np.isnan(similarity)])
    middle = known[len(known) // 2] if len(known) else 0.0
    return np.where(np.isnan(similarity), middle, similarity)


def replace_provider(row, whole, title):
    """Sets the provider's signals from the similarities of the whole question and of its title; NaN means no vector."""
    ranks = by_rank(np.where(np.isnan(whole), -2, whole)) * ~np.isnan(whole)
    whole, title = filled(whole), filled(title)
    best_of_file = {}
    for candidate, rank in zip(row["candidates"], ranks):
        best_of_file[candidate["path"]] = max(best_of_file.get(candidate["path"], 0.0), float(rank))
    for candidate, rank, all_of_it, its_title in zip(row["candidates"], ranks, whole, title):
        candidate["signals"] |= {
            "provider": float(all_of_it), "provider_rank": float(rank), "file_provider": best_of_file[candidate["path"]],
            "title_provider": float(its_title), "best_provider": float(max(all_of_it, its_title))}


def first_files(row, similarity):
    """The targets in each distinct file, best file first."""
    best, hits = {}, {}
    for candidate, value in zip(row["candidates"], similarity):
        best[candidate["path"]] = max(best.get(candidate["path"], -3.0), value)
        hits.setdefault(candidate["path"], set()).update(candidate["hits"])
    return [hits[path] for path in sorted(best, key=best.get, reverse=True)]


def accuracy(row, similarity, at=(1, 3, 5, 10)):
    """Acc@k over distinct files ranked by this similarity alone, counted like `vectorcode-eval localise`."""
    ranks = [rank for rank, hits in enumerate(first_files(row, similarity)) if hits]
    return [float(sum(rank < k for rank in ranks) == min(row["targets"], k)) for k in at]
