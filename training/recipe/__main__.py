"""`python -m recipe STEP --work FOLDER`: one step of the recipe. What a step has made already is not made again.

  sources   git directories -> sources.jsonl           teacher   -> teacher.safetensors (six layers)
  mine      -> rows/*.jsonl.gz                         student   -> student.safetensors (three layers)
  pack      -> data.npz                                static    -> code-static-192/
  groups    -> groups.npz, near.npz                    export    -> code-minilm-l3/model.onnx
  scorer    -> scores.npz (the pair scorer's view)     card      -> MODEL_CARD.md
"""
import argparse
import gzip
import json
import pathlib

from recipe import settings as profiles
from recipe.sources import excluded_names, open_sources, write_manifest

BUNDLED = pathlib.Path(__file__).parents[2] / "crates/vectorcode-embed/models"


def options():
    parser = argparse.ArgumentParser(prog="python -m recipe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=[*STEPS, "all"])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of all intermediate files")
    parser.add_argument("--mirrors", type=pathlib.Path, help="folder of git directories called owner+name (sources, mine)")
    parser.add_argument("--models", type=pathlib.Path, default=BUNDLED, help="the bundled models: tokeniser, present student")
    parser.add_argument("--base", type=pathlib.Path, help="model.safetensors of all-MiniLM-L6-v2 (teacher)")
    parser.add_argument("--from", dest="start", choices=["bundled", "teacher"], default="bundled",
                        help="student: begin at the bundled student, or at layers 0, 2 and 5 of the teacher")
    parser.add_argument("--profile", choices=["full", "tiny"], default="full")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    return parser


class Run:
    """The options of a call, the files of its work folder, and what several steps load."""

    def __init__(self, args):
        self.args, self.work = args, args.work
        self.settings = profiles.TINY if args.profile == "tiny" else profiles.FULL
        self.bundled = args.models / "code-minilm-l3/model.onnx"

    def file(self, name):
        return self.work / name

    def tokenizer(self):
        from recipe.tokens import load_tokenizer
        return load_tokenizer(self.args.models / "code-minilm-l3/tokenizer.json")

    def data(self):
        import numpy as np
        from recipe.dataset import Dataset
        return Dataset(dict(np.load(self.file("data.npz"))), self.settings, self.args.device)

    def groups(self):
        import numpy as np
        return dict(np.load(self.file("groups.npz")))

    def near(self, data):
        import numpy as np
        import torch
        stored = np.load(self.file("near.npz"))
        return tuple(torch.from_numpy(stored[name]).to(data.device) for name in ("questions", "documents"))


def sources(run):
    rows = write_manifest(run.args.mirrors, run.file("sources.jsonl"), excluded_names())
    print(f"{sum('refused' not in row for row in rows)} of {len(rows)} repositories may be used")


def mine(run):
    from recipe.mine import mine_repository
    run.file("rows").mkdir(exist_ok=True)
    for repository, revision in open_sources(run.file("sources.jsonl"), run.args.mirrors, excluded_names()):
        counts = mine_repository(repository, revision, run.file("rows"), run.settings)
        print(repository.name, "was there" if counts is None else counts, flush=True)


def pack(run):
    import numpy as np
    from recipe.dataset import KINDS
    from recipe.mine import read_rows
    from recipe.pack import pack as pack_rows
    arrays, texts = pack_rows(read_rows(run.file("rows")), run.tokenizer(), run.settings, KINDS)
    with gzip.open(run.file("texts.json.gz"), "wt", compresslevel=4, encoding="utf-8") as file:
        json.dump(texts, file)
    np.savez_compressed(run.file("data.npz"), **arrays)
    print(f"{len(arrays['kind'])} questions, {len(arrays['document_file'])} documents")


def groups(run):
    import numpy as np
    from recipe import weights
    from recipe.dataset import embed_all, make_groups
    data = run.data()
    encoder = weights.load(run.bundled).to(data.device).eval()
    questions = embed_all(encoder, data.questions, run.settings.question_tokens)
    documents = embed_all(encoder, data.documents, run.settings.document_tokens)
    made = make_groups(data, questions, documents)
    np.savez(run.file("near.npz"), questions=questions.cpu().numpy(), documents=documents.cpu().numpy())
    np.savez_compressed(run.file("groups.npz"), **made)
    print(f"{len(made['question'])} of {len(data.kind)} questions pass the rank filter")


def scorer(run):
    import numpy as np
    from recipe import weights
    from recipe.dataset import validation_repositories
    from recipe.model import PairScorer
    from recipe.pair_scorer import score_groups, train_pair_scorer
    data, made = run.data(), run.groups()
    trained = train_pair_scorer(PairScorer(weights.load(run.args.base or run.bundled)), data, made, validation_repositories(data))
    np.savez_compressed(run.file("scores.npz"), scores=score_groups(trained.eval(), data, made))


