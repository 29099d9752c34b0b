"""Finds the language of a localised resource from its path, and the path of its English counterpart."""
import re

# Language codes as projects write them. Regions of a language share one table, except the two scripts of Chinese.
CODES = {
    "es": "es es-es es-419 es-mx es-la", "pt": "pt pt-br pt-pt ptb", "fr": "fr fr-fr fr-ca", "de": "de de-de", "it": "it it-it",
    "nl": "nl nl-nl", "pl": "pl pl-pl", "cs": "cs cs-cz", "sv": "sv sv-se", "ru": "ru ru-ru", "uk": "uk uk-ua", "tr": "tr tr-tr",
    "vi": "vi vi-vn", "id": "id id-id", "ar": "ar ar-sa", "hi": "hi hi-in", "ja": "ja ja-jp jp", "ko": "ko ko-kr",
    "zh": "zh zh-cn zh-hans zh-hans-cn zhcn", "zh-hant": "zh-tw zh-hant zh-hant-tw zh-hk",
}
LANGUAGE = {code: language for language, codes in CODES.items() for code in codes.split()}
ENGLISH = ("en", "en-us", "en_us", "en-US", "en_US", "en-GB", "en-gb")
TOKEN = re.compile(r"(?<![A-Za-z0-9])([A-Za-z]{2,3}(?:[-_](?:[A-Za-z]{2}|[A-Za-z]{4}|419)){0,2})(?![A-Za-z0-9])")


def locale_in(path):
    """(language, start, end) of the last language code in a path; `None` if there is none."""
    found = None
    for match in TOKEN.finditer(path):
        # `_` separates words as well as parts of codes: `messages_de`, `locale_de-DE`.
        for start in [match.start(1)] + [match.start(1) + at + 1 for at, letter in enumerate(match[1]) if letter in "_-"]:
            language = LANGUAGE.get(path[start:match.end(1)].lower().replace("_", "-"))
            if language:
                found = (language, start, match.end(1))
                break
    for match in re.finditer(r"[._-]([A-Za-z]{2}(?:[-_][A-Za-z]{2,4})?)\.[a-z0-9]+$", path):
        language = LANGUAGE.get(match[1].lower().replace("_", "-"))
        if language and (found is None or found[2] < match.start(1)):
            found = (language, match.start(1), match.end(1))
    return found


def english_paths(path, start, end):
    """Paths where the English text of a resource may be, most common first."""
    for code in ENGLISH:
        yield path[:start] + code + path[end:]
    if start and path[start - 1] in "._-":
        yield path[:start - 1] + path[end:]
