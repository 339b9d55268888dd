"""Fine-tunes all-MiniLM-L6-v2 on pairs of requests and tool documents.

    python models/training/train.py --data <folder of dump.ts> --out <folder of weights> [--leave-out metatool]

Loss: in-batch contrast in both directions, and a sigmoid loss that makes cosine similarities of different requests
comparable (SigLIP, arXiv 2303.15343); small talk has no right document in it. Half of each batch are documents near to
one another by the base model: hard negatives. Pairs whose documents are nearly the same are no negatives of each other.
"""

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import cross_entropy, logsigmoid, normalize
from transformers import AutoModel

from pairs import Pair, draw_pairs, names_in, read_corpora

FOLDER = Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parents[1] / "scripts/model"))
from reference import SOURCE, load_tokenizer  # noqa: E402

LEARNING_RATE = 6e-5
WARM_UP_STEPS = 20
TEMPERATURE = 0.05
# Documents ranked by requests count fully, requests ranked by documents less: search ranks documents.
BACKWARD_WEIGHT = 0.3
SIGMOID_WEIGHT = 0.3
SIGMOID_SCALE = 20.0
SIGMOID_BIAS = -7.0
NEGATIVES_WEIGHT = 0.5
# Documents at least as similar by the base model may serve one another's requests.
SAME_COSINE = 0.8
SMALL_TALK_LINES = 8
# Embeddings and the lower layers stay: less is forgotten, and a step takes less time.
FROZEN_LAYERS = 3
QUERY_TOKENS, DOCUMENT_TOKENS = 32, 56
MASKED = -1e4


def base_vectors(data: Path, pairs: list[Pair]) -> np.ndarray:
    """The base model's vector of each pair's document, in full."""
    corpora = {pair.corpus for pair in pairs}
    rows = {name: np.fromfile(data / f"{name}.documents.f32", np.float32).reshape(-1, 384) for name in corpora}
    return np.stack([rows[pair.corpus][pair.tool] for pair in pairs])


