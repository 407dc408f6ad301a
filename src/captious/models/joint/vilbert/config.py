"""The shape of a ViLBERT: what its `config.json` says, and the weights that this calls for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any

from captious.errors import InputError

Shapes = dict[str, tuple[int, ...]]
TASKS = 20  # task tokens of the twelve-in-one model (Lu et al. 2020)
LOCATION = 5  # corners and area of a box, as shares of the image
# Heads that a checkpoint may hold and no metric reads, and weights that the network never uses.
BESIDE = ("cls.predictions.", "cls.imagePredictions.", "vil_", "vision_logit.", "linguisic_logit.")
# What both published models are: bert_base_6layer_6conect.json of vilbert-multi-task.
PUBLISHED: dict[str, Any] = {
    "vocab_size": 30522,
    "hidden_size": 768,
    "num_hidden_layers": 12,
    "num_attention_heads": 12,
    "intermediate_size": 3072,
    "max_position_embeddings": 512,
    "type_vocab_size": 2,
    "v_feature_size": 2048,
    "v_hidden_size": 1024,
    "v_num_hidden_layers": 6,
    "v_num_attention_heads": 8,
    "v_intermediate_size": 1024,
    "bi_hidden_size": 1024,
    "bi_num_attention_heads": 8,
    "v_biattention_id": [0, 1, 2, 3, 4, 5],
    "t_biattention_id": [6, 7, 8, 9, 10, 11],
    "pooling_method": "mul",
}


@dataclass(frozen=True)
class Config:
    """Sizes of the two streams; names are those of the published `config.json`."""

    vocab_size: int
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    type_vocab_size: int
    v_feature_size: int
    v_hidden_size: int
    v_num_hidden_layers: int
    v_num_attention_heads: int
    v_intermediate_size: int
    bi_hidden_size: int
    bi_num_attention_heads: int
    v_biattention_id: tuple[int, ...]
    t_biattention_id: tuple[int, ...]
    fusion_method: str = "mul"

    @classmethod
    def of(cls, found: Mapping[str, Any], where: str) -> Config:
        """Read a `config.json`; refuse what the network does not compute."""
        for name in ("hidden_act", "v_hidden_act"):
            if found.get(name, "gelu") != "gelu":
                raise InputError(f'{where}: {name} is "{found[name]}"; only gelu is supported.')
        if found.get("dynamic_attention") or not found.get("with_coattention", True):
            raise InputError(
                f"{where}: is a ViLBERT with dynamic or without co-attention, which is not supported."
            )
        values = dict(found)
        values["fusion_method"] = found.get("fusion_method", found.get("pooling_method", "mul"))
        try:
            for name in ("v_biattention_id", "t_biattention_id"):
                values[name] = tuple(int(layer) for layer in found[name])
            named = {field.name: values[field.name] for field in fields(cls)}
            sizes = {
                name: int(value) for name, value in named.items() if not name.endswith(("_id", "method"))
            }
        except KeyError as error:
            raise InputError(f"{where}: has no {error}. Give the config.json of a ViLBERT.") from None
        except (TypeError, ValueError):
            raise InputError(
                f"{where}: is not the configuration of a ViLBERT model. Download it again."
            ) from None
        config = cls(**(named | sizes))
        config._check(where)
        return config

    def _check(self, where: str) -> None:
        meet = len(self.v_biattention_id) == len(self.t_biattention_id) > 0
        ends = max(self.v_biattention_id, default=0), max(self.t_biattention_id, default=0)
        if not meet or ends[0] >= self.v_num_hidden_layers or ends[1] >= self.num_hidden_layers:
            raise InputError(f"{where}: its co-attention layers do not exist. Download it again.")
        heads = (
            (self.hidden_size, self.num_attention_heads),
            (self.v_hidden_size, self.v_num_attention_heads),
            (self.bi_hidden_size, self.bi_num_attention_heads),
        )
        if any(number < 1 or width % number for width, number in heads):
            raise InputError(f"{where}: a width is not a multiple of its attention heads. Download it again.")
        if self.fusion_method not in ("mul", "sum"):
            raise InputError(f'{where}: fusion_method is "{self.fusion_method}"; it must be mul or sum.')

    def shapes(self) -> Shapes:
        """Every weight that is read, by its published name."""
        return dict(self._weights())

    def _weights(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        text, image, both = self.hidden_size, self.v_hidden_size, self.bi_hidden_size
        yield "bert.embeddings.word_embeddings.weight", (self.vocab_size, text)
        yield "bert.embeddings.position_embeddings.weight", (self.max_position_embeddings, text)
        yield "bert.embeddings.token_type_embeddings.weight", (self.type_vocab_size, text)
        yield from _norm("bert.embeddings.LayerNorm", text)
        yield from _linear("bert.v_embeddings.image_embeddings", self.v_feature_size, image)
        yield from _linear("bert.v_embeddings.image_location_embeddings", LOCATION, image)
        yield from _norm("bert.v_embeddings.LayerNorm", image)
        for layer in range(self.num_hidden_layers):
            yield from _block(f"bert.encoder.layer.{layer}", text, self.intermediate_size)
        for layer in range(self.v_num_hidden_layers):
            yield from _block(f"bert.encoder.v_layer.{layer}", image, self.v_intermediate_size)
        for layer in range(len(self.v_biattention_id)):
            yield from self._meeting(f"bert.encoder.c_layer.{layer}")
        yield from _linear("bert.t_pooler.dense", text, both)
        yield from _linear("bert.v_pooler.dense", image, both)
        yield from _linear("cls.bi_seq_relationship", both, 2)

    def _meeting(self, name: str) -> Iterator[tuple[str, tuple[int, ...]]]:
        for stream, width in (("1", self.v_hidden_size), ("2", self.hidden_size)):
            for part in ("query", "key", "value"):
                yield from _linear(f"{name}.biattention.{part}{stream}", width, self.bi_hidden_size)
            yield from _linear(f"{name}.biOutput.dense{stream}", self.bi_hidden_size, width)
            yield from _norm(f"{name}.biOutput.LayerNorm{stream}", width)
        yield from _forward(f"{name}.v_", self.v_hidden_size, self.v_intermediate_size)
        yield from _forward(f"{name}.t_", self.hidden_size, self.intermediate_size)


def _linear(name: str, given: int, made: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (made, given)
    yield f"{name}.bias", (made,)


def _norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (width,)
    yield f"{name}.bias", (width,)


def _forward(name: str, width: int, inner: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from _linear(f"{name}intermediate.dense", width, inner)
    yield from _linear(f"{name}output.dense", inner, width)
    yield from _norm(f"{name}output.LayerNorm", width)


def _block(name: str, width: int, inner: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    for part in ("query", "key", "value"):
        yield from _linear(f"{name}.attention.self.{part}", width, width)
    yield from _linear(f"{name}.attention.output.dense", width, width)
    yield from _norm(f"{name}.attention.output.LayerNorm", width)
    yield from _forward(f"{name}.", width, inner)
