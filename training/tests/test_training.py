"""The whole recipe on tiny data, and the contracts of what it writes."""
import gzip
import json
import shutil
import sqlite3

import numpy as np
import onnxruntime
import pytest
import torch
from projects import make_mirrors

from recipe import judge, weights
from recipe.__main__ import BUNDLED, main
from recipe.candidates import accuracy, replace_provider
from recipe.dataset import KINDS, Dataset
from recipe.embedder import alike
from recipe.sampling import repeat_kinds
from recipe.stage_one import Shelf, StageOne
from recipe.settings import TINY
from recipe.static import four_bits
from recipe.tokens import Tokens, encode, load_tokenizer, pair_rows
from recipe.validation import places, rank_all
from recipe.words import Rows, words_of


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipe")
    torch.set_num_threads(1)
    main(["all", "--work", str(folder / "work"), "--mirrors", str(make_mirrors(folder / "mirrors")), "--profile", "tiny"])
    return folder / "work"


def test_a_full_run_wants_the_published_base_before_it_begins(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["all", "--work", str(tmp_path / "work"), "--mirrors", str(tmp_path)])
    assert "--base is needed" in capsys.readouterr().err and not (tmp_path / "work").exists()


def test_bundled_student_is_trained_further(work, tmp_path):
    for file in ("data.npz", "texts.json.gz"):
        shutil.copy(work / file, tmp_path)
    for step in ("groups", "scorer", "student"):
        main([step, "--work", str(tmp_path), "--profile", "tiny", "--from", "bundled"])
    ids = torch.tensor([[101, 2073, 2024, 6521, 2772, 102]])
    trained, before = (weights.load(path).eval() for path in (tmp_path / "student.safetensors", BUNDLED / "code-minilm-l3/model.onnx"))
    with torch.no_grad():
        vectors = [encoder.embed(ids, torch.tensor([6])) for encoder in (trained, before)]
    assert torch.cosine_similarity(*vectors).item() > 0.9


def vector(session, ids):
    ids = np.array([ids], np.int64)
    hidden = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0]
    mean = hidden[0].mean(0)
    return mean / np.linalg.norm(mean)


def test_exported_model_agrees_with_what_was_trained(work):
    tokenizer = load_tokenizer(BUNDLED / "code-minilm-l3/tokenizer.json")
    ids = tokenizer.encode("where are sessions signed").ids
    encoder = weights.load(work / "student.safetensors").eval()
    with torch.no_grad():
        trained = torch.nn.functional.normalize(encoder.embed(torch.tensor([ids]), torch.tensor([len(ids)])), dim=-1)[0].numpy()
    model = work / "code-minilm-l3/model.onnx"
    assert vector(onnxruntime.InferenceSession(model), ids) @ trained > 0.97
    assert model.stat().st_size < 20e6


def test_bundled_weights_survive_export_and_reading(tmp_path):
    from recipe.export import export
    encoder = weights.load(BUNDLED / "code-minilm-l3/model.onnx")
    export(encoder, tmp_path / "model.onnx")
    ids = load_tokenizer(BUNDLED / "code-minilm-l3/tokenizer.json").encode("def parse(text): return ast.parse(text)").ids
    sessions = [onnxruntime.InferenceSession(path) for path in (BUNDLED / "code-minilm-l3/model.onnx", tmp_path / "model.onnx")]
    assert vector(sessions[0], ids) @ vector(sessions[1], ids) > 0.99


def test_static_model_has_the_product_s_format(work):
    listed = (work / "code-static-192/words.txt").read_text().splitlines()
    rows = len(listed) + 64
    assert (work / "code-static-192/table.u4").stat().st_size == rows * 96
    assert (work / "code-static-192/scales.f32").stat().st_size == rows * 4


def test_card_names_data_licences_and_files(work):
    card = (work / "MODEL_CARD.md").read_text()
    assert "2 repositories" in card and "| MIT | 2 |" in card and "model.onnx" in card