def draw_batches(vectors: np.ndarray, size: int, count: int, rng: np.random.Generator) -> list[np.ndarray]:
    """Positions of pairs: half of a batch near one anchor, half of all; each pair once before any comes again."""
    batches: list[np.ndarray] = []
    while len(batches) < count:
        left = np.ones(len(vectors), bool)
        batches_of_pass = []
        while left.sum() >= size:
            live = np.flatnonzero(left)
            nearest = live[np.argsort(-(vectors[live] @ vectors[rng.choice(live)]), kind="stable")[: 2 * size]]
            near = rng.permutation(nearest)[: size // 2]
            left[near] = False
            rest = rng.choice(np.flatnonzero(left), size - len(near), replace=False)
            left[rest] = False
            batches_of_pass.append(np.concatenate([near, rest]))
        # Late batches of a pass hold what is near to nothing.
        batches += [batches_of_pass[at] for at in rng.permutation(len(batches_of_pass))]
    return batches[:count]


def same_documents(pairs: list[Pair], vectors: np.ndarray) -> torch.Tensor:
    """Where the document of column j may serve the request of row i, the pair itself apart."""
    same = vectors @ vectors.T > SAME_COSINE
    for i, asked in enumerate(pairs):
        for j, given in enumerate(pairs):
            same[i, j] |= asked.corpus == given.corpus and given.tool in asked.relevant
    np.fill_diagonal(same, False)
    return torch.from_numpy(same)


def encode(model: torch.nn.Module, tokenizer, texts: list[str]) -> torch.Tensor:
    """One unit-length row a text: the mean of its token vectors."""
    rows = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    longest = max(map(len, rows))
    ids = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    mask = torch.tensor([[1] * len(row) + [0] * (longest - len(row)) for row in rows])
    hidden = model(input_ids=ids, attention_mask=mask).last_hidden_state
    weights = mask[:, :, None].float()
    return normalize((hidden * weights).sum(dim=1) / weights.sum(dim=1), dim=1)


def loss_of(similarity: torch.Tensor, same: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The contrastive and the sigmoid loss. Rows of `similarity`: the pairs' requests, then small talk; columns: documents."""
    count = len(same)
    own = similarity[:count]
    right = torch.arange(count)
    contrast = cross_entropy((own / TEMPERATURE).masked_fill(same, MASKED), right)
    backward = cross_entropy((own.T / TEMPERATURE).masked_fill(same.T, MASKED), right)
    logits = SIGMOID_SCALE * similarity + bias
    negative = torch.cat([~same & ~torch.eye(count, dtype=torch.bool), torch.ones_like(similarity[count:], dtype=torch.bool)])
    positives = -logsigmoid(logits[:count].diagonal()).mean()
    negatives = -(logsigmoid(-logits) * negative).sum() / count
    return contrast + BACKWARD_WEIGHT * backward, positives + NEGATIVES_WEIGHT * negatives


def load_base() -> torch.nn.Module:
    # Without dropout: so few steps do not overfit, and a step is the same on any machine.
    return AutoModel.from_pretrained(SOURCE, attn_implementation="sdpa", dtype=torch.float32).eval()


def freeze(model: torch.nn.Module) -> list[torch.nn.Parameter]:
    """Freezes embeddings and lower layers; gives the parameters that learn."""
    for part in (model.embeddings, *model.encoder.layer[:FROZEN_LAYERS], model.pooler):
        part.requires_grad_(False)
    return [parameter for parameter in model.parameters() if parameter.requires_grad]


def average(model: torch.nn.Module, share: float) -> None:
    """Makes the weights `share` times their own and 1 − `share` times the base's."""
    base = load_base().state_dict()
    with torch.no_grad():
        for name, weights in model.state_dict().items():
            if weights.is_floating_point():
                weights.lerp_(base[name], 1 - share)


def train(args: argparse.Namespace) -> list[Pair]:
    """Writes the tuned weights to `args.out`; gives the pairs that were drawn."""
    torch.manual_seed(args.seed)
    rng = np.random.default_rng(args.seed)
    pairs = draw_pairs(read_corpora(args.data), args.leave_out, args.seed)
    if len(pairs) < args.batch:
        sys.exit(f"Expected at least {args.batch} pairs for one batch, got {len(pairs)}: leave out fewer corpora")
    talk = (FOLDER / "data/small-talk.txt").read_text("utf-8").split("\n")[:-1]
    vectors = base_vectors(args.data, pairs)
    model = load_base()
    parameters = freeze(model)
    bias = torch.tensor(SIGMOID_BIAS, requires_grad=True)
    optimizer = torch.optim.AdamW(
        [{"params": parameters}, {"params": [bias], "lr": 0.02, "weight_decay": 0}], lr=LEARNING_RATE, weight_decay=0.01
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1, (step + 1) / WARM_UP_STEPS) * max(0.02, 1 - step / args.steps)
    )
    query_tokenizer, document_tokenizer = load_tokenizer(QUERY_TOKENS), load_tokenizer(DOCUMENT_TOKENS)
    print(f"{len(pairs)} pairs, {args.steps} steps of {args.batch}", flush=True)
    start = time.monotonic()
    for step, batch in enumerate(draw_batches(vectors, args.batch, args.steps, rng)):
        drawn = [pairs[at] for at in batch]
        requests = [pair.query for pair in drawn] + list(rng.choice(talk, SMALL_TALK_LINES, replace=False))
        similarity = encode(model, query_tokenizer, requests) @ encode(
            model, document_tokenizer, [pair.document for pair in drawn]
        ).T
        contrast, sigmoid = loss_of(similarity, same_documents(drawn, vectors[batch]), bias)
        (contrast + SIGMOID_WEIGHT * sigmoid).backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad()
        if step % 10 == 0 or step == args.steps - 1:
            losses = f"contrast {contrast.item():.3f}, sigmoid {sigmoid.item():.3f}"
            print(f"step {step + 1}: {losses}, {time.monotonic() - start:.0f} s", flush=True)
    average(model, args.average)
    model.save_pretrained(args.out)
    return pairs


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--leave-out", type=names_in, default=set(), help="corpora of which nothing is learned")
    parser.add_argument("--steps", type=int, default=480)
    parser.add_argument("--batch", type=int, default=48, help="pairs a step")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--average", type=float, default=0.5, help="share (0–1) of the tuned weights, the rest the base's")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that dump.ts wrote")
    parser.add_argument("--out", type=Path, required=True, help="folder for config.json and model.safetensors")
    add_options(parser)
    train(parser.parse_args())


if __name__ == "__main__":
    main()
