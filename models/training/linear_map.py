"""Measures what a linear map of the frozen base model's vectors gains on a corpus that it was not learned on.

    npx tsx models/training/dump.ts <folder> --queries
    python models/training/linear_map.py --data <folder> [--mode queries|shared|both]

For each corpus in turn: learned on the dev sides of the others, softmax over a corpus' tools, squared distance to the
identity; measured on up to 600 queries of it. Prints dense and fused nDCG@10 (all vectors compared, the shipped weights).
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import log_softmax, normalize

from pairs import SOURCES

SIZE = 384
TEMPERATURE = 0.05
STRENGTH = 0.03
STEPS = 25


@dataclass(frozen=True)
class Queries:
    documents: torch.Tensor
    queries: torch.Tensor
    shares: torch.Tensor
    """Lexical shares, one row a query, one column a document."""
    relevant: torch.Tensor
    """Of the same shape: the relevant tools of a query share 1."""
    dev: torch.Tensor


def read(data: Path, corpus: str) -> Queries:
    dump = json.loads((data / f"{corpus}.json").read_text("utf-8"))
    drawn = [dump["queries"][at] for at in json.loads((data / f"{corpus}.drawn.json").read_text("utf-8"))]
    columns = len(dump["documents"])
    matrix = lambda name, width: torch.from_numpy(np.fromfile(data / f"{corpus}.{name}.f32", np.float32).reshape(-1, width))
    relevant = torch.zeros(len(drawn), columns)
    for row, query in enumerate(drawn):
        relevant[row, query["relevant"]] = 1 / len(set(query["relevant"]))
    dev = torch.tensor([query["split"] == "dev" for query in drawn])
    return Queries(matrix("documents", SIZE), matrix("queries", SIZE), matrix("shares", columns), relevant, dev)


Maps = tuple[torch.Tensor, torch.Tensor]


def similarities(corpus: Queries, maps: Maps, rows: torch.Tensor | slice = slice(None)) -> torch.Tensor:
    of_queries, of_documents = maps
    return normalize(corpus.queries[rows] @ of_queries.T, dim=1) @ normalize(corpus.documents @ of_documents.T, dim=1).T


def learn(corpora: list[Queries], mode: str) -> Maps:
    """The maps of queries and of documents. `shared`: one for both; `both`: one each; `queries`: documents stay."""
    identity = torch.eye(SIZE)
    learned = [identity.clone().requires_grad_() for _ in range(2 if mode == "both" else 1)]
    maps = (learned[0], {"queries": identity, "shared": learned[0], "both": learned[-1]}[mode])
    optimizer = torch.optim.LBFGS(learned, lr=1, max_iter=STEPS, history_size=10, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = STRENGTH * sum(((one - identity) ** 2).sum() for one in learned)
        for corpus in corpora:
            likelihoods = log_softmax(similarities(corpus, maps, corpus.dev) / TEMPERATURE, dim=1)
            loss = loss - (corpus.relevant[corpus.dev] * likelihoods).sum(dim=1).mean() / len(corpora)
        loss.backward()
        return loss

    optimizer.step(closure)
    return maps[0].detach(), maps[1].detach()


def ndcg10(evidence: torch.Tensor, relevant: torch.Tensor) -> float:
    """Mean nDCG@10 with binary relevance."""
    discounts = 1 / torch.log2(torch.arange(2, 12).float())
    top = evidence.argsort(dim=1, descending=True, stable=True)[:, :10]
    gains = ((relevant > 0).float().gather(1, top) * discounts).sum(dim=1)
    ideal = discounts.cumsum(0)[(relevant > 0).sum(dim=1).clamp(max=10) - 1]
    return (gains / ideal).mean().item()


def measure(corpus: Queries, maps: Maps, lexical_weight: float) -> list[float]:
    cosines = similarities(corpus, maps)
    return [ndcg10(cosines, corpus.relevant), ndcg10(cosines + lexical_weight * corpus.shares, corpus.relevant)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that dump.ts --queries wrote")
    parser.add_argument("--mode", choices=["queries", "shared", "both"], default="queries", help="which vectors are mapped")
    args = parser.parse_args()
    lexical_weight = json.loads((args.data / "ranking.json").read_text("utf-8"))["lexicalWeight"]
    names = [name for name in SOURCES if (args.data / f"{name}.drawn.json").exists()]
    corpora = {name: read(args.data, name) for name in names}
    rows = []
    for name, corpus in corpora.items():
        maps = learn([other for key, other in corpora.items() if key != name], args.mode)
        rows.append(measure(corpus, (torch.eye(SIZE), torch.eye(SIZE)), lexical_weight) + measure(corpus, maps, lexical_weight))
        print_row(name, rows[-1])
    print_row("mean", np.mean(rows, axis=0))


def print_row(name: str, row: list[float]) -> None:
    before_dense, before_fused, dense, fused = row
    print(f"{name:16} dense {before_dense:.3f} → {dense:.3f}, fused {before_fused:.3f} → {fused:.3f}", flush=True)


if __name__ == "__main__":
    main()
