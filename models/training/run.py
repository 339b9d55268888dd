"""Fine-tunes all-MiniLM-L6-v2 on tool data: from the corpora to an int8 ONNX folder with figures and a model card.

    pip install -r models/training/requirements.txt    # Python 3.11; Node and `npm ci`, too
    python models/training/run.py --out ../tuned [--leave-out metatool,bfcl]

The folder is one for `transformersEmbedder({ model: folder, maxTokens: 256, scripts: 'latin' })`.
"""

import argparse
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

from card import write_card
from train import add_options, train

FOLDER = Path(__file__).resolve().parent
REPOSITORY = FOLDER.parents[1]


def node(script: str, *arguments: str | Path) -> None:
    run("npx", "--no-install", "tsx", FOLDER / script, *arguments)


def run(*command: str | Path) -> None:
    """Ends the program where the command fails; it has said why."""
    print("$", *command, flush=True)
    if status := subprocess.run([str(part) for part in command], cwd=REPOSITORY).returncode:
        sys.exit(status)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder for the model; not models/all-MiniLM-L6-v2")
    parser.add_argument("--work", type=Path, default=REPOSITORY / ".cache/training", help="folder for what lies between")
    parser.add_argument("--queries", type=int, default=500, help="most queries of a corpus that are measured")
    add_options(parser)
    args = parser.parse_args()
    out, args.data, weights = args.out.resolve(), args.work.resolve() / "data", args.work.resolve() / "weights"
    if out == REPOSITORY / "models/all-MiniLM-L6-v2":
        parser.error(f"--out {out} holds the base model, which stays: name another folder")

    node("dump.ts", args.data)
    args.out = weights
    pairs = train(args)
    run(sys.executable, REPOSITORY / "scripts/model/export.py", "--weights", weights, "--out", out)
    figures = out / "figures.json"
    left_out = ",".join(sorted(args.leave_out))
    node("evaluate.ts", "--model", out, "--left-out", left_out, "--queries", str(args.queries), "--json", figures)
    settings = {"steps": args.steps, "batch": args.batch, "seed": args.seed, "average": args.average}
    counts = Counter(pair.corpus for pair in pairs)
    write_card(out, settings, counts, json.loads(figures.read_text("utf-8")))
    print(f"wrote {out}")


if __name__ == "__main__":
    main()
