"""Every number of a run, in one place. `FULL` is the recipe for one large GPU; `TINY` is for the tests."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Draw:
    """What a batch is made of."""
    questions: int = 512
    # Questions of one source in a row.
    block: int = 24
    # In this share of the answers words of the question are hidden; this share of the questions is in other words.
    hidden: float = 0.4
    rewritten: float = 0.35
    # In this share of the answers the header is left out.
    headless: float = 0.25
    # How many questions get a wrong answer that shares words with them.
    wrong: float = 0.65
    # Sentences, and pieces of files, of each source that is drawn.
    unpaired: int = 14
    question_tokens: int = 70
    document_tokens: int = 200
    piece_tokens: int = 240


@dataclass(frozen=True)
class Goal:
    """What a run learns, and for how long."""
    draw: Draw
    rate: float
    minutes: float
    seed: int = 1
    steps: int = 1_000_000
    # How much the right answers count, the teacher's similarities, and its vectors through a linear map.
    contrastive: float = 1.0
    alike: float = 1.0
    near: float = 0.0
    # Of the contrastive part: answers against questions, and the first 256 dimensions.
    reverse: float = 0.3
    cut: float = 0.3
    weight_decay: float = 0.01
    # Texts that are embedded at a time; all of them otherwise.
    part: int | None = None


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    # Mining, for each source.
    commits: int = 5000
    seconds: float = 25
    documentation: int = 2500
    errors: int = 600
    # A package's, whose errors are many times the same.
    errors_of_a_package: int = 60
    # Packing: the kinds of questions that are trained on, and how many of a source.
    kinds: tuple = ("documentation",)
    questions_of_a_source: int = 260
    question_tokens: int = 72
    document_tokens: int = 240
    # Training.
    workers: int = 4
    teacher: Goal = Goal(Draw(questions=640, block=32, hidden=0.5, wrong=1.0, unpaired=0, document_tokens=160), rate=4e-5, minutes=2.2,
                         alike=0.15, cut=0.0, part=320)
    # Of the published MiniLM. The mean of all runs is the student.
    layers: tuple = (0, 1, 3, 5)
    students: tuple = (Goal(Draw(), rate=2.5e-4, minutes=9.3, contrastive=0.5, near=1.5),
                       Goal(Draw(hidden=0.3, rewritten=0.3), rate=2.5e-4, minutes=9.3, seed=2, contrastive=0.25, near=3.0))
    static: Goal = Goal(Draw(questions=768, wrong=0.8, unpaired=16, document_tokens=300, piece_tokens=300), rate=2e-4, minutes=0.9, seed=4,
                        contrastive=0.15, alike=0.5, reverse=0.0, cut=0.0, weight_decay=0.0)
    # Of the trained table; the rest is the one that it began at.
    static_share: float = 0.75


def tiny(goal):
    return replace(goal, steps=2, draw=replace(goal.draw, questions=8, block=6, unpaired=min(goal.draw.unpaired, 2), document_tokens=48))


FULL = Settings()
TINY = replace(FULL, commits=50, documentation=40, errors=20, kinds=("documentation", "commit"), document_tokens=48, question_tokens=24, workers=0,
               teacher=tiny(FULL.teacher), students=tuple(map(tiny, FULL.students)), static=tiny(FULL.static))
