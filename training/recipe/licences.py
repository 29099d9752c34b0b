"""Recognises licences by their text. Only permissively licensed sources are used; unrecognised licences are refused."""
import re

PERMISSIVE = {"MIT", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "Zlib", "BSL-1.0", "Unlicense", "0BSD"}
LICENCE_FILE = re.compile(r"^(UN)?(LICEN[CS]E|COPYING|COPYRIGHT)([-_.].*)?$", re.I)

# A file may contain several licences, for example of bundled parts: all of them count.
PHRASES = [
    ("AGPL", "gnu affero general public license"),
    ("LGPL", "gnu lesser general public license"),
    ("LGPL", "gnu library general public license"),
    ("GPL", "gnu general public license"),
    ("MPL-2.0", "mozilla public license"),
    ("EPL", "eclipse public license"),
    ("CDDL", "common development and distribution license"),
    ("BUSL", "business source license"),
    ("SSPL", "server side public license"),
    ("Artistic", "the artistic license"),
    ("Commons-Clause", "commons clause"),
    ("Apache-2.0", "apache license version 2.0"),
    ("Apache-2.0", "licensed under the apache license"),
    ("BSL-1.0", "boost software license"),
    ("Unlicense", "this is free and unencumbered software released into the public domain"),
    ("MIT", "permission is hereby granted free of charge to any person obtaining a copy"),
    ("BSD-3-Clause", "may be used to endorse or promote products derived from this software"),
    ("BSD-2-Clause", "redistribution and use in source and binary forms with or without modification"),
    ("ISC", "permission to use copy modify and or distribute this software for any purpose with or without fee is hereby granted"),
    ("ISC", "permission to use copy modify and distribute this software for any purpose with or without fee is hereby granted"),
    ("Zlib", "this software is provided as is without any express or implied warranty in no event will the authors be held liable"),
]


def identify(text):
    """The SPDX-like names of all licences that a text contains."""
    words = " ".join(re.findall(r"[a-z0-9.]+(?<!\.)", text.lower().replace("licence", "license")))
    found = {name for name, phrase in PHRASES if phrase in words}
    # The text of BSD-3-Clause includes that of BSD-2-Clause.
    return found - {"BSD-2-Clause"} if "BSD-3-Clause" in found else found


def licence_of(repository, revision):
    """(names, permitted) from the licence files at the root of the tree: every licence in each of them must be permissive."""
    files = [path for path in repository.root_files(revision) if LICENCE_FILE.match(path) and repository.is_file(revision, path)]
    names = set().union(*(identify(repository.text(revision, path)) or {"unknown"} for path in files))
    return " AND ".join(sorted(names)) or "none", bool(names) and names <= PERMISSIVE
