"""The whole recipe on tiny data, and the formats of the files that it writes."""
import json
import sqlite3
from dataclasses import replace

import numpy as np
import onnxruntime
import pytest
import torch
from projects import make_mirrors

from recipe import judge, weights
from recipe.__main__ import BUNDLED, main
from recipe.batches import Feed, batches
from recipe.candidates import accuracy, replace_provider
from recipe.dataset import filtered, sharing_words, stems_of_tokens, texts_of
from recipe.distil import alike, unusable
from recipe.model import MPNET, average, random_encoder, weights_of
from recipe.settings import TINY, Draw
from recipe.static import four_bits
from recipe.tokens import Ragged, encode, framed, load_tokenizer
from recipe.words import Rows, words_of

TOKENIZER = BUNDLED / "code-minilm-l4/tokenizer.json"


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recipe")
    torch.set_num_threads(1)
    main(["all", "--work", str(folder / "work"), "--mirrors", str(make_mirrors(folder / "mirrors")), "--profile", "tiny"])
    return folder / "work"


def test_a_full_run_wants_what_it_begins_at_before_it_begins(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["all", "--work", str(tmp_path / "work"), "--mirrors", str(tmp_path)])
    assert "--teacher is needed" in capsys.readouterr().err and not (tmp_path / "work").exists()


def test_second_call_does_nothing(work, capsys):
    before = (work / "student.safetensors").stat().st_mtime_ns
    main(["students", "--work", str(work), "--profile", "tiny"])
    assert "is there" in capsys.readouterr().out and (work / "student.safetensors").stat().st_mtime_ns == before


def test_student_is_the_mean_of_its_runs(work):
    first, second, mean = (weights_of(weights.load(work / f"{name}.safetensors")) for name in ("student-0", "student-1", "student"))
    name = "encoder.layer.3.output.dense.weight"
    assert np.abs(first[name] - second[name]).max() > 0 and np.abs((first[name] + second[name]) / 2 - mean[name]).max() < 1e-3


@pytest.mark.parametrize("shape", [None, MPNET])
def test_a_text_has_the_same_vector_alone_and_in_a_batch(shape):
    encoder = random_encoder(1, 3, **({"shape": shape} if shape else {})).eval()
    texts = [[101, 2073, 2024, 102], [101, 6521, 2772, 2003, 1996, 4638, 102]]
    with torch.no_grad():
        together = encoder.embed(torch.tensor(texts[0] + texts[1]), torch.tensor([4, 7]), 7)
        alone = [encoder.embed(torch.tensor(text), torch.tensor([len(text)]), len(text))[0] for text in texts]
    assert torch.allclose(together, torch.stack(alone), atol=1e-4)


def test_mean_of_two_encoders_lies_between_them():
    first, second = random_encoder(1, 1), random_encoder(1, 2)
    name = "embeddings.word_embeddings.weight"
    assert np.allclose(weights_of(average([first, second]))[name], (weights_of(first)[name] + weights_of(second)[name]) / 2)


@pytest.fixture(scope="module")
def pairs():
    """Three questions of one source and three of another, with tokens that are whole words."""
    tokenizer = load_tokenizer(TOKENIZER)
    questions = ["where is the cookie signed", "open a window", "parse the date", "send the mail", "close the window", "sort the names"]
    documents = ["sign cookie with key", "show window cookie", "read date from text", "mail server queue", "hide window mail", "order names"]
    texts = {name: Ragged(*encode(tokenizer, found, 16)) for name, found in (
        ("questions", questions), ("questions1", questions), ("questions2", questions), ("documents", documents), ("sentences", []), ("pieces", ["a b"]))}
    arrays = {"source": np.array([0, 0, 0, 1, 1, 1]), "document_file": np.arange(6), "overlap": np.array([0.1, 0.2, 0.4, 0.6, 0.1, 0.1]),
              "header": np.zeros(6, np.int64), "sentence_source": np.zeros(0, np.int64), "piece_source": np.array([1])}
    return texts, arrays, stems_of_tokens(tokenizer.get_vocab())


def test_wrong_answers_share_words_and_are_of_the_same_source(pairs):
    found = sharing_words(*pairs)
    assert found[0].tolist() == [1, -1, -1, -1, -1, -1] and found[3].tolist()[:2] == [4, -1]


def test_wrong_answers_of_the_answer_s_file_are_left_out(pairs):
    texts, arrays, stem_of = pairs
    assert (sharing_words(texts, arrays | {"document_file": np.array([0, 0, 0, 1, 1, 1])}, stem_of) < 0).all()


def test_wrong_answers_that_may_be_right_are_left_out_and_few_shared_words_count_more(pairs):
    _, arrays, _ = pairs
    vectors, negatives = np.eye(6, dtype=np.float16), np.full((6, 2), -1)
    negatives[0] = [1, 2]
    documents = vectors.copy()
    documents[1] = documents[0]
    documents[0] *= 0.5
    weight, kept = filtered(arrays, negatives, vectors, documents)
    assert kept[0].tolist() == [2, -1] and weight.tolist() == pytest.approx([2.0, 1.7, 1.2, 0.7, 2.0, 2.0])


