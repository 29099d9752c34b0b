"""Packs the tables into the file that is compiled into the binary.

  python -m translate.pack --tables TABLES --corpus CORPUS --out ../crates/vectorcode-engine/models/translations.txt

The file is text. Its first line has, for each language, its code and the start and end of its section, in bytes after that line. A section has a
line with the endings that are cut, one with the prefixes, and then, sorted by bytes, a line for each word with its English words. `+` marks a
word without its ending. The section `en` has the English words of the corpus, which are not translated. The file is not compressed, because the
product searches it in place.
"""
import argparse
import collections
import json
import pathlib

from translate.align import EMPTY, read_pairs
from translate.render import best
from translate.words import PAIRS, english_words, function_words

MIN_WORD, MIN_KEY = 3, 2
MIN_ENGLISH, MIN_LANGUAGES = 3, 6


def english_vocabulary(corpus):
    """Words in the English texts of many languages. A word in only a few of them is a foreign word on the wrong side."""
    paths = sorted(corpus.glob("*.tsv.gz"))
    languages, least = collections.Counter(), min(MIN_LANGUAGES, len(paths))
    for path in paths:
        texts = {english for english, _ in read_pairs(path)}
        counts = collections.Counter(word for text in texts for word in set(english_words(text)))
        languages.update(word for word, count in counts.items() if count >= MIN_ENGLISH)
    foreign = set().union(*function_words().values()) - EMPTY
    return {word for word, count in languages.items() if count >= least and len(word) > 1 and word not in foreign} | EMPTY


def section(language, loaded, english):
    endings, prefixes = PAIRS.get(language, ((), ()))
    spaceless = not endings and not prefixes
    empty = function_words()[language]
    lines = {}
    keys = {name: best(name, found) for name, found in loaded["keys"].items() if loaded["key_counts"][name] >= MIN_KEY}
    for word, found in loaded["words"].items():
        meaning = best(word, found)
        if word in empty or loaded["word_counts"][word] < (MIN_KEY if spaceless else MIN_WORD):
            continue
        # A listed word identifies its language, so it is kept even if its stem has the same meaning, unless it is also an English word.
        if word not in english or meaning != [word]:
            lines[word] = meaning
    if not spaceless:
        lines |= {f"+{name}": meaning for name, meaning in keys.items()}
    listed = sorted(" ".join([word, *meaning]) for word, meaning in lines.items())
    listed.sort(key=lambda line: line.split(" ", 1)[0].encode())
    return "\n".join([" ".join(endings), " ".join(prefixes), *listed])


def joined(sections):
    """All sections as one file, after a line with their positions."""
    header, body = [], b""
    for language, text in sections.items():
        start = len(body)
        body += text.encode()
        header.append(f"{language} {start} {len(body)}")
    return " ".join(header).encode() + b"\n" + body


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("tables", "corpus", "out"):
        parser.add_argument(f"--{name}", type=pathlib.Path, required=True)
    options = parser.parse_args()
    english = english_vocabulary(options.corpus)
    sections = {"en": "\n".join(["", "", *sorted(english)])}
    for path in sorted(options.tables.glob("*.json")):
        sections[path.stem] = section(path.stem, json.loads(path.read_text()), english)
    options.out.write_bytes(joined(sections))
    for language, text in sections.items():
        print(language, text.count("\n"), "lines", len(text.encode()), "bytes")
    print(options.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
