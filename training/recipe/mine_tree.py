"""Pairs from the newest tree: a comment with the code below it, and an error message with the function that raises it."""
import re

from recipe.definitions import definitions, excerpt
from recipe.languages import document, is_source, language_of
from recipe.questions import clean_comment, is_prose

MIN_CODE_CHARACTERS = 60
MAX_COMMENT_CHARACTERS = 500
HASH_COMMENTS = {"python", "ruby", "bash", "elixir"}
ANNOTATION = re.compile(r"^\s*(@|#\[|\[[A-Z]|template\s*<|export\s*$)")
SLASHES = re.compile(r"^\s*(///?!?|/\*\*?|\*/?|#|--+ ?\|?)")
DOCSTRING = re.compile(r'^\s*[rRuUbB]*("""|\'\'\')(.*)$')

RAISES = re.compile(
    r"\b(raise|throws?|panic!?|Errorf?|errors\.New|fail\w*|fatal\w*|abort|bail!|anyhow!|Err\(|ensure!|die|croak|err\w*|reject|"
    r"invalid_argument|runtime_error|Exception)\b", re.I)
EXCEPTION = re.compile(r"\b(?:raise|throw(?: new)?)\s+((?:[A-Za-z_]\w*\.|::)*[A-Z]\w*)")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.){18,200})"|\'((?:[^\'\\\n]|\\.){18,200})\'|`((?:[^`\\\n]|\\.){18,200})`')
PLACEHOLDER = re.compile(r"%[-+0-9.]*[a-zA-Z]\b|\$\{[^}]*\}|#\{[^}]*\}|\\\([^)]*\)|\{[^{}]{0,40}\}|\$\w+")
# Values that replace placeholders, because reports show values, not format strings.
VALUES = ["foo", "None", "42", "'name'", "config.json", "/tmp/data", "undefined", "0", "user", "3.8", "[1, 2]", "main", "true", "-1", "utf-8"]


def comment_above(lines, first, language):
    """The lines of the comment directly above a definition, with annotations between them skipped."""
    mark = ("#",) if language in HASH_COMMENTS else ("//", "/*", "*", "--")
    index = first - 1
    while index >= 0 and ANNOTATION.match(lines[index]) and not lines[index].lstrip().startswith(mark):
        index -= 1
    found = []
    while index >= 0 and lines[index].lstrip().startswith(mark) and len(found) < 40:
        found.append(SLASHES.sub("", lines[index]).rstrip("*/ "))
        index -= 1
    return found[::-1]


def docstring(lines, definition):
    """(lines of the docstring, indices of its lines) of a Python definition."""
    for index in range(definition.first + 1, min(definition.first + 12, definition.end)):
        found = DOCSTRING.match(lines[index])
        if not found:
            continue
        quote, rest = found.groups()
        text, last = [rest.split(quote)[0]], index
        while quote not in rest and last + 1 < definition.end:
            last += 1
            rest = lines[last]
            text.append(rest.split(quote)[0])
        return text, range(index, last + 1)
    return [], range(0)


def documented(lines, definition, language):
    """(question, code without that question, whole comment), or None."""
    if language == "python":
        text, gone = docstring(lines, definition)
        kept = [line for index, line in enumerate(lines[:definition.end]) if index not in gone]
        code = excerpt(kept, type(definition)(definition.symbol, definition.parent, definition.first, definition.end - len(gone), definition.is_type))
    else:
        text, code = comment_above(lines, definition.first, language), excerpt(lines, definition)
    question = clean_comment(text)
    if len(code) < MIN_CODE_CHARACTERS or not is_prose(question, definition.symbol):
        return None
    return question, code, " ".join(" ".join(text).split())[:MAX_COMMENT_CHARACTERS]


def fill(message, rng):
    return " ".join(PLACEHOLDER.sub(lambda _: rng.choice(VALUES), message.replace("\\n", " ").replace('\\"', '"')).split())


def trace(language, path, symbol, line, exception, message):
    """The error as a terminal would show it."""
    error = f"{exception}: {message}" if exception else message
    if language == "python" and exception:
        return f'Traceback (most recent call last):\n  File "{path}", line {line}, in {symbol}\n{error}'
    if language in ("javascript", "typescript", "tsx"):
        return f"{error if exception else 'Error: ' + message}\n    at {symbol} ({path}:{line}:11)"
    if language == "go":
        return f"panic: {message}\n\ngoroutine 1 [running]:\n\t{path}:{line}"
    if language == "ruby":
        return f"{path}:{line}:in `{symbol}': {error}"
    if language in ("java", "kotlin", "scala"):
        return f'Exception in thread "main" {error}\n\tat {symbol}({path.rsplit("/", 1)[-1]}:{line})'
    if language == "rust":
        return f"thread 'main' panicked at {path}:{line}:\n{message}"
    return f"error: {error}"


def raised(lines, definition):
    """(line, exception, message) of each error message inside a definition."""
    for index in range(definition.first, min(definition.end, definition.first + 60)):
        line = lines[index]
        if len(line) > 300 or not (RAISES.search(line) or index and RAISES.search(lines[index - 1])):
            continue
        for groups in LITERAL.findall(line):
            message = next(group for group in groups if group)
            if len(re.findall(r"[A-Za-z]{2,}", message)) >= 4 and " " in message:
                found = EXCEPTION.search(lines[index - 1] + line if index else line)
                yield index, found.group(1) if found else "", message


FRAMES = ["{error}", "{error}", "I get `{error}`", "Getting this error when running our tests:\n\n{trace}", "{trace}",
          "What happened: {error}\n\n{trace}", "Unexpected error \"{error}\"", "{symbol} fails with: {error}", "Crash: {trace}"]


def error_question(path, definition, found, rng):
    index, exception, message = found
    message = fill(message, rng)
    error = f"{exception}: {message}" if exception and rng.random() < 0.7 else message
    line = index + 1 + rng.randrange(-3, 4)
    return rng.choice(FRAMES).format(
        error=error, symbol=definition.symbol,
        trace=trace(language_of(path), path, definition.symbol, max(line, 1), exception, message))


def mine_tree(repository, revision, caps, rng):
    """Rows of kind `documentation` and `error`, files in random order, until the caps are reached."""
    files = [entry for entry in repository.tree(revision) if is_source(entry[1])]
    rng.shuffle(files)
    left = dict(caps)
    for path, text in repository.texts(files[:3000]):
        language, lines = language_of(path), text.split("\n")
        if not any(left.values()):
            return
        for definition in definitions(lines, language):
            row = {"file": path}
            pair = documented(lines, definition, language) if left["documentation"] else None
            if pair:
                left["documentation"] -= 1
                yield {**row, "kind": "documentation", "question": pair[0], "comment": pair[2],
                       "answers": [document(path, definition.parent, definition.symbol, pair[1])]}
            errors = [] if definition.is_type or not left["error"] else list(raised(lines, definition))
            for found in errors[:2]:
                left["error"] = max(left["error"] - 1, 0)
                yield {**row, "kind": "error", "question": error_question(path, definition, found, rng),
                       "answers": [document(path, definition.parent, definition.symbol, excerpt(lines, definition, found[0]))]}
