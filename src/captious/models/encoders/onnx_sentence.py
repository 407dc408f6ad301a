"""BERT encoders on ONNX Runtime: the default, which needs no torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.files import cache_folder
from captious.models import locate
from captious.models.encoders.bert_graph import (
    LAYOUT,
    Builder,
    Ranges,
    RoundedBuilder,
    Shape,
    find_ranges,
    finished,
    ranges_digest,
    store,
)
from captious.models.encoders.checkpoint import LowRank, read_tensors
from captious.models.encoders.long_texts import Ids
from captious.models.encoders.sentence import States, read_config
from captious.models.encoders.wordpiece import read_wordpiece


class OnnxEncoder:
    """A BERT from a folder with `model.safetensors`, `config.json` and `vocab.txt`.

    `change` is added to its weights. With `ranges` it computes in integers, see `bert_int8`.
    """

    backend = "onnx"
    ends = (1, 1)

    def __init__(
        self, label: str, folder: Path, change: LowRank | None = None, ranges: Ranges | None = None
    ) -> None:
        self.label = label
        self._change, self._ranges = change, ranges
        self._folder = folder
        self._shape = Shape.of(read_config(folder), folder)
        self._tokeniser = read_wordpiece(folder)
        self.special = frozenset({self._tokeniser.begin, self._tokeniser.end})
        self._sessions: dict[int, Any] = {}
        self.layers, self.longest = self._shape.layers, self._shape.positions

    def encode(self, texts: Sequence[str], longest: int) -> Ids:
        """Token numbers with `[CLS]` and `[SEP]`."""
        return self._tokeniser.encode(texts, longest)

    def pieces(self, texts: Sequence[str]) -> list[list[str]]:
        """Pieces of each text, as the vocabulary spells them."""
        return [self._tokeniser.pieces(text) for text in texts]

    def states(self, ids: NDArray[np.int64], layer: int) -> States:
        """Hidden states after `layer`."""
        if layer not in self._sessions:
            self._sessions[layer] = self._open(layer)
        states: States = self._sessions[layer].run(None, {"ids": ids})[0]
        return states

    def _open(self, layer: int) -> Any:
        digest = locate.digest(self._folder / locate.WEIGHTS)
        if self._change is not None:
            digest += f"-{self._change.digest()}"
        if self._ranges is not None:
            digest += f"-int8-{ranges_digest(self._ranges)}"
        name = f"bert-{digest}-layer{layer}-v{LAYOUT}.onnx"
        path = cache_folder() / "models" / name
        if path.is_file():
            session = _session(path.read_bytes())
            if session is not None:
                return session
        builder = Builder(self._weights(), self._shape)
        if self._ranges is not None:
            builder = RoundedBuilder(self._weights(), self._shape, self._ranges)
        content = finished(builder, layer)
        store(path, content)
        return _session(content)

    def _weights(self) -> Mapping[str, NDArray[np.float32]]:
        weights = read_tensors(self._folder / locate.WEIGHTS)
        return weights if self._change is None else self._change.applied(weights)

    def find_ranges(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        """Ranges of the values that integers represent, measured on texts."""
        return find_ranges(self._folder, self._shape, self._weights(), texts)


def _session(content: bytes) -> Any:
    """A session, or None where the content is damaged."""
    import onnxruntime
    from onnxruntime.capi import onnxruntime_pybind11_state as errors

    options = onnxruntime.SessionOptions()
    # Threads that wait busily take the processor from the work that they wait for.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    except (errors.InvalidProtobuf, errors.InvalidGraph, errors.Fail):
        return None
