"""Extracts texts with their translations from localised software.

  python -m translate.corpus --mirrors MIRRORS --out CORPUS [--only NAME ...]

`MIRRORS` has git directories called `owner+name` and npm packages called `npm+name.tgz`. Licences are checked as for the models;
`manifest.jsonl` lists the accepted and refused sources. `CORPUS/<language>.tsv.gz` has one pair per line.
"""
import argparse
import collections
import gzip
import hashlib
import json
import pathlib
import subprocess
import tarfile

from recipe.licences import LICENCE_FILE, PERMISSIVE, identify, licence_of
from recipe.repository import find_repositories
from recipe.sources import excluded_names
from translate.locales import LANGUAGE, english_paths, locale_in
from translate.resources import (BILINGUAL, KEYED, english_keys, from_pseudo, keyed_pairs, markdown, plain)

MAX_BYTES = 12_000_000
PACK = "vscode-language-pack-"
LONG_NAMES = {"deu": "de", "esn": "es", "fra": "fr", "ita": "it", "jpn": "ja", "kor": "ko", "chs": "zh", "cht": "zh-hant", "rus": "ru",
              "plk": "pl", "trk": "tr", "csy": "cs", "ptb": "pt"}


class Tree:
    """The files of the newest commit of a git directory, or of an npm package."""

    def __init__(self, source):
        self.source, self.objects, self.contents = source, {}, {}
        if isinstance(source, pathlib.Path):
            with tarfile.open(source) as archive:
                for member in archive:
                    if member.isfile() and member.size < MAX_BYTES:
                        path = member.name.split("/", 1)[-1]
                        if suffix(path) in FORMATS or LICENCE_FILE.match(path):
                            self.contents[path] = archive.extractfile(member).read().decode("utf-8", "replace")
            self.paths = set(self.contents)
            return
        for entry in source.git("ls-tree", "-r", "-l", "-z", "HEAD").split("\0"):
            if entry:
                meta, path = entry.split("\t", 1)
                _, kind, name, size = meta.split()
                if kind == "blob" and size.isdigit() and int(size) < MAX_BYTES:
                    self.objects[path] = name
        self.paths = set(self.objects)

    def load(self, paths):
        """Reads many files through one git process."""
        missing = [path for path in paths if path in self.objects and path not in self.contents]
        if not missing:
            return
        names = "".join(self.objects[path] + "\n" for path in missing).encode()
        output = subprocess.run(["git", "--git-dir", self.source.git_dir, "cat-file", "--batch"], input=names, capture_output=True).stdout
        at = 0
        for path in missing:
            end = output.index(b"\n", at)
            header = output[at:end].split()
            at = end + 1
            if len(header) == 3:
                size = int(header[2])
                content, at = output[at:at + size], at + size + 1
                encoding = "utf-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
                self.contents[path] = content.decode(encoding, "replace")

    def text(self, path):
        return self.contents.get(path, "")


FORMATS = {*BILINGUAL, *KEYED, "md"}


def suffix(path):
    return path.rsplit(".", 1)[-1].lower()


def localised(tree):
    """(language, path, English path or `None`) of each resource that has a translation."""
    for path in sorted(tree.paths):
        if suffix(path) not in FORMATS or "/node_modules/" in path:
            continue
        if PACK in path or "i18n/ads-language-pack" in path:
            pack, rest = path.split("language-pack-", 1)[1].split("/", 1)
            language = LANGUAGE.get(pack.lower())
            english = f"{path.split('language-pack-', 1)[0]}language-pack-qps-ploc/{rest}"
            if language and "/translations/" in path:
                yield language, path, english if english in tree.paths else None
            continue
        parts = path.split("/")
        long = next((part for part in parts if part in LONG_NAMES), None)
        if long and path.endswith(".i18n.json"):
            yield LONG_NAMES[long], path, None
            continue
        found = locale_in(path)
        if path.endswith(".cn.md"):
            yield "zh", path, path[:-6] + ".en.md"
        elif found:
            language, start, end = found
            english = next((other for other in english_paths(path, start, end) if other in tree.paths), None)
            if english or suffix(path) in BILINGUAL or suffix(path) == "json":
                yield language, path, english


