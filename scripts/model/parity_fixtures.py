"""Writes the parity fixtures: 200 tool documents, 100 queries and their fp32 embeddings.

    python scripts/model/parity_fixtures.py --corpora <folder of corpora> --out test/fixtures/parity

Also writes scripts/model/calibration.json, the 140 texts that export.py calibrates on; none of them is a fixture. The
embeddings are the reference that test/model-parity.test.ts holds the shipped int8 model to: the torch model in
fp32, mean pooling over the attention mask, L2-normalised, at most 256 tokens.
"""

import argparse
import json
import random
import re
from pathlib import Path

from reference import MAX_TOKENS, embed, load_tokenizer

SEED = 20240607
DOCUMENTS_PER_CORPUS = 40
QUERIES_PER_CORPUS = 25
# Documents past the window show that both sides cut at the same token; a random sample would hold hardly any.
LONG_DOCUMENTS_PER_CORPUS = 5
CALIBRATION = Path(__file__).with_name("calibration.json")
CALIBRATION_DOCUMENTS_PER_CORPUS = 20
CALIBRATION_QUERIES_PER_CORPUS = 10
CORPORA = ["metatool", "seal-tools", "bfcl", "stabletoolbench", "mcp-catalog"]


def name_words(name: str) -> str:
    """`getTeam_statsV2` -> `get Team stats V2`."""
    spaced = re.sub(r"([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])", r"\1\3 \2\4", name)
    return " ".join(re.split(r"[\s_.\-/]+", spaced)).strip()


def document_text(tool: dict) -> str:
    """`name words. description. parameter: description ...`, uncut."""
    properties = (tool.get("inputSchema") or {}).get("properties") or {}
    parameters = [
        f"{name}: {schema['description']}" if isinstance(schema, dict) and schema.get("description") else name
        for name, schema in properties.items()
    ]
    return " ".join([f"{name_words(tool['id'])}.", f"{tool.get('description', '').rstrip('. ')}.", *parameters])


def is_latin(text: str) -> bool:
    """Latin letters, typographic marks, currency signs and arrows only: the model is English."""
    return not re.search(r"[^\x00-\u024f\u2000-\u206f\u20a0-\u20bf\u2190-\u21ff]", text)


def sample(corpus: dict, rng: random.Random, tokenizer) -> tuple[list[str], list[str]]:
    """Queries first, then the tools they ask for, so that the top ranks hold near matches and not only noise."""
    texts = {tool["id"]: document_text(tool) for tool in corpus["tools"]}
    texts = {tool_id: text for tool_id, text in texts.items() if is_latin(text)}
    asked = [q for q in corpus["queries"] if is_latin(q["query"]) and any(r in texts for r in q["relevant"])]
    queries = rng.sample(asked, QUERIES_PER_CORPUS) if asked else []
    chosen = dict.fromkeys(next(r for r in q["relevant"] if r in texts) for q in queries)
    long = sorted(i for i, text in texts.items() if i not in chosen and len(tokenizer.encode(text).ids) > MAX_TOKENS)
    chosen.update(dict.fromkeys(rng.sample(long, min(len(long), LONG_DOCUMENTS_PER_CORPUS))))
    rest = sorted(set(texts) - set(chosen))
    chosen.update(dict.fromkeys(rng.sample(rest, DOCUMENTS_PER_CORPUS - len(chosen))))
    return [texts[i] for i in chosen], [q["query"] for q in queries]


def write_json(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", "utf-8")


def sample_calibration(corpus: dict, rng: random.Random, fixtures: set[str]) -> list[str]:
    documents = sorted({document_text(tool) for tool in corpus["tools"]} - fixtures)
    queries = sorted({q["query"] for q in corpus["queries"]} - fixtures)
    documents, queries = ([text for text in texts if is_latin(text)] for texts in (documents, queries))
    some_queries = rng.sample(queries, CALIBRATION_QUERIES_PER_CORPUS) if queries else []
    return rng.sample(documents, CALIBRATION_DOCUMENTS_PER_CORPUS) + some_queries


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    args = parser.parse_args()

    rng = random.Random(SEED)
    uncut = load_tokenizer(max_tokens=None)
    corpora = [{"queries": [], **json.loads((args.corpora / f"{name}.json").read_text("utf-8"))} for name in CORPORA]
    sources = [{key: corpus[key] for key in ("source", "commit", "license")} for corpus in corpora]
    documents, queries = [], []
    for corpus in corpora:
        some_documents, some_queries = sample(corpus, rng, uncut)
        documents += some_documents
        queries += some_queries
    fixtures = {*documents, *queries}
    calibration = [text for corpus in corpora for text in sample_calibration(corpus, rng, fixtures)]

    embeddings = embed(documents + queries).astype("<f2")
    args.out.mkdir(parents=True, exist_ok=True)
    write_json(args.out / "texts.json", {"seed": SEED, "sources": sources, "documents": documents, "queries": queries})
    write_json(CALIBRATION, {"seed": SEED, "sources": sources, "texts": calibration})
    (args.out / "embeddings.f16").write_bytes(embeddings.tobytes())
    long = sum(len(uncut.encode(text).ids) > MAX_TOKENS for text in documents)
    print(f"{len(documents)} documents ({long} longer than {MAX_TOKENS} tokens), {len(queries)} queries")


if __name__ == "__main__":
    main()
