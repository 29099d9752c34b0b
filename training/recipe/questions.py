"""Cleans commit messages and code comments so that they can be used as questions."""
import re

TRAILER = re.compile(
    r"^\s*(Signed-off-by|Co-authored-by|Co-developed-by|Reviewed|Acked|Tested|Suggested|Reported|Helped|PiperOrigin|Change-Id|"
    r"Closes?:?\s|Fixes:?\s|Fix(es)?:? #|Resolves|Ref|See[ :#]|Bug:|Link:|cc:?\s|Follow-up|Discussion|Generated|PR-URL|Release|"
    r"Upstream|git-svn|Differential|Test Plan|Summary:$|\[[ x]\]|- \[[ x]\]|#+ |https?:|\* #|<!--|---)", re.I)
REFERENCE = re.compile(
    r"https?://\S+|\(?(?:\b(?:fix(?:es|ed)?|close[sd]?|resolve[sd]?|refs?|see|issue|pr|bug|ticket)\b:?\s*)?#\d+\)?|GH-\d+|\b[A-Z]{2,10}-\d+\b:?"
    r"|\b(?=[0-9a-f]*[0-9])[0-9a-f]{7,40}\b|\(cherry picked[^)]*\)", re.I)
PREFIX = re.compile(
    r"^(\s*(?:(?:fix|feat|feature|bug|bugfix|chore|refactor|perf|style|build|ci|docs?|tests?|core|misc|hotfix|improve)(?:\([^)]{0,40}\))?!?:\s+"
    r"|:[a-z_]+:\s*|\[[^\]]{1,30}\]\s*|#\d+\s*[:-]?\s*|[A-Z]{2,10}-\d+:?\s*))+", re.I)
HOUSEKEEPING = re.compile(
    r"^(merge|revert|bump|release|version|prepare|update (changelog|version|translations|deps|depend|copyright|readme|docs)|changelog|typo"
    r"|fix(ed|es)? typos?|wip|lint|format|rubocop|clang-format|prettier|cleanup$|minor|whitespace|v?\d+\.\d+|copyright|auto[- ]|chore|ci\b|docs?\b)"
    r"|dependabot|renovate|eslint rules|type hints|typings?$", re.I)
DEFECT = re.compile(r"\b(fix\w*|bug|crash\w*|incorrect\w*|wrong\w*|leak\w*|fail\w*|errors?|regression|broken|exception|panic\w*|race|hang\w*|missing)\b", re.I)
MAX_QUESTION_CHARACTERS = 1200


def clean_message(message):
    """(title, body) without trailers, prefixes, references and the marks of code fences."""
    lines = message.strip().split("\n")
    kept = [lines[0]] + [line for line in lines[1:] if not TRAILER.match(line)]
    title = REFERENCE.sub(" ", PREFIX.sub("", kept[0]))
    body = REFERENCE.sub(" ", "\n".join(kept[1:]))
    body = re.sub(r"[ \t]+", " ", re.sub(r"\n{2,}", "\n", body)).strip()
    return " ".join(title.split()).strip(" .:-;,()"), body


def whole_message(message):
    """Title and body on one line, with the prefix but without trailers and references: a short report, as written by the person who fixed it."""
    kept = [line for line in message.strip().split("\n") if not TRAILER.match(line)]
    return " ".join(REFERENCE.sub(" ", " ".join(kept)).split())


def is_question(title):
    """Whether a title is meaningful enough to be a question about code."""
    words = re.findall(r"[a-zA-Z]{3,}", title)
    ascii_share = sum(character < "\x80" for character in title) / max(len(title), 1)
    return len(title) >= 18 and len(words) >= 3 and ascii_share >= 0.95 and not HOUSEKEEPING.search(title)


MARKUP = re.compile(r"<[^>]{1,40}>|\{@\w+\s+([^}]*)\}|`+|\*\*|[@\\](?:ref|c|p|a|e|em|b|link|brief)\s")
TAG = re.compile(r"^\s*(@\w+|:\w+|\\(?:param|return|throws)\b|Args:|Arguments:|Returns?:|Raises:|Parameters:?$|Example|Usage|-{3,}|={3,}|>>>|```|# +Example)", re.I)
NOT_PROSE = re.compile(
    r"copyright|licen[sc]e|all rights reserved|^(todo|fixme|xxx|hack|deprecated|see\b|same as|note:|generated|nolint|eslint|@ts-)|[;{}]\s*$|=>|:=", re.I)
STOP_WORDS = set("the a an of to for in on and or is are this that be it as by with from returns return gets get sets set".split())
MAX_WORDS = 60


def clean_comment(lines):
    """The prose of a comment up to its first tag, at most sixty words."""
    prose = []
    for line in lines:
        if TAG.match(line):
            break
        prose.append(line.strip())
    text = " ".join(MARKUP.sub(r"\1", " ".join(prose)).split()).strip(" *-=#~|/")
    words = text.split(" ")
    if len(words) > MAX_WORDS:
        cut = " ".join(words[:MAX_WORDS])
        text = cut[:cut.rfind(". ") + 1] or cut
    return text


def is_prose(text, symbol):
    """Whether a comment says more than the name of the definition below it."""
    words = text.split()
    letters = sum(character.isascii() and (character.isalpha() or character == " ") for character in text)
    if not 4 <= len(words) <= MAX_WORDS + 1 or letters < 0.8 * len(text) or NOT_PROSE.search(text):
        return False
    named = set(re.findall(r"[a-z]+", re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", symbol).lower()))
    new = [word for word in re.findall(r"[a-z]+", text.lower()) if word not in STOP_WORDS and word not in named and word.rstrip("s") not in named]
    return len(new) >= 2
