"""Reads trees, files and histories from git directories, without a checkout."""
import pathlib
import subprocess
import tempfile
import threading

from recipe.languages import EXTENSIONS, git_attributes

MAX_FILE_BYTES = 200_000
MAX_HUNK_LINES = 200
CONTEXT_LINES = 25
# Marks a git directory that `recipe.condense` made.
CONDENSED = "condensed"
HEADER = "%x01%H%x02%an%x02%B%x03"
# Large files may be missing from a snapshot, and git stops at the first one that it cannot read; so only code and change logs are requested.
PATHSPECS = [f"*.{extension}" for extension in (*EXTENSIONS, "md", "rst", "txt", "adoc")] + [":(exclude)*.min.js", ":(exclude)dist/*"]


class Repository:
    is_package = False

    def __init__(self, name, git_dir):
        self.name, self.git_dir = name, str(git_dir)

    @property
    def is_condensed(self):
        return pathlib.Path(self.git_dir, CONDENSED).exists()

    def git(self, *arguments):
        run = subprocess.run(["git", "--git-dir", self.git_dir, *arguments], capture_output=True, check=True)
        return run.stdout.decode("utf-8", "replace")

    def head(self):
        return self.git("rev-parse", "HEAD").strip()

    def tree(self, revision):
        """(object, path) of each plain file that exists and is not too large."""
        for entry in self.git("ls-tree", "-r", "-l", "-z", revision).split("\0"):
            if not entry:
                continue
            meta, path = entry.split("\t", 1)
            mode, kind, name, size = meta.split()
            if kind == "blob" and mode.startswith("100") and size.isdigit() and int(size) <= MAX_FILE_BYTES:
                yield name, path

    def root_files(self, revision):
        return [line for line in self.git("ls-tree", "--name-only", revision).splitlines() if line]

    def is_file(self, revision, path):
        return self.git("cat-file", "-t", f"{revision}:{path}").strip() == "blob"

    def text(self, revision, path):
        return self.git("cat-file", "blob", f"{revision}:{path}")

    def texts(self, objects):
        """(path, text) for (object, path) pairs, read through one git process."""
        objects = list(objects)
        process = subprocess.Popen(["git", "--git-dir", self.git_dir, "cat-file", "--batch"],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        names = "".join(f"{name}\n" for name, _ in objects).encode()
        # Written from a thread: with both pipes full, git and this process would deadlock.
        writer = threading.Thread(target=lambda: (process.stdin.write(names), process.stdin.close()))
        writer.start()
        for _, path in objects:
            header = process.stdout.readline().split()
            if len(header) == 3:
                content = process.stdout.read(int(header[2]))
                process.stdout.read(1)
                if b"\0" not in content:
                    yield path, content.decode("utf-8", "replace")
        writer.join()
        process.wait()

    def commits(self, revision, limit, wanted):
        """The newest commits that `wanted` accepts by message and file names, each with its diff."""
        listing = ["log", "--no-merges", f"-n{limit}", "--name-only", "--no-renames", "--diff-filter=M", f"--format={HEADER}", revision]
        names = [commit.name for commit in self._stream(listing, None) if wanted(commit)]
        diffs = ["diff-tree", "--stdin", "-r", "-p", f"-U{CONTEXT_LINES}", "--no-renames", "--diff-filter=M", "--no-ext-diff",
                 "--no-textconv", f"--format={HEADER}", "--", *PATHSPECS]
        yield from self._stream(diffs, names)

    def _stream(self, arguments, names):
        """Parses commits from git's output; `names` are written to its input."""
        with tempfile.NamedTemporaryFile("w") as attributes, tempfile.TemporaryFile("w+") as listed:
            attributes.write(git_attributes())
            attributes.flush()
            listed.write("".join(name + "\n" for name in names or []))
            listed.seek(0)
            process = subprocess.Popen(
                ["git", "--git-dir", self.git_dir, "-c", f"core.attributesFile={attributes.name}", "-c", "core.quotePath=false", *arguments],
                stdin=listed, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            try:
                yield from parse_log(process.stdout)
            finally:
                process.kill()
                process.wait()


class Commit:
    def __init__(self, name, author, message):
        self.name, self.author, self.message = name, author, message
        self.files = {}


class Hunk:
    """The old side of a change, the indices of the lines that it removes or inserts at, and the lines that it adds."""

    def __init__(self, heading):
        self.heading = heading
        self.old, self.touched, self.added = [], set(), []

    def add(self, line):
        sign = line[:1]
        if sign == "+":
            self.added.append(line[1:])
            self.touched.add(len(self.old))
        elif sign in ("-", " ") and len(self.old) < MAX_HUNK_LINES:
            if sign == "-":
                self.touched.add(len(self.old))
            self.old.append(line[1:])


def parse_log(stream):
    """Commits in the format `HEADER`, followed by their diffs or by the names of their files."""
    commit, header, hunks, hunk = None, None, None, None
    for raw in stream:
        line = raw.decode("utf-8", "replace").rstrip("\n")
        if line.startswith("\x01") or header is not None:
            if line.startswith("\x01"):
                if commit:
                    yield commit
                commit, header, hunks, hunk = None, "", None, None
            header += line + "\n"
            if "\x03" in line:
                parts = header.strip("\x01\x03\n").split("\x02", 2)
                # A message may contain these marks itself; the text after them then belongs to no commit.
                commit, header = Commit(*parts) if len(parts) == 3 else None, None
        elif commit is None:
            continue
        elif line.startswith("diff --git "):
            hunks, hunk = commit.files.setdefault(line.split(" b/", 1)[-1], []), None
        elif line.startswith("@@") and hunks is not None:
            hunk = Hunk(line.split("@@", 2)[2].strip())
            hunks.append(hunk)
        elif hunk is not None:
            hunk.add(line)
        elif line and hunks is None:
            commit.files[line] = []
    if commit:
        yield commit


def find_repositories(mirrors):
    """Git directories called `owner+name`, or `repo` or `.git` inside such a folder."""
    for folder in sorted(pathlib.Path(mirrors).iterdir()):
        if "+" not in folder.name:
            continue
        for candidate in (folder, folder / "repo", folder / "repo/.git", folder / ".git"):
            if (candidate / "HEAD").is_file() and (candidate / "objects").is_dir():
                yield Repository(folder.name.replace("+", "/", 1), candidate)
                break
