"""Trains an embedder: contrastive within batches of few repositories, near to a reference's vectors, and towards a pair scorer.

Both uses share this loop. The six-layer teacher begins at the published base model and has no reference. The three-layer student
begins at layers of the teacher (or at the bundled student) and is kept near the vectors of what it began from, so that what it
knows of documentation is not lost to histories.
"""
import math
import time

import numpy as np
import torch
from torch.nn import functional

from recipe.sampling import Sampler
from recipe.tokens import on_device

WARM_UP = 0.06
MASKED = -1e4
REVERSE_WEIGHT = 0.3
VALIDATED = 8000


def rate_at(progress, peak):
    """Linear warm-up, then a cosine to a fiftieth of the peak."""
    decay = 0.5 * (1 + math.cos(math.pi * min(progress, 1.0)))
    return peak * min(1.0, progress / WARM_UP + 0.01) * (0.98 * decay + 0.02)


def contrastive(question, document, same_file, settings):
    """Each question against all documents of the batch; also in its first 256 and 128 dimensions. Returns the full scores too."""
    target = torch.arange(len(question), device=question.device)
    total, full = 0.0, None
    for size, weight in settings.dimensions:
        scores = functional.normalize(question[:, :size], dim=-1) @ functional.normalize(document[:, :size], dim=-1).T / settings.temperature
        total = total + weight * functional.cross_entropy(scores.masked_fill(same_file, MASKED), target)
        full = scores if full is None else full
    back = full[:, :len(question)].T.masked_fill(same_file[:, :len(question)].T, MASKED)
    return total + REVERSE_WEIGHT * functional.cross_entropy(back, target), full


def towards(scores, slots, wanted):
    """KL from the pair scorer's distribution over a question's own documents to the embedder's, both softened by 2."""
    own = scores.gather(1, slots)
    return 4 * functional.kl_div(functional.log_softmax(own / 2, 1), functional.softmax(wanted / 2, 1), reduction="batchmean")


def alike(scores, similarity, same_file, temperature):
    """KL from the teachers' distribution over all documents of the batch to the embedder's: what they know beyond which answer is right."""
    wanted = functional.log_softmax((similarity / temperature).masked_fill(same_file, MASKED), 1)
    return functional.kl_div(functional.log_softmax(scores.masked_fill(same_file, MASKED), 1), wanted, log_target=True, reduction="batchmean")


def residual(scores, slots, offset):
    """The answer among the question's own documents, the first stage's log-odds added: what is left to learn is what that stage cannot tell."""
    target = torch.zeros(len(scores), dtype=torch.long, device=scores.device)
    return functional.cross_entropy(scores.gather(1, slots) + offset, target)


