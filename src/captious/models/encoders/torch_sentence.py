"""Sentence encoders, run by PyTorch (any encoder of transformers) or by ONNX Runtime (without torch)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError, one_line
from captious.files import cache_folder
from captious.models import locate, weights
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
from captious.models.encoders.sentence import States, folder_label, read_config
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


_NO_LIMIT = 100_000  # tokenisers without a limit name an absurd one
# Tokenisers that join a word to the space before it; a text's first word gets one too.
_SPACED = ("roberta", "gpt2", "longformer", "bart")


class TorchEncoder:
    """An encoder and its tokeniser by folder or hub name."""

    backend = "torch"

    def __init__(self, name: str) -> None:
        try:
            import torch
            from transformers import AutoConfig, AutoModel, AutoTokenizer
        except ImportError as error:
            what = f'the encoder "{name}" needs {error.name}'
            raise MissingDependencyError(what, "models") from None
        folder = locate.local(name)
        source = str(folder) if folder is not None else name
        try:
            silence()
            here: dict[str, Any] = {"local_files_only": not weights.allowed()}
            config = AutoConfig.from_pretrained(source, **here)
            spaced = {"add_prefix_space": True} if config.model_type in _SPACED else {}
            self._tokeniser = AutoTokenizer.from_pretrained(source, **spaced, **here)
            self._model: Any = AutoModel.from_pretrained(source, dtype=torch.float32, **here)
        except (OSError, ValueError) as error:
            raise InputError(
                f'the encoder "{one_line(name)}" cannot be loaded '
                f"({one_line(str(error).splitlines()[0], 120)}). Give the folder of a model or a name in "
                "your cache, or allow the download with",
                python="CAPTIOUS_DOWNLOAD=1 in the environment.",
                command="--download.",
            ) from error
        if config.is_encoder_decoder:
            self._model = self._model.get_encoder()
        self._model.eval()
        marks = (self._tokeniser.cls_token_id, self._tokeniser.sep_token_id)
        self.special = frozenset(mark for mark in marks if mark is not None)
        self.ends = _ends(self._tokeniser)
        self.label = _label(name, folder, config)
        self.layers = int(config.num_hidden_layers)
        limit = int(self._tokeniser.model_max_length)
        self.longest = limit if limit < _NO_LIMIT else int(config.max_position_embeddings)

    def encode(self, texts: Sequence[str], longest: int) -> Ids:
        """Token numbers with the model's special tokens."""
        if not texts:
            return []
        stripped = [text.strip() for text in texts]
        rows: Ids = self._tokeniser(stripped, truncation=True, max_length=longest)["input_ids"]
        return rows

    def pieces(self, texts: Sequence[str]) -> list[list[str]]:
        """Pieces of each text, as the vocabulary spells them."""
        rows = self._tokeniser([text.strip() for text in texts], add_special_tokens=False)["input_ids"]
        return [self._tokeniser.convert_ids_to_tokens(row) for row in rows]

    def states(self, ids: NDArray[np.int64], layer: int) -> States:
        """Hidden states after `layer`."""
        import torch

        with torch.inference_mode():
            found = self._model(torch.from_numpy(ids), output_hidden_states=True)
        states: States = found.hidden_states[layer].numpy()
        return states


def _ends(tokeniser: Any) -> tuple[int, int]:
    """How many special tokens stand before and after a text."""
    marks: list[int] = tokeniser("a", return_special_tokens_mask=True)["special_tokens_mask"]
    first = marks.index(0) if 0 in marks else len(marks)
    return first, len(marks) - first - marks.count(0)


def silence() -> None:
    """Keep transformers from drawing its own progress bars."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def _label(name: str, folder: Path | None, config: Any) -> str:
    if folder is not None:
        return folder_label(name, folder)
    commit = getattr(config, "_commit_hash", None)
    return f"{name}/{commit[:8]}" if commit else name
