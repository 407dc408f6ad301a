"""ViLBERT's forward pass as functions of its weights, under their published names.

Texts of a batch have one length and images one number of boxes, so that there is no padding and no
mask (Lu et al. 2019, 2.2: two streams of transformer layers that exchange keys and values in
co-attention layers).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

from captious.models.joint.vilbert.config import Config

Tensor = Any
Weights = Mapping[str, Tensor]
_EPSILON = 1e-12


class Joint(NamedTuple):
    """What the two streams give for a batch of pairs.

    `words` are the text's states after the last layer, `met` those after the last co-attention
    layer, each with the task token in second place where there is one; `text` and `image` are the
    pooled states, `alignment` the two logits of the alignment head, the first "aligned".
    """

    words: Tensor
    met: Tensor
    text: Tensor
    image: Tensor
    alignment: Tensor


def joint_states(
    w: Weights, config: Config, ids: Tensor, features: Tensor, places: Tensor, task: int | None = None
) -> Joint:
    """Read pairs: token numbers (pairs x length), features and locations of boxes (pairs x boxes x …)."""
    text = _embed_text(w, ids, task)
    image = _linear(w, "bert.v_embeddings.image_embeddings", features)
    image = image + _linear(w, "bert.v_embeddings.image_location_embeddings", places)
    image = _norm(w, "bert.v_embeddings.LayerNorm", image)
    text_from = image_from = 0
    meetings = zip(config.v_biattention_id, config.t_biattention_id, strict=True)
    for number, (image_to, text_to) in enumerate(meetings):
        text = _stack(w, "layer", text, range(text_from, text_to), config.num_attention_heads)
        image = _stack(w, "v_layer", image, range(image_from, image_to), config.v_num_attention_heads)
        image, text = _meet(w, f"bert.encoder.c_layer.{number}", image, text, config.bi_num_attention_heads)
        text_from, image_from = text_to, image_to
    met = text
    rest = range(image_from, config.v_num_hidden_layers)
    image = _stack(w, "v_layer", image, rest, config.v_num_attention_heads)
    rest = range(text_from, config.num_hidden_layers)
    text = _stack(w, "layer", text, rest, config.num_attention_heads)
    pooled_text = _linear(w, "bert.t_pooler.dense", text[:, 0]).relu()
    pooled_image = _linear(w, "bert.v_pooler.dense", image[:, 0]).relu()
    fused = pooled_text * pooled_image if config.fusion_method == "mul" else pooled_text + pooled_image
    alignment = _linear(w, "cls.bi_seq_relationship", fused)
    return Joint(text, met, pooled_text, pooled_image, alignment)


def _embed_text(w: Weights, ids: Tensor, task: int | None) -> Tensor:
    import torch

    table = "bert.embeddings.{}_embeddings.weight".format
    found = w[table("word")][ids] + w[table("position")][: ids.shape[1]] + w[table("token_type")][0]
    if task is not None:  # the token of a task stands after [CLS]
        token = w[table("task")][task].expand(len(ids), 1, -1)
        found = torch.cat([found[:, :1], token, found[:, 1:]], dim=1)
    return _norm(w, "bert.embeddings.LayerNorm", found)


def _stack(w: Weights, name: str, states: Tensor, layers: range, heads: int) -> Tensor:
    for layer in layers:
        block = f"bert.encoder.{name}.{layer}"
        own = f"{block}.attention.self"
        query, key, value = (_linear(w, f"{own}.{part}", states) for part in ("query", "key", "value"))
        heard = _linear(w, f"{block}.attention.output.dense", _attend(query, key, value, heads))
        states = _norm(w, f"{block}.attention.output.LayerNorm", heard + states)
        states = _feed_forward(w, f"{block}.", states)
    return states


def _meet(w: Weights, name: str, image: Tensor, text: Tensor, heads: int) -> tuple[Tensor, Tensor]:
    """Co-attention: each stream asks with its own queries and hears the other's values."""

    def project(stream: str, states: Tensor) -> list[Tensor]:
        return [
            _linear(w, f"{name}.biattention.{part}{stream}", states) for part in ("query", "key", "value")
        ]

    (image_query, image_key, image_value), (text_query, text_key, text_value) = (
        project("1", image),
        project("2", text),
    )
    image_heard = _attend(image_query, text_key, text_value, heads)
    text_heard = _attend(text_query, image_key, image_value, heads)
    out = f"{name}.biOutput"
    image = _norm(w, f"{out}.LayerNorm1", _linear(w, f"{out}.dense1", image_heard) + image)
    text = _norm(w, f"{out}.LayerNorm2", _linear(w, f"{out}.dense2", text_heard) + text)
    return _feed_forward(w, f"{name}.v_", image), _feed_forward(w, f"{name}.t_", text)


def _feed_forward(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import gelu

    inner = gelu(_linear(w, f"{name}intermediate.dense", states))
    return _norm(w, f"{name}output.LayerNorm", _linear(w, f"{name}output.dense", inner) + states)


def _attend(query: Tensor, key: Tensor, value: Tensor, heads: int) -> Tensor:
    def split(states: Tensor) -> Tensor:
        return states.unflatten(2, (heads, -1)).transpose(1, 2)

    asked, known, told = split(query), split(key), split(value)
    shares = (asked @ known.transpose(2, 3) / math.sqrt(asked.shape[3])).softmax(dim=3)
    return (shares @ told).transpose(1, 2).flatten(2)


def _linear(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import linear

    return linear(states, w[f"{name}.weight"], w[f"{name}.bias"])


def _norm(w: Weights, name: str, states: Tensor) -> Tensor:
    from torch.nn.functional import layer_norm

    return layer_norm(states, states.shape[-1:], w[f"{name}.weight"], w[f"{name}.bias"], _EPSILON)
