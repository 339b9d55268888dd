"""Fits the bundled model's query heads over what dump.ts wrote.

    npx tsx models/training/heads/dump.ts .cache/heads
    python models/training/heads/fit.py .cache/heads --leave-one-out
    python models/training/heads/fit.py .cache/heads --out models/all-MiniLM-L6-v2

Two heads over the frozen model's query vectors (documents stay as they are):

- query_map.f32: a matrix W, 384 rows of 384 floats (little-endian). A query's vector is W q at unit length. Learned by
  softmax over each corpus' tools, with a penalty on the squared distance to the identity. What the words say of a tool
  is added before, so that the map learns what they leave open.
- small_talk.f32: 384 weights and a bias of a logistic regression over mapped queries: how likely a text is small talk
  and no request.

With --out, the heads' hashes go into the folder's checksums.json, too. With --leave-one-out, prints for each corpus what heads learned from the others do to it, and writes these to
<folder>/<corpus>/, where `npm run bench -- retrieval --heads <folder>` and bench/fit-score.ts take them from.
Needs numpy and torch (requirements.txt); takes a minute, and three with --leave-one-out.
"""

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import binary_cross_entropy_with_logits, normalize

DIMENSIONS = 384
CORPORA = "metatool seal-tools bfcl stabletoolbench acebench api-bank gorilla nestful toolalpaca".split()
HEADS = ("query_map.f32", "small_talk.f32")

# As leave-one-out chose.
TEMPERATURE = 0.09
TOWARDS_IDENTITY = 0.007
SMALL_TALK_L2 = 0.0003
STEPS = 30
# What a share weighs beside a cosine similarity: lexicalShare / cosine of DEFAULT_WEIGHTS in src/ranking/score.ts.
LEXICAL_WEIGHT = 3.2


def read(folder: Path, name: str) -> torch.Tensor:
    return torch.from_numpy(np.fromfile(folder / name, dtype="<f4").reshape(-1, DIMENSIONS))


def load(folder: Path) -> dict:
    corpora = {}
    for name in CORPORA:
        documents, queries = read(folder, f"{name}.documents.f32"), read(folder, f"{name}.queries.f32")
        shares = np.fromfile(folder / f"{name}.shares.f32", dtype="<f4").reshape(len(queries), len(documents))
        relevant = [sorted(set(each)) for each in json.loads((folder / f"{name}.relevant.json").read_text())]
        targets = torch.zeros(len(queries), len(documents))
        for row, each in enumerate(relevant):
            targets[row, each] = 1 / len(each)
        keywords = read(folder, f"{name}.keywords.f32")
        corpora[name] = dict(
            documents=documents,
            queries=queries,
            shares=torch.from_numpy(shares),
            relevant=relevant,
            targets=targets,
            keywords=keywords,
        )
    return corpora


def minimize(parameters: list, loss_of, steps: int) -> None:
    optimizer = torch.optim.LBFGS(parameters, max_iter=steps, history_size=10, line_search_fn="strong_wolfe")

    def closure():
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        return loss

    optimizer.step(closure)


def fit_map(corpora: list) -> torch.Tensor:
    matrix = torch.eye(DIMENSIONS, requires_grad=True)

    def loss_of():
        loss = TOWARDS_IDENTITY * ((matrix - torch.eye(DIMENSIONS)) ** 2).sum()
        for corpus in corpora:
            evidence = mapped(matrix, corpus["queries"]) @ corpus["documents"].T + LEXICAL_WEIGHT * corpus["shares"]
            log_likelihoods = torch.log_softmax(evidence / TEMPERATURE, 1)
            loss = loss - (corpus["targets"] * log_likelihoods).sum(1).mean() / len(corpora)
        return loss

    minimize([matrix], loss_of, STEPS)
    return matrix.detach()


def mapped(matrix: torch.Tensor, vectors: torch.Tensor) -> torch.Tensor:
    return normalize(vectors @ matrix.T, dim=1)


def fit_small_talk(corpora: list, everyday: torch.Tensor, talk: torch.Tensor, matrix: torch.Tensor) -> tuple:
    requests = [corpus["queries"] for corpus in corpora]
    keywords = torch.cat([corpus["keywords"] for corpus in corpora])
    groups = [*requests, keywords, everyday, talk]
    # Each corpus counts the same; all of them, the everyday requests and the small talk as much, and the keywords half.
    totals = [*(1 / len(corpora) for _ in corpora), 0.5, 1.0, 1.0]
    vectors = mapped(matrix, torch.cat(groups))
    labels = torch.cat([torch.full((len(group),), float(group is talk)) for group in groups])
    counts = torch.cat([torch.full((len(group),), total / len(group)) for group, total in zip(groups, totals)])
    weights, bias = torch.zeros(DIMENSIONS, requires_grad=True), torch.zeros(1, requires_grad=True)

    def loss_of():
        loss = binary_cross_entropy_with_logits(vectors @ weights + bias, labels, reduction="none")
        return (counts * loss).sum() + SMALL_TALK_L2 * (weights**2).sum()

    minimize([weights, bias], loss_of, 200)
    return weights.detach(), bias.detach()


