"""Draws the training pairs, a request and a document that serves it, from what dump.ts wrote.

    python models/training/pairs.py --data <folder> [--leave-out metatool,bfcl] [--seed 1] > pairs.jsonl

Only the dev side's queries are drawn. None is a near-duplicate of a query that is measured: of the test side of any
corpus, or of any side of a corpus left out.
"""

import argparse
import json
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from near_duplicates import NearDuplicates
from made_requests import render, render_any, request_of, with_typo

TYPO_SHARE = 0.12
MOST_TOOLS_OF_A_QUERY = 2
MOST_QUERY_CHARACTERS = 500
LEAST_QUERY_CHARACTERS = 4


@dataclass(frozen=True)
class Source:
    """How much of a corpus is drawn: variety helps, volume does not."""

    pairs: int
    """At most."""
    per_tool: int
    """At most for one tool, so that no tool is learned by heart."""
    made: int = 0
    """Requests made of definitions, at most."""


SOURCES = {
    "metatool": Source(2000, 10),
    "seal-tools": Source(1500, 3),
    "bfcl": Source(900, 3, 250),
    "stabletoolbench": Source(1000, 4),
    "acebench": Source(700, 3, 250),
    "nestful": Source(350, 6),
    "toolalpaca": Source(250, 6),
    "api-bank": Source(250, 8),
    "gorilla": Source(800, 2, 250),
    "apizoo": Source(900, 1, 900),
    "mcp-catalog": Source(700, 2, 700),
}


@dataclass(frozen=True)
class Pair:
    corpus: str
    query: str
    tool: int
    relevant: list[int]
    """All tools of the corpus that serve the query."""
    document: str


def names_in(names: str) -> set[str]:
    """`metatool,bfcl` as a set; ends the program where one is no source."""
    chosen = {name for name in names.split(",") if name}
    if unknown := chosen - SOURCES.keys():
        sys.exit(f"Expected corpora out of {', '.join(SOURCES)}, got {', '.join(sorted(unknown))}")
    return chosen


def read_corpora(folder: Path) -> dict[str, dict]:
    """What dump.ts wrote, in the order of SOURCES; a test may give fewer."""
    files = {corpus: folder / f"{corpus}.json" for corpus in SOURCES}
    return {corpus: json.loads(file.read_text("utf-8")) for corpus, file in files.items() if file.exists()}


def measured_queries(corpora: dict[str, dict], left_out: set[str]) -> list[str]:
    return [
        query["query"]
        for corpus, dump in corpora.items()
        for query in dump["queries"]
        if corpus in left_out or query["split"] == "test"
    ]


def draw_pairs(corpora: dict[str, dict], left_out: set[str], seed: int) -> list[Pair]:
    """The pairs in a drawn order; the same for the same seed, and of one corpus whatever else is left out."""
    measured = NearDuplicates(measured_queries(corpora, left_out))
    pairs = []
    for corpus, dump in corpora.items():
        if corpus in left_out:
            continue
        random = Random(f"{seed} {corpus}")
        pairs += asked_pairs(corpus, dump, measured, random) + made_pairs(corpus, dump, measured, random)
    Random(seed).shuffle(pairs)
    return pairs


def asked_pairs(corpus: str, dump: dict, measured: NearDuplicates, random: Random) -> list[Pair]:
    """Of the labelled queries."""
    queries = [query for query in dump["queries"] if query["split"] == "dev" and query["query"] not in measured]
    random.shuffle(queries)
    counts, pairs = Counter(), []
    for query in queries:
        relevant = sorted(set(query["relevant"]))
        for tool in random.sample(relevant, min(len(relevant), MOST_TOOLS_OF_A_QUERY)):
            counts[tool] += 1
            if counts[tool] > SOURCES[corpus].per_tool:
                continue
            text = maybe_typo(query["query"][:MOST_QUERY_CHARACTERS], random)
            pairs.append(Pair(corpus, text, tool, relevant, render_any(dump["documents"][tool], random)))
    made = SOURCES[corpus].made
    return pairs[: SOURCES[corpus].pairs - min(made, len(dump["documents"]))]


def made_pairs(corpus: str, dump: dict, measured: NearDuplicates, random: Random) -> list[Pair]:
    """Of requests made of definitions."""
    documents = dump["documents"]
    tools = random.sample(range(len(documents)), len(documents)) * SOURCES[corpus].per_tool
    pairs = []
    for tool in tools[: SOURCES[corpus].made]:
        query, parts = request_of(documents[tool], random)
        if len(query) >= LEAST_QUERY_CHARACTERS and query not in measured:
            document = render(documents[tool], parts, random)
            pairs.append(Pair(corpus, maybe_typo(query, random), tool, [tool], document))
    return pairs


def maybe_typo(text: str, random: Random) -> str:
    return with_typo(text, random) if random.random() < TYPO_SHARE else text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder that dump.ts wrote")
    parser.add_argument("--leave-out", type=names_in, default=set(), help="corpora of which nothing is drawn")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    for pair in draw_pairs(read_corpora(args.data), args.leave_out, args.seed):
        print(json.dumps(asdict(pair), ensure_ascii=False))


if __name__ == "__main__":
    main()
