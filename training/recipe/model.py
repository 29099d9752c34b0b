"""BERT with few layers (the student) and MPNet (its teacher) as embedders, loaded and saved under the published parameter names.

Texts are concatenated without padding, except for attention with MPNet's relative positions and on a CPU.
"""
import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from recipe.tokens import CLS, SEP

HIDDEN, HEADS = 384, 12


@dataclass(frozen=True)
class Shape:
    hidden: int
    inner: int
    heads: int
    epsilon: float
    vocabulary: int
    positions: int
    is_mpnet: bool = False


MINILM = Shape(HIDDEN, 1536, HEADS, 1e-12, 30522, 512)
MPNET = Shape(768, 3072, 12, 1e-5, 30527, 514, is_mpnet=True)


def straight_through_int8(weight, scale):
    """The weight rounded to int8; the gradient passes through as if it were exact."""
    rounded = (weight / scale).round().clamp(-127, 127) * scale
    return weight + (rounded - weight).detach()


class Int8Linear(nn.Linear):
    """Applies the rounding of the export in the forward pass: symmetric, one scale for each output."""

    def forward(self, x):
        scale = self.weight.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
        return functional.linear(x, straight_through_int8(self.weight, scale), self.bias)


@dataclass
class Layout:
    """The position of each text in a batch. Sizes are known on the host, so nothing waits for the device."""
    lengths: torch.Tensor
    longest: int
    total: int
    bias: torch.Tensor | None = None

    def __post_init__(self):
        device = self.lengths.device
        ends = torch.cumsum(self.lengths, 0)
        self.mask = None
        self.limits = functional.pad(ends, (1, 0)).to(torch.int32)
        self.text = torch.repeat_interleave(torch.arange(len(self.lengths), device=device), self.lengths, output_size=self.total)
        self.position = torch.arange(self.total, device=device) - (ends - self.lengths)[self.text]

    def attend(self, query, key, value):
        """Attention within each text; all three have the shape tokens x heads x size."""
        if query.is_cuda and self.bias is None:
            return torch.ops.aten._flash_attention_forward(query, key, value, self.limits, self.limits, self.longest, self.longest, 0.0, False, False)[0]
        padded = []
        for part in (query, key, value):
            rows = part.new_zeros(len(self.lengths), self.longest, *part.shape[1:])
            padded.append(rows.index_put((self.text, self.position), part).transpose(1, 2))
        if self.mask is None:
            self.mask = self.padding(query)
        return functional.scaled_dot_product_attention(*padded, attn_mask=self.mask).transpose(1, 2)[self.text, self.position]

    def padding(self, query):
        """Added to the scores in every layer: a very low value for padding, and MPNet's relative position bias."""
        is_token = torch.arange(self.longest, device=query.device)[None] < self.lengths[:, None]
        mask = torch.zeros(is_token.shape, device=query.device, dtype=query.dtype).masked_fill(~is_token, -1e4)[:, None, None]
        mask = mask if self.bias is None else mask + self.bias.to(query.dtype)
        return mask.expand(-1, query.shape[1], self.longest, -1)


class Layer(nn.Module):
    def __init__(self, shape, linear):
        super().__init__()
        self.heads = shape.heads
        self.query, self.key, self.value, self.out = (linear(shape.hidden, shape.hidden) for _ in range(4))
        self.norm1, self.norm2 = (nn.LayerNorm(shape.hidden, eps=shape.epsilon) for _ in range(2))
        self.inner, self.outer = linear(shape.hidden, shape.inner), linear(shape.inner, shape.hidden)

    def forward(self, x, layout):
        heads = [part(x).view(len(x), self.heads, -1) for part in (self.query, self.key, self.value)]
        x = self.norm1(x + self.out(layout.attend(*heads).reshape(len(x), -1)))
        return self.norm2(x + self.outer(functional.gelu(self.inner(x))))


def relative_buckets(length, device, buckets=16, farthest=128):
    """MPNet's (and T5's) bucket of each distance between two tokens."""
    at = torch.arange(length, device=device)
    distance = at[:, None] - at[None]
    exact = buckets // 2
    far = exact + (torch.log(distance.abs().float().clamp_min(1) / exact) / math.log(farthest / exact) * (buckets - exact)).long()
    return (distance < 0).long() * buckets + torch.where(distance.abs() < exact, distance.abs(), far.clamp(max=buckets - 1))


