"""Packs tables into the one file that the binary contains.

  python -m translate.pack --tables TABLES --corpus CORPUS --out ../crates/vectorcode-engine/models/translations.txt

The file is text. Its first line has, for each language, its code and where its section begins and ends behind that line, in bytes. A section has a line
with the endings that are cut, one with the beginnings, and then, sorted by bytes, a line for each word with the English words that it becomes. `+`
marks a word without its ending. The section `en` has the English words of the corpus, which stay as they are. Nothing is compressed: the
product searches the text where it lies.
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
    """Words of the English texts of many languages: what only a few have is a foreign word that stands on the wrong side."""
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
        # A word that the table has as it is tells its language, so that it is kept where its form would do; an English one tells none.
        if word not in english or meaning != [word]:
            lines[word] = meaning
    if not spaceless:
        lines |= {f"+{name}": meaning for name, meaning in keys.items()}
    listed = sorted(" ".join([word, *meaning]) for word, meaning in lines.items())
    listed.sort(key=lambda line: line.split(" ", 1)[0].encode())
    return "\n".join([" ".join(endings), " ".join(prefixes), *listed])


def joined(sections):
    """All sections as one file, behind a line that says where each lies."""
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
