"""Unpaired texts: pieces of source files and sentences of comments. Only the teacher's similarities are learnt from them."""
import re

from recipe.languages import document, is_source

COMMENT = re.compile(r"^[ \t]*(?://+!?|#+|\*|--|;+)[ \t]+(.*)$")
MARKUP = re.compile(r"[`*_>#|]+|https?://\S+|<[^>]+>|::|\{@\w+|\}")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z])")
LEGAL = re.compile(r"copyright|licen[cs]|warrant|all rights", re.I)
MAX_FILES, MAX_PIECES, MAX_SENTENCES, PIECES_OF_A_FILE = 110, 100, 110, 2
MIN_FILE_CHARACTERS, MAX_FILE_CHARACTERS, MAX_LINES_READ = 150, 300_000, 2500
MIN_PIECE_CHARACTERS, MAX_PIECE_CHARACTERS, MAX_LINE_CHARACTERS = 120, 1100, 300


def sentences(text):
    for sentence in SENTENCE_END.split(" ".join(MARKUP.sub(" ", LINK.sub(r"\1", text)).split())):
        letters = sum(character.isalpha() or character == " " for character in sentence)
        if 5 <= len(sentence.split()) <= 40 and letters > 0.88 * len(sentence) and sentence[0].isalpha() and not LEGAL.search(sentence):
            yield sentence


def comments(lines):
    """The prose of each run of comment lines. Very long runs are skipped: they are licences or commented-out code."""
    run = []
    for line in [*lines[3:MAX_LINES_READ], ""]:
        found = COMMENT.match(line)
        if found:
            run.append(found.group(1))
        elif run:
            yield from sentences(" ".join(run)) if len(run) < 30 else ()
            run = []


def pieces(lines, rng):
    """A few runs of lines, each starting after an empty line."""
    starts = [0] + [at + 1 for at, line in enumerate(lines[:-1]) if not line.strip() and lines[at + 1].strip()]
    for start in rng.sample(starts, min(len(starts), PIECES_OF_A_FILE + 1)):
        piece = "\n".join(lines[start:start + rng.randint(8, 45)]).rstrip()[:MAX_PIECE_CHARACTERS]
        if len(piece) > MIN_PIECE_CHARACTERS and max(map(len, piece.split("\n"))) < MAX_LINE_CHARACTERS and not LEGAL.search(piece[:600]):
            yield piece


def mine_text(repository, revision, rng):
    """Rows of kind `piece` and `sentence`."""
    files = [entry for entry in repository.tree(revision) if is_source(entry[1])]
    rng.shuffle(files)
    found = {"piece": {}, "sentence": {}}
    for path, text in repository.texts(files[:MAX_FILES]):
        if MIN_FILE_CHARACTERS <= len(text) <= MAX_FILE_CHARACTERS:
            lines = text.split("\n")
            found["piece"] |= dict.fromkeys(document(path, "", "", piece) for piece in list(pieces(lines, rng))[:PIECES_OF_A_FILE])
            found["sentence"] |= dict.fromkeys(comments(lines))
    for kind, most in (("piece", MAX_PIECES), ("sentence", MAX_SENTENCES)):
        texts = list(found[kind])
        yield from ({"kind": kind, "text": text} for text in rng.sample(texts, min(len(texts), most)))
