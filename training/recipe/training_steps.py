"""The steps from mined rows to the files of the models."""
import gzip
import json
from dataclasses import replace

import numpy as np
import torch

from recipe import card as model_card
from recipe import export as onnx_export
from recipe import pack as packing
from recipe import weights
from recipe.dataset import KINDS, Dataset, embed_all, make_groups, validation_repositories
from recipe.embedder import EmbedderTraining, validate
from recipe.mine import read_rows
from recipe.model import PairScorer, average, random_encoder
from recipe.pair_scorer import score_groups, train_pair_scorer
from recipe.sampling import Sampler, repeat_kinds
from recipe.stage_one import StageOne
from recipe.static import make_static, write_static
from recipe.tokens import load_tokenizer

STUDENT_LAYERS = [0, 2, 5]


def tokenizer_of(run):
    return load_tokenizer(run.args.models / "code-minilm-l3/tokenizer.json")


def bundled(run):
    return weights.load(run.args.models / "code-minilm-l3/model.onnx")


def load_data(run):
    return Dataset(dict(np.load(run.file("data.npz"))), run.settings, run.args.device)


def load_groups(run):
    return dict(np.load(run.file("groups.npz")))


def vectors_of(encoder, data):
    """Unit vectors of all questions and of all documents."""
    encoder = encoder.to(data.device).eval()
    return (embed_all(encoder, data.questions, data.settings.question_tokens),
            embed_all(encoder, data.documents, data.settings.document_tokens))


def texts_of(run):
    with gzip.open(run.file("texts.json.gz"), "rt", encoding="utf-8") as file:
        return json.load(file)


def pack(run):
    arrays, texts = packing.pack(read_rows(run.file("rows")), tokenizer_of(run), run.settings, KINDS)
    with gzip.open(run.file("texts.json.gz"), "wt", compresslevel=4, encoding="utf-8") as file:
        json.dump(texts, file)
    np.savez_compressed(run.file("data.npz"), **arrays)
    print(f"{len(arrays['kind'])} questions, {len(arrays['document_file'])} documents")


def groups(run):
    data = load_data(run)
    questions, documents = vectors_of(bundled(run), data)
    stage_one = StageOne(texts_of(run), run.args.models / "code-static-192", run.args.device, run.args.processes)
    made = make_groups(data, questions, documents, stage_one)
    np.savez(run.file("near.npz"), questions=questions.cpu().numpy(), documents=documents.cpu().numpy())
    np.savez_compressed(run.file("groups.npz"), **made)
    print(f"{len(made['question'])} of {len(data.kind)} questions pass the rank filter")


def scorer(run):
    data, made = load_data(run), load_groups(run)
    encoder = weights.load(run.args.base) if run.args.base else bundled(run)
    trained = train_pair_scorer(PairScorer(encoder), data, made, validation_repositories(data))
    np.savez_compressed(run.file("scores.npz"), scores=score_groups(trained.eval(), data, made))


def teacher(run):
    """Two runs that differ in their seed, averaged."""
    made, runs = load_groups(run), []
    for turn in range(2):
        data = load_data(run)
        data.settings = replace(run.settings, seed=run.settings.seed + turn)
        encoder = weights.load(run.args.base) if run.args.base else random_encoder(6, run.settings.seed)
        EmbedderTraining(encoder, data, made, held_out=validation_repositories(data)).run(run.file(f"teacher{turn}.checkpoint"))
        runs.append(encoder)
    weights.save(average(runs), run.file("teacher.safetensors"))


def first_student(run, data):
    """(the encoder to begin with, the vectors to stay near to)."""
    if run.args.start == "teacher":
        path = run.file("teacher.safetensors")
        return weights.load(path, STUDENT_LAYERS), vectors_of(weights.load(path), data)
    stored = np.load(run.file("near.npz"))
    return bundled(run), tuple(torch.from_numpy(stored[name]).to(data.device) for name in ("questions", "documents"))


def student(run):
    data, made = load_data(run), load_groups(run)
    encoder, near = first_student(run, data)
    wanted = np.load(run.file("scores.npz"))["scores"] if run.file("scores.npz").exists() else None
    held_out = validation_repositories(data)
    repeats = [(KINDS.index(kind), times) for kind, times in run.settings.repeats]
    drawn, index = repeat_kinds(made, data.kind[made["question"]], repeats)
    path = run.file("teacher.safetensors")
    like = vectors_of(weights.load(path), data) if run.args.start == "bundled" and path.exists() else None
    training = EmbedderTraining(encoder, data, drawn, near, None if wanted is None else wanted[index], held_out, like)
    print("held-out repositories, before:", validate(encoder, data, made, held_out, KINDS), flush=True)
    steps = training.run(run.file("student.checkpoint"))
    print(f"after {steps} steps:", validate(encoder, data, made, held_out, KINDS), flush=True)
    weights.save(encoder, run.file("student.safetensors"))


def static(run):
    """Taught by the six-layer teacher where there is one, by the student otherwise."""
    data = load_data(run)
    name = "teacher.safetensors" if run.file("teacher.safetensors").exists() else "student.safetensors"
    encoder = weights.load(run.file(name))
    vectors = vectors_of(encoder, data)
    sampler = Sampler(data, load_groups(run), validation_repositories(data))
    listed, table = make_static(texts_of(run), encoder, vectors, sampler, tokenizer_of(run), run.args.processes)
    write_static(run.file("code-static-192"), listed, table)


def export(run):
    run.file("code-minilm-l3").mkdir(exist_ok=True)
    onnx_export.export(weights.load(run.file("student.safetensors")), run.file("code-minilm-l3/model.onnx"))


def card(run):
    data, made = load_data(run), load_groups(run)
    kept = data.kind[made["question"]]
    counts = {kind: (int((data.kind == number).sum()), int((kept == number).sum())) for number, kind in enumerate(KINDS)}
    figures = json.loads(run.file("figures.json").read_text()) if run.file("figures.json").exists() else {}
    model_card.write_card(run.file("MODEL_CARD.md"), run.file("sources.jsonl"), counts, figures, run.file("code-minilm-l3"))
