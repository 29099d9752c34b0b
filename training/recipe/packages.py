"""Source archives of package registries as sources, in addition to git directories: much more documentation per download, but no history.

  python -m recipe.packages --mirrors MIRRORS [--debian http://deb.debian.org/debian] [--release bookworm]

downloads source archives to `MIRRORS/registry+name.tar.xz`: the packages of crates.io and PyPI in `packages.txt`, and a sample of Debian's,
with as many of each family as `FAMILIES` says. The sample depends only on the seed and the release. Existing files are not downloaded again,
and a file with a wrong checksum is not kept.
"""
import argparse
import hashlib
import lzma
import pathlib
import random
import re
import sys
import tarfile
import urllib.request
import zlib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from recipe.languages import language_of
from recipe.licences import LICENCE_FILE
from recipe.repository import MAX_FILE_BYTES
from recipe.settings import FULL

REGISTRIES = ("crates", "pypi", "debian")
LIST = pathlib.Path(__file__).parent.parent / "packages.txt"
SUFFIX = re.compile(r"\.tar\.(gz|xz|bz2)$|\.crate$")
MAX_ARCHIVE_BYTES = 12_000_000
MAX_DEBIAN_BYTES = 3_000_000
DOWNLOADS_AT_A_TIME = 16
DAMAGED = (OSError, EOFError, tarfile.TarError, lzma.LZMAError, zlib.error)
# How many packages of each family; the first family that matches gets the package.
FAMILIES = [
    (r"^golang-", 1000), (r"^rust-", 600), (r"^node-", 600), (r"^ruby-", 600), (r"^haskell-", 500), (r"^php-", 300), (r"^lua-", 100),
    (r"^lib.*-java$", 900), (r"^lib.*-perl$|^(r-|fonts-|texlive|elpa-|linux|gcc|libreoffice)", 0), (r"^python", 1000), (r"^elixir-|^erlang-", 60),
    (r"^lib", 1200), (r"", 1500),
]


@dataclass
class Package:
    """A source archive, with the interface of `Repository`. Its revision is its checksum."""
    name: str
    path: pathlib.Path
    files: dict = field(default_factory=dict, repr=False)
    is_condensed = False
    is_package = True

    def head(self):
        return hashlib.sha256(self.path.read_bytes()).hexdigest()

    def _read(self):
        """Code and licence files by their path below the top folder of the archive."""
        if self.files:
            return self.files
        with tarfile.open(self.path) as archive:
            for member in archive:
                path = member.name.removeprefix("./").split("/", 1)[-1]
                wanted = language_of(path) or "/" not in path and LICENCE_FILE.match(path)
                if wanted and member.isfile() and member.size <= MAX_FILE_BYTES:
                    self.files[path] = archive.extractfile(member).read()
        return self.files

    def root_files(self, _revision):
        return [path for path in self._read() if "/" not in path]

    def is_file(self, _revision, path):
        return path in self._read()

    def text(self, _revision, path):
        return self._read()[path].decode("utf-8", "replace")

    def tree(self, _revision):
        return [(path, path) for path in self._read()]

    def texts(self, objects):
        for path, _ in objects:
            content = self._read()[path]
            if b"\0" not in content:
                yield path, content.decode("utf-8", "replace")

    def commits(self, _revision, _limit, _wanted):
        return iter(())


def find_packages(mirrors):
    """Archives called `registry+name.tar.*`."""
    for path in sorted(pathlib.Path(mirrors).iterdir()):
        if "+" in path.name and SUFFIX.search(path.name):
            yield Package(SUFFIX.sub("", path.name).replace("+", "/", 1), path)


@dataclass(frozen=True, order=True)
class Archive:
    name: str
    address: str
    checksum: str | None

    def download(self, folder):
        target = folder / (self.name.replace("/", "+") + SUFFIX.search(self.address).group(0).replace("crate", "tar.gz"))
        if target.exists():
            return
        content = read(self.address)
        if self.checksum and hashlib.sha256(content).hexdigest() != self.checksum:
            raise OSError("wrong checksum")
        if len(content) > MAX_ARCHIVE_BYTES:
            raise OSError("too large")
        partial = target.with_suffix(".partial")
        partial.write_bytes(content)
        partial.replace(target)


def read(address):
    with urllib.request.urlopen(address, timeout=60) as answer:
        return answer.read()


def of_debian(mirror, release):
    """Packages with a single original archive that is not too large."""
    index = lzma.decompress(read(f"{mirror}/dists/{release}/main/source/Sources.xz")).decode("utf-8", "replace")
    for entry in index.split("\n\n"):
        fields = dict(re.findall(r"^([\w-]+):((?: .*)?(?:\n .*)*)", entry, re.M))
        archives = [line.split() for line in fields.get("Checksums-Sha256", "").splitlines() if ".orig.tar." in line and not line.endswith(".asc")]
        if len(archives) == 1 and int(archives[0][1]) <= MAX_DEBIAN_BYTES and SUFFIX.search(archives[0][2]):
            checksum, _, file = archives[0]
            yield Archive(f"debian/{fields['Package'].strip()}", f"{mirror}/{fields['Directory'].strip()}/{file}", checksum)


def some_of_each_family(archives, seed):
    by_family = {}
    for archive in archives:
        pattern = next(pattern for pattern, _ in FAMILIES if re.search(pattern, archive.name.split("/", 1)[1]))
        by_family.setdefault(pattern, []).append(archive)
    for pattern, count in FAMILIES:
        members = sorted(by_family.get(pattern, []))
        random.Random(f"{seed} {pattern}").shuffle(members)
        yield from members[:count]


def of_crates(name, version):
    return Archive(f"crates/{name}", f"https://static.crates.io/crates/{name}/{name}-{version}.crate", None)


def of_pypi(name):
    """The newest source archive, which the index lists last; None if there is none."""
    found = re.findall(r'href="([^"#]+\.tar\.gz)#sha256=([0-9a-f]+)"', read(f"https://pypi.org/simple/{name}/").decode())
    return Archive(f"pypi/{name}", *found[-1]) if found else None


def download(folder, find, *arguments):
    """Downloads the archive that `find` names; on failure, that package is skipped."""
    try:
        archive = find(*arguments)
        if archive:
            archive.download(folder)
        return bool(archive)
    except OSError as error:
        print(f"{' '.join(map(str, arguments))}: {error}", file=sys.stderr)
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mirrors", type=pathlib.Path, required=True)
    parser.add_argument("--debian", default="http://deb.debian.org/debian", help="address of a mirror")
    parser.add_argument("--release", default="bookworm")
    args = parser.parse_args()
    args.mirrors.mkdir(parents=True, exist_ok=True)
    find = {"crates": of_crates, "pypi": of_pypi}
    tasks = [(find[registry], *rest) for registry, *rest in (line.split() for line in LIST.read_text().splitlines() if not line.startswith("#"))]
    tasks += [(lambda archive: archive, archive) for archive in some_of_each_family(of_debian(args.debian, args.release), FULL.seed)]
    with ThreadPoolExecutor(DOWNLOADS_AT_A_TIME) as pool:
        done = sum(pool.map(lambda task: download(args.mirrors, *task), tasks))
    print(f"{done} of {len(tasks)} archives")


if __name__ == "__main__":
    main()
