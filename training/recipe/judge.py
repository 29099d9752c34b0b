"""`python -m recipe.judge`: judges a model on recorded searches, without indexing the trees again.

`vectorcode-eval features` and `localise` record the candidates of each question with their signals. This embeds the texts of those candidates,
prints how well the model's similarity alone orders them, and writes the records again with the provider's signals computed from the model's
vectors; `scripts/fit-ranker.py` then fits and judges them as usual. Candidates that only the new model would find are missing, and the
limit of 150 candidates flatters every figure: compare only records with the same limit.
"""
import argparse
import json
import math
import pathlib

import numpy as np

from recipe import weights
from recipe.candidates import Index, accuracy, first_files, records, replace_provider, title_of
from recipe.dataset import embed_all
from recipe.tokens import Ragged, encode, load_tokenizer
from recipe.words import split_identifiers

MAX_TOKENS = 254
MAX_CANDIDATES = 150


def options():
    parser = argparse.ArgumentParser(prog="python -m recipe.judge", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=pathlib.Path, required=True, help="written by vectorcode-eval features or localise")
    parser.add_argument("--trees", type=pathlib.Path, required=True, help="trees with their indexes, by repository or by id of issue")
    parser.add_argument("--issues", type=pathlib.Path, help="dev.jsonl: text to id, for records of localise")
    parser.add_argument("--model", type=pathlib.Path, required=True, help="model.onnx or student.safetensors")
    parser.add_argument("--tokenizer", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    return parser


def narrowed(row):
    """The record with only the candidates that a fit uses: the first ones, and all that are right."""
    kept = [candidate for place, candidate in enumerate(row["candidates"]) if place < MAX_CANDIDATES or candidate["hits"]]
    return {**row, "candidates": kept}


def trees_of(rows, args):
    if args.issues is None:
        return [args.trees / row["repo"] for row in rows]
    ids = {issue["text"]: issue["id"] for issue in map(json.loads, args.issues.read_text().splitlines())}
    return [args.trees / ids[row["query"]] for row in rows]


def number_texts(rows, trees):
    """(distinct texts, for each record the indices of its candidates' texts; -1 if the index has no text)."""
    numbers, of_rows, indexes = {}, [], {}
    for row, tree in zip(rows, trees):
        if tree not in indexes:
            indexes[tree] = Index(tree)
        texts = [indexes[tree].text(candidate["path"], candidate["start_line"]) for candidate in row["candidates"]]
        of_rows.append(np.array([-1 if text is None else numbers.setdefault(text, len(numbers)) for text in texts], np.int64))
    return list(numbers), of_rows


def ndcg(row, similarity):
    """NDCG@10 with binary gain over distinct files."""
    ranks = {}
    for rank, hits in enumerate(first_files(row, similarity)[:10], 1):
        for target in hits:
            ranks.setdefault(target, rank)
    return sum(1 / math.log2(rank + 1) for rank in ranks.values()) / sum(1 / math.log2(n + 1) for n in range(1, min(row["targets"], 10) + 1))


def main(arguments=None):
    args = options().parse_args(arguments)
    rows = [narrowed(row) for row in records(args.records)]
    texts, numbers = number_texts(rows, trees_of(rows, args))
    encoder, tokenizer = weights.load(args.model).to(args.device).eval(), load_tokenizer(args.tokenizer)

    def embed(some):
        return embed_all(encoder, Ragged(*encode(tokenizer, some, MAX_TOKENS)), MAX_TOKENS, args.device).astype(np.float32)

    texts = [split_identifiers(text) for text in texts]
    vectors, asked, titles = embed(texts), embed([row["query"] for row in rows]), embed([title_of(row["query"]) for row in rows])
    measured = []
    with args.out.open("w", encoding="utf-8") as file:
        for row, number, whole, title in zip(rows, numbers, asked, titles):
            known = number >= 0
            similarity, of_title = (np.where(known, vectors[np.maximum(number, 0)] @ vector, np.nan) for vector in (whole, title))
            measured.append([*accuracy(row, np.nan_to_num(similarity, nan=-2.0)), ndcg(row, np.nan_to_num(similarity, nan=-2.0))])
            replace_provider(row, similarity, of_title)
            file.write(json.dumps(row) + "\n")
    *found, gain = np.mean(measured, axis=0)
    print(f"{len(rows)} questions, the model alone: Acc@1/3/5/10 {'/'.join(f'{100 * value:.1f}' for value in found)}, NDCG@10 {gain:.4f}")


if __name__ == "__main__":
    main()
