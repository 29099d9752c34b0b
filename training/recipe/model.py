"""BERT with few layers, as an embedder and as a scorer of pairs; loading and saving under BERT's own names."""
import numpy as np
import torch
from torch import nn
from torch.nn import functional

HIDDEN, HEADS, INNER, VOCABULARY, POSITIONS = 384, 12, 1536, 30522, 512


def straight_through_int8(weight, scale):
    """The weight as int8 would hold it; the gradient passes as if it were exact."""
    rounded = (weight / scale).round().clamp(-127, 127) * scale
    return weight + (rounded - weight).detach()


class Int8Linear(nn.Linear):
    """Trains through the rounding that the export applies: one scale for each output, symmetric."""

    def forward(self, x):
        scale = self.weight.detach().abs().amax(1, keepdim=True).clamp_min(1e-8) / 127
        return functional.linear(x, straight_through_int8(self.weight, scale), self.bias)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.dropout = 0.0
        self.query, self.key, self.value, self.out = (Int8Linear(HIDDEN, HIDDEN) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(HIDDEN, eps=1e-12), nn.LayerNorm(HIDDEN, eps=1e-12)
        self.inner, self.outer = Int8Linear(HIDDEN, INNER), Int8Linear(INNER, HIDDEN)

    def forward(self, x, mask):
        batch, length, _ = x.shape
        heads = [part(x).view(batch, length, HEADS, -1).transpose(1, 2) for part in (self.query, self.key, self.value)]
        context = functional.scaled_dot_product_attention(*heads, attn_mask=mask)
        x = self.norm1(x + self.dropped(self.out(context.transpose(1, 2).reshape(batch, length, HIDDEN))))
        return self.norm2(x + self.dropped(self.outer(functional.gelu(self.inner(x)))))

    def dropped(self, x):
        return functional.dropout(x, self.dropout, self.training) if self.dropout else x


class Encoder(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.words, self.positions, self.types = (nn.Embedding(n, HIDDEN) for n in (VOCABULARY, POSITIONS, 2))
        self.norm = nn.LayerNorm(HIDDEN, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))

    def forward(self, ids, lengths, types=None):
        table = self.words.weight
        rows = straight_through_int8(functional.embedding(ids, table), table.detach().abs().max() / 127)
        x = self.norm(rows + self.positions.weight[:ids.shape[1]] + self.types(torch.zeros_like(ids) if types is None else types))
        mask = torch.arange(ids.shape[1], device=ids.device)[None] < lengths[:, None]
        for layer in self.layers:
            x = layer(x, mask[:, None, None, :])
        return x, mask

    def embed(self, ids, lengths):
        """Mean over the tokens; not at unit length yet, because its first dimensions are vectors of their own."""
        x, mask = self(ids, lengths)
        return (x.float() * mask[..., None]).sum(1) / lengths[:, None]


class PairScorer(nn.Module):
    """Reads question and document together and gives one number. Too slow to search with: it teaches."""

    def __init__(self, encoder):
        super().__init__()
        self.encoder, self.pool, self.head = encoder, nn.Linear(HIDDEN, HIDDEN), nn.Linear(HIDDEN, 1)

    def forward(self, ids, types, lengths):
        x, _ = self.encoder(ids, lengths, types)
        return self.head(torch.tanh(self.pool(x[:, 0])))[:, 0].float()


BERT_NAMES = {"words": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings",
              "types": "embeddings.token_type_embeddings", "norm": "embeddings.LayerNorm"}
BERT_LAYER_NAMES = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value",
                    "out": "attention.output.dense", "norm1": "attention.output.LayerNorm", "inner": "intermediate.dense",
                    "outer": "output.dense", "norm2": "output.LayerNorm"}


def bert_name(name, chosen):
    """Our parameter's name to BERT's; `chosen` are the layers of the file, in the order of ours."""
    parts = name.split(".")
    if parts[0] == "layers":
        return f"encoder.layer.{chosen[int(parts[1])]}.{BERT_LAYER_NAMES[parts[2]]}.{parts[3]}"
    return f"{BERT_NAMES[parts[0]]}.{parts[1]}"


def load_encoder(weights, chosen):
    """An encoder of the chosen layers, from arrays under BERT's names."""
    encoder = Encoder(len(chosen))
    encoder.load_state_dict({name: torch.from_numpy(np.array(weights[bert_name(name, chosen)], np.float32)) for name in encoder.state_dict()})
    return encoder


def random_encoder(layers, seed):
    torch.manual_seed(seed)
    return Encoder(layers)


def weights_of(encoder):
    chosen = range(len(encoder.layers))
    return {bert_name(name, chosen): value.detach().float().cpu().numpy() for name, value in encoder.state_dict().items()}


def average(encoders):
    """The mean of the weights of runs that began at the same point."""
    states = [weights_of(encoder) for encoder in encoders]
    mean = {name: np.mean([state[name] for state in states], axis=0) for name in states[0]}
    return load_encoder(mean, range(len(encoders[0].layers)))