def test_second_call_does_nothing(work, capsys):
    before = (work / "student.safetensors").stat().st_mtime_ns
    main(["student", "--work", str(work), "--profile", "tiny"])
    assert "is there" in capsys.readouterr().out and (work / "student.safetensors").stat().st_mtime_ns == before


def test_groups_never_hold_a_file_of_their_answers(work):
    data, groups = np.load(work / "data.npz"), np.load(work / "groups.npz")
    assert len(groups["question"])
    for question, negatives in zip(groups["question"], groups["negatives"]):
        answers = data["answers"][question]
        own = set(data["document_file"][answers[answers >= 0]])
        assert not own & set(data["document_file"][negatives[negatives >= 0]])


def test_groups_know_what_the_first_stage_says(work):
    data, groups = np.load(work / "data.npz"), np.load(work / "groups.npz")
    assert groups["answer_offset"].shape == data["answers"][groups["question"]].shape
    assert groups["negative_offset"].shape == groups["negatives"].shape and groups["scale"] > 0
    assert ((groups["negatives"] < 0) == (groups["negative_offset"] < -1000)).all()


def test_first_stage_prefers_the_document_with_the_question_s_rare_words():
    texts = {"questions": ["where is the cookie signed"], "documents": ["fn sign_cookie(cookie)", "fn paint_canvas(canvas)", "fn open_file(path)"]}
    shelf = Shelf(StageOne(texts, BUNDLED / "code-static-192", "cpu"), torch.arange(3))
    scores = shelf.scores(torch.tensor([0]))
    assert scores.shape == (1, 3) and scores[0].argmax() == 0


def test_a_student_that_agrees_with_its_teachers_has_nothing_to_follow():
    similarity, none = torch.tensor([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4]]), torch.zeros(2, 3, dtype=torch.bool)
    assert alike(similarity / 0.05, similarity, none, 0.05).item() == pytest.approx(0, abs=1e-6)
    assert alike(similarity.flip(1) / 0.05, similarity, none, 0.05).item() > 1


def test_held_out_repositories_are_ranked_whole(work):
    data = Dataset(dict(np.load(work / "data.npz")), TINY, "cpu")
    with gzip.open(work / "texts.json.gz", "rt") as file:
        found = places(data, StageOne(json.load(file), BUNDLED / "code-static-192", "cpu"), [0], 0.2)
    assert len(found) == 1 and (found[0].is_answer.any(1)).all() and not (found[0].is_answer & found[0].same_file).any()

    def right(questions, documents):
        """Similarities that only a question's answers have."""
        return found[0].is_answer.float(), torch.eye(len(documents))

    figures = rank_all(right, data, found, KINDS)
    assert all(alone == 1 for alone, _, _ in figures.values() if not np.isnan(alone))
    turned = rank_all(lambda questions, documents: (-right(questions, documents)[0], right(questions, documents)[1]), data, found, KINDS)
    assert all(alone < 1 for alone, _, _ in turned.values() if not np.isnan(alone))


def test_reports_are_drawn_more_often():
    groups, index = repeat_kinds({"question": np.arange(3), "scale": np.float32(0.2)}, np.array([0, 2, 1]), [(2, 3)])
    assert groups["question"].tolist() == [0, 1, 1, 1, 2] == index.tolist() and groups["scale"] == np.float32(0.2)


def test_words_are_the_product_s():
    assert words_of("HTTPServer2 parse_json 123456") == ["http", "server", "2", "parse", "json"]
    rows = Rows(["http"], 8192)
    assert rows.of_word("http") == [0] and len(rows.of_word("unlisted")) == 6 and min(rows.of_word("ab")) >= 1


def test_four_bits_keep_the_direction():
    table = np.random.default_rng(1).normal(size=(20, 192)).astype(np.float32)
    packed, scales = four_bits(table)
    low, high = (packed & 15).astype(float) - 8, (packed >> 4).astype(float) - 8
    read = np.stack([low, high], axis=2).reshape(20, 192) * scales[:, None]
    cosine = (read * table).sum(1) / np.linalg.norm(read, axis=1) / np.linalg.norm(table, axis=1)
    assert cosine.min() > 0.98


