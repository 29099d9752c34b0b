"""Prints what a question becomes with a table, by the rules of the product, to try tables before they ship.

  python -m translate.render --tables TABLES --language es < questions
"""
import argparse
import json
import pathlib
import re
import sys

from translate.words import PARTS, SPACELESS_RUN, fold, function_words, key, pieces

# The lowest probability of a second English word, relative to the first.
NEAR = 0.45
# Identifiers, paths and names are not changed.
CODE = re.compile(r"[A-Za-z0-9_$@#~./:\\]*(?:[_$@#/\\]|::|\.|[a-z][A-Z]|[A-Z]{2}|\d)[A-Za-z0-9_$@#~./:\\]*")
LINKS = ("", "s", "es", "n", "en", "e")


def best(name, found, near=NEAR):
    """The English words for a word; none if even the likeliest is only a guess."""
    if not found or found[0][1] < sure_enough(name):
        return []
    return [word for word, weight in found if weight >= near * found[0][1]]


def sure_enough(name):
    """The probability that a meaning needs. Short words of languages without spaces need more: many are part of an unknown word."""
    if not SPACELESS_RUN.fullmatch(name):
        return 0.2
    if all("\u3040" <= letter <= "\u30ff" for letter in name) and len(name) < 3:
        return 0.7
    return 0.5 if len(name) == 1 else 0.25


class Table:
    def __init__(self, language, folder, near=NEAR):
        loaded = json.loads((pathlib.Path(folder) / f"{language}.json").read_text())
        self.language, self.near = language, near
        self.words, self.keys = loaded["words"], loaded["keys"]
        self.counts = loaded["key_counts"]
        self.word_counts = loaded["word_counts"]
        self.empty = function_words()[language]
        self.english = {word for found in self.keys.values() for word, _ in found}

    def best(self, name, found):
        return best(name, found, self.near)

    def compound(self, word):
        """The parts of a compound: two known words, without the letters that join them."""
        best = None
        for at in range(4, len(word) - 2):
            for link in LINKS:
                left, right = word[:at], key(self.language, word[at:])
                if not left.endswith(link):
                    continue
                left = key(self.language, left[:len(left) - len(link)])
                if len(left) >= 3 and self.keys.get(left) and self.keys.get(right):
                    score = min(self.counts[left], self.counts[right])
                    if best is None or score > best[0]:
                        best = (score, [left, right])
        return best[1] if best else []

    def render(self, text):
        if text.isascii() and " " not in text:
            return text
        words = []
        for token in re.split(r"[\s-]+", text):
            bare = token.strip("()[]{}<>\"'`,;:!?¿¡。，、？！「」…").rstrip(".")
            if bare.isascii() and CODE.fullmatch(bare):
                words.append(bare)
                continue
            for run in re.findall(r"[A-Za-z0-9_]+(?:[_.:]+[A-Za-z0-9_]+)+|[^\W\d_]+|\d+", token):
                if run.isascii() and not run.isalpha():
                    words.append(run)
                    continue
                for part in PARTS.findall(run):
                    words += self.of_part(part)
        return " ".join(words)

    def of_part(self, part):
        folded = fold(part)
        if SPACELESS_RUN.match(part):
            known = KnownPieces(self.words, self.empty)
            return [word for piece in pieces(folded, known) if piece not in self.empty for word in self.best(piece, self.words[piece])]
        if folded in self.empty:
            return []
        if part.isascii() and re.search(r"[a-z][A-Z]|^[A-Z]{2,}$", part):
            return [part]
        if folded in self.words and self.word_counts[folded] >= 3:
            return self.best(folded, self.words[folded])
        if part.isascii() and folded in self.english:
            return [part]
        name = key(self.language, folded)
        if name in self.keys:
            return self.best(name, self.keys[name])
        if self.language in ("de", "nl", "sv"):
            parts = self.compound(folded)
            if parts:
                return [word for name in parts for word in self.best(name, self.keys[name])]
        return [part]


class KnownPieces:
    def __init__(self, words, empty):
        self.words, self.empty = words, empty

    def __contains__(self, piece):
        return piece in self.words or piece in self.empty


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=pathlib.Path, required=True)
    parser.add_argument("--language", required=True)
    options = parser.parse_args()
    table = Table(options.language, options.tables)
    for line in sys.stdin:
        print(table.render(line.rstrip("\n")))


if __name__ == "__main__":
    main()
