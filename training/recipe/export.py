"""Writes an encoder as the `model.onnx` that the product reads: a hand-written graph, then quantised to int8 with ONNX Runtime's dynamic quantisation.

The names of the initialisers are a contract: the product's own kernels and `weights.py` find the matrices by them.
"""
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from recipe.model import HEADS, HIDDEN, weights_of


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.constants = weights, [], []

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def node(self, operator, inputs, output, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [output], name=output, **attributes))
        return output

    def norm(self, x, name, output):
        scale = self.constant(name + ".g", self.weights[name + ".weight"])
        bias = self.constant(name + ".b", self.weights[name + ".bias"])
        return self.node("LayerNormalization", [x, scale, bias], output, axis=-1, epsilon=1e-12)

    def linear(self, x, name, output):
        product = self.node("MatMul", [x, self.constant(name + ".w", self.weights[name + ".weight"].T)], output + "_mm")
        return self.node("Add", [product, self.constant(name + ".b", self.weights[name + ".bias"])], output)


def shared_constants(graph):
    for name, value in (("one", np.array([1], np.int64)), ("zero", np.array([0], np.int64)), ("two", np.array([2], np.int64)),
                        ("onef", np.float32(1)), ("neg", np.float32(-10000)), ("half", np.float32(0.5)),
                        ("rs2", np.float32(1 / np.sqrt(2))), ("ax12", np.array([1, 2], np.int64)),
                        ("qshape", np.array([0, 0, HEADS, HIDDEN // HEADS], np.int64)), ("oshape", np.array([0, 0, HIDDEN], np.int64)),
                        ("scale", np.float32(1 / np.sqrt(HIDDEN // HEADS)))):
        graph.constant(name, np.array(value))


def embeddings(graph):
    tables = {short: graph.constant(short, graph.weights[f"embeddings.{name}_embeddings.weight"])
              for short, name in (("we", "word"), ("pe", "position"), ("te", "token_type"))}
    words = graph.node("Gather", [tables["we"], "input_ids"], "emb_w")
    types = graph.node("Gather", [tables["te"], "token_type_ids"], "emb_t")
    graph.node("Slice", [graph.node("Shape", ["input_ids"], "shp"), "one", "two"], "seqs")
    positions = graph.node("Slice", [tables["pe"], "zero", "seqs", "zero"], "emb_p")
    total = graph.node("Add", [graph.node("Add", [words, types], "e1"), positions], "e2")
    return graph.norm(total, "embeddings.LayerNorm", "e_ln")


def attention_mask(graph):
    kept = graph.node("Cast", ["attention_mask"], "mf", to=TensorProto.FLOAT)
    graph.node("Mul", [graph.node("Sub", ["onef", kept], "m1"), "neg"], "m2")
    return graph.node("Unsqueeze", ["m2", "ax12"], "mask4")


def attention(graph, x, mask, i):
    def heads(part, permutation):
        full = graph.linear(x, f"encoder.layer.{i}.attention.self.{part}", f"{part[0]}{i}")
        shaped = graph.node("Reshape", [full, "qshape"], f"{part[0]}t{i}r")
        return graph.node("Transpose", [shaped], f"{part[0]}t{i}", perm=permutation)

    query, key, value = heads("query", [0, 2, 1, 3]), heads("key", [0, 2, 3, 1]), heads("value", [0, 2, 1, 3])
    scores = graph.node("Mul", [graph.node("MatMul", [query, key], f"sc{i}"), "scale"], f"ss{i}")
    shares = graph.node("Softmax", [graph.node("Add", [scores, mask], f"sm{i}")], f"sf{i}", axis=-1)
    context = graph.node("Transpose", [graph.node("MatMul", [shares, value], f"c{i}")], f"ct{i}", perm=[0, 2, 1, 3])
    return graph.node("Reshape", [context, "oshape"], f"cr{i}")


def gelu(graph, x, i):
    bent = graph.node("Erf", [graph.node("Mul", [x, "rs2"], f"gd{i}")], f"ge{i}")
    return graph.node("Mul", [graph.node("Mul", [x, graph.node("Add", [bent, "onef"], f"ga{i}")], f"gm{i}"), "half"], f"g{i}")


def layer(graph, x, mask, i):
    name = f"encoder.layer.{i}"
    attended = graph.linear(attention(graph, x, mask, i), f"{name}.attention.output.dense", f"o{i}")
    x = graph.norm(graph.node("Add", [attended, x], f"oa{i}"), f"{name}.attention.output.LayerNorm", f"ln1_{i}")
    inner = gelu(graph, graph.linear(x, f"{name}.intermediate.dense", f"f{i}"), i)
    outer = graph.linear(inner, f"{name}.output.dense", f"fo{i}")
    return graph.norm(graph.node("Add", [outer, x], f"fa{i}"), f"{name}.output.LayerNorm", f"ln2_{i}")


def float_model(encoder):
    graph = Graph(weights_of(encoder))
    shared_constants(graph)
    x, mask = embeddings(graph), attention_mask(graph)
    for i in range(len(encoder.layers)):
        x = layer(graph, x, mask, i)
    graph.node("Identity", [x], "last_hidden_state")
    inputs = [helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "seq"])
              for name in ("input_ids", "attention_mask", "token_type_ids")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "seq", HIDDEN])
    made = helper.make_graph(graph.nodes, "minilm", inputs, [output], graph.constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    onnx.checker.check_model(model)
    return model


def export(encoder, path):
    """Writes `path` and, next to it, the float model for comparison."""
    exact = path.with_name("float.onnx")
    onnx.save(float_model(encoder), str(exact))
    quantize_dynamic(str(exact), str(path), weight_type=QuantType.QInt8, per_channel=True, op_types_to_quantize=["MatMul", "Gather"],
                     extra_options={"MatMulConstBOnly": True})
