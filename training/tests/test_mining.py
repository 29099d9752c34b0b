"""From repositories to rows: what is accepted, what is refused, what the questions look like."""
import io
import json
import random
import tarfile

import pytest
from projects import GPL, MIT, make_mirrors, module

from recipe import condense, packages
from recipe.definitions import definitions, excerpt
from recipe.languages import document, is_source
from recipe.licences import identify
from recipe.mine import mine_repository, read_rows
from recipe.mine_history import report
from recipe.mine_text import comments, pieces
from recipe.questions import clean_message, is_question
from recipe.repository import parse_log
from recipe.settings import TINY
from recipe.pack import formed, with_few_shared_words
from recipe.sources import excluded_names, is_held_back, open_sources, write_manifest
from recipe.synonyms import in_other_words, load_synonyms
from recipe.words import overlap, split_identifiers


@pytest.fixture(scope="module")
def mirrors(tmp_path_factory):
    return make_mirrors(tmp_path_factory.mktemp("mirrors"))


@pytest.fixture(scope="module")
def rows(mirrors, tmp_path_factory):
    work = tmp_path_factory.mktemp("work")
    write_manifest(mirrors, work / "sources.jsonl", excluded_names())
    for repository, revision in open_sources(work / "sources.jsonl", mirrors, excluded_names()):
        mine_repository(repository, revision, work, TINY)
    return list(read_rows(work))


def test_manifest_takes_permissive_and_refuses_the_rest(mirrors, tmp_path):
    found = {row["repository"]: row for row in write_manifest(mirrors, tmp_path / "sources.jsonl", excluded_names())}
    assert found["ada/tools"]["licence"] == "MIT" and len(found["ada/tools"]["revision"]) == 40
    assert found["eve/viral"]["refused"] == "licence"
    assert found["pallets/flask"]["refused"] == "held back for evaluation"


def test_held_back_repository_in_a_manifest_is_an_error(mirrors, tmp_path):
    manifest = tmp_path / "sources.jsonl"
    manifest.write_text(json.dumps({"repository": "pallets/flask", "revision": "HEAD", "licence": "BSD-3-Clause"}) + "\n")
    with pytest.raises(ValueError, match="held back"):
        list(open_sources(manifest, mirrors, excluded_names()))


@pytest.mark.parametrize(("text", "names"), [
    (MIT, {"MIT"}), (GPL, {"GPL"}), ("Apache License\n   Version 2.0, January 2004", {"Apache-2.0"}), ("All rights reserved.", set()),
    (MIT + "\n\nParts are under the GNU General Public License.", {"MIT", "GPL"}),
    ("Redistribution and use in source and binary forms, with or without modification ... may be used to endorse or promote products "
     "derived from this software", {"BSD-3-Clause"}),
    ("Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted", {"ISC"})])
def test_licences_are_read_from_the_text(text, names):
    assert identify(text) == names


def test_each_kind_of_question_is_mined(rows):
    assert {row["kind"] for row in rows} == {"documentation", "commit", "message", "issue", "error", "piece", "sentence"}
    assert {row["repository"] for row in rows} == {"ada/tools", "bob/parts"}


def test_documentation_does_not_contain_its_question(rows):
    row = next(row for row in rows if row["kind"] == "documentation" and "newest ones" in row["question"])
    assert row["question"] not in row["answers"][0]
    assert " | " in row["answers"][0].split("\n")[0] and "os.listdir" in row["answers"][0]


def test_commit_asks_for_the_function_as_it_was_before(rows):
    row = next(row for row in rows if row["kind"] == "commit" and "parser" in row["question"])
    assert row["question"].startswith("load the last parser of a folder too")
    assert row["answers"][0].startswith("python | parser.py | ParserStore | load_parser\ndef load_parser")
    assert "limit + 1" not in row["answers"][0]


def test_message_asks_with_title_and_body_on_one_line(rows):
    row = next(row for row in rows if row["kind"] == "message" and "parser" in row["question"])
    assert row["question"].startswith("fix(parser): load the last parser of a folder too The newest parser was missing")
    assert "#12" not in row["question"] and "Signed-off-by" not in row["question"] and "\n" not in row["question"]


def test_issue_has_what_was_observed_and_a_test(rows):
    row = next(row for row in rows if row["kind"] == "issue")
    assert "was missing from the list" in row["question"] or "assert len(store" in row["question"]
    assert "Signed-off-by" not in row["question"] and "#12" not in row["question"]


def test_error_message_asks_for_the_function_that_raises_it(rows):
    row = next(row for row in rows if row["kind"] == "error")
    assert "was found in the folder" in row["question"] and "{}" not in row["question"]
    assert "raise ValueError" in row["answers"][0]


