"""Rewrites questions in other words: words that the answer contains are replaced by synonyms from WordNet and `synonyms.txt`."""
import pathlib
import random
import re

from recipe.words import MIN_STEM_CHARACTERS, STOP_WORDS, stem, stems

GROUPS = pathlib.Path(__file__).parent.parent / "synonyms.txt"
# How many of a word's senses are used; verbs have more common ones.
SENSES = {"noun": 2, "verb": 3, "adj": 2, "adv": 2}
MAX_OF_THE_FIELD, MAX_OF_WORDNET = 10, 6
# How often a word is replaced if the answer contains it, and if not.
REPLACED_IF_SHARED, REPLACED_IF_NOT, LEFT_OUT, OF_THE_FIELD = 0.75, 0.15, 0.35, 0.65
ENDINGS = ("ies", "es", "s", "ied", "ed", "d", "ing")


def of_the_field():
    found = {}
    for line in GROUPS.read_text().splitlines():
        group = [] if line.startswith("#") else line.split()
        for word in group:
            found.setdefault(word, []).extend(other for other in group if other != word)
    return found


def of_wordnet(folder, known):
    """Synonyms from the files `data.*` and `index.*` of WordNet; only words that are single tokens."""
    found = {}
    for part, senses in SENSES.items():
        lines = [line.split() for line in (folder / f"data.{part}").read_text().splitlines() if line[0] != " "]
        members = {fields[0]: [fields[4 + 2 * n].lower().split("(")[0] for n in range(int(fields[3], 16))] for fields in lines}
        for fields in (line.split() for line in (folder / f"index.{part}").read_text().splitlines() if line[0] != " "):
            word, offsets = fields[0], fields[6 + int(fields[3]):]
            others = [other for offset in offsets[:senses] for other in members.get(offset, ()) if other in known and stem(other) != stem(word)]
            if word in known and others:
                found.setdefault(word, []).extend(others)
    return found


def load_synonyms(wordnet, vocabulary):
    """{word: (technical synonyms, synonyms of WordNet)}; without WordNet's folder, only the technical ones."""
    known = {word for word in vocabulary if word.isalpha() and len(word) >= MIN_STEM_CHARACTERS}
    field, general = of_the_field(), of_wordnet(wordnet, known) if wordnet else {}
    return {word: (list(dict.fromkeys(field.get(word, ())))[:MAX_OF_THE_FIELD],
                   [other for other in dict.fromkeys(general.get(word, ())) if other not in field.get(word, ())][:MAX_OF_WORDNET])
            for word in {**field, **general}}


def base_forms(word):
    yield word
    for ending in ENDINGS:
        root = word.removesuffix(ending)
        if root != word and len(root) >= MIN_STEM_CHARACTERS:
            yield from (root, root + "e")
            if ending in ("ies", "ied"):
                yield root + "y"
            if len(root) > MIN_STEM_CHARACTERS and root[-1] == root[-2]:
                yield root[:-1]


def synonym(word, synonyms, shared, rng):
    """A synonym, if possible one that the answer does not contain; None if there is none."""
    for form in base_forms(word):
        field, general = synonyms.get(form, ((), ()))
        chosen = field if field and (not general or rng.random() < OF_THE_FIELD) else general
        if chosen:
            return rng.choice([other for other in chosen if stem(other) not in shared] or list(chosen))
    return None


def in_other_words(question, document, synonyms, seed):
    rng, shared = random.Random(seed), stems(document)

    def replaced(match):
        word = match.group(0).lower()
        is_shared = stem(word) in shared
        if word in STOP_WORDS or len(word) < MIN_STEM_CHARACTERS or rng.random() > (REPLACED_IF_SHARED if is_shared else REPLACED_IF_NOT):
            return match.group(0)
        other = synonym(word, synonyms, shared, rng)
        return other or ("" if is_shared and rng.random() < LEFT_OUT else match.group(0))
    return " ".join(re.sub(r"[A-Za-z]+", replaced, question).split())
