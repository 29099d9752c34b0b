"""Reads localised resources: pairs of an English text and its translation."""
import html
import json
import re

from translate.locales import LANGUAGE

MAX_TEXT = 1200
# A note may stand between a text and its translation, but no other text.
XLF_UNIT = re.compile(r"<source[^>]*>((?:(?!</source>).)*)</source>(?:(?!<source).)*?<target([^>]*)>((?:(?!</target>).)*)</target>", re.S)
LCL_UNIT = re.compile(r"<Val><!\[CDATA\[(.*?)\]\]></Val>\s*<Tgt[^>]*>\s*<Val><!\[CDATA\[(.*?)\]\]></Val>", re.S)
RESX_UNIT = re.compile(r"<data\s+name=\"([^\"]+)\"[^>]*>\s*<value>(.*?)</value>", re.S)
TYPESCRIPT_KEY = re.compile(r"^([A-Z][A-Za-z0-9_]*)_(\d{4,5})$")
SCRIPT_ENTRY = re.compile(r"^\s*['\"]?([A-Za-z_][\w.]*)['\"]?:\s*(['\"])(.*?)(?<!\\)\2,?\s*$", re.M)


def plain(text):
    """The text without markup, entities, escapes and placeholders."""
    text = html.unescape(html.unescape(text))
    text = re.sub(r"<[^<>]{1,200}>|\{\{.*?\}\}|\$\{.*?\}|\$?\{[^{}]*\}|%\([a-z_]+\)[sdf]|%[sdf@]|\$t?\(.*?\)|\\[nrt]|https?://\S+", " ", text)
    return re.sub(r"\s+", " ", text.replace("&", "").replace("`", " ")).strip()[:MAX_TEXT]


def xlf(text):
    for source, attributes, target in XLF_UNIT.findall(text):
        if "needs-" not in attributes and 'state="new"' not in attributes:
            yield source, target


def lcl(text):
    yield from LCL_UNIT.findall(text)


def unquote(lines):
    return "".join(re.sub(r'\\(.)', lambda m: {"n": " ", "t": " "}.get(m[1], m[1]), line) for line in lines)


def po(text):
    """Entries of a gettext file, without fuzzy ones, which are guesses."""
    for block in re.split(r"\n\s*\n", text):
        if re.search(r"^#,.*fuzzy", block, re.M):
            continue
        fields, name = {}, None
        for line in block.splitlines():
            start = re.match(r'(msgid|msgid_plural|msgstr(?:\[\d\])?|msgctxt)\s+"(.*)"\s*$', line)
            more = re.match(r'"(.*)"\s*$', line)
            if start:
                name = start[1]
                fields[name] = [start[2]]
            elif more and name:
                fields[name].append(more[1])
        english = unquote(fields.get("msgid", []))
        target = unquote(fields.get("msgstr", fields.get("msgstr[0]", [])))
        if english and target:
            yield english, target


def properties(text):
    entries, text = {}, re.sub(r"\\\r?\n\s*", "", text)
    for line in text.splitlines():
        found = re.match(r"\s*([^#!=:\s][^=:\s]*)\s*[=:]\s*(.+)$", line)
        if found:
            entries[found[1]] = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), found[2])
    return entries


def flatten(value, path=""):
    if isinstance(value, str):
        return {path: value}
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = enumerate(value)
    else:
        return {}
    found = {}
    for key, inner in items:
        found |= flatten(inner, f"{path}\0{key}")
    return found


def json_entries(text):
    try:
        return flatten(json.loads(re.sub(r"^\ufeff", "", text)))
    except ValueError:
        return {}


def ini(text):
    section, entries = "", {}
    for line in text.splitlines():
        head = re.match(r"\[(.+)\]\s*$", line)
        entry = re.match(r"\s*([\w.-]+)\s*=\s*(.+?)\s*$", line)
        if head:
            section = head[1]
        elif entry:
            entries[f"{section}\0{entry[1]}"] = entry[2].strip("`\"")
    return entries


def yaml(text):
    """Reads nested maps of strings, as in Rails, without a YAML parser; the root is the language code."""
    entries, path = {}, []
    for line in text.splitlines():
        found = re.match(r"^(\s*)['\"]?([\w.-]+)['\"]?:\s*(.*)$", line)
        if not found:
            continue
        depth = len(found[1])
        path = [(at, key) for at, key in path if at < depth]
        path.append((depth, found[2]))
        value = found[3].strip()
        if value and value[0] not in "|>&*[{#":
            entries["\0".join(key for _, key in path[1:] or path)] = value.strip("'\"")
    return entries


def script(text):
    """`key: 'text'` lines of a locale in JavaScript or TypeScript; repeated keys are numbered in order."""
    entries, seen = {}, {}
    for key, _, value in SCRIPT_ENTRY.findall(text):
        seen[key] = seen.get(key, 0) + 1
        entries[f"{key}\0{seen[key]}"] = value
    return entries


def resx(text):
    return dict(RESX_UNIT.findall(text))


BILINGUAL = {"xlf": xlf, "xliff": xlf, "lcl": lcl, "po": po}
KEYED = {"properties": properties, "json": json_entries, "ini": ini, "yml": yaml, "yaml": yaml, "resx": resx, "resw": resx,
         "js": script, "mjs": script, "ts": script, "resjson": json_entries}


def keyed_pairs(english, target):
    for key, text in target.items():
        source = english.get(key)
        if source and source != text:
            yield source, text


def english_keys(entries):
    """Some projects use the English text as the key (minikube), or derive the key from it (TypeScript's messages)."""
    for key, text in entries.items():
        name = key.rsplit("\0", 1)[-1]
        made = TYPESCRIPT_KEY.match(name)
        if made and text:
            yield made[1].replace("_", " "), text
        elif " " in name and text:
            yield name, text


# VS Code's language packs have no English texts; they are recovered from its pseudo-language.
PSEUDO = str.maketrans("æåçðëïñøþµ\u03bcÿÆÇÐËÏÑØßÞÝ£§", "aacdeinobuuyACDEINOBBYLS")


def from_pseudo(text):
    return text.translate(PSEUDO)


def blocks(text):
    """The sections of a Markdown document, each as a list of paragraphs without code."""
    text = re.sub(r"^---\n.*?\n---\n", "", text, flags=re.S)
    text = re.sub(r"```.*?```|<!--.*?-->", "", text, flags=re.S)
    sections = re.split(r"^(?=#+ )", text, flags=re.M)
    paragraphs = lambda section: [part.strip() for part in re.split(r"\n\s*\n|\n(?=\s*(?:[-*|#]|\d+\.) ?)", section) if part.strip()]
    return [paragraphs(section) for section in sections]


def markdown(english, target):
    """Pairs of paragraphs from two documents with the same number of sections, from sections with the same number of paragraphs."""
    english, target = blocks(english), blocks(target)
    if len(english) != len(target):
        return
    for ours, theirs in zip(english, target):
        if len(ours) == len(theirs):
            yield from ((a, b) for a, b in zip(ours, theirs) if a != b)
        elif ours and theirs and ours[0] != theirs[0]:
            yield ours[0], theirs[0]