def test_mining_again_changes_nothing(mirrors, tmp_path):
    write_manifest(mirrors, tmp_path / "sources.jsonl", excluded_names())
    repository, revision = next(iter(open_sources(tmp_path / "sources.jsonl", mirrors, excluded_names())))
    assert mine_repository(repository, revision, tmp_path, TINY)
    assert mine_repository(repository, revision, tmp_path, TINY) is None


@pytest.mark.parametrize(("language", "source", "symbols"), [
    ("go", "func (s *Store) Load(p string) error {\n\treturn nil\n}\n", ["Load"]),
    ("rust", "impl Store {\n    pub fn load(&self) -> u8 {\n        1\n    }\n}\n", ["Store", "load"]),
    ("java", "class Store {\n    public List<String> load(int limit) {\n        return null;\n    }\n}\n", ["Store", "load"]),
    ("typescript", "export const load = async (path: string) => {\n  return path\n}\n", ["load"]),
    ("c", "static int\nload_all(char *path)\n{\n    return 1;\n}\nint load(int n) {\n    return n;\n}\n", ["load"]),
    ("ruby", "module Store\n  def self.load(path)\n    path\n  end\nend\n", ["Store", "load"]),
    ("haskell", "load :: Int -> Int\nload n = n\n", ["load"])])
def test_definitions_are_found(language, source, symbols):
    lines = source.split("\n")
    found = definitions(lines, language)
    assert [definition.symbol for definition in found] == symbols
    assert excerpt(lines, found[-1]).strip()


def test_message_loses_prefix_reference_and_trailers():
    assert clean_message("feat(core)!: keep sessions open (#41)\n\nBody here.\nSigned-off-by: A")[0] == "keep sessions open"
    assert not is_question("bump version to 2.0.1") and not is_question("typo")


def test_marks_inside_a_message_do_not_stop_mining():
    lines = ["\x01a\x02Ada\x02Keep control characters\n", "\x01out of the log\x03\n", "lost.py\n", "\x01b\x02Bob\x02Load the last session too\x03\n", "store.py\n"]
    found = list(parse_log(line.encode() for line in lines))
    assert [(commit.author, list(commit.files)) for commit in found] == [("Bob", ["store.py"])]


def test_document_has_the_header_of_the_models():
    assert document("src/a.rs", "", "load", "fn load() {}") == "rust | src/a.rs | load\nfn load() {}"
    assert is_source("src/a.rs") and not is_source("tests/a.rs") and not is_source("vendor/a.go")


def test_error_questions_depend_on_the_seed_alone(mirrors, tmp_path):
    from recipe.mine_tree import mine_tree
    from recipe.repository import find_repositories
    repository = next(find_repositories(mirrors))
    caps = {"documentation": 5, "error": 5}
    first, second = (list(mine_tree(repository, "HEAD", caps, random.Random(3))) for _ in range(2))
    assert first == second


def test_condensed_repositories_give_the_same_rows(mirrors, rows, tmp_path, capsys):
    condense.main(["pack", "--mirrors", str(mirrors), "--folder", str(tmp_path / "condensed")])
    refused = {row["repository"] for row in map(json.loads, capsys.readouterr().out.splitlines()) if "refused" in row}
    assert refused == {"eve/viral", "pallets/flask"}
    manifest = tmp_path / "sources.jsonl"
    condense.main(["unpack", "--mirrors", str(tmp_path / "mirrors"), "--folder", str(tmp_path / "condensed"), "--manifest", str(manifest)])
    for repository, revision in open_sources(manifest, tmp_path / "mirrors", excluded_names()):
        mine_repository(repository, revision, tmp_path, TINY)
    assert list(read_rows(tmp_path)) == rows


def test_reports_in_the_form_of_a_tracker_keep_what_was_observed():
    made = {report("Cookies vanish", "After a redirect the session cookie is gone. " * 4, "", "", random.Random(seed)) for seed in range(20)}
    assert all("session cookie is gone" in question for question in made)
    assert any(question.startswith(("#", "**", "Bug", "Cookies vanish\n\n#", "Cookies vanish\n\n*")) for question in made) and len(made) > 5


@pytest.fixture
def package(tmp_path):
    with tarfile.open(tmp_path / "debian+shop-tools.tar.gz", "w:gz") as archive:
        for name, text in (("LICENSE", MIT), ("store.py", module("parser", fixed=True)), ("logo.svg", "<svg/>")):
            member = tarfile.TarInfo(f"shop-tools-1.0/{name}")
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return next(packages.find_packages(tmp_path))


