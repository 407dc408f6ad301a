"""Tiny checkpoints with random weights, in the layouts that are published. Nothing is committed.

Each builder writes what a download would hold: configuration, weights, preprocessing, tokeniser.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

BEGIN, END = "<|startoftext|>", "<|endoftext|>"
SIDE, PATCH, LIMIT = 32, 8, 16
MEAN = [0.48145466, 0.4578275, 0.40821073]
DEVIATION = [0.26862954, 0.26130258, 0.27577711]


def byte_letters() -> list[str]:
    """The letters of byte-level encoding: printable bytes as they are, the others from U+0100 on."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(b) for b in shown] + [chr(256 + n) for n in range(256 - len(shown))]


MERGES = [("d", "o"), ("do", "g</w>"), ("c", "a"), ("ca", "t</w>"), ("a", "n"), ("o", "n</w>")]


def write_clip_tokeniser(folder: Path) -> int:
    """`vocab.json` and `merges.txt` with every byte and a few merges; returns the vocabulary's size."""
    letters = byte_letters()
    pieces = [
        *letters,
        *(f"{letter}</w>" for letter in letters),
        *("".join(pair) for pair in MERGES),
        BEGIN,
        END,
    ]
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    (folder / "vocab.json").write_text(json.dumps(vocabulary), "utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in MERGES), ""]
    (folder / "merges.txt").write_text("\n".join(lines), "utf-8")
    return len(vocabulary)


def write_preprocessor(folder: Path, side: int = SIDE) -> None:
    """`preprocessor_config.json` as CLIP's on the hub."""
    settings = {
        "crop_size": {"height": side, "width": side},
        "do_center_crop": True,
        "do_convert_rgb": True,
        "do_normalize": True,
        "do_rescale": True,
        "do_resize": True,
        "image_mean": MEAN,
        "image_std": DEVIATION,
        "image_processor_type": "CLIPImageProcessor",
        "resample": 3,
        "rescale_factor": 1 / 255,
        "size": {"shortest_edge": side},
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), "utf-8")


