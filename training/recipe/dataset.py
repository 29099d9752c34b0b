"""The packed data on a device, and the groups: a question, its answers, and wrong answers that look right."""
import numpy as np
import torch

from recipe.tokens import Tokens

KINDS = ["documentation", "commit", "issue", "error"]
TEXTS_A_BATCH = 2048


class Dataset:
    def __init__(self, arrays, settings, device):
        self.settings, self.device = settings, device
        self.questions = Tokens(arrays["question_flat"], arrays["question_counts"], device)
        self.documents = Tokens(arrays["document_flat"], arrays["document_counts"], device)
        self.answers, self.kind = arrays["answers"], arrays["kind"]
        self.question_repository, self.document_repository = arrays["question_repository"], arrays["document_repository"]
        self.document_file = arrays["document_file"]

    def embed_documents(self, encoder, index):
        return embed_sorted(encoder, self.documents, index, self.settings.document_tokens)

    def embed_questions(self, encoder, index):
        return embed_sorted(encoder, self.questions, index, self.settings.question_tokens)


def embed_sorted(encoder, tokens, index, limit, batch=TEXTS_A_BATCH):
    """Vectors in the order of `index`. Texts of like length go together, which saves a third of the padding."""
    index = torch.as_tensor(index, device=tokens.device, dtype=torch.long)
    order = torch.argsort(tokens.counts[index].clamp(max=limit))
    with torch.autocast(tokens.device, dtype=torch.bfloat16, enabled=tokens.device == "cuda"):
        parts = [encoder.embed(*tokens.rows(index[part], limit)) for part in order.split(batch)]
    return torch.cat(parts)[torch.argsort(order)]


@torch.no_grad()
def embed_all(encoder, tokens, limit):
    """Unit vectors of every text in half precision."""
    parts = [embed_sorted(encoder, tokens, part, limit) for part in torch.arange(len(tokens), device=tokens.device).split(65536)]
    return torch.nn.functional.normalize(torch.cat(parts), dim=-1).half()


@torch.no_grad()
def make_groups(data, question_vectors, document_vectors):
    """{question, negatives, rank} of the questions that pass the rank filter.

    The present model ranks the documents of the question's repository. The best-ranked answer must be among the first
    `worst_rank`; documents of an answer's file are never wrong answers, and neither is one that scores far above the best answer,
    because it is often right as well.
    """
    settings, found = data.settings, []
    for repository in np.unique(data.question_repository):
        documents = np.flatnonzero(data.document_repository == repository)
        questions = np.flatnonzero(data.question_repository == repository)
        for part in np.array_split(questions, max(1, len(questions) // 1024)):
            found += rank_part(data, part, documents, question_vectors, document_vectors, settings)
    columns = list(zip(*found)) if found else [(), (), ()]
    negatives = np.array(columns[1], np.int32).reshape(len(columns[0]), settings.negatives)
    return {"question": np.array(columns[0], np.int32), "negatives": negatives, "rank": np.array(columns[2], np.int32)}


def rank_part(data, questions, documents, question_vectors, document_vectors, settings):
    device = data.device
    scores = question_vectors[torch.from_numpy(questions).to(device)].float() @ document_vectors[torch.from_numpy(documents).to(device)].float().T
    answers = torch.from_numpy(data.answers[questions].astype(np.int64)).to(device)
    files = torch.from_numpy(data.document_file).to(device)
    place = torch.full((len(data.document_file),), -1, dtype=torch.long, device=device)
    place[torch.from_numpy(documents).to(device)] = torch.arange(len(documents), device=device)
    is_answer = answers >= 0
    answer_scores = scores.gather(1, place[answers.clamp(min=0)].clamp(min=0)).masked_fill(~is_answer, -2)
    best = answer_scores.max(1).values
    own_files = files[answers.clamp(min=0)].masked_fill(~is_answer, -1)
    own = (files[torch.from_numpy(documents).to(device)][None, :, None] == own_files[:, None, :]).any(2)
    scores = scores.masked_fill(own, -2)
    rank = (scores > best[:, None]).sum(1) + 1
    usable = scores.masked_fill(scores > settings.too_good * best[:, None].clamp(min=0.05), -2)
    top = usable.topk(min(settings.negatives, usable.shape[1]), dim=1)
    kept = []
    for row, question in enumerate(questions):
        negatives = documents[top.indices[row][top.values[row] > -1].cpu().numpy()]
        if rank[row] <= settings.worst_rank and len(negatives):
            padded = np.full(settings.negatives, -1, np.int32)
            padded[:len(negatives)] = negatives
            kept.append((question, padded, int(rank[row])))
    return kept


def validation_repositories(data):
    """Some repositories, always the same, are never trained on."""
    names = np.unique(data.question_repository)
    chosen = np.random.default_rng(5).permutation(names)
    return set(chosen[:max(1, len(names) // data.settings.validation_share)].tolist())
