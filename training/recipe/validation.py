"""How well a model finds answers in repositories that it was not trained on: among all their documents, alone and with the first stage.

The groups of such a repository would not do: their wrong answers are chosen, and those that the choosing model takes for far better than the
answer are left out, so that model always looks good among them.
"""
from dataclasses import dataclass

import numpy as np
import torch

from recipe.stage_one import Shelf

QUESTIONS_OF_A_REPOSITORY = 1500
# Of the model's similarity, on top of the first stage's log-odds; the best of them counts.
WEIGHTS = (5, 10, 15, 20, 30, 40)
LOWEST = -1e4


@dataclass
class Place:
    """One held-out repository."""
    questions: np.ndarray
    documents: np.ndarray
    first: torch.Tensor
    """What the first stage says, questions x documents."""
    is_answer: torch.Tensor
    same_file: torch.Tensor
    """Neither right nor wrong: other documents of a file that has an answer."""


@torch.no_grad()
def places(data, stage_one, repositories, scale):
    """The held-out repositories with what does not depend on a model."""
    found = []
    for repository in sorted(repositories):
        documents, questions = (np.flatnonzero(of == repository) for of in (data.document_repository, data.question_repository))
        questions = np.sort(np.random.default_rng(3).permutation(questions)[:QUESTIONS_OF_A_REPOSITORY])
        if len(documents) < 2 or not len(questions):
            continue
        answers = data.answers[questions]
        at = np.searchsorted(documents, np.maximum(answers, 0)).clip(max=len(documents) - 1)
        is_answer, same_file = (np.zeros((len(questions), len(documents)), bool) for _ in range(2))
        for column in range(answers.shape[1]):
            there = np.flatnonzero(answers[:, column] >= 0)
            is_answer[there, at[there, column]] = True
            same_file[there] |= data.document_file[documents][None] == data.document_file[answers[there, column]][:, None]
        shelf = Shelf(stage_one, torch.from_numpy(documents).to(data.device))
        parts = [shelf.scores(part) for part in torch.from_numpy(questions).to(data.device).split(512)]
        found.append(Place(questions, documents, scale * torch.cat(parts), *(torch.from_numpy(a).to(data.device) for a in (is_answer, same_file & ~is_answer))))
    return found


def reciprocal_ranks(place, scores):
    best = scores.masked_fill(~place.is_answer, LOWEST).max(1, keepdim=True).values
    return 1 / (1 + (scores.masked_fill(place.is_answer | place.same_file, LOWEST) > best).sum(1)).float().cpu().numpy()


@torch.no_grad()
def rank_all(vectors, data, found, kinds):
    """{kind: [alone, first stage, both]}: mean reciprocal ranks; a repository counts as much as another. `vectors(questions, documents)` gives two
    matrices whose product are the similarities."""
    rows = []
    for place in found:
        asked, answered = vectors(place.questions, place.documents)
        similarity = asked.float() @ answered.float().T
        ways = (similarity, place.first, *(place.first + weight * similarity for weight in WEIGHTS))
        figures, kind = np.stack([reciprocal_ranks(place, scores) for scores in ways], 1), data.kind[place.questions]
        rows.append([figures[kind == number].mean(0) if (kind == number).any() else np.full(len(ways), np.nan) for number in range(len(kinds))])
    mean = np.nanmean(np.array(rows), axis=0)
    best = 2 + int(np.nanmean(mean[:, 2:], axis=0).argmax())
    return {name: [round(float(mean[number, way]), 4) for way in (0, 1, best)] for number, name in enumerate(kinds)}
