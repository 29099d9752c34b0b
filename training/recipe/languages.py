"""Decides which files are code and in which language, and formats a document as the product embeds it."""
import re

# File name extension -> language label in vectorcode's registry.
EXTENSIONS = {
    "py": "python", "js": "javascript", "jsx": "javascript", "mjs": "javascript", "cjs": "javascript",
    "ts": "typescript", "tsx": "tsx", "go": "go", "rs": "rust", "java": "java", "kt": "kotlin", "kts": "kotlin",
    "c": "c", "h": "c", "cc": "cpp", "cpp": "cpp", "cxx": "cpp", "hpp": "cpp", "hh": "cpp", "cs": "csharp",
    "php": "php", "rb": "ruby", "swift": "swift", "scala": "scala", "hs": "haskell", "ex": "elixir", "exs": "elixir",
    "lua": "lua", "sh": "bash", "bash": "bash", "zig": "zig", "dart": "dart",
}

# Git's built-in diff drivers find the function around a change better than the default. JavaScript and a few others have none, and the
# one for C# takes longer than the rest of the diff.
DIFF_DRIVERS = {
    "python": "python", "go": "golang", "rust": "rust", "java": "java", "kotlin": "kotlin", "c": "cpp", "cpp": "cpp",
    "php": "php", "ruby": "ruby", "elixir": "elixir", "bash": "bash",
}

TEST = re.compile(
    r"(^|/)(tests?|specs?|t|__tests__|testing|testdata|fixtures|e2e|unittests?|androidTest|integration[-_]?tests?)(/|$)"
    r"|(_test\.|\.test\.|\.spec\.|_spec\.|(^|/)test_|Tests?\.|Spec\.)")
FOREIGN = re.compile(
    r"(^|/)(vendor|vendored|third[_-]?party|node_modules|dist|deps|external|build|extern|_vendor)(/|$)"
    r"|\.min\.js$|\.pb\.go$|_pb2\.py$")

MAX_PATH_CHARACTERS = 120


def language_of(path):
    name = path.rsplit("/", 1)[-1]
    return EXTENSIONS.get(name.rsplit(".", 1)[-1].lower()) if "." in name else None


def is_test(path):
    return bool(TEST.search(path))


def is_source(path):
    """Whether the file is code of the project itself, and not a test."""
    return language_of(path) is not None and not TEST.search(path) and not FOREIGN.search(path)


def document(path, parent, symbol, content):
    """`language | path | parent context | symbol`, a line break, the content: the format that both models expect."""
    parts = [language_of(path) or "text", path[-MAX_PATH_CHARACTERS:], parent, symbol]
    return " | ".join(part for part in parts if part) + "\n" + content


def git_attributes():
    """The content of git's `core.attributesFile`."""
    return "".join(f"*.{extension} diff={DIFF_DRIVERS[language]}\n"
                   for extension, language in EXTENSIONS.items() if language in DIFF_DRIVERS)
