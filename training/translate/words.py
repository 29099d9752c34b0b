"""Splits texts into words of their language, by the rules that the product applies to a question, so that both find the same entries.

A word is a run of letters, in lower case and without accents. Its key is the word without the endings of its language. Languages without spaces
are split by the longest known piece.
"""
import pathlib
import re
import unicodedata

# Endings that are cut, longest first. Deliberately few: they only need to unify the forms of a word.
ENDINGS = {
    "es": "aciones imientos imiento amiento amente mente acion iciones icion ciones cion siones sion adores ador adora idades idad ando iendo ados adas idos idas ado ada ido ida aron ieron aban aba arse erse irse ar er ir an en as es os a e o",
    "pt": "acoes imentos imento amento amente mente acao icoes icao coes cao soes sao adores ador adora idades idade ando endo indo ados adas idos idas ado ada ido ida aram eram avam ava ar er ir am em as es os a e o",
    "fr": "issements issement ements ement ations ation itions ition ions ion ateurs ateur trices trice eurs eur euses euse ites ite ants antes ant ante ees ee es er ez ent ait aient ir re e s x a",
    "de": "ierungen ierung ierte ierten ieren iert ungen ung heiten heit keiten keit endes ender enden ende end ern em en er es e n s t te ten",
    "it": "azioni azione izioni izione zioni zione sioni sione imenti imento amenti amento mente atori atore ita ando endo ati ate ato ata iti ite ito uti ute uto uta are ere ire ano ono a e i o",
    "nl": "eringen ering ingen ing heden heid ende eerd eren eert en er es e s t",
    "pl": "owania owanie owaniu owac aniem ania anie aniu enia enie eniu osci osc ami ach owie ego emu ych ymi ich imi ow om ej ac ec ic yc a e i o u y",
    "cs": "ovani ovat ovan ani eni osti ost ami ach ech ich ych emi imi eho emu ou at it et y a e i o u",
    "sv": "ningarna ningar ningen ning arna erna orna ande ades ades ade ar er or en et as a e t s",
    "ru": "ированиями ирования ирование ировать ованием ования ование ованных ованный овать ениями ениях ением ения ение ений ению аниями ания ание аний анию аться иться ается яется ются ости ость остью ами ями ах ях ого его ому ему ыми ими ый ий ой ая яя ое ее ые ие ых их ов ев ей ом ем ам ям ать ить еть ует ает яет ют ут ат ят ся а я о е и ы у ю ь",
    "uk": "ування уванням увати ення енням ання анням ються ється ости ість істю ами ями ах ях ого ому ими ий ій а я о е и і у ю ь ої ою ів їв ати ити ає ує",
    "tr": "lerinin larinin lerini larini lerin larin leri lari ler lar iyor uyor mesi masi mek mak inin inin nin nun in un den dan de da i u e a",
    "id": "kannya annya nya kan an i",
    "ar": "ات ون ين ها ية ه ة ي",
    "hi": "ों ें ाओं ियों ियाँ ना ने नी ता ते ती ा े ी ो",
    "vi": "",
}
PREFIXES = {"ar": "وال بال كال فال لل ال", "id": "meng meny mem men me di ber pem peng pen ter"}
# Chinese, kana and Hangul are split by the longest known piece. Korean has spaces, but attaches particles to its words.
SPACELESS = r"\u3005\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
SPACELESS_RUN = re.compile(f"[{SPACELESS}]+")
PARTS = re.compile(f"[{SPACELESS}]+|[^{SPACELESS}]+")
# The product reads the same file.
FUNCTION_WORDS = pathlib.Path(__file__).parents[2] / "crates/vectorcode-engine/models/function_words.txt"
# Letters that must remain, after a short ending and after one of three letters or more: `estado` does not lose `ado`.
MIN_STEM, MIN_LONG_STEM = 3, 4
# Vowel signs of Devanagari are parts of words, but not letters.
WORD = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0900-\u0963\u0300-\u036f])*")
ENGLISH_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+")
LONGEST_PIECE = 8
PAIRS = {language: (sorted(ENDINGS.get(language, "").split(), key=len, reverse=True), sorted(PREFIXES.get(language, "").split(), key=len, reverse=True))
         for language in {*ENDINGS, *PREFIXES}}
FOLDED = str.maketrans({"ß": "ss", "ł": "l", "ø": "o", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe"})


def fold(text):
    """Lower case without accents. Hangul, kana and Devanagari keep their marks, which distinguish letters."""
    text = text.lower().translate(FOLDED)
    if text.isascii():
        return text
    decomposed = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(letter for letter in decomposed if not "\u0300" <= letter <= "\u036f"))


def key(language, word):
    """The stem that the forms of a folded word share."""
    endings, prefixes = PAIRS.get(language, ((), ()))
    for prefix in prefixes:
        if word.startswith(prefix) and len(word) - len(prefix) >= MIN_STEM:
            word = word[len(prefix):]
            break
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= (MIN_STEM if len(ending) < 3 else MIN_LONG_STEM):
            return word[:-len(ending)]
    return word


def pieces(run, known):
    """Splits a run of letters without spaces, from the left, by the longest known piece; unknown letters are dropped."""
    at = 0
    while at < len(run):
        for end in range(min(len(run), at + LONGEST_PIECE), at, -1):
            if run[at:end] in known:
                yield run[at:end]
                at = end
                break
        else:
            at += 1


def foreign_words(language, text, known=()):
    """(word, key) of each word of a text, in order."""
    found = []
    for run in WORD.findall(fold(text)):
        # Letters of another script within a run are separate words.
        for part in PARTS.findall(run):
            if SPACELESS_RUN.match(part):
                found += [(piece, piece) for piece in pieces(part, known)]
            else:
                found.append((part, key(language, part)))
    return found


def english_words(text):
    return [word.lower() for word in ENGLISH_WORD.findall(text)]


def stem(word):
    """The stem of an English word, as in the product (`vectorcode-core/src/stem.rs`)."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    steps = ((("ing", 3), ("ed", 3), ("ion", 3), ("ity", 4), ("e", 3)), (("er", 3), ("or", 4)), (("er", 3),), (("at", 5),), (("iz", 5), ("is", 5)))
    for step in steps:
        for ending, left in step:
            if word.endswith(ending) and len(word) >= len(ending) + left:
                word = word[:-len(ending)]
                if len(word) > 3 and word[-1] == word[-2] and word[-1] in "bdgmnprt":
                    word = word[:-1]
                break
    return word


def function_words(path=FUNCTION_WORDS):
    """{language: stop words, which have no translation}."""
    lines = [line.split(":", 1) for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {language: {fold(word) for word in words.split()} for language, words in lines}
