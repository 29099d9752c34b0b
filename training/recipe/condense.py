"""Condenses git directories to what mining reads, a fifth of a clone's size, so that they can be mined on another machine.

  python -m recipe.condense pack --mirrors MIRRORS --folder CONDENSED
  python -m recipe.condense unpack --mirrors NEW_MIRRORS --folder CONDENSED --manifest WORK/sources.jsonl

Mining needs many processors and training a GPU; the machine that has them often has no network, and whole clones are too large to copy
there. Condensing takes a fraction of a second per repository, because git reuses compressed objects: it lists the changes, and packs both
sides of those that `mine_history` wants together with the code of the newest tree. Unpacking writes a git directory again, in which each
change follows a commit of the files before it. Mining finds the same rows there as in the clone.
"""
import argparse
import gzip
import json
import pathlib
import random
import subprocess

from recipe.languages import is_source, is_test, language_of
from recipe.licences import licence_of
from recipe.mine_history import CHANGE_LOG, is_wanted
from recipe.repository import CONDENSED, HEADER, MAX_FILE_BYTES, Repository, find_repositories, parse_log
from recipe.settings import FULL
from recipe.sources import excluded_names

MAX_HEAD_FILES = 3000
# Never becomes a question: `is_wanted` skips it.
BETWEEN = "merge"


def read_changes(stream):
    """(commit, [(path, old blob, new blob)]) from git's output in the format `HEADER` with `--raw --no-abbrev`."""
    for commit in parse_log(stream):
        raw = [line.split("\t", 1) for line in commit.files if line.startswith(":")]
        changes = [(path, *meta.split()[2:4]) for meta, path in raw if meta.split()[0] == ":100644"]
        commit.files = {path: [] for path, _, _ in changes}
        yield commit, changes


def is_read(path):
    return bool(language_of(path) and (is_source(path) or is_test(path)) or CHANGE_LOG.search(path))


def wanted_changes(repository, revision, limit):
    process = subprocess.Popen(
        ["git", "--git-dir", repository.git_dir, "-c", "core.quotePath=false", "log", "--no-merges", f"-n{limit}", "--raw", "--no-abbrev",
         "--no-renames", "--diff-filter=M", f"--format={HEADER}", revision], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        for commit, changes in read_changes(process.stdout):
            if is_wanted(commit):
                yield commit, [change for change in changes if is_read(change[0])]
    finally:
        process.kill()
        process.wait()


def present(repository, blobs):
    """The blobs that the clone has and that are not too large."""
    listed = subprocess.run(["git", "--git-dir", repository.git_dir, "cat-file", "--batch-check"], capture_output=True, check=True,
                            input="".join(f"{blob}\n" for blob in blobs).encode()).stdout.decode()
    rows = (line.split() for line in listed.splitlines())
    return {row[0] for row in rows if len(row) == 3 and row[1] == "blob" and int(row[2]) <= MAX_FILE_BYTES}


def condense(repository, out, limit, seed):
    """Writes `owner+name.pack` and `.json.gz` for a permitted repository; returns its row of the manifest."""
    revision = repository.head()
    licence, permitted = licence_of(repository, revision)
    row = {"repository": repository.name, "revision": revision, "licence": licence}
    if not permitted:
        return {**row, "refused": "licence"}
    head = [(path, blob) for blob, path in repository.tree(revision) if is_source(path)]
    random.Random(seed).shuffle(head)
    head = head[:MAX_HEAD_FILES]
    changes = [(commit, found) for commit, found in wanted_changes(repository, revision, limit) if found]
    blobs = present(repository, dict.fromkeys([blob for _, blob in head] + [blob for _, found in changes for change in found for blob in change[1:]]))
    stem = repository.name.replace("/", "+")
    with (out / f"{stem}.pack").open("wb") as file:
        subprocess.run(["git", "--git-dir", repository.git_dir, "pack-objects", "--stdout", "-q", "--threads=1"], stdout=file, check=True,
                       input="".join(f"{blob}\n" for blob in sorted(blobs)).encode())
    kept = [[commit.author, commit.message, [change for change in found if change[1] in blobs and change[2] in blobs]] for commit, found in changes]
    with gzip.open(out / f"{stem}.json.gz", "wt", encoding="utf-8") as file:
        json.dump({**row, "head": [entry for entry in head if entry[1] in blobs], "commits": kept}, file)
    return row


def import_stream(content):
    """Commands for `git fast-import`, oldest change first."""
    def commit(author, message, files):
        author = "".join(character for character in author if character not in "<>\n") or "unknown"
        text = message.encode()
        yield f"commit refs/heads/main\ncommitter {author} <> 0 +0000\ndata {len(text)}\n".encode() + text + b"\n"
        # Paths that start with a quote or contain a line break would need quoting, so they are skipped.
        yield from (f"M 100644 {blob} {path}\n".encode() for path, blob in files if not path.startswith('"') and "\n" not in path)

    for author, message, changes in reversed(content["commits"]):
        if changes:
            before = list(commit(author, BETWEEN, [(path, old) for path, old, _ in changes]))
            yield from [before[0], b"deleteall\n", *before[1:]]
            yield from commit(author, message, [(path, new) for path, _, new in changes])
    last = list(commit("unknown", BETWEEN, content["head"]))
    yield from [last[0], b"deleteall\n", *last[1:]]


def expand(stem, mirrors):
    """Makes the git directory `mirrors/owner+name` from the two files called `stem`; returns (repository, row of the manifest)."""
    with gzip.open(f"{stem}.json.gz", "rt", encoding="utf-8") as file:
        content = json.load(file)
    git_dir = mirrors / content["repository"].replace("/", "+")
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(git_dir)], check=True)
    with open(f"{stem}.pack", "rb") as pack:
        subprocess.run(["git", "--git-dir", str(git_dir), "index-pack", "--stdin", "--threads=1"], stdin=pack, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["git", "--git-dir", str(git_dir), "fast-import", "--quiet"], input=b"".join(import_stream(content)), check=True)
    (git_dir / CONDENSED).touch()
    return Repository(content["repository"], git_dir), {name: content[name] for name in ("repository", "revision", "licence")}


def pack(mirrors, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for repository in find_repositories(mirrors):
        held_back = repository.name.lower() in excluded_names()
        row = {"repository": repository.name, "refused": "held back for evaluation"} if held_back else condense(repository, folder, FULL.commits, FULL.seed)
        print(json.dumps(row), flush=True)


def unpack(folder, mirrors, manifest):
    mirrors.mkdir(parents=True, exist_ok=True)
    rows = [expand(str(path).removesuffix(".json.gz"), mirrors)[1] for path in sorted(folder.glob("*.json.gz"))]
    manifest.write_text("".join(json.dumps(row) + "\n" for row in rows))


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m recipe.condense", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("action", choices=["pack", "unpack"])
    parser.add_argument("--mirrors", type=pathlib.Path, required=True)
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--manifest", type=pathlib.Path, help="unpack: where to write the rows of the manifest")
    args = parser.parse_args(arguments)
    if args.action == "pack":
        pack(args.mirrors, args.folder)
    else:
        unpack(args.folder, args.mirrors, args.manifest or args.folder / "sources.jsonl")


if __name__ == "__main__":
    main()
