"""The steps before any model: they need git and the standard library only."""
from recipe.mine import mine_repository
from recipe.sources import excluded_names, open_sources, write_manifest


def sources(run):
    rows = write_manifest(run.args.mirrors, run.file("sources.jsonl"), excluded_names())
    print(f"{sum('refused' not in row for row in rows)} of {len(rows)} repositories may be used")


def mine(run):
    run.file("rows").mkdir(exist_ok=True)
    for repository, revision in open_sources(run.file("sources.jsonl"), run.args.mirrors, excluded_names()):
        counts = mine_repository(repository, revision, run.file("rows"), run.settings)
        print(repository.name, "was there" if counts is None else counts, flush=True)