def test_pairs_are_laid_out_as_bert_reads_them():
    tokenizer = load_tokenizer(BUNDLED / "code-minilm-l3/tokenizer.json")
    questions = Tokens(*encode(tokenizer, ["open file", "a"], 16), "cpu")
    documents = Tokens(*encode(tokenizer, ["fn open ( )"], 16), "cpu")
    ids, types, lengths = pair_rows(questions, documents, torch.tensor([0, 1]), torch.tensor([0, 0]), (8, 8))
    expected = tokenizer.encode("open file", "fn open ( )")
    assert ids[0].tolist() == expected.ids and types[0].tolist() == expected.type_ids and lengths.tolist() == [10, 9]


def test_replaced_signals_are_those_of_the_engine():
    row = {"repo": "r", "query": "q", "targets": 1, "candidates": [
        {"path": "a.py", "start_line": 1, "hits": [0], "signals": {}}, {"path": "b.py", "start_line": 1, "hits": [], "signals": {}},
        {"path": "a.py", "start_line": 9, "hits": [0], "signals": {}}]}
    replace_provider(row, np.array([0.2, 0.6, np.nan]), np.array([0.4, 0.1, 0.1]))
    signals = [candidate["signals"] for candidate in row["candidates"]]
    assert [signal["provider_rank"] for signal in signals] == pytest.approx([10 / 11, 1.0, 0.0])
    assert signals[2]["provider"] == pytest.approx(0.6) and signals[2]["file_provider"] == pytest.approx(10 / 11)
    assert signals[0]["best_provider"] == pytest.approx(0.4)
    assert accuracy(row, [0.2, 0.6, 0.1]) == [0.0, 1.0, 1.0, 1.0]
    json.dumps(row)


def make_index(tree):
    """The tables of an index that the texts are read from."""
    folder = tree / "src/.vectorcode"
    folder.mkdir(parents=True)
    with sqlite3.connect(folder / "index.db") as index:
        index.executescript("""
            create table labels (id integer primary key, name text);
            create table files (id integer primary key, path text, language integer);
            create table chunks (id integer primary key, file_id integer, start_line integer, symbol text, parent_context text);
            create table chunk_text (id integer primary key, content text);
            insert into labels values (1, 'python');
            insert into files values (1, 'sign.py', 1), (2, 'paint.py', 1);
            insert into chunks values (1, 1, 3, 'sign', 'Session'), (2, 2, 7, 'paint', null);
            insert into chunk_text values (1, 'def sign(self): return hmac(self.secret, self.cookie)'), (2, 'def paint(canvas): canvas.fill(RED)');""")


def test_model_is_judged_on_recorded_searches(tmp_path, capsys):
    make_index(tmp_path / "trees/shop")
    candidates = [{"path": f"src/{name}.py", "start_line": line, "end_line": line, "hits": hits, "signals": {"static": 0.5}}
                  for name, line, hits in (("paint", 7, []), ("sign", 3, [0]), ("gone", 1, []))]
    record = {"repo": "shop", "language": "python", "category": "semantic", "query": "where are session cookies signed", "targets": 1, "candidates": candidates}
    (tmp_path / "auto.jsonl").write_text(json.dumps(record) + "\n")
    bundled = BUNDLED / "code-minilm-l3"
    judge.main(["--records", str(tmp_path / "auto.jsonl"), "--trees", str(tmp_path / "trees"), "--model", str(bundled / "model.onnx"),
                "--tokenizer", str(bundled / "tokenizer.json"), "--out", str(tmp_path / "new.jsonl")])
    assert "Acc@1/3/5/10 100.0/100.0/100.0/100.0, NDCG@10 1.0000" in capsys.readouterr().out
    signals = {candidate["path"]: candidate["signals"] for candidate in json.loads((tmp_path / "new.jsonl").read_text())["candidates"]}
    assert signals["src/sign.py"]["provider_rank"] == 1.0 and signals["src/sign.py"]["static"] == 0.5
    assert signals["src/gone.py"]["provider_rank"] == 0.0
