"""Converts the bundled ONNX model to a GGUF file and serves it with llama.cpp's HTTP server.

Used by `real-server.sh`, which installs the packages that this file imports. Usage:

    real_server.py convert MODEL_DIR OUTPUT.gguf
    real_server.py convert-reranker MODEL_DIR OUTPUT.gguf
    real_server.py serve MODEL.gguf ADDRESS_FILE
    real_server.py serve-reranker MODEL.gguf ADDRESS_FILE

The reranker is the same encoder with a head of random weights: its scores mean nothing, but llama.cpp computes and sends them as for
any reranker. `serve` writes its address to ADDRESS_FILE and stops when its standard input closes, so that the server never outlives
the script that started it.
"""

import json
import pathlib
import sys

import numpy as np

# Parts of a BERT layer: name in the ONNX file -> name in GGUF.
LAYER_PARTS = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
HEADS = 12


class Weights:
    """The initialisers of an ONNX file; quantised ones are converted to floats."""

    def __init__(self, path):
        import onnx

        graph = onnx.load(path).graph
        self.tensors = {t.name: onnx.numpy_helper.to_array(t) for t in graph.initializer}
        norm = next(node for node in graph.node if node.op_type == "LayerNormalization")
        self.epsilon = next(a.f for a in norm.attribute if a.name == "epsilon")

    def get(self, name):
        if name in self.tensors:
            return self.tensors[name].astype(np.float32)
        quantised, zero, scale = (self.tensors[f"{name}_{part}"] for part in ("quantized", "zero_point", "scale"))
        return (quantised.astype(np.float32) - zero.astype(np.float32)) * scale

    def layers(self):
        return 1 + max(int(name.split(".")[2]) for name in self.tensors if name.startswith("encoder.layer."))


def convert(model_dir, output, reranker=False):
    import gguf

    weights = Weights(model_dir / "model.onnx")
    tokenizer = json.loads((model_dir / "tokenizer.json").read_text())
    writer = gguf.GGUFWriter(output, "bert")
    write_header(writer, weights, gguf)
    writer.add_pooling_type(gguf.PoolingType.RANK if reranker else gguf.PoolingType.MEAN)
    write_vocabulary(writer, tokenizer["model"]["vocab"], gguf)
    write_tensors(writer, weights)
    if reranker:
        write_head(writer, weights)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_header(writer, weights, gguf):
    positions, width = weights.get("pe").shape
    writer.add_name("code-minilm-l4")
    writer.add_context_length(positions)
    writer.add_embedding_length(width)
    writer.add_feed_forward_length(weights.get("encoder.layer.0.intermediate.dense.b").shape[0])
    writer.add_block_count(weights.layers())
    writer.add_head_count(HEADS)
    writer.add_layer_norm_eps(weights.epsilon)
    writer.add_causal_attention(False)
    writer.add_file_type(gguf.LlamaFileType.ALL_F32)


def write_vocabulary(writer, vocab, gguf):
    tokens = sorted(vocab, key=vocab.get)
    writer.add_tokenizer_model("bert")
    writer.add_tokenizer_pre("default")
    writer.add_token_list([gguf_token(token) for token in tokens])
    writer.add_token_types([gguf.TokenType.CONTROL if is_special(token) else gguf.TokenType.NORMAL for token in tokens])
    writer.add_token_type_count(2)
    for name, add in [
        ("[CLS]", writer.add_bos_token_id),
        ("[SEP]", writer.add_sep_token_id),
        ("[SEP]", writer.add_eos_token_id),
        ("[UNK]", writer.add_unk_token_id),
        ("[PAD]", writer.add_pad_token_id),
        ("[MASK]", writer.add_mask_token_id),
    ]:
        add(vocab[name])


def is_special(token):
    return token.startswith("[") and token.endswith("]") and len(token) > 2


def gguf_token(token):
    """llama.cpp marks the start of a word; WordPiece marks its continuation."""
    if is_special(token):
        return token
    return token[2:] if token.startswith("##") else "\u2581" + token


def write_tensors(writer, weights):
    add = lambda name, array: writer.add_tensor(name, np.ascontiguousarray(array, dtype=np.float32))
    add("token_embd.weight", weights.get("we"))
    add("position_embd.weight", weights.get("pe"))
    add("token_types.weight", weights.get("te"))
    add("token_embd_norm.weight", weights.get("embeddings.LayerNorm.g"))
    add("token_embd_norm.bias", weights.get("embeddings.LayerNorm.b"))
    for layer in range(weights.layers()):
        for source, target in LAYER_PARTS.items():
            prefix, name = f"encoder.layer.{layer}.{source}", f"blk.{layer}.{target}"
            # ONNX stores matrices as (inputs, outputs), GGUF as (outputs, inputs).
            weight = weights.get(f"{prefix}.g") if "LayerNorm" in source else weights.get(f"{prefix}.w").T
            add(f"{name}.weight", weight)
            add(f"{name}.bias", weights.get(f"{prefix}.b"))


def write_head(writer, weights):
    width = weights.get("pe").shape[1]
    head = np.random.default_rng(1).normal(size=(1, width)).astype(np.float32)
    writer.add_tensor("cls.output.weight", head)
    writer.add_tensor("cls.output.bias", np.zeros(1, dtype=np.float32))


def convert_reranker(model_dir, output):
    convert(model_dir, output, reranker=True)


def serve(model, address_file, reranker=False):
    import xllamacpp

    pooling = xllamacpp.llama_pooling_type
    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.embedding = True
    params.pooling_type = pooling.LLAMA_POOLING_TYPE_RANK if reranker else pooling.LLAMA_POOLING_TYPE_MEAN
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 512
    params.n_batch = params.n_ubatch = 512
    params.n_parallel = 1
    params.cpuparams.n_threads = 2
    params.warmup = False
    server = xllamacpp.Server(params)
    address_file.write_text(server.listening_address)
    sys.stdin.read()


def serve_reranker(model, address_file):
    serve(model, address_file, reranker=True)


COMMANDS = {
    "convert": convert,
    "convert-reranker": convert_reranker,
    "serve": serve,
    "serve-reranker": serve_reranker,
}

if __name__ == "__main__":
    command, first, second = sys.argv[1:4]
    COMMANDS[command](pathlib.Path(first), pathlib.Path(second))