def test_words_of_the_question_are_hidden_in_its_answer(pairs, monkeypatch):
    texts, arrays, stem_of = pairs
    monkeypatch.setattr("recipe.batches.MIN_QUESTIONS", 1)
    draw = Draw(questions=6, block=3, hidden=1 / 0.6, rewritten=0.0, headless=0.0, wrong=1.0, unpaired=1)
    feed = Feed(texts, arrays, np.ones(6), np.full((6, 6), -1), draw, stem_of)
    with batches(feed, 1, 0) as next_batch:
        batch = next_batch()
    assert sorted(batch.question) == list(range(6)) and batch.piece.tolist() == [0] and len(batch.counts) == 13
    place = 6 + batch.question.tolist().index(0)
    made = Ragged(batch.ids, batch.counts).take(np.array([place]))[0]
    plain = framed(*texts["documents"].take(np.array([0])))[0]
    same = made == plain
    # "sign" and "cookie" occur in the question, "with" and "key" do not.
    assert same[0] and same[-1] and same[3:5].all() and not same[1:3].all()


def test_rows_of_hidden_words_do_not_count_in_the_static_model(pairs, monkeypatch):
    texts, arrays, _ = pairs
    monkeypatch.setattr("recipe.batches.MIN_QUESTIONS", 1)
    feed = Feed(texts, arrays, np.ones(6), np.full((6, 6), -1), replace(TINY.static.draw, hidden=1 / 0.6, rewritten=0.0))
    batch = feed.batch(np.random.default_rng(1))
    assert not batch.kept.all() and len(batch.kept) == len(batch.ids) == batch.counts.sum()


def test_a_student_that_agrees_with_its_teacher_has_nothing_to_follow():
    similarity = torch.tensor([[0.9, 0.1, 0.3], [0.2, 0.8, 0.4]])
    assert alike(similarity, similarity).item() == pytest.approx(0, abs=1e-6)
    assert alike(similarity.flip(1), similarity).item() > 1


def test_answers_are_never_unusable():
    wanted = torch.tensor([[0.2, 0.9, 0.1], [0.1, 0.5, 0.4]])
    assert unusable(wanted, torch.tensor([0, 1, 1])).tolist() == [[False, True, False], [False, False, True]]


def vector(session, ids):
    ids = np.array([ids], np.int64)
    hidden = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)})[0]
    mean = hidden[0].mean(0)
    return mean / np.linalg.norm(mean)


def test_exported_model_agrees_with_what_was_trained(work):
    tokenizer = load_tokenizer(TOKENIZER)
    ids = tokenizer.encode("where are sessions signed").ids
    encoder = weights.load(work / "student.safetensors").eval()
    with torch.no_grad():
        trained = torch.nn.functional.normalize(encoder.embed(torch.tensor(ids), torch.tensor([len(ids)]), len(ids)), dim=-1)[0].numpy()
    model = work / "code-minilm-l4/model.onnx"
    assert vector(onnxruntime.InferenceSession(model), ids) @ trained > 0.97
    assert model.stat().st_size < 20e6


def test_bundled_weights_survive_export_and_reading(tmp_path):
    from recipe.export import export
    encoder = weights.load(BUNDLED / "code-minilm-l4/model.onnx")
    export(encoder, tmp_path / "model.onnx")
    ids = load_tokenizer(TOKENIZER).encode("def parse(text): return ast.parse(text)").ids
    sessions = [onnxruntime.InferenceSession(path) for path in (BUNDLED / "code-minilm-l4/model.onnx", tmp_path / "model.onnx")]
    assert vector(sessions[0], ids) @ vector(sessions[1], ids) > 0.99


def test_static_model_has_the_product_s_format(work):
    listed = (work / "code-static-192/words.txt").read_text().splitlines()
    rows = len(listed) + 8192
    assert (work / "code-static-192/table.u4").stat().st_size == rows * 96
    assert (work / "code-static-192/scales.f32").stat().st_size == rows * 4


def test_card_names_data_licences_and_files(work):
    card = (work / "MODEL_CARD.md").read_text()
    assert "2 repositories" in card and "| MIT | 2 |" in card and "model.onnx" in card


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
    """The tables of an index from which the texts are read."""
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
    bundled = BUNDLED / "code-minilm-l4"
    judge.main(["--records", str(tmp_path / "auto.jsonl"), "--trees", str(tmp_path / "trees"), "--model", str(bundled / "model.onnx"),
                "--tokenizer", str(bundled / "tokenizer.json"), "--out", str(tmp_path / "new.jsonl")])
    assert "Acc@1/3/5/10 100.0/100.0/100.0/100.0, NDCG@10 1.0000" in capsys.readouterr().out
    signals = {candidate["path"]: candidate["signals"] for candidate in json.loads((tmp_path / "new.jsonl").read_text())["candidates"]}
    assert signals["src/sign.py"]["provider_rank"] == 1.0 and signals["src/sign.py"]["static"] == 0.5
    assert signals["src/gone.py"]["provider_rank"] == 0.0