def clip_model(words: int, seed: int = 0, side: int = SIDE) -> Any:
    """A `CLIPModel` of transformers with random weights large enough for distinct vectors."""
    import torch
    from transformers import CLIPConfig, CLIPModel

    torch.manual_seed(seed)
    config = CLIPConfig(
        projection_dim=24,
        text_config={
            "hidden_size": 64,
            "intermediate_size": 96,
            "num_hidden_layers": 2,
            "num_attention_heads": 1,
            "max_position_embeddings": LIMIT,
            "vocab_size": words,
            "bos_token_id": words - 2,
            "eos_token_id": words - 1,
            "projection_dim": 24,
        },
        vision_config={
            "hidden_size": 128,
            "intermediate_size": 160,
            "num_hidden_layers": 2,
            "num_attention_heads": 2,
            "image_size": side,
            "patch_size": PATCH,
            "projection_dim": 24,
        },
    )
    model = CLIPModel(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if parameter.ndim > 1:
                parameter.normal_(0, 0.3)
            elif "norm" in name and name.endswith("weight"):
                parameter.uniform_(0.5, 1.5)
            elif name != "logit_scale":
                parameter.normal_(0, 0.2)
    return model


def write_clip(folder: Path, seed: int = 0, *, pickled: bool = False, side: int = SIDE) -> Any:
    """A CLIP as on the Hugging Face hub; returns the model as an oracle."""
    import torch
    from safetensors.torch import save_file

    folder.mkdir(parents=True, exist_ok=True)
    model = clip_model(write_clip_tokeniser(folder), seed, side)
    write_preprocessor(folder, side)
    (folder / "config.json").write_text(model.config.to_json_string(), "utf-8")
    state = {name: value.contiguous() for name, value in model.state_dict().items()}
    if pickled:
        torch.save(state, folder / "pytorch_model.bin")
    else:
        save_file(state, folder / "model.safetensors", metadata={"format": "pt"})
    return model


def openai_state(model: Any) -> dict[str, Any]:
    """The weights of a `CLIPModel` under OpenAI's names, as CLIP, open_clip, PAC-S and MCIP hold them."""
    import torch

    own = model.state_dict()
    state = {
        "positional_embedding": own["text_model.embeddings.position_embedding.weight"],
        "text_projection": own["text_projection.weight"].T.contiguous(),
        "logit_scale": own["logit_scale"],
        "visual.class_embedding": own["vision_model.embeddings.class_embedding"],
        "visual.positional_embedding": own["vision_model.embeddings.position_embedding.weight"],
        "visual.proj": own["visual_projection.weight"].T.contiguous(),
        "visual.conv1.weight": own["vision_model.embeddings.patch_embedding.weight"],
        "token_embedding.weight": own["text_model.embeddings.token_embedding.weight"],
    }
    norms = {
        "visual.ln_pre": "vision_model.pre_layrnorm",
        "visual.ln_post": "vision_model.post_layernorm",
        "ln_final": "text_model.final_layer_norm",
    }
    for kind in ("weight", "bias"):
        state |= {f"{new}.{kind}": own[f"{old}.{kind}"] for new, old in norms.items()}
    towers = {"visual.transformer": "vision_model", "transformer": "text_model"}
    parts = {"ln_1": "layer_norm1", "ln_2": "layer_norm2", "attn.out_proj": "self_attn.out_proj"}
    parts |= {"mlp.c_fc": "mlp.fc1", "mlp.c_proj": "mlp.fc2"}
    for tower, name in towers.items():
        for layer in range(2):
            old, new = f"{name}.encoder.layers.{layer}", f"{tower}.resblocks.{layer}"
            for kind in ("weight", "bias"):
                together = [own[f"{old}.self_attn.{part}_proj.{kind}"] for part in "qkv"]
                state[f"{new}.attn.in_proj_{kind}"] = torch.cat(together)
                state |= {f"{new}.{a}.{kind}": own[f"{old}.{b}.{kind}"] for a, b in parts.items()}
    return state


def write_siglip(folder: Path, seed: int = 0) -> Any:
    """A SigLIP as on the Hugging Face hub, with a tokeniser of three words."""
    import torch
    from safetensors.torch import save_file
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import SiglipConfig, SiglipModel

    folder.mkdir(parents=True, exist_ok=True)
    engine = Tokenizer(models.WordLevel({"<unk>": 0, "</s>": 1, "dog": 2, "cat": 3}, unk_token="<unk>"))
    engine.pre_tokenizer = pre_tokenizers.Whitespace()
    engine.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
    engine.save(str(folder / "tokenizer.json"))
    size = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 2}
    torch.manual_seed(seed)
    config = SiglipConfig(
        text_config=size | {"vocab_size": 4, "max_position_embeddings": 12, "projection_size": 32},
        vision_config=size | {"image_size": SIDE, "patch_size": PATCH},
    )
    model = SiglipModel(config).eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(0, 0.3)
    settings = {
        "do_resize": True,
        "image_mean": [0.5, 0.5, 0.5],
        "image_std": [0.5, 0.5, 0.5],
        "resample": 3,
        "rescale_factor": 1 / 255,
        "size": {"height": SIDE, "width": SIDE},
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(settings), "utf-8")
    (folder / "config.json").write_text(model.config.to_json_string(), "utf-8")
    save_file({k: v.contiguous() for k, v in model.state_dict().items()}, folder / "model.safetensors")
    return model


def write_photographs(folder: Path, count: int, seed: int = 0) -> list[Path]:
    """Pictures of different shapes with large random patches, as PNG, so that decoders agree."""
    from PIL import Image

    folder.mkdir(parents=True, exist_ok=True)
    random = np.random.default_rng(seed)
    paths = []
    for number in range(count):
        height, width = (int(side) for side in random.integers(40, 90, 2))
        coarse = random.integers(0, 256, (5, 6, 3), dtype=np.uint8)
        path = folder / f"{number}.png"
        Image.fromarray(coarse).resize((width, height), Image.Resampling.BILINEAR).save(path)
        paths.append(path)
    return paths


def published_pixels(path: Path, side: int = SIDE) -> Any:
    """A photograph as CLIP's own code prepares it, step by step; no code of ours."""
    import torch
    from PIL import Image

    picture = Image.open(path).convert("RGB")
    width, height = picture.size
    target = (side, int(side * height / width)) if width <= height else (int(side * width / height), side)
    picture = picture.resize(target, Image.Resampling.BICUBIC)
    left, top = round((target[0] - side) / 2.0), round((target[1] - side) / 2.0)
    values = np.asarray(picture.crop((left, top, left + side, top + side)), dtype=np.float32) / 255
    values = (values - np.array(MEAN, np.float32)) / np.array(DEVIATION, np.float32)
    return torch.from_numpy(values.transpose(2, 0, 1).copy())