def test_package_is_mined_like_a_repository(package, tmp_path):
    row, = write_manifest(tmp_path, tmp_path / "sources.jsonl", excluded_names())
    assert row["repository"] == "debian/shop-tools" and row["licence"] == "MIT" and len(row["revision"]) == 64
    (found, revision), = open_sources(tmp_path / "sources.jsonl", tmp_path, excluded_names())
    mine_repository(found, revision, tmp_path, TINY)
    assert {row["kind"] for row in read_rows(tmp_path)} == {"documentation", "error", "piece", "sentence"} and found.tree(revision) == package.tree(revision)


def test_damaged_package_is_refused(package, tmp_path):
    package.path.write_bytes(package.path.read_bytes()[:100])
    row, = write_manifest(tmp_path, tmp_path / "sources.jsonl", excluded_names())
    assert row["refused"].startswith("damaged")


@pytest.mark.parametrize(("source", "held_back"), [
    ("debian/python-flask", True), ("pypi/Flask", True), ("debian/golang-github-gin-gonic-gin", True), ("crates/flasks", False),
    ("someone/flask", False)])
def test_packages_of_held_back_projects_are_known_by_name(source, held_back):
    assert is_held_back(source, {"pallets/flask", "gin-gonic/gin"}) == held_back


def test_packages_are_chosen_by_family_and_seed():
    found = [packages.Archive(f"debian/golang-{number}", "a.tar.gz", "") for number in range(1500)]
    first, second = (list(packages.some_of_each_family(order, 1)) for order in (found, found[::-1]))
    assert first == second and len(first) == dict(packages.FAMILIES)["^golang-"]


def test_identifiers_are_split_as_the_product_splits_them():
    assert split_identifiers("readFile(read_file, HTTPServer2Go)") == "read File(read file, HTTP Server2 Go)"
    assert split_identifiers("MAX_SIZE __init__ größeÄndern") == "MAX SIZE   init   größeÄndern"


def test_sentences_are_prose_and_pieces_begin_after_an_empty_line():
    lines = ["", "", "", "// Copyright 2020 by the authors of this file, all rights reserved.", "x = 1", "// Closes the window when its last tab was closed.",
             "// See it.", "", "def f():", *[f"    line_number_{n} = {n}" for n in range(9)]]
    assert list(comments(lines)) == ["Closes the window when its last tab was closed."]
    found = list(pieces(lines, random.Random(1)))
    assert found and all(piece.startswith(("// ", "def f")) for piece in found if piece)


def test_questions_with_the_fewest_shared_words_are_kept():
    rows = [{"repository": "a/b", "question": question, "answers": ["close window tab"]} for question in ["close window tab", "shut the pane down", "close it"] * 3]
    kept = list(with_few_shared_words(rows, 3))
    assert {row["question"] for row in kept} == {"shut the pane down"} and overlap("close the window", "closeWindow()") == 1
    assert not list(with_few_shared_words(rows[:7], 3))


def test_first_sentence_may_ask_and_the_rest_stand_in_the_document():
    row = {"question": "Closes the window of a tab. Does nothing when it was closed before.", "answers": ["c | a.c | f\nint f() {}"],
           "comment": "Closes the window of a tab. Does nothing when it was closed before."}
    made = {formed(row, random.Random(seed)) for seed in range(30)}
    assert ("Closes the window of a tab", "c | a.c | f\n// Does nothing when it was closed before\nint f() {}") in made
    assert ("Closes the window of a tab", row["answers"][0]) in made and (row["question"], row["answers"][0]) in made


@pytest.fixture
def wordnet(tmp_path):
    for part in ("noun", "verb", "adj", "adv"):
        (tmp_path / f"data.{part}").write_text("  1 licence\n")
        (tmp_path / f"index.{part}").write_text("  1 licence\n")
    (tmp_path / "data.noun").write_text("  1 licence\n00000100 06 n 02 meadow 0 pasture 0 000 | grass\n")
    (tmp_path / "index.noun").write_text("  1 licence\nmeadow n 1 1 @ 1 1 00000100\n")
    return tmp_path


def test_questions_in_other_words_lose_words_of_the_answer(wordnet):
    synonyms = load_synonyms(wordnet, {"meadow", "pasture", "delete", "remove"})
    assert synonyms["meadow"] == ([], ["pasture"]) and "remove" in synonyms["delete"][0]
    made = {in_other_words("delete the meadows", "deleteMeadow()", synonyms, seed) for seed in range(20)}
    assert len(made) > 3
    assert any("pasture" in question for question in made) and all("the" in question.split() for question in made)
    assert in_other_words("delete it", "deleteMeadow()", synonyms, 3) == in_other_words("delete it", "deleteMeadow()", synonyms, 3)
