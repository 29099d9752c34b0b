"""The manifest: which repositories and packages are used for training, at which revision and under which licence."""
import json
import pathlib
import re

from recipe.licences import licence_of
from recipe.packages import DAMAGED, REGISTRIES, find_packages
from recipe.repository import find_repositories

HERE = pathlib.Path(__file__).parent.parent


def excluded_names(path=HERE / "exclude.txt"):
    """The repositories of all benchmarks that we report figures on, in lower case."""
    lines = path.read_text().splitlines()
    return {line.strip().lower() for line in lines if line.strip() and not line.startswith("#")}


def words(name):
    return re.split(r"[^a-z0-9]+", name.lower())


def is_held_back(source, excluded):
    """Whether a source is held back: by full name or, for a package, which has no owner, by a held-back name within its own ("python-flask")."""
    registry, name = source.split("/", 1)
    if registry not in REGISTRIES:
        return source.lower() in excluded
    within = f" {' '.join(words(name))} "
    return any(f" {' '.join(words(held.split('/', 1)[1]))} " in within for held in excluded)


def find_sources(mirrors):
    yield from find_repositories(mirrors)
    yield from find_packages(mirrors)


def survey(mirrors, excluded):
    """Writes one row for each source, with the reason if it is refused."""
    for repository in find_sources(mirrors):
        row = {"repository": repository.name}
        if is_held_back(repository.name, excluded):
            yield {**row, "refused": "held back for evaluation"}
            continue
        try:
            revision = repository.head()
            licence, permitted = licence_of(repository, revision)
        except DAMAGED as error:
            yield {**row, "refused": f"damaged: {error}"}
            continue
        row |= {"revision": revision, "licence": licence}
        yield row if permitted else {**row, "refused": "licence"}


def write_manifest(mirrors, path, excluded):
    rows = list(survey(mirrors, excluded))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def open_sources(manifest, mirrors, excluded):
    """The repositories of a manifest that may be used. A held-back name in it is an error; it is not skipped silently."""
    found = {source.name: source for source in find_sources(mirrors)}
    for line in manifest.read_text().splitlines():
        row = json.loads(line)
        if "refused" in row:
            continue
        if is_held_back(row["repository"], excluded):
            raise ValueError(f"{row['repository']} is held back for evaluation and stands in {manifest}")
        if row["repository"] not in found:
            raise FileNotFoundError(f"{row['repository']} is missing: clone it as {row['repository'].replace('/', '+')}, or run recipe.packages")
        yield found[row["repository"]], row["revision"]
