"""The model card of a tuned model, beside its files."""

import json
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
MEASURES = {"dense": "dense nDCG@10", "fused": "fused nDCG@10", "topicRemoved": "topic removed AUC"}


def write_card(folder: Path, settings: dict, counts: dict[str, int], figures: list[dict]) -> None:
    """Writes README.md. `counts`: pairs by corpus; `figures`: what evaluate.ts wrote; `folder` has its checksums.json."""
    checksums = json.loads((folder / "checksums.json").read_text("utf-8"))
    weights = checksums["files"]["onnx/model_quantized.onnx"]
    left_out = [row["corpus"] for row in figures if row["leftOut"]]
    options = ", ".join(f"{name} {value:g}" for name, value in settings.items())
    text = f"""# {folder.name}: all-MiniLM-L6-v2 tuned on tool data, int8 ONNX

`sentence-transformers/all-MiniLM-L6-v2`, fine-tuned on {sum(counts.values()):,} pairs of requests and tool documents
({options}), exported to ONNX and quantized to 8 bits as the base is. The same architecture and size.

| | |
|---|---|
| `onnx/model_quantized.onnx` | {weights["bytes"]:,} bytes, sha256 `{weights["sha256"]}` |
| all files, tuned fp32 weights | byte lengths and sha256 in `checksums.json` |
| licence | Apache-2.0 (`LICENSE`); changed as described here |

```js
transformersEmbedder({{ model: './{folder.name}', maxTokens: 256, scripts: 'latin' }})
```

Mean pooling, unit length, no prefixes. An index built with the base model does not fit this one: build it anew.

## Data
{table(["corpus", "source", "commit", "licence", "pairs"], [data_row(corpus, counts[corpus]) for corpus in sorted(counts)])}

Left out of training: {", ".join(left_out) or "nothing"}.

## Figures
Base → tuned, both int8 and as the package ranks, on the same queries; in brackets the 95 % bootstrap interval of the gain.
Of a corpus left out all queries count, of the others those that were not trained on. Only a corpus left out says
what the catalog of a stranger gains.

{table(["corpus", "training", "queries", *MEASURES.values()], [figure_row(row) for row in figures])}

"Topic removed": the area under the curve that tells a request from the same request with every tool of its topic
removed, by the best score.

## Limits
Those of the base model: English, 256 tokens, no sense for negation, numbers and versions. Weights and score of the ranking
were fitted to the base model; a score means less with another.
"""
    (folder / "README.md").write_text(text, "utf-8")


def data_row(corpus: str, count: int) -> list[str]:
    folder = REPOSITORY / ("models/training/data" if corpus == "apizoo" else "bench/data")
    about = json.loads((folder / f"{corpus}.json").read_text("utf-8"))
    return [corpus, about["source"], about["commit"][:7], about["license"], f"{count:,}"]


def figure_row(row: dict) -> list[str]:
    training = "left out" if row["leftOut"] else "seen"
    return [row["corpus"], training, str(row["queries"]), *(comparison(row[measure]) for measure in MEASURES)]


def comparison(figures: dict) -> str:
    gain = figures["gain"]
    return f"{figures['base']:.3f} → {figures['tuned']:.3f} ({gain['low']:+.3f} to {gain['high']:+.3f})"


def table(head: list[str], rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in [head, ["---"] * len(head), *rows])
