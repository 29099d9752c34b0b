"""Trains the pair scorer on the groups and lets it score them: the second teacher of the student."""
import time

import numpy as np
import torch
from torch.nn import functional

from recipe.embedder import MASKED, rate_at
from recipe.tokens import pair_rows

QUESTION_TOKENS, DOCUMENT_TOKENS = 96, 160
PAIRS_A_BATCH = 2048


def score_pairs(scorer, data, question, document, batch=PAIRS_A_BATCH):
    """Scores in the order of the pairs; pairs of like length go together."""
    question = torch.as_tensor(question, device=data.device, dtype=torch.long)
    document = torch.as_tensor(document, device=data.device, dtype=torch.long)
    length = data.questions.counts[question].clamp(max=QUESTION_TOKENS) + data.documents.counts[document].clamp(max=DOCUMENT_TOKENS)
    order, parts = torch.argsort(length), []
    with torch.autocast(data.device, dtype=torch.bfloat16, enabled=data.device == "cuda"):
        for part in order.split(batch):
            rows = pair_rows(data.questions, data.documents, question[part], document[part], (QUESTION_TOKENS, DOCUMENT_TOKENS))
            parts.append(scorer(*rows).float())
    return torch.cat(parts)[torch.argsort(order)]


def candidates_of(data, groups, chosen):
    """Documents of the chosen groups, first answer and wrong answers; -1 where there are fewer."""
    question = groups["question"][chosen]
    return question, np.concatenate([data.answers[question][:, :1], groups["negatives"][chosen]], axis=1)


def train_pair_scorer(scorer, data, groups, held_out, log=print):
    settings, start = data.settings, time.monotonic()
    scorer = scorer.to(data.device)
    usable = np.flatnonzero(~np.isin(data.question_repository[groups["question"]], list(held_out)))
    optimiser = torch.optim.AdamW(scorer.parameters(), lr=settings.scorer_rate, weight_decay=0.01)
    for step in range(settings.scorer_steps):
        progress = max(step / settings.scorer_steps, (time.monotonic() - start) / (60 * settings.scorer_minutes))
        if progress >= 1:
            break
        for group in optimiser.param_groups:
            group["lr"] = rate_at(progress, settings.scorer_rate)
        rng = np.random.default_rng([settings.seed, 7, step])
        question, candidates = candidates_of(data, groups, rng.choice(usable, min(settings.scorer_groups, len(usable)), replace=False))
        columns = 1 + rng.permutation(candidates.shape[1] - 1)[:settings.scorer_candidates - 1]
        candidates = candidates[:, np.concatenate([[0], columns])]
        scores = score_pairs(scorer, data, np.repeat(question, candidates.shape[1]), np.maximum(candidates, 0).ravel())
        scores = scores.view(candidates.shape).masked_fill(torch.from_numpy(candidates < 0).to(data.device), MASKED)
        loss = functional.cross_entropy(scores, torch.zeros(len(question), dtype=torch.long, device=data.device))
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(scorer.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % 200 == 0:
            log(f"pair scorer: step {step + 1}, loss {loss.item():.4f}, {time.monotonic() - start:.0f} s")
    return scorer


@torch.no_grad()
def score_groups(scorer, data, groups):
    """The scorer's view of every candidate: groups x (1 + negatives), very low where there is none."""
    question, candidates = candidates_of(data, groups, np.arange(len(groups["question"])))
    scores = np.full(candidates.shape, MASKED, np.float32)
    there = candidates >= 0
    flat_question = np.repeat(question, candidates.shape[1]).reshape(candidates.shape)[there]
    parts = [score_pairs(scorer, data, flat_question[start:start + 500_000], candidates[there][start:start + 500_000]).cpu().numpy()
             for start in range(0, len(flat_question), 500_000)]
    scores[there] = np.concatenate(parts)
    return scores
