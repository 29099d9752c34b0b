"""Small git repositories to mine, created for the test and always the same."""
import os
import subprocess

MIT = "MIT License\n\nPermission is hereby granted, free of charge, to any person obtaining a copy\nof this software ..."
GPL = "GNU GENERAL PUBLIC LICENSE\nVersion 3, 29 June 2007"

NOUNS = ["parser", "socket", "cache", "token", "matrix", "session", "buffer", "logger", "widget", "ledger", "router", "thread"]


def module(noun, fixed):
    limit = "limit + 1" if fixed else "limit"
    return f'''import os


class {noun.title()}Store:
    def load_{noun}(self, path, limit=10):
        """Read every {noun} from the given folder and keep the newest ones."""
        found = sorted(os.listdir(path))
        if not found:
            raise ValueError("no {noun} was found in the folder {{}}".format(path))
        return found[:{limit}]


def merge_{noun}(left, right):
    # Joins both sides so that later entries win over earlier ones.
    result = dict(left)
    result.update(right)
    return result
'''


def git(folder, *arguments):
    identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
                for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", "2024-01-01T00:00:00Z"))}
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", **identity}
    subprocess.run(["git", *arguments], cwd=folder, env=environment, check=True, capture_output=True)


def commit(folder, message):
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", message)


def make_project(folder, licence, nouns):
    """`nouns` modules, each fixed in a commit of its own with a test."""
    folder.mkdir(parents=True)
    git(folder, "init", "-q", "-b", "main")
    (folder / "LICENSE").write_text(licence)
    (folder / "tests").mkdir()
    for noun in nouns:
        (folder / f"{noun}.py").write_text(module(noun, fixed=False))
        (folder / f"tests/test_{noun}.py").write_text("import pytest\n")
    commit(folder, "Begin")
    for noun in nouns:
        (folder / f"{noun}.py").write_text(module(noun, fixed=True))
        with (folder / f"tests/test_{noun}.py").open("a") as file:
            file.write(f"def test_last_{noun}(tmp_path):\n    store = {noun.title()}Store()\n    assert len(store.load_{noun}(tmp_path)) == 11\n")
        commit(folder, f"fix({noun}): load the last {noun} of a folder too (#12)\n\n"
                       f"The newest {noun} was missing from the list because the limit was counted from one.\nSigned-off-by: Ada")


def make_mirrors(folder):
    make_project(folder / "ada+tools", MIT, NOUNS[:6])
    make_project(folder / "bob+parts", MIT, NOUNS[6:])
    make_project(folder / "eve+viral", GPL, NOUNS[:1])
    make_project(folder / "pallets+flask", MIT, NOUNS[:1])
    return folder
