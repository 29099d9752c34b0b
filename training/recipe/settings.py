"""Every number of a run, in one place. `FULL` is the recipe for one large GPU; `TINY` is for the tests."""
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Settings:
    seed: int = 1
    # Mining, for each repository.
    commits: int = 5000
    seconds: float = 25
    documentation: int = 2500
    errors: int = 600
    # A package's, whose errors are many times the same.
    errors_of_a_package: int = 60
    # Packing. Questions beyond these shares of the whole are left out at random; histories would crowd out the rest.
    shares: tuple = (("documentation", 0.71), ("commit", 0.15), ("message", 0.05), ("issue", 0.03), ("error", 0.06))
    question_tokens: int = 254
    document_tokens: int = 224
    # Groups. A positive that the present model ranks lower than this in its repository is noise more often than a hard case.
    worst_rank: int = 20
    negatives: int = 12
    negatives_of_stage_one: int = 8
    too_good: float = 1.1
    validation_share: int = 16
    # Training.
    questions_a_step: int = 1024
    block: int = 64
    negatives_a_question: int = 1
    temperature: float = 0.05
    dimensions: tuple = ((384, 1.0), (256, 0.3), (128, 0.3))
    near: float = 1.0
    kl: float = 1.0
    residual: float = 0.3
    # How much the student follows the teachers' similarities within a batch.
    like: float = 1.0
    # Of hidden states, while training only. Runs of many epochs over few repositories learn their names by heart without it.
    dropout: float = 0.05
    # A question of this kind counts so many times.
    repeats: tuple = (("message", 2), ("issue", 3))
    rate: float = 2e-4
    steps: int = 30_000
    minutes: float = 10
    # Runs that differ in their seed and are averaged.
    teacher_runs: int = 1
    teacher_rate: float = 1.5e-4
    teacher_minutes: float = 7.5
    scorer_groups: int = 64
    scorer_candidates: int = 12
    scorer_rate: float = 2e-4
    scorer_steps: int = 2500
    scorer_minutes: float = 3
    # The static model.
    words: int = 40_000
    buckets: int = 8_192
    static_dimensions: int = 192
    static_rate: float = 3e-3
    static_steps: int = 1200


FULL = Settings()
TINY = replace(FULL, teacher_runs=2, commits=50, documentation=40, errors=20, questions_a_step=8, block=4, negatives_a_question=2, steps=2, scorer_groups=4,
               scorer_candidates=4, scorer_steps=2, words=200, buckets=64, static_steps=2, validation_share=2, document_tokens=48,
               question_tokens=24)