def pairs_of(tree, path, english):
    kind = suffix(path)
    if kind in BILINGUAL:
        return list(BILINGUAL[kind](tree.text(path)))
    if kind == "md":
        return list(markdown(tree.text(english), tree.text(path))) if english else []
    target = KEYED[kind](tree.text(path))
    found = list(english_keys(target))
    if english:
        source = KEYED[kind](tree.text(english))
        if "qps-ploc" in english:
            source = {key: from_pseudo(text) for key, text in source.items()}
        found += list(keyed_pairs(source, target))
    return found


def is_translation(language, english, target):
    letters = sum(character.isalpha() for character in target)
    if not 2 <= len(target) or english == target or letters < 1 or not english.isascii() and sum(c > "\u024f" for c in english) > 3:
        return False
    wide = sum(character > "\u02ff" and character.isalpha() for character in target)
    return language not in ("ru", "uk", "ar", "hi", "ja", "ko", "zh", "zh-hant") or wide > 0


def read_source(tree):
    """All pairs of a source, by language."""
    found = collections.defaultdict(set)
    wanted = list(localised(tree))
    for begin in range(0, len(wanted), 400):
        part = wanted[begin:begin + 400]
        tree.load([path for entry in part for path in entry[1:] if path])
        for language, path, english in part:
            for source, target in pairs_of(tree, path, english):
                source, target = plain(source), plain(target)
                if is_translation(language, source, target):
                    found[language].add((source, target))
            if not isinstance(tree.source, pathlib.Path):
                tree.contents.pop(path, None)
    return found


def sources(mirrors, only):
    for repository in find_repositories(mirrors):
        if repository.name in only:
            revision = repository.head()
            yield repository.name, revision, *licence_of(repository, revision), repository
    for path in sorted(pathlib.Path(mirrors).glob("npm+*.tgz")):
        tree = Tree(path)
        texts = [tree.text(file) for file in tree.paths if LICENCE_FILE.match(file)]
        names = set().union(*(identify(text) or {"unknown"} for text in texts)) if texts else set()
        yield f"npm/{path.stem[4:]}", hashlib.sha256(path.read_bytes()).hexdigest(), " AND ".join(sorted(names)) or "none", bool(names) and names <= PERMISSIVE, path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirrors", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--only", default=pathlib.Path(__file__).parent / "sources.txt", type=pathlib.Path)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    only = {line.strip() for line in options.only.read_text().splitlines() if line.strip() and not line.startswith("#")}
    excluded, corpus, manifest = excluded_names(), collections.defaultdict(dict), []
    for name, revision, licence, permitted, source in sources(options.mirrors, only):
        row = {"source": name, "revision": revision, "licence": licence}
        if name.lower() in excluded or not permitted:
            manifest.append({**row, "refused": "licence" if not permitted else "held back for evaluation"})
            print(manifest[-1], flush=True)
            continue
        found = read_source(Tree(source))
        row["pairs"] = {language: len(pairs) for language, pairs in sorted(found.items())}
        manifest.append(row)
        print(json.dumps(row), flush=True)
        for language, pairs in found.items():
            for pair in pairs:
                corpus[language].setdefault(pair, name)
    for language, pairs in corpus.items():
        with gzip.open(options.out / f"{language}.tsv.gz", "wt", compresslevel=3) as out:
            out.writelines(f"{english}\t{target}\n" for english, target in sorted(pairs))
        print(language, len(pairs))
    (options.out / "manifest.jsonl").write_text("".join(json.dumps(row) + "\n" for row in manifest))


if __name__ == "__main__":
    main()
