"""OpenAI's and open_clip's names of CLIP's weights, turned into those of transformers.

OpenAI's `state_dict` (which open_clip, PAC-S and MCIP keep) holds queries, keys and values in one
matrix and projections turned; transformers holds them apart. Shapes tell the rest: layers, widths,
patches, heads of 64 dimensions.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from captious.errors import InputError
from captious.models.encoders.checkpoint import StateDict

HEAD_WIDTH = 64  # all of OpenAI's transformers; open_clip's configuration may say otherwise
_PARTS = {
    "ln_1.": "layer_norm1.",
    "ln_2.": "layer_norm2.",
    "attn.out_proj.": "self_attn.out_proj.",
    "mlp.c_fc.": "mlp.fc1.",
    "mlp.c_proj.": "mlp.fc2.",
}
_WHOLE = {
    "visual.conv1.weight": "vision_model.embeddings.patch_embedding.weight",
    "visual.class_embedding": "vision_model.embeddings.class_embedding",
    "visual.positional_embedding": "vision_model.embeddings.position_embedding.weight",
    "token_embedding.weight": "text_model.embeddings.token_embedding.weight",
    "positional_embedding": "text_model.embeddings.position_embedding.weight",
    "logit_scale": "logit_scale",
}
_NORMS = {
    "visual.ln_pre.": "vision_model.pre_layrnorm.",
    "visual.ln_post.": "vision_model.post_layernorm.",
    "ln_final.": "text_model.final_layer_norm.",
}
_TURNED = {"visual.proj": "visual_projection.weight", "text_projection": "text_projection.weight"}
# Numbers that OpenAI's files hold beside the weights.
_BESIDE = ("input_resolution", "context_length", "vocab_size", "attn_mask")


def is_openai(state: StateDict) -> bool:
    """Whether these are names of OpenAI's layout, of a vision transformer with its text encoder."""
    return "visual.conv1.weight" in state and "token_embedding.weight" in state


def is_visual_only(state: StateDict) -> bool:
    """Whether these are the weights of an image encoder alone, without the beginning `visual.`."""
    return "conv1.weight" in state and "class_embedding" in state


def to_transformers(state: StateDict, where: Path) -> StateDict:
    """The same weights under the names of transformers' `CLIPModel`."""
    if "visual.layer1.0.conv1.weight" in state:
        raise InputError(
            f"{where}: is a ResNet CLIP, which is not supported. Give a vision transformer (ViT)."
        )
    if not is_openai(state):
        first = next(iter(state), "nothing")
        raise InputError(
            f'{where}: has an unknown key "{first}" and no "visual.conv1.weight", so it is not a CLIP vision '
            "transformer in OpenAI's layout."
        )
    return renamed(state, where)


def renamed(state: StateDict, where: Path) -> StateDict:
    """Weights of either encoder, or of both, under the names of transformers."""
    found: StateDict = {}
    for name, value in state.items():
        if name not in _BESIDE:
            found |= _renamed(name, value.float(), where)
    return found


def config_of(state: StateDict, settings: Mapping[str, Any] | None = None) -> Any:
    """A `CLIPConfig` with the shapes of these weights (in OpenAI's names).

    `settings` is the `model_cfg` of an `open_clip_config.json`; without one the weights are taken
    for OpenAI's, which use the quick approximation of GELU.
    """
    from transformers import CLIPConfig

    facts: Mapping[str, Any] = settings if settings is not None else {"quick_gelu": True}
    activation = "quick_gelu" if facts.get("quick_gelu", False) else "gelu"
    width, _, patch, _ = state["visual.conv1.weight"].shape
    grid = round((state["visual.positional_embedding"].shape[0] - 1) ** 0.5)
    words, text_width = state["token_embedding.weight"].shape
    vision_head = int(facts.get("vision_cfg", {}).get("head_width", HEAD_WIDTH))
    text_heads = int(facts.get("text_cfg", {}).get("heads", max(1, text_width // HEAD_WIDTH)))
    out = int(state["text_projection"].shape[1])
    return CLIPConfig(
        projection_dim=out,
        vision_config={
            "hidden_size": width,
            "intermediate_size": state["visual.transformer.resblocks.0.mlp.c_fc.weight"].shape[0],
            "num_hidden_layers": _layers(state, "visual.transformer.resblocks."),
            "num_attention_heads": max(1, width // vision_head),
            "image_size": grid * patch,
            "patch_size": patch,
            "hidden_act": activation,
            "projection_dim": out,
        },
        text_config={
            "hidden_size": text_width,
            "intermediate_size": state["transformer.resblocks.0.mlp.c_fc.weight"].shape[0],
            "num_hidden_layers": _layers(state, "transformer.resblocks."),
            "num_attention_heads": text_heads,
            "max_position_embeddings": state["positional_embedding"].shape[0],
            "vocab_size": words,
            "hidden_act": activation,
            "projection_dim": out,
            "bos_token_id": words - 2,
            "eos_token_id": words - 1,  # the last two numbers of CLIP's vocabulary
            "pad_token_id": 0,
        },
    )


def _layers(state: StateDict, beginning: str) -> int:
    return 1 + max(int(name[len(beginning) :].split(".")[0]) for name in state if name.startswith(beginning))


def _renamed(name: str, value: Any, where: Path) -> StateDict:
    if name in _WHOLE:
        return {_WHOLE[name]: value}
    if name in _TURNED:
        return {_TURNED[name]: value.T.contiguous()}
    for old, new in _NORMS.items():
        if name.startswith(old):
            return {new + name[len(old) :]: value}
    for old, new in (
        ("visual.transformer.resblocks.", "vision_model"),
        ("transformer.resblocks.", "text_model"),
    ):
        if name.startswith(old):
            number, _, rest = name[len(old) :].partition(".")
            return _layer_part(f"{new}.encoder.layers.{number}.", rest, value, name, where)
    raise InputError(f'{where}: has an unknown key "{name}", so it is not a supported CLIP model.')


def _layer_part(layer: str, rest: str, value: Any, name: str, where: Path) -> StateDict:
    if rest.startswith("attn.in_proj_"):
        kind = rest.removeprefix("attn.in_proj_")
        parts = zip(("q_proj", "k_proj", "v_proj"), value.chunk(3), strict=True)
        return {f"{layer}self_attn.{own}.{kind}": part.contiguous() for own, part in parts}
    for old, new in _PARTS.items():
        if rest.startswith(old):
            return {layer + new + rest[len(old) :]: value}
    raise InputError(f'{where}: has an unknown key "{name}", so it is not a supported CLIP model.')
