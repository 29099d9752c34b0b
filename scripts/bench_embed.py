"""Compares our transformer with ONNX Runtime; started by bench-embed.sh."""

import json
import random
import subprocess
import sys
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

MODEL = "crates/vectorcode-embed/models/code-minilm-l4/model.onnx"
TOKENIZER = "crates/vectorcode-embed/models/code-minilm-l4/tokenizer.json"
BATCH = 16
CASES = [(threads, BATCH, tokens) for threads in (1, 2) for tokens in (16, 64, 128, 256)] + [(1, 1, 64)]


def main(binary: str, rounds: int) -> None:
    tokenizer = Tokenizer.from_file(TOKENIZER)
    tokenizer.no_padding()
    tokenizer.no_truncation()
    ours = Ours(binary)
    sessions = {threads: session(threads) for threads in (1, 2)}
    print(f"onnxruntime {onnxruntime.__version__}, best of {rounds} rounds, sequences per second")
    print("threads  batch  tokens  vectorcode  onnxruntime  ratio")
    for threads, batch, tokens in CASES:
        texts = random_texts(tokenizer, batch, tokens)
        inputs = model_inputs(tokenizer, texts, tokens)
        best = {"ours": float("inf"), "theirs": float("inf")}
        for _ in range(rounds):
            # ONNX Runtime's threads spin for a while after a run and must not disturb the next one.
            time.sleep(0.05)
            best["theirs"] = min(best["theirs"], seconds(sessions[threads], inputs))
            time.sleep(0.05)
            best["ours"] = min(best["ours"], ours.seconds(threads, texts))
        speed = {name: batch / value for name, value in best.items()}
        print(
            f"{threads:7}  {batch:5}  {tokens:6}  {speed['ours']:10.1f}  {speed['theirs']:11.1f}"
            f"  {speed['ours'] / speed['theirs']:5.2f}",
            flush=True,
        )


class Ours:
    """Runs the example `throughput`, which answers each line with the seconds that it took."""

    def __init__(self, binary: str) -> None:
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self, threads: int, texts: list[str]) -> float:
        self.process.stdin.write(json.dumps({"threads": threads, "texts": texts}) + "\n")
        self.process.stdin.flush()
        return float(self.process.stdout.readline())


def session(threads: int) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(MODEL, options, providers=["CPUExecutionProvider"])


def seconds(runtime: onnxruntime.InferenceSession, inputs: dict) -> float:
    start = time.perf_counter()
    runtime.run(None, inputs)
    return time.perf_counter() - start


def random_texts(tokenizer: Tokenizer, count: int, tokens: int) -> list[str]:
    """Texts of words that are one token each, plus the tokens that start and end a sequence."""
    words = sorted(word for word in tokenizer.get_vocab() if word.isascii() and word.isalpha() and len(word) > 2)
    dice = random.Random(tokens)
    return [" ".join(dice.choices(words, k=tokens - 2)) for _ in range(count)]


def model_inputs(tokenizer: Tokenizer, texts: list[str], tokens: int) -> dict:
    ids = np.array([encoding.ids for encoding in tokenizer.encode_batch(texts)], dtype=np.int64)
    assert ids.shape == (len(texts), tokens)
    return {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
