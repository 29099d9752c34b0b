"""Draws the questions and documents of one training step. The draw depends on seed and step alone, so a run can be resumed."""
from dataclasses import dataclass

import numpy as np

MAX_WEIGHT_OF_A_REPOSITORY = 800


@dataclass
class Batch:
    group: np.ndarray
    """Index of each question's group."""
    question: np.ndarray
    document: np.ndarray
    """An answer of each question first, then all wrong answers that were drawn."""
    slots: np.ndarray
    """For each question the places in `document` of its answer and of its own wrong answers; -1 where there are fewer."""
    columns: np.ndarray
    """For each slot the column of the group that it came from (0 is the answer)."""
    offset: np.ndarray
    """For each slot what the first stage says of the document, as log-odds."""


def repeat_kinds(groups, kinds, repeats):
    """(groups with those of some kinds several times, index of each among the given ones). Reports are few, and what the second stage is for."""
    wanted = np.ones(len(kinds), np.int64)
    for kind, times in repeats:
        wanted[kinds == kind] = times
    index = np.repeat(np.arange(len(kinds)), wanted)
    return {name: values[index] if np.ndim(values) else values for name, values in groups.items()}, index


class Sampler:
    def __init__(self, data, groups, without_repositories):
        self.data, self.groups, self.settings = data, groups, data.settings
        repository = data.question_repository[groups["question"]]
        self.by_repository = {name: np.flatnonzero(repository == name) for name in np.unique(repository) if name not in without_repositories}
        self.names = np.array(list(self.by_repository))
        weight = np.array([min(len(members), MAX_WEIGHT_OF_A_REPOSITORY) for members in self.by_repository.values()], float)
        self.weight = weight / weight.sum()

    def draw(self, step, first_answer=False):
        """Blocks of one repository: documents of the same project are the wrong answers that matter."""
        settings, rng = self.settings, np.random.default_rng([self.settings.seed, step])
        chosen = np.zeros(0, np.int64)
        for _ in range(4 * settings.questions_a_step):
            if len(chosen) >= settings.questions_a_step:
                break
            members = self.by_repository[rng.choice(self.names, p=self.weight)]
            chosen = np.unique(np.concatenate([chosen, rng.choice(members, min(settings.block, len(members)), replace=False)]))
        return self._batch(rng.permutation(chosen)[:settings.questions_a_step], rng, first_answer)

    def _batch(self, group, rng, first_answer):
        settings = self.settings
        question = self.groups["question"][group]
        answers, negatives = self.data.answers[question], self.groups["negatives"][group]
        pick = np.zeros(len(group), int) if first_answer else rng.integers(0, (answers >= 0).sum(1))
        document = [answers[np.arange(len(group)), pick]]
        slots = np.full((len(group), 1 + settings.negatives_a_question), -1)
        columns = np.zeros_like(slots)
        offset = np.zeros(slots.shape, np.float32)
        offset[:, 0] = self.groups["answer_offset"][group, pick]
        slots[:, 0] = np.arange(len(group))
        for place in range(1, slots.shape[1]):
            column = rng.integers(0, (negatives >= 0).sum(1))
            document.append(negatives[np.arange(len(group)), column])
            slots[:, place] = place * len(group) + np.arange(len(group))
            columns[:, place] = 1 + column
            offset[:, place] = self.groups["negative_offset"][group, column]
        return Batch(group, question, np.concatenate(document), slots, columns, offset * self.groups["scale"])
