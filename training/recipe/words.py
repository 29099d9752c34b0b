"""Splits a text into words as the product does, and finds their rows in a static model's table."""
import re
import zlib

import numpy as np

WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[0-9]+")
MAX_WORD_CHARACTERS, MAX_DIGITS, WINDOW, MAX_WINDOWS = 24, 4, 4, 6
MAX_WORDS_OF_A_TEXT = 400


def words_of(text):
    """The words of a text, as in the product: `HTTPServer2` gives `http server 2`."""
    return [word.lower()[:MAX_WORD_CHARACTERS] for word in WORD.findall(text) if not (word[0].isdigit() and len(word) > MAX_DIGITS)]


class Rows:
    """Finds the rows of a text's words."""

    def __init__(self, listed, buckets):
        self.row, self.buckets = {word: number for number, word in enumerate(listed)}, buckets
        self.first_bucket = len(listed)

    def of_word(self, word):
        if word in self.row:
            return [self.row[word]]
        framed = f"<{word}>"
        windows = [framed[start:start + WINDOW] for start in range(max(1, len(framed) - WINDOW + 1))][:MAX_WINDOWS]
        return [self.first_bucket + zlib.crc32(window.encode()) % self.buckets for window in windows]

    def of_text(self, text):
        rows = [row for word in words_of(text)[:MAX_WORDS_OF_A_TEXT] for row in self.of_word(word)]
        return np.array(rows or [0], np.int64)


LOWER_TO_UPPER, CAPITALS_TO_WORD = re.compile(r"([a-z0-9])([A-Z])"), re.compile(r"([A-Z]+)([A-Z][a-z])")


def split_identifiers(code):
    """`readFile` and `read_file` become `read File` and `read file`: the form in which the transformer gets documents, here and in the product."""
    return CAPITALS_TO_WORD.sub(r"\1 \2", LOWER_TO_UPPER.sub(r"\1 \2", code.replace("_", " ")))


# Words of at least the first length are treated as equal if their first five letters are equal.
MIN_STEM_CHARACTERS, STEM_CHARACTERS = 3, 5
STOP_WORDS = frozenset("""the a an of to for in on and or is are this that be it as by with from returns return gets get sets set if not no we you
    your can will which when then than all any its into at was has have do does but so such only also may must should used use uses using given
    whether else one two new other each""".split())


def stem(word):
    return word[:STEM_CHARACTERS]


def stems(text):
    return {stem(word) for word in words_of(text) if len(word) >= MIN_STEM_CHARACTERS and word not in STOP_WORDS}


def overlap(question, document):
    """The share of the question's words that occur in the document."""
    asked = stems(question)
    return len(asked & stems(document)) / max(len(asked), 1)
