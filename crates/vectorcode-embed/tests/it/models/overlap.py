"""Writes overlap.onnx: a cross-encoder whose score is the number of tokens that both texts share.

A graph of a dozen nodes has the inputs and the output of a real cross-encoder, and a score that a test can predict.
Needs the packages onnx and numpy:  python3 overlap.py
"""

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

INT, FLOAT = TensorProto.INT64, TensorProto.FLOAT


def node(operator, inputs, output, **attributes):
    return helper.make_node(operator, inputs, [output], **attributes)


names = ["input_ids", "attention_mask", "token_type_ids"]
inputs = [helper.make_tensor_value_info(name, INT, ["batch", "sequence"]) for name in names]
output = helper.make_tensor_value_info("logits", FLOAT, ["batch", 1])
constants = {
    "rows": np.array([2], dtype=np.int64),
    "columns": np.array([1], dtype=np.int64),
    "both": np.array([1, 2], dtype=np.int64),
    "one": np.array(1.0, dtype=np.float32),
    # Only ordinary tokens count: [CLS] and [SEP] are in every pair.
    "special": np.array(999, dtype=np.int64),
}
nodes = [
    node("Cast", ["attention_mask"], "real", to=FLOAT),
    node("Cast", ["token_type_ids"], "is_second", to=FLOAT),
    node("Sub", ["one", "is_second"], "is_first"),
    node("Greater", ["input_ids", "special"], "ordinary_mask"),
    node("Cast", ["ordinary_mask"], "ordinary", to=FLOAT),
    node("Mul", ["is_first", "real"], "first_real"),
    node("Mul", ["first_real", "ordinary"], "first"),
    node("Mul", ["is_second", "real"], "second_real"),
    node("Unsqueeze", ["first", "rows"], "first_column"),
    node("Unsqueeze", ["second_real", "columns"], "second_row"),
    node("Mul", ["first_column", "second_row"], "across"),
    node("Unsqueeze", ["input_ids", "rows"], "ids_column"),
    node("Unsqueeze", ["input_ids", "columns"], "ids_row"),
    node("Equal", ["ids_column", "ids_row"], "equal_mask"),
    node("Cast", ["equal_mask"], "equal", to=FLOAT),
    node("Mul", ["across", "equal"], "shared"),
    node("ReduceSum", ["shared", "both"], "sum", keepdims=0),
    node("Unsqueeze", ["sum", "columns"], "logits"),
]
initializers = [numpy_helper.from_array(value, name) for name, value in constants.items()]
graph = helper.make_graph(nodes, "overlap", inputs, [output], initializers)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
model.ir_version = 9
onnx.checker.check_model(model)
onnx.save(model, "overlap.onnx")
