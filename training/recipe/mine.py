"""Mines each repository of the manifest into a file of its own; existing files are kept."""
import gzip
import itertools
import json
import os
import random

from recipe.mine_history import mine_history
from recipe.mine_text import mine_text
from recipe.mine_tree import mine_tree


def mine_repository(repository, revision, out, settings):
    """Writes `out/owner+name.jsonl.gz`, through a temporary file, so that a half-written one never gets that name."""
    target = out / f"{repository.name.replace('/', '+')}.jsonl.gz"
    if target.exists():
        return None
    rng = random.Random(f"{settings.seed} {repository.name}")
    caps = {"documentation": settings.documentation, "error": settings.errors_of_a_package if repository.is_package else settings.errors}
    commits = settings.commits
    if repository.is_condensed:
        revision, commits = "HEAD", 2 * commits + 1
    rows = itertools.chain(mine_history(repository, revision, commits, settings.seconds, rng),
                           mine_tree(repository, revision, caps, rng), mine_text(repository, revision, rng))
    partial = target.with_suffix(".partial")
    counts = {}
    with gzip.open(partial, "wt", compresslevel=4, encoding="utf-8") as file:
        for row in rows:
            counts[row["kind"]] = counts.get(row["kind"], 0) + 1
            file.write(json.dumps({"repository": repository.name, **row}, ensure_ascii=False) + "\n")
    os.replace(partial, target)
    return counts


def read_rows(folder):
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from map(json.loads, file)
