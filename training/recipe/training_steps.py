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


def base(run):
    """The published model that a teacher begins at. Tests have none, and take random weights."""
    return weights.load(run.args.base) if run.args.base else random_encoder(6, run.settings.seed)


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


def grouped(run, data, vectors):
    """Groups by these vectors' ranking and by the first stage's."""
    stage_one = StageOne(texts_of(run), run.args.models / "code-static-192", run.args.device, run.args.processes)
    made = make_groups(data, *vectors, stage_one)
    print(f"{len(made['question'])} of {len(data.kind)} questions pass the rank filter", flush=True)
    return made


def groups(run):
    """By the model that training begins at: the base for a teacher, the bundled student otherwise."""
    data, is_further = load_data(run), run.args.start == "bundled"
    vectors = vectors_of(bundled(run) if is_further else base(run), data)
    if is_further:
        np.savez(run.file("near.npz"), **{name: part.cpu().numpy() for name, part in zip(("questions", "documents"), vectors)})
    np.savez_compressed(run.file("groups.npz"), **grouped(run, data, vectors))


def scorer(run):
    data, made = load_data(run), load_groups(run)
    encoder = weights.load(run.args.base) if run.args.base else bundled(run)
    trained = train_pair_scorer(PairScorer(encoder), data, made, validation_repositories(data))
    np.savez_compressed(run.file("scores.npz"), scores=score_groups(trained.eval(), data, made))


def teacher(run):
    """One run, or the mean of several that differ in their seed."""
    settings, made, runs = run.settings, load_groups(run), []
    for turn in range(settings.teacher_runs):
        data = load_data(run)
        data.settings = replace(settings, seed=settings.seed + turn, rate=settings.teacher_rate, minutes=settings.teacher_minutes)
        encoder, drawn = base(run), drawn_groups(data, made)[0]
        EmbedderTraining(encoder, data, drawn, held_out=validation_repositories(data)).run(run.file(f"teacher{turn}.checkpoint"))
        runs.append(encoder)
    weights.save(average(runs), run.file("teacher.safetensors"))


def drawn_groups(data, made):
    """(groups with those of rare kinds several times, index of each among the given ones)."""
    repeats = [(KINDS.index(kind), times) for kind, times in data.settings.repeats]
    return repeat_kinds(made, data.kind[made["question"]], repeats)


def student_of_teacher(run, data):
    """Layers of the teacher, its vectors to stay near to and its similarities to follow; its own ranking chooses the wrong answers."""
    path = run.file("teacher.safetensors")
    vectors = vectors_of(weights.load(path), data)
    made = grouped(run, data, vectors)
    encoder, drawn = weights.load(path, STUDENT_LAYERS), drawn_groups(data, made)[0]
    return EmbedderTraining(encoder, data, drawn, near=vectors, held_out=validation_repositories(data), like=vectors), made


def student_of_bundled(run, data):
    """The bundled student, trained further near its own vectors. A teacher and a pair scorer are followed where they were made."""
    made, stored = load_groups(run), np.load(run.file("near.npz"))
    near = tuple(torch.from_numpy(stored[name]).to(data.device) for name in ("questions", "documents"))
    drawn, index = drawn_groups(data, made)
    wanted = np.load(run.file("scores.npz"))["scores"][index] if run.file("scores.npz").exists() else None
    path = run.file("teacher.safetensors")
    like = vectors_of(weights.load(path), data) if path.exists() else None
    return EmbedderTraining(bundled(run), data, drawn, near, wanted, validation_repositories(data), like), made


def student(run):
    data = load_data(run)
    begin = student_of_teacher if run.args.start == "teacher" else student_of_bundled
    training, made = begin(run, data)
    held_out = validation_repositories(data)
    print("held-out repositories, before:", validate(training.encoder, data, made, held_out, KINDS), flush=True)
    steps = training.run(run.file("student.checkpoint"))
    print(f"after {steps} steps:", validate(training.encoder, data, made, held_out, KINDS), flush=True)
    weights.save(training.encoder, run.file("student.safetensors"))


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