class EmbedderTraining:
    def __init__(self, encoder, data, groups, near=None, wanted=None, held_out=frozenset(), like=None):
        """`near`: (question vectors, document vectors) to stay near to. `wanted`: the pair scorer's scores, groups x candidates. `like`: (question
        vectors, document vectors) whose similarities to follow; several teachers side by side count by the squares of their lengths."""
        self.encoder, self.data, self.settings = encoder.to(data.device), data, data.settings
        self.near, self.wanted, self.like = near, wanted, like
        self.sampler = Sampler(data, groups, held_out)
        self.optimiser = torch.optim.AdamW(encoder.parameters(), lr=self.settings.rate, weight_decay=0.01, fused=data.device == "cuda")
        for layer in encoder.layers:
            layer.dropout = self.settings.dropout
        self.files = torch.from_numpy(data.document_file).to(data.device)

    def loss(self, batch):
        data, settings = self.data, self.settings
        question = data.embed_questions(self.encoder, batch.question)
        document = data.embed_documents(self.encoder, batch.document)
        files = self.files[on_device(batch.document, data.device).long()]
        same_file = files[:len(question), None] == files[None]
        same_file.fill_diagonal_(False)
        loss, scores = contrastive(question, document, same_file, settings)
        if self.near is not None:
            for vectors, expected in zip((question, document), self.known(self.near, batch)):
                loss = loss + settings.near * (1 - functional.cosine_similarity(vectors, expected)).mean()
        if self.like is not None:
            asked, answered = self.known(self.like, batch)
            loss = loss + settings.like * alike(scores, asked @ answered.T, same_file, settings.temperature)
        slots, offset = (on_device(array, data.device) for array in (batch.slots, batch.offset))
        loss = loss + settings.residual * residual(scores, slots, offset)
        if self.wanted is not None:
            wanted = torch.from_numpy(np.take_along_axis(self.wanted[batch.group], batch.columns, axis=1)).to(data.device)
            loss = loss + settings.kl * towards(scores, slots, wanted.float())
        return loss

    def known(self, vectors, batch):
        """The stored vectors of a batch's questions and documents."""
        return (part[on_device(index, self.data.device).long()].float() for part, index in zip(vectors, (batch.question, batch.document)))

    def run(self, checkpoint=None, log=print):
        """Trains until the steps or the minutes are over; the learning rate ends with whichever comes first."""
        settings, start = self.settings, time.monotonic()
        self.encoder.train()
        step, spent = self.resume(checkpoint)
        mean = None
        while step < settings.steps:
            elapsed = spent + time.monotonic() - start
            progress = max(step / settings.steps, elapsed / (60 * settings.minutes))
            if progress >= 1:
                break
            for group in self.optimiser.param_groups:
                group["lr"] = rate_at(progress, settings.rate)
            loss = self.loss(self.sampler.draw(step))
            self.optimiser.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self.encoder.parameters(), 1.0)
            self.optimiser.step()
            step += 1
            if step % 100 == 0:
                mean = loss.item() if mean is None else 0.7 * mean + 0.3 * loss.item()
                log(f"step {step}, loss {mean:.4f}, {elapsed:.0f} s")
            if checkpoint is not None and step % 1000 == 0:
                self.save(checkpoint, step, elapsed)
        self.encoder.eval()
        return step

    def save(self, checkpoint, step, spent):
        partial = checkpoint.with_suffix(".partial")
        torch.save({"step": step, "spent": spent, "encoder": self.encoder.state_dict(), "optimiser": self.optimiser.state_dict()}, partial)
        partial.replace(checkpoint)

    def resume(self, checkpoint):
        if checkpoint is None or not checkpoint.exists():
            return 0, 0.0
        state = torch.load(checkpoint, map_location=self.data.device)
        self.encoder.load_state_dict(state["encoder"])
        self.optimiser.load_state_dict(state["optimiser"])
        return state["step"], state["spent"]


@torch.no_grad()
def validate(encoder, data, groups, repositories, kinds):
    """By kind, over held-out repositories: mean reciprocal ranks of the best answer among a group's candidates by the model alone, by the
    first stage alone, and by both with the best of a few weights."""
    repository = data.question_repository[groups["question"]]
    chosen = np.flatnonzero(np.isin(repository, list(repositories)))
    chosen = np.random.default_rng(3).permutation(chosen)[:VALIDATED]
    if not len(chosen):
        return {}
    question = groups["question"][chosen]
    candidates = np.concatenate([data.answers[question], groups["negatives"][chosen]], axis=1)
    known = np.unique(candidates[candidates >= 0])
    vectors = functional.normalize(data.embed_documents(encoder, known), dim=-1)
    asked = functional.normalize(data.embed_questions(encoder, question), dim=-1)
    at = torch.from_numpy(np.searchsorted(known, np.maximum(candidates, 0)).clip(max=len(known) - 1)).to(data.device)
    similarity = torch.einsum("qd,qcd->qc", asked, vectors[at]).cpu().numpy()
    first = np.concatenate([groups["answer_offset"][chosen], groups["negative_offset"][chosen]], axis=1) * groups["scale"]
    kind, answers = data.kind[question], data.answers.shape[1]

    def by_kind(scores):
        scores = np.where(candidates < 0, 2 * MASKED, scores)
        rank = 1 + (scores[:, answers:] > scores[:, :answers].max(1, keepdims=True)).sum(1)
        return np.array([np.mean(1 / rank[kind == number]) if (kind == number).any() else 0.0 for number in range(len(kinds))])

    alone, stage_one, *both = (by_kind(scores) for scores in (similarity, first, *(first + weight * similarity for weight in (5, 10, 20))))
    best = max(both, key=lambda figures: figures.mean())
    return {name: [round(float(figure), 4) for figure in figures] for name, *figures in zip(kinds, alone, stage_one, best)}
