"""Trains the teacher, the students and the static table: on a teacher's similarities and, with less weight, on the right answers."""
import math
import time

import torch
from torch import nn
from torch.nn import functional

from recipe.batches import batches
from recipe.dataset import embed_texts

WARM_UP = 0.03
MASKED = -1e4
# The first dimensions are also trained to be usable as shorter vectors (Matryoshka).
CUT = 256
# A document that the teacher scores above the answer by more than this is not used as a negative.
TOO_GOOD = 0.1
WITHIN_WEIGHT = 0.3
TEMPERATURE = 0.05


def rate_at(progress, peak):
    """Learning rate: linear warm-up, then a cosine down to a hundredth of the peak."""
    return peak * min(1.0, progress / WARM_UP + 0.02) * (0.495 * (1 + math.cos(math.pi * min(progress, 1.0))) + 0.01)


def alike(similarity, wanted):
    """KL from the teacher's distribution over the columns to the student's."""
    mine, theirs = (functional.log_softmax(scores / TEMPERATURE, 1) for scores in (similarity, wanted))
    return functional.kl_div(mine, theirs, log_target=True, reduction="batchmean")


def unusable(wanted, files):
    """Mask of documents that are neither right nor wrong for a question: in the answer's file, or better than the answer for the teacher."""
    questions = len(wanted)
    found = (files[:questions, None] == files[None]) | (wanted > wanted.diagonal()[:, None] + TOO_GOOD)
    return found.index_put((torch.arange(questions, device=wanted.device),) * 2, torch.tensor(False, device=wanted.device))


def contrastive(question, document, unusable_documents, goal):
    """Each question against all answers and negatives of the batch, and the reverse; also for the first dimensions alone."""
    target = torch.arange(len(question), device=question.device)

    def scores(size):
        ends = [functional.normalize(part[:, :size], dim=-1) for part in (question, document)]
        return (ends[0] @ ends[1].T / TEMPERATURE).masked_fill(unusable_documents, MASKED)
    whole = scores(None)
    loss = functional.cross_entropy(whole, target)
    if goal.reverse:
        loss = loss + goal.reverse * functional.cross_entropy(whole[:, :len(question)].T, target)
    return loss + goal.cut * functional.cross_entropy(scores(CUT), target) if goal.cut else loss


def loss_of(vectors, known, paired, files, goal):
    """`vectors` and `known` (the teacher's) are (questions and sentences, documents and pieces); the first `paired` of each belong to a pair."""
    asked, answered = (functional.normalize(part, dim=-1) for part in vectors)
    wanted = known[0] @ known[1].T
    bad = unusable(wanted[:paired[0], :paired[1]], files)
    loss = goal.contrastive * contrastive(vectors[0][:paired[0]], vectors[1][:paired[1]], bad, goal)
    loss = loss + goal.alike * alike(asked @ answered.T, wanted)
    for mine, theirs in ((asked, known[0]), (answered, known[1])):
        itself = torch.eye(len(mine), dtype=torch.bool, device=mine.device)
        within = alike(*((part @ part.T).masked_fill(itself, MASKED * TEMPERATURE) for part in (mine, theirs)))
        loss = loss + WITHIN_WEIGHT * goal.alike * within
    return loss


class Teaching:
    """The teacher's unit vectors of all texts, on the device, and the loss of a step against them."""

    def __init__(self, vectors, files, device):
        self.vectors = {kind: torch.from_numpy(found).to(device) for kind, found in vectors.items()}
        self.files, self.device = torch.from_numpy(files).to(device), device

    def on_device(self, array):
        return torch.from_numpy(array).to(self.device, non_blocking=True)

    def loss(self, vectors, batch, goal, mapped=None):
        """`vectors` are those of the batch's texts, in order; `mapped` maps them to the teacher's dimensions."""
        questions = len(batch.question) + len(batch.sentence)
        question, wrong, sentence, piece = map(self.on_device, (batch.question, batch.wrong, batch.sentence, batch.piece))
        documents = torch.cat([question, wrong])
        known = [torch.cat([self.vectors[kind][index].float() for kind, index in kinds]) for kinds in (
            (("questions", question), ("sentences", sentence)), (("documents", documents), ("pieces", piece)))]
        ends = vectors[:questions], vectors[questions:]
        loss = loss_of(ends, known, (len(question), len(documents)), self.files[documents], goal)
        if mapped is not None:
            loss = loss + goal.near * sum((1 - functional.cosine_similarity(mapped(mine), theirs)).mean() for mine, theirs in zip(ends, known))
        return loss


def train(parameters, embed, feed, teaching, goal, mapped=None, workers=0, log=print):
    """Trains until the steps or the minutes are used up; the learning rate follows whichever ends first. `parameters`: (group, factor of the rate)."""
    every = [parameter for group, _ in parameters for parameter in group]
    optimiser = torch.optim.AdamW([{"params": group, "factor": factor} for group, factor in parameters], lr=goal.rate,
                                  weight_decay=goal.weight_decay, fused=teaching.device == "cuda")
    start, step = time.monotonic(), 0
    with batches(feed, goal.seed, workers) as next_batch:
        while (progress := max(step / goal.steps, (time.monotonic() - start) / (60 * goal.minutes))) < 1:
            for group in optimiser.param_groups:
                group["lr"] = group["factor"] * rate_at(progress, goal.rate)
            batch = next_batch()
            loss = teaching.loss(embed(batch), batch, goal, mapped)
            optimiser.zero_grad(set_to_none=True)
            loss.backward()
            nn.utils.clip_grad_norm_(every, 1.0)
            optimiser.step()
            step += 1
            if step % 200 == 0:
                log(f"step {step}, loss {loss.item():.4f}, {time.monotonic() - start:.0f} s", flush=True)
                if not math.isfinite(loss.item()):
                    raise FloatingPointError("the training diverged")
    return step


def train_encoder(encoder, feed, teaching, goal, workers=0):
    """Trains a student, or the teacher itself, which needs no map into its own dimensions."""
    torch.manual_seed(goal.seed)
    encoder, device = encoder.to(teaching.device).train(), teaching.device
    parameters, mapped = [(list(encoder.parameters()), 1.0)], None
    if goal.near:
        mapped = nn.Linear(encoder.shape.hidden, teaching.vectors["questions"].shape[1]).to(device)
        parameters.append((list(mapped.parameters()), 4.0))
    steps = train(parameters, lambda batch: embed_texts(encoder, batch.ids, batch.counts, device, goal.part), feed, teaching, goal, mapped, workers)
    print(f"{steps} steps", flush=True)
    return encoder.eval()
