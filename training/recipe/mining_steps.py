"""The steps before training, which need only git and the standard library."""
import multiprocessing

from recipe.mine import mine_repository
from recipe.sources import excluded_names, open_sources, write_manifest


def sources(run):
    rows = write_manifest(run.args.mirrors, run.file("sources.jsonl"), excluded_names())
    print(f"{sum('refused' not in row for row in rows)} of {len(rows)} repositories may be used")


def mine_one(task):
    repository, revision, out, settings = task
    return repository.name, mine_repository(repository, revision, out, settings)


def mine(run):
    run.file("rows").mkdir(exist_ok=True)
    tasks = [(repository, revision, run.file("rows"), run.settings)
             for repository, revision in open_sources(run.file("sources.jsonl"), run.args.mirrors, excluded_names())]
    with multiprocessing.get_context("fork").Pool(run.args.processes) as pool:
        for name, counts in pool.imap_unordered(mine_one, tasks):
            print(name, "was there" if counts is None else counts, flush=True)
