"""Reads and writes weights: safetensors in half precision, the published base, and the bundled `model.onnx`."""
import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import load_file, save_file

from recipe.model import BERT_LAYER_NAMES, NAMES, load_encoder, weights_of


def save(encoder, path):
    save_file({name: value.astype(np.float16) for name, value in weights_of(encoder).items()}, str(path))


def load(path, chosen=None):
    """Loads an encoder from a `.safetensors` or `.onnx` file, with the `chosen` layers or all of them."""
    weights = onnx_weights(path) if str(path).endswith(".onnx") else load_file(str(path))
    weights = {name.removeprefix("bert.").removeprefix("mpnet."): value for name, value in weights.items()}
    layers = 1 + max(int(name.split(".")[2]) for name in weights if name.startswith("encoder.layer."))
    return load_encoder(weights, chosen or range(layers))


def onnx_weights(path):
    """The weights of a model that `export.py` wrote, under BERT's names; int8 weights are converted to float."""
    found = {item.name: numpy_helper.to_array(item) for item in onnx.load(str(path)).graph.initializer}

    def exact(name):
        if name in found:
            return found[name].astype(np.float32)
        zero = found.get(name + "_zero_point", np.zeros(1)).astype(np.float32)
        return (found[name + "_quantized"].astype(np.float32) - zero) * found[name + "_scale"]

    weights = {f"{NAMES[part]}.weight": exact(short) for part, short in (("words", "we"), ("positions", "pe"), ("types", "te"))}
    norms = [NAMES["norm"]]
    layer = 0
    while f"encoder.layer.{layer}.output.dense.b" in found:
        for part, name in BERT_LAYER_NAMES.items():
            full = f"encoder.layer.{layer}.{name}"
            if part.startswith("norm"):
                norms.append(full)
            else:
                weights |= {f"{full}.weight": exact(full + ".w").T, f"{full}.bias": found[full + ".b"]}
        layer += 1
    for norm in norms:
        weights |= {f"{norm}.weight": found[norm + ".g"], f"{norm}.bias": found[norm + ".b"]}
    return weights