class Encoder(nn.Module):
    def __init__(self, layers, shape=MINILM):
        super().__init__()
        self.shape = shape
        self.words, self.positions = (nn.Embedding(n, shape.hidden) for n in (shape.vocabulary, shape.positions))
        if shape.is_mpnet:
            self.relative = nn.Embedding(32, shape.heads)
        else:
            self.types = nn.Embedding(2, shape.hidden)
        self.norm = nn.LayerNorm(shape.hidden, eps=shape.epsilon)
        self.layers = nn.ModuleList(Layer(shape, nn.Linear if shape.is_mpnet else Int8Linear) for _ in range(layers))

    def embed(self, ids, lengths, longest):
        """Mean over each text's tokens, not normalised yet, because the first dimensions are normalised separately."""
        layout = Layout(lengths, longest, len(ids))
        x = self.norm(self.mpnet_rows(ids, layout) if self.shape.is_mpnet else self.bert_rows(ids, layout))
        for layer in self.layers:
            x = layer(x, layout)
        return torch.zeros(len(lengths), x.shape[1], device=x.device).index_add(0, layout.text, x.float()) / lengths[:, None]

    def bert_rows(self, ids, layout):
        table = self.words.weight
        rows = functional.embedding(ids, straight_through_int8(table, table.detach().abs().max() / 127))
        return rows + self.positions(layout.position) + self.types.weight[0]

    def mpnet_rows(self, ids, layout):
        """MPNet's vocabulary is BERT's shifted by four, except for special tokens; positions start at two. The relative position bias is not trained."""
        ids = torch.where(ids == CLS, 0, torch.where(ids == SEP, 2, ids + 4))
        layout.bias = self.relative(relative_buckets(layout.longest, ids.device)).permute(2, 0, 1)[None].detach()
        return self.words(ids) + self.positions(layout.position + 2)


NAMES = {"words": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings", "types": "embeddings.token_type_embeddings",
         "norm": "embeddings.LayerNorm", "relative": "encoder.relative_attention_bias"}
BERT_LAYER_NAMES = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
                    "out": "attention.output.dense", "norm1": "attention.output.LayerNorm", "inner": "intermediate.dense",
                    "outer": "output.dense", "norm2": "output.LayerNorm"}
MPNET_LAYER_NAMES = BERT_LAYER_NAMES | {"query": "attention.attn.q", "key": "attention.attn.k", "value": "attention.attn.v",
                                        "out": "attention.attn.o", "norm1": "attention.LayerNorm"}


def published_name(name, chosen, is_mpnet):
    """The published name of one of our parameters; `chosen` are the layers of the file, in the order of ours."""
    parts = name.split(".")
    if parts[0] == "layers":
        return f"encoder.layer.{chosen[int(parts[1])]}.{(MPNET_LAYER_NAMES if is_mpnet else BERT_LAYER_NAMES)[parts[2]]}.{parts[3]}"
    return f"{NAMES[parts[0]]}.{parts[1]}"


def load_encoder(weights, chosen):
    """An encoder of the chosen layers, from arrays under the published names."""
    shape = MPNET if f"{NAMES['relative']}.weight" in weights else MINILM
    encoder = Encoder(len(chosen), shape)
    encoder.load_state_dict({name: torch.from_numpy(np.array(weights[published_name(name, chosen, shape.is_mpnet)], np.float32))
                             for name in encoder.state_dict()})
    return encoder


def random_encoder(layers, seed, shape=MINILM):
    torch.manual_seed(seed)
    return Encoder(layers, shape)


def weights_of(encoder):
    chosen = range(len(encoder.layers))
    return {published_name(name, chosen, encoder.shape.is_mpnet): value.detach().float().cpu().numpy() for name, value in encoder.state_dict().items()}


def average(encoders):
    """The mean of the weights of encoders that started from the same weights."""
    states = [weights_of(encoder) for encoder in encoders]
    mean = {name: np.mean([state[name] for state in states], axis=0) for name in states[0]}
    return load_encoder(mean, range(len(encoders[0].layers)))
