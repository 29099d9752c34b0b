"""From localised resources to the packed table, on tiny data."""
import gzip
import json

from translate import align, pack, resources
from translate.corpus import pairs_of
from translate.locales import english_paths, locale_in
from translate.words import fold, foreign_words, function_words, key, pieces, stem

VERBS = {"open": "abrir", "close": "cerrar", "delete": "eliminar", "validate": "validar", "upload": "cargar"}
NOUNS = {"file": "archivo", "connection": "conexión", "permission": "permiso", "user": "usuario", "session": "sesión"}


def test_the_language_of_a_resource_is_in_its_path():
    for path, language in [("locale/de/LC_MESSAGES/nova.po", "de"), ("Messages_fr.properties", "fr"), ("x/Strings.zh-Hans.xlf", "zh"),
                           ("locales/pt-BR.json", "pt"), ("locales/pt-PT.json", "pt"), ("options/locale/locale_zh-TW.json", "zh-hant"), ("src/main.json", None)]:
        found = locale_in(path)
        assert (found and found[0]) == language, path
    _, start, end = locale_in("app/Messages_fr.properties")
    assert "app/Messages.properties" in english_paths("app/Messages_fr.properties", start, end)


def test_every_format_gives_pairs():
    xlf = '<source>Close file</source><target state="translated">Datei schließen</target><source>x</source><target state="new">x</target>'
    assert list(resources.xlf(xlf)) == [("Close file", "Datei schließen")]
    apart = "<source>a</source><note>n</note><source>b</source><note>m</note><target>B</target>"
    assert list(resources.xlf(apart)) == [("b", "B")]
    po = 'msgid "Close "\n"file"\nmsgstr "Cerrar archivo"\n\n#, fuzzy\nmsgid "a"\nmsgstr "b"\n'
    assert list(resources.po(po)) == [("Close file", "Cerrar archivo")]
    english, target = resources.properties("a.b = Close file"), resources.properties("a.b=Fermer le fichi\\u0065r")
    assert list(resources.keyed_pairs(english, target)) == [("Close file", "Fermer le fichier")]
    made = resources.json_entries('{"File_not_found_6053": "Datei nicht gefunden"}')
    assert list(resources.english_keys(made)) == [("File not found", "Datei nicht gefunden")]
    assert resources.from_pseudo("Çløsë fïlë") == "Close file"
    assert resources.plain("Open <b>{0}</b> &amp;now ${name}") == "Open now"


class OneTree:
    def __init__(self, files):
        self.files = files

    def text(self, path):
        return self.files[path]


def test_documents_are_paired_where_their_parts_agree():
    tree = OneTree({"a.md": "# Title\n\nOne.\n\nTwo.\n", "a.de.md": "# Titel\n\nEins.\n\nZwei.\n"})
    assert ("Two.", "Zwei.") in pairs_of(tree, "a.de.md", "a.md")
    tree.files["a.de.md"] = "# Titel\n\n## Mehr\n\nEins.\n"
    assert pairs_of(tree, "a.de.md", "a.md") == []


def test_words_meet_without_case_accents_and_endings():
    assert fold("Größe CONFIGURACIÓN Йод が") == "grosse configuracion иод が"
    assert key("es", "validados") == key("es", "validar") == "valid"
    assert key("es", "estado") != key("es", "esta")
    assert list(pieces("连接数据库吗", {"连接", "数据", "数据库"})) == ["连接", "数据库"]
    assert foreign_words("de", "Dateien öffnen") == [("dateien", "datei"), ("offnen", "offn")]
    assert stem("validation") == stem("validate")
    assert {"es", "zh", "ja"} <= set(function_words())


def test_alignment_finds_the_words_and_packing_keeps_them(tmp_path):
    pairs = [(f"{verb} {noun}", f"{VERBS[verb]} {NOUNS[noun]}") for verb in VERBS for noun in NOUNS]
    pairs += [(f"{verb} the {noun}s", f"{VERBS[verb]} los {NOUNS[noun]}s") for verb in VERBS for noun in NOUNS]
    with gzip.open(tmp_path / "es.tsv.gz", "wt") as out:
        out.writelines(f"{english}\t{target}\n" for english, target in pairs)
    made = align.table("es", tmp_path / "es.tsv.gz")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/es.json").write_text(json.dumps(made))
    for english, spanish in {**VERBS, **NOUNS}.items():
        assert made["keys"][key("es", fold(spanish))][0][0].startswith(english), spanish
    packed = pack.section("es", made, pack.english_vocabulary(tmp_path))
    lines = packed.splitlines()
    assert lines[0].split()[0] == "imientos" or "aciones" in lines[0]
    assert "+permis permission" in lines and not any(line.startswith("+los ") for line in lines)
    names = [line.split(" ")[0].encode() for line in lines[2:]]
    assert names == sorted(names) and len(names) == len(set(names))
    header, body = pack.joined({"en": "\n\nopen", "es": packed}).decode().split("\n", 1)
    _, _, _, language, start, end = header.split(" ")
    assert language == "es" and body.encode()[int(start):int(end)].decode() == packed
