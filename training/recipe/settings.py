"""Every number of a run, in one place. `FULL` is the recipe for one large GPU; `TINY` is for the tests."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Draw:
    """How a batch is drawn."""
    questions: int = 512
    # Consecutive questions from one source.
    block: int = 24
    # The share of answers in which words of the question are hidden, and the share of questions in other words.
    hidden: float = 0.4
    rewritten: float = 0.35
    # The share of answers without their header.
    headless: float = 0.25
    # The share of questions that get a negative that shares words with them.
    wrong: float = 0.65
    # Sentences, and also pieces of files, for each source that is drawn.
    unpaired: int = 14
    question_tokens: int = 70
    document_tokens: int = 200
    piece_tokens: int = 240


@dataclass(frozen=True)
class Goal:
    """The loss of a run, and how long it trains."""
    draw: Draw
    rate: float
    minutes: float
    seed: int = 1
    steps: int = 1_000_000
    # Weights of the loss: the right answers (contrastive), the teacher's similarities, and its vectors through a linear map.
    contrastive: float = 1.0
    alike: float = 1.0
    near: float = 0.0
    # Within the contrastive part: answers against questions, and the first 256 dimensions.
    reverse: float = 0.3
    cut: float = 0.3
    weight_decay: float = 0.01
    # Texts to embed at a time; None for all of them.
    part: int | None = None


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    # Mining: limits for each source.
    commits: int = 5000
    seconds: float = 25
    documentation: int = 2500
    errors: int = 600
    # For packages, whose errors are often repeated.
    errors_of_a_package: int = 60
    # Packing: the kinds of questions to train on, and how many of a source.
    kinds: tuple = ("documentation",)
    questions_of_a_source: int = 260
    question_tokens: int = 72
    document_tokens: int = 240
    # Training.
    workers: int = 4
    teacher: Goal = Goal(Draw(questions=640, block=32, hidden=0.5, wrong=1.0, unpaired=0, document_tokens=160), rate=4e-5, minutes=2.2,
                         alike=0.15, cut=0.0, part=320)
    # Layers of the published MiniLM. The student is the mean of all runs.
    layers: tuple = (0, 1, 3, 5)
    students: tuple = (Goal(Draw(), rate=2.5e-4, minutes=9.3, contrastive=0.5, near=1.5),
                       Goal(Draw(hidden=0.3, rewritten=0.3), rate=2.5e-4, minutes=9.3, seed=2, contrastive=0.25, near=3.0))
    static: Goal = Goal(Draw(questions=768, wrong=0.8, unpaired=16, document_tokens=300, piece_tokens=300), rate=2e-4, minutes=0.9, seed=4,
                        contrastive=0.15, alike=0.5, reverse=0.0, cut=0.0, weight_decay=0.0)
    # Share of the trained table in the mean; the rest is the table that it started from.
    static_share: float = 0.75


def tiny(goal):
    return replace(goal, steps=2, draw=replace(goal.draw, questions=8, block=6, unpaired=min(goal.draw.unpaired, 2), document_tokens=48))


FULL = Settings()
TINY = replace(FULL, commits=50, documentation=40, errors=20, kinds=("documentation", "commit"), document_tokens=48, question_tokens=24, workers=0,
               teacher=tiny(FULL.teacher), students=tuple(map(tiny, FULL.students)), static=tiny(FULL.static))
