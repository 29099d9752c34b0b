"""The manifest: which repositories are trained on, at which revision and under which licence."""
import json
import pathlib

from recipe.licences import licence_of
from recipe.repository import Repository, find_repositories

HERE = pathlib.Path(__file__).parent.parent


def excluded_names(path=HERE / "exclude.txt"):
    """Repositories of every benchmark that we report figures on, in lower case."""
    lines = path.read_text().splitlines()
    return {line.strip().lower() for line in lines if line.strip() and not line.startswith("#")}


def survey(mirrors, excluded):
    """One row for each git directory: what it is, and why it is refused if it is."""
    for repository in find_repositories(mirrors):
        row = {"repository": repository.name}
        if repository.name.lower() in excluded:
            yield {**row, "refused": "held back for evaluation"}
            continue
        revision = repository.head()
        licence, permitted = licence_of(repository, revision)
        row |= {"revision": revision, "licence": licence}
        yield row if permitted else {**row, "refused": "licence"}


def write_manifest(mirrors, path, excluded):
    rows = list(survey(mirrors, excluded))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return rows


def open_sources(manifest, mirrors, excluded):
    """The repositories of a manifest that may be used. A held-back name in it is an error, not a row to pass over."""
    directories = {repository.name: repository.git_dir for repository in find_repositories(mirrors)}
    for line in manifest.read_text().splitlines():
        row = json.loads(line)
        if "refused" in row:
            continue
        if row["repository"].lower() in excluded:
            raise ValueError(f"{row['repository']} is held back for evaluation and stands in {manifest}")
        if row["repository"] not in directories:
            raise FileNotFoundError(f"no git directory of {row['repository']}: clone it as {row['repository'].replace('/', '+')}")
        yield Repository(row["repository"], directories[row["repository"]]), row["revision"]
