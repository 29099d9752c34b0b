"""The packed data on a device, and the groups: a question, its answers, and wrong answers that look right."""
import numpy as np
import torch
from torch.nn import functional

from recipe.stage_one import Shelf
from recipe.tokens import Tokens, on_device

KINDS = ["documentation", "commit", "message", "issue", "error"]
TEXTS_A_BATCH = 2048
# While training. Smaller, because a step has a few thousand texts and a part is as wide as its longest.
TEXTS_A_PART = 320
LOWEST = -1e4


class Dataset:
    def __init__(self, arrays, settings, device):
        self.settings, self.device = settings, device
        self.questions = Tokens(arrays["question_flat"], arrays["question_counts"], device)
        self.documents = Tokens(arrays["document_flat"], arrays["document_counts"], device)
        self.answers, self.kind = arrays["answers"], arrays["kind"]
        self.question_repository, self.document_repository = arrays["question_repository"], arrays["document_repository"]
        self.document_file = arrays["document_file"]

    def embed_documents(self, encoder, index):
        return embed_sorted(encoder, self.documents, index, self.settings.document_tokens, TEXTS_A_PART)

    def embed_questions(self, encoder, index):
        return embed_sorted(encoder, self.questions, index, self.settings.question_tokens, TEXTS_A_PART)


def embed_sorted(encoder, tokens, index, limit, batch=TEXTS_A_BATCH):
    """Vectors in the order of `index`. Texts of like length go together, which saves a third of the padding."""
    index = np.asarray(index, np.int64)
    order = np.argsort(tokens.lengths[index].clip(max=limit), kind="stable")
    with torch.autocast(tokens.device, dtype=torch.bfloat16, enabled=tokens.device == "cuda"):
        parts = [encoder.embed(*tokens.rows(index[order[start:start + batch]], limit)) for start in range(0, len(order), batch)]
    return torch.cat(parts)[on_device(np.argsort(order), tokens.device)]


@torch.no_grad()
def embed_all(encoder, tokens, limit):
    """Unit vectors of every text in half precision."""
    parts = [embed_sorted(encoder, tokens, np.arange(start, min(start + 65536, len(tokens))), limit) for start in range(0, len(tokens), 65536)]
    return functional.normalize(torch.cat(parts), dim=-1).half()


@torch.no_grad()
def make_groups(data, question_vectors, document_vectors, stage_one):
    """{question, negatives, rank, answer_offset, negative_offset} of the questions that pass the rank filter.

    Two rankings of the documents of the question's repository count: the first stage's and the present model's. The best-ranked answer must be
    among the first `worst_rank` of one of them. Documents of an answer's file are never wrong answers, and neither is one that scores far above
    the best answer, because it is often right as well. The offsets are what the first stage says of answers and wrong answers.
    """
    settings, found = data.settings, []
    for repository in np.unique(data.question_repository):
        documents = torch.from_numpy(np.flatnonzero(data.document_repository == repository)).to(data.device)
        questions = np.flatnonzero(data.question_repository == repository)
        if len(documents) < 2:
            continue
        shelf = Shelf(stage_one, documents)
        for part in np.array_split(questions, max(1, len(questions) // 512)):
            found.append(rank_part(data, torch.from_numpy(part).to(data.device), documents, question_vectors, document_vectors, shelf.scores))
    columns = [torch.cat(column).cpu().numpy() for column in zip(*found)]
    names = ("question", "negatives", "rank", "answer_offset", "negative_offset")
    made = dict(zip(names, columns))
    return made | {name: made[name].astype(np.int32) for name in names[:3]} | {"scale": np.float32(fit_scale(made, settings.seed))}


def rank_part(data, questions, documents, question_vectors, document_vectors, first_stage):
    settings, device = data.settings, data.device
    similarity = question_vectors[questions].float() @ document_vectors[documents].float().T
    first = first_stage(questions)
    answers = torch.from_numpy(data.answers).to(device)[questions].long()
    files = torch.from_numpy(data.document_file).to(device)
    place = torch.full((len(files),), -1, dtype=torch.long, device=device)
    place[documents] = torch.arange(len(documents), device=device)
    is_answer, at = answers >= 0, place[answers.clamp(min=0)].clamp(min=0)
    own_files = files[answers.clamp(min=0)].masked_fill(~is_answer, -1)
    own = torch.zeros_like(similarity, dtype=torch.bool)
    for column in range(answers.shape[1]):
        own |= files[documents][None] == own_files[:, column, None]
    ranks, best = [], None
    for scores in (first, similarity):
        best = scores.gather(1, at).masked_fill(~is_answer, LOWEST).max(1).values
        ranks.append((scores.masked_fill(own, LOWEST) > best[:, None]).sum(1) + 1)
    unusable = own | (similarity > settings.too_good * best[:, None].clamp(min=0.05))
    by_first = first.masked_fill(unusable, LOWEST).topk(min(settings.negatives_of_stage_one, first.shape[1]), dim=1).indices
    others = similarity.masked_fill(unusable, LOWEST).scatter(1, by_first, LOWEST)
    chosen = torch.cat([by_first, others.topk(min(settings.negatives - by_first.shape[1], others.shape[1]), dim=1).indices], dim=1)
    chosen = functional.pad(chosen, (0, settings.negatives - chosen.shape[1]), value=-1)
    # The second list may reach into the first where a repository is small.
    repeated = (chosen[:, :, None] == chosen[:, None]).tril(-1).any(2)
    wrong = (chosen < 0) | repeated | unusable.gather(1, chosen.clamp(min=0))
    order = torch.argsort(wrong.int(), dim=1, stable=True)
    chosen, wrong = chosen.gather(1, order).clamp(min=0), wrong.gather(1, order)
    rank = torch.minimum(*ranks)
    kept = (rank <= settings.worst_rank) & ~wrong[:, 0]
    columns = (questions, documents[chosen].masked_fill(wrong, -1), rank, first.gather(1, at).masked_fill(~is_answer, LOWEST),
               first.gather(1, chosen).masked_fill(wrong, LOWEST))
    return [column[kept] for column in columns]


def fit_scale(made, seed):
    """The factor that makes the first stage's scores best log-odds of the answer among its wrong answers."""
    some = np.random.default_rng(seed).permutation(len(made["question"]))[:20_000]
    offsets = np.concatenate([made["answer_offset"][some, :1], made["negative_offset"][some]], axis=1).astype(np.float64)

    def likelihood(scale):
        scaled = scale * np.maximum(offsets, -50)
        return (scaled[:, 0] - np.log(np.exp(scaled).sum(1))).mean()
    return max(np.linspace(0.05, 1.5, 30), key=likelihood) if len(some) else 1.0


def validation_repositories(data):
    """Some repositories, always the same, are never trained on."""
    names = np.unique(data.question_repository)
    chosen = np.random.default_rng(5).permutation(names)
    return set(chosen[:max(1, len(names) // data.settings.validation_share)].tolist())
