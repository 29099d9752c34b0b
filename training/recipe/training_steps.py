"""The steps from mined rows to the model files."""
import gzip
import json

import numpy as np
import torch

from recipe import card as model_card
from recipe import export as onnx_export
from recipe import pack as packing
from recipe import static as static_model
from recipe import weights
from recipe.batches import Feed
from recipe.dataset import embed_all, filtered, sharing_words, stems_of_tokens, texts_of
from recipe.distil import Teaching, train_encoder
from recipe.mine import read_rows
from recipe.model import MPNET, average, random_encoder
from recipe.synonyms import load_synonyms
from recipe.tokens import load_tokenizer

TRANSFORMER, STATIC = "code-minilm-l4", "code-static-192"


def tokenizer_of(run):
    return load_tokenizer(run.args.models / TRANSFORMER / "tokenizer.json")


def published(run, path, layers, **shape):
    """A published model; random weights in tests, which have no files."""
    return weights.load(path, layers) if path else random_encoder(len(layers), run.settings.seed, **shape)


def load(run, name):
    return dict(np.load(run.file(name)))


def pack(run):
    tokenizer = tokenizer_of(run)
    synonyms = load_synonyms(run.args.wordnet, tokenizer.get_vocab())
    arrays, texts = packing.pack(read_rows(run.file("rows")), tokenizer, run.settings, synonyms)
    with gzip.open(run.file("texts.json.gz"), "wt", compresslevel=4, encoding="utf-8") as file:
        json.dump(texts, file)
    np.savez_compressed(run.file("data.npz"), **arrays)
    print(", ".join(f"{len(of_kind)} {kind}" for kind, of_kind in texts.items()))


def vectors_of(encoder, run, texts, kinds):
    """{kind of text: its unit vectors}."""
    limits = {"documents": run.settings.document_tokens, "pieces": run.settings.document_tokens}
    return {kind: embed_all(encoder, texts[kind], limits.get(kind, run.settings.question_tokens), run.args.device) for kind in kinds}


def feed_of(run, texts, goal, stem_of=None):
    chosen = load(run, "filter.npz")
    return Feed(texts, load(run, "data.npz"), chosen["weight"], chosen["negatives"], goal.draw, stem_of)


def teacher(run):
    """The mean of the published model and a copy trained briefly, near its own similarities. The published model's ranking decides which pairs count."""
    arrays, stem_of = load(run, "data.npz"), stems_of_tokens(tokenizer_of(run).get_vocab())
    texts, goal = texts_of(arrays), run.settings.teacher
    before, after = (published(run, run.args.teacher, range(12) if run.args.teacher else range(1), shape=MPNET) for _ in range(2))
    vectors = vectors_of(before, run, texts, ("questions", "documents"))
    weight, negatives = filtered(arrays, sharing_words(texts, arrays, stem_of), *vectors.values())
    np.savez_compressed(run.file("filter.npz"), weight=weight, negatives=negatives)
    print(f"{(weight > 0).sum()} of {len(weight)} questions pass the rank filter", flush=True)
    unpaired = {kind: np.zeros((0, MPNET.hidden), np.float16) for kind in ("sentences", "pieces")}
    teaching = Teaching(vectors | unpaired, arrays["document_file"], run.args.device)
    train_encoder(after, feed_of(run, texts, goal, stem_of), teaching, goal, run.settings.workers)
    weights.save(average([before, after]), run.file("teacher.safetensors"))


def vectors(run):
    found = vectors_of(weights.load(run.file("teacher.safetensors")), run, texts_of(load(run, "data.npz")), packing.TEXT_KINDS)
    np.savez(run.file("vectors.npz"), **found)


def teaching_of(run):
    return Teaching(load(run, "vectors.npz"), load(run, "data.npz")["document_file"], run.args.device)


def students(run):
    """Several runs with different seeds and loss weights, and the mean of their weights."""
    texts, stem_of = texts_of(load(run, "data.npz")), stems_of_tokens(tokenizer_of(run).get_vocab())
    teaching, trained = teaching_of(run), []
    for number, goal in enumerate(run.settings.students):
        file = run.file(f"student-{number}.safetensors")
        if not file.exists():
            encoder = published(run, run.args.base, run.settings.layers)
            weights.save(train_encoder(encoder, feed_of(run, texts, goal, stem_of), teaching, goal, run.settings.workers), file)
        trained.append(weights.load(file))
    weights.save(average(trained), run.file("student.safetensors"))


def static(run):
    words, table = static_model.read_table(run.args.models / STATIC)
    with gzip.open(run.file("texts.json.gz"), "rt", encoding="utf-8") as file:
        texts = static_model.texts_as_rows(words, table, json.load(file), run.args.processes)
    goal, settings = run.settings.static, run.settings
    torch.manual_seed(goal.seed)
    made = static_model.train_static(table, feed_of(run, texts, goal), teaching_of(run), goal, settings.static_share, settings.workers)
    static_model.write_static(run.file(STATIC), words, made)


def export(run):
    run.file(TRANSFORMER).mkdir(exist_ok=True)
    onnx_export.export(weights.load(run.file("student.safetensors")), run.file(TRANSFORMER) / "model.onnx")


def card(run):
    data, weight = load(run, "data.npz"), load(run, "filter.npz")["weight"]
    counts = {kind: len(data[f"{kind}_counts"]) for kind in packing.TEXT_KINDS} | {"questions past the rank filter": int((weight > 0).sum())}
    figures = json.loads(run.file("figures.json").read_text()) if run.file("figures.json").exists() else {}
    model_card.write_card(run.file("MODEL_CARD.md"), run.file("sources.jsonl"), counts, figures, run.file(TRANSFORMER))