def ndcg(ranking: list, relevant: list, k: int = 10) -> float:
    gain = sum(1 / np.log2(at + 2) for at, tool in enumerate(ranking[:k]) if tool in relevant)
    return gain / sum(1 / np.log2(at + 2) for at in range(min(k, len(relevant))))


def auc(high: np.ndarray, low: np.ndarray) -> float:
    return float(np.mean((high[:, None] > low[None]) + 0.5 * (high[:, None] == low[None])))


def measure(corpus: dict, matrix: torch.Tensor, count: int = 400) -> dict:
    """nDCG@10 by meaning alone and as shipped, and the area under the curve that tells a request from one whose topic
    (tools of a cosine of 0.5 and more to a relevant one) is gone; over the first `count` queries."""
    documents = corpus["documents"]
    similarities = (mapped(matrix, corpus["queries"][:count]) @ documents.T).numpy()
    dense, shipped, best, without = [], [], [], []
    for similarity, share, relevant in zip(similarities, corpus["shares"].numpy(), corpus["relevant"]):
        evidence = similarity + LEXICAL_WEIGHT * share
        dense.append(ndcg(np.argsort(-similarity, kind="stable")[:10].tolist(), relevant))
        shipped.append(ndcg(np.argsort(-evidence, kind="stable")[:10].tolist(), relevant))
        topic = ((documents @ documents[relevant].T).max(1).values >= 0.5).numpy()
        topic[relevant] = True
        best.append(evidence.max())
        if not topic.all():
            without.append(evidence[~topic].max())
    return {
        "dense": np.mean(dense),
        "shipped": np.mean(shipped),
        "topic": auc(np.array(best), np.array(without)),
        "gains": np.array(shipped),
    }


def interval(gains: np.ndarray) -> str:
    rng = np.random.default_rng(1)
    means = [rng.choice(gains, len(gains)).mean() for _ in range(1000)]
    return f"[{np.quantile(means, 0.025):+.4f}, {np.quantile(means, 0.975):+.4f}]"


def write(folder: Path, matrix: torch.Tensor, weights: torch.Tensor, bias: torch.Tensor) -> None:
    folder.mkdir(exist_ok=True)
    query_map, small_talk = HEADS
    matrix.numpy().astype("<f4").tofile(folder / query_map)
    torch.cat([weights, bias]).numpy().astype("<f4").tofile(folder / small_talk)


def record_sums(folder: Path) -> None:
    """Writes the heads' lengths and hashes into the model's checksums.json."""
    path = folder / "checksums.json"
    recorded = json.loads(path.read_text())
    heads = {name: (folder / name).read_bytes() for name in HEADS}
    recorded["heads"] = {
        name: {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()} for name, data in heads.items()
    }
    path.write_text(json.dumps(recorded, indent=2) + "\n")


def leave_one_out(folder: Path, corpora: dict, everyday: torch.Tensor, talk: torch.Tensor) -> None:
    print("| left out | dense | shipped | change | topic removed, AUC | small talk against requests, AUC |")
    print("|---|---|---|---|---|---|")
    rows = []
    for name, corpus in corpora.items():
        others = [other for key, other in corpora.items() if key != name]
        matrix = fit_map(others)
        write(folder / name, matrix, *fit_small_talk(others, everyday, talk, matrix))
        before, after = measure(corpus, torch.eye(DIMENSIONS)), measure(corpus, matrix)
        # Half of the lines are learned from, the others told apart from the requests left out.
        weights, bias = fit_small_talk(others, everyday, talk[::2], matrix)
        logits = [(mapped(matrix, vectors) @ weights + bias).numpy() for vectors in (talk[1::2], corpus["queries"])]
        change = after["gains"] - before["gains"]
        row = [before["dense"], after["dense"], before["shipped"], after["shipped"], change.mean()]
        rows.append([*row, before["topic"], after["topic"], auc(*logits)])
        print(cells(name, rows[-1], interval(change)), flush=True)
    print(cells("mean", np.mean(rows, axis=0), ""))


def cells(name: str, row, of: str) -> str:
    dense, dense_after, shipped, shipped_after, change, topic, topic_after, talk = row
    return (
        f"| {name} | {dense:.3f} to {dense_after:.3f} | {shipped:.3f} to {shipped_after:.3f} | {change:+.4f} {of} "
        f"| {topic:.3f} to {topic_after:.3f} | {talk:.3f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path, help="what dump.ts wrote")
    parser.add_argument("--out", type=Path, help="the model's folder")
    parser.add_argument("--leave-one-out", action="store_true")
    options = parser.parse_args()
    corpora = load(options.folder)
    everyday, talk = (read(options.folder, f"{name}.f32") for name in ("everyday-requests", "small-talk"))
    if options.leave_one_out:
        return leave_one_out(options.folder, corpora, everyday, talk)
    if options.out is None:
        parser.error("--out or --leave-one-out is needed")
    matrix = fit_map(list(corpora.values()))
    write(options.out, matrix, *fit_small_talk(list(corpora.values()), everyday, talk, matrix))
    record_sums(options.out)


if __name__ == "__main__":
    main()