def teacher(run):
    """Two runs that differ in their seed, averaged: worth as much as a larger teacher at no cost."""
    from dataclasses import replace
    from recipe import weights
    from recipe.dataset import validation_repositories
    from recipe.embedder import EmbedderTraining
    from recipe.model import average, random_encoder
    made, runs = run.groups(), []
    for turn in range(2):
        data = run.data()
        data.settings = replace(run.settings, seed=run.settings.seed + turn)
        encoder = weights.load(run.args.base) if run.args.base else random_encoder(6, 0)
        EmbedderTraining(encoder, data, made, held_out=validation_repositories(data)).run(run.file(f"teacher{turn}.checkpoint"))
        runs.append(encoder)
    weights.save(average(runs), run.file("teacher.safetensors"))


def student(run):
    import numpy as np
    from recipe import weights
    from recipe.dataset import KINDS, embed_all, validation_repositories
    from recipe.embedder import EmbedderTraining, validate
    data, made = run.data(), run.groups()
    if run.args.start == "teacher":
        reference = weights.load(run.file("teacher.safetensors")).to(data.device).eval()
        near = (embed_all(reference, data.questions, run.settings.question_tokens), embed_all(reference, data.documents, run.settings.document_tokens))
        encoder = weights.load(run.file("teacher.safetensors"), [0, 2, 5])
    else:
        near, encoder = run.near(data), weights.load(run.bundled)
    wanted = np.load(run.file("scores.npz"))["scores"] if run.file("scores.npz").exists() else None
    held_out = validation_repositories(data)
    training = EmbedderTraining(encoder, data, made, near, wanted, held_out)
    print("held-out repositories, before:", validate(encoder, data, made, held_out, KINDS), flush=True)
    steps = training.run(run.file("student.checkpoint"))
    print(f"after {steps} steps:", validate(encoder, data, made, held_out, KINDS), flush=True)
    weights.save(encoder, run.file("student.safetensors"))


def static(run):
    """Taught by the six-layer teacher where there is one, by the student otherwise."""
    from recipe import weights
    from recipe.dataset import embed_all, validation_repositories
    from recipe.sampling import Sampler
    from recipe.static import make_static, write_static
    data = run.data()
    name = "teacher.safetensors" if run.file("teacher.safetensors").exists() else "student.safetensors"
    encoder = weights.load(run.file(name)).to(data.device).eval()
    vectors = (embed_all(encoder, data.questions, run.settings.question_tokens), embed_all(encoder, data.documents, run.settings.document_tokens))
    with gzip.open(run.file("texts.json.gz"), "rt", encoding="utf-8") as file:
        texts = json.load(file)
    sampler = Sampler(data, run.groups(), validation_repositories(data))
    listed, table = make_static(texts, encoder, vectors, sampler, run.tokenizer())
    write_static(run.file("code-static-192"), listed, table)


def export(run):
    from recipe import weights
    from recipe.export import export as write_model
    run.file("code-minilm-l3").mkdir(exist_ok=True)
    write_model(weights.load(run.file("student.safetensors")), run.file("code-minilm-l3/model.onnx"))


def card(run):
    from recipe.card import write_card
    from recipe.dataset import KINDS
    data, made = run.data(), run.groups()
    counts = {kind: (int((data.kind == number).sum()), int((data.kind[made["question"]] == number).sum())) for number, kind in enumerate(KINDS)}
    figures = json.loads(run.file("figures.json").read_text()) if run.file("figures.json").exists() else {}
    write_card(run.file("MODEL_CARD.md"), run.file("sources.jsonl"), counts, figures, run.file("code-minilm-l3"))


# In this order; the file that shows that a step is done.
STEPS = {"sources": (sources, "sources.jsonl"), "mine": (mine, None), "pack": (pack, "data.npz"), "groups": (groups, "groups.npz"),
         "scorer": (scorer, "scores.npz"), "teacher": (teacher, "teacher.safetensors"), "student": (student, "student.safetensors"),
         "static": (static, "code-static-192/table.u4"), "export": (export, "code-minilm-l3/model.onnx"), "card": (card, "MODEL_CARD.md")}


def main(arguments=None):
    args = options().parse_args(arguments)
    args.work.mkdir(parents=True, exist_ok=True)
    run = Run(args)
    for name in STEPS if args.step == "all" else [args.step]:
        step, product = STEPS[name]
        if product and run.file(product).exists():
            print(f"{name}: {product} is there")
            continue
        step(run)


if __name__ == "__main__":
    main()
