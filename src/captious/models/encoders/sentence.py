"""Text encoders: one interface, two ways to run them.

An encoder turns a text into token numbers and texts of one length into a hidden state for every
token. `load_encoder` picks ONNX Runtime for BERTs whose weights are on this machine, no torch
needed, and PyTorch with transformers for every other encoder. Texts are sorted by length and run
in batches of one length, without padding, so that a text's states do not depend on its company.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, UnknownNameError
from captious.models import locate
from captious.models.encoders.long_texts import CHUNK, CONTEXT, Ids, Windows, read_windows, window_label
from captious.models.encoders.vector_cache import cached_vectors
from captious.progress import tell

BACKENDS = ("auto", "onnx", "torch")
_PACKAGES = {"onnx": ("onnx", "onnxruntime"), "torch": ("torch", "transformers")}
WHOLE = 1 << 30  # tokens: no text is so long
LONGEST_SENTENCE = 256  # tokens; all-MiniLM-L6-v2's own setting
_TOKENS_A_BATCH = 1024  # what keeps a layer's numbers in the processor's cache
States = NDArray[np.float32]


class Encoder(Protocol):
    """What every encoder offers."""

    label: str
    backend: str
    layers: int
    longest: int
    special: frozenset[int]
    ends: tuple[int, int]

    def encode(self, texts: Sequence[str], longest: int) -> Ids:
        """Token numbers of each text with the model's special tokens, cut at `longest`."""

    def pieces(self, texts: Sequence[str]) -> list[list[str]]:
        """Pieces of each text, whole, without special tokens."""

    def states(self, ids: NDArray[np.int64], layer: int) -> States:
        """Hidden states after `layer` of texts of one length: texts x length x width."""


class SentenceVectors(NamedTuple):
    """Vectors of length 1: a row for each window of each text, most often one.

    Text `i` owns rows `offsets[i]:offsets[i + 1]`; `shares` are the shares of a text's tokens that its
    windows hold. `known` tells which texts have a word, `beyond` counts tokens beyond the limit.
    """

    rows: States
    offsets: NDArray[np.int64]
    shares: NDArray[np.float64]
    known: NDArray[np.bool_]
    beyond: NDArray[np.int64]

    @property
    def pooled(self) -> States:
        """One vector of length 1 for each text: the mean of its windows' by their tokens."""
        if len(self.rows) == len(self.known):
            return self.rows
        sums = np.add.reduceat(self.rows * self.shares[:, None], self.offsets[:-1], axis=0)
        return np.asarray(sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12), np.float32)


class TokenStates(NamedTuple):
    """States of many texts in one column: text `i` owns rows `offsets[i]:offsets[i + 1]`."""

    values: States
    offsets: NDArray[np.int64]


def load_encoder(name: str = locate.MINILM, backend: str = "auto") -> Encoder:
    """Open an encoder by name, folder or hub name.

    What is open is remembered for this process alone: threads do not survive a fork.
    """
    ready(name, backend)
    return _load(name, _choose(name, backend), getpid())


def ready(name: str, backend: str) -> None:
    """Raise `MissingDependencyError` where the encoder's weights or packages are absent."""
    from captious.errors import MissingDependencyError

    check_backend(backend)
    extra = "encoder" if (chosen := _choose(name, backend)) == "onnx" else "models"
    for package in _absent(chosen):
        raise MissingDependencyError(f'the encoder "{name}" needs {package}', extra)


def _absent(backend: str) -> list[str]:
    """The packages of a backend that are not installed."""
    from importlib.util import find_spec

    return [package for package in _PACKAGES[backend] if find_spec(package) is None]


def check_backend(backend: str) -> None:
    """Refuse a backend that does not exist."""
    if backend not in BACKENDS:
        raise UnknownNameError("backend", backend, BACKENDS)


def label_of(name: str, backend: str) -> tuple[str, str]:
    """What a signature says of an encoder: its name and weights, and what runs it."""
    chosen = _choose(name, backend)
    folder = locate.local(name)
    if folder is None:
        encoder = load_encoder(name, backend)
        return encoder.label, encoder.backend
    return folder_label(name, folder), chosen


def folder_label(name: str, folder: Path) -> str:
    """Name of a folder's model and the digest of its weights."""
    shown = name if name in locate.CARRIERS else folder.resolve().name
    files = sorted(p for p in folder.glob("*") if p.suffix in (".safetensors", ".bin"))
    return "/".join([shown, *(locate.digest(path) for path in files)])


def _choose(name: str, backend: str) -> str:
    folder = locate.local(name)
    if backend != "auto":
        if backend == "onnx" and (folder is None or not _is_bert(folder)):
            raise InputError(
                f'the encoder "{name}" cannot run with backend=onnx, which needs the folder of a '
                "BERT with model.safetensors and vocab.txt. Use backend=torch."
            )
        return backend
    if folder is None or not _is_bert(folder):
        return "torch"
    # Whoever has only PyTorch need not install a second runtime.
    return "torch" if _absent("onnx") and not _absent("torch") else "onnx"


def _is_bert(folder: Path) -> bool:
    if not all((folder / part).is_file() for part in (locate.WEIGHTS, "vocab.txt", "config.json")):
        return False
    return bool(read_config(folder).get("model_type") == "bert")


def read_config(folder: Path) -> dict[str, Any]:
    """The `config.json` of a model's folder."""
    path = folder / "config.json"
    try:
        config: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError:
        raise InputError(f"{path}: is not JSON. Download the model again.") from None
    return config


@lru_cache(maxsize=4)
def _load(name: str, backend: str, process: int) -> Encoder:
    if backend == "onnx":
        from captious.models.encoders.torch_sentence import OnnxEncoder

        folder = locate.local(name)
        if folder is None:
            raise InputError(f'the encoder "{name}" is not on this machine. Use backend=torch.')
        return OnnxEncoder(folder_label(name, folder), folder)
    from captious.models.encoders.torch_sentence import TorchEncoder

    return TorchEncoder(name)


def token_states(encoder: Encoder, ids: Ids, layer: int) -> TokenStates:
    """States of every token of every text, equal texts computed once."""
    lengths = np.array([len(row) for row in ids], dtype=np.int64)
    offsets = np.append(0, np.cumsum(lengths))
    values: list[States] = []

    def keep(rows: NDArray[np.int64], states: States) -> None:
        if not values:
            values.append(np.empty((int(offsets[-1]), states.shape[2]), dtype=np.float32))
        places = offsets[rows][:, None] + np.arange(states.shape[1])
        values[0][places] = states

    _run(encoder, ids, layer, keep)
    return TokenStates(values[0] if values else np.empty((0, 1), np.float32), offsets)


def sentence_limit(encoder: Encoder) -> int:
    """The most tokens, special ones included, that a sentence vector is made of."""
    return min(encoder.longest, LONGEST_SENTENCE)


def text_windows(encoder: Encoder, texts: Sequence[str], limit: int, long: str) -> Windows:
    """Token rows of texts; a long one in windows that share some tokens, see `long_texts`."""
    name = encoder.label.partition("/")[0]
    shared = shared_tokens(limit)
    return read_windows(
        lambda own: encoder.encode(own, WHOLE), texts, limit, long, name, ends=encoder.ends, overlap=shared
    )


def shared_tokens(limit: int) -> int:
    """Tokens that a window shares with the one before it.

    >>> shared_tokens(256), shared_tokens(64)
    (32, 16)
    """
    return min(CONTEXT, limit // 4)


def windows_of(limit: int) -> str:
    """The label of the windows of at most `limit` tokens.

    >>> windows_of(256)
    '256/32'
    """
    return window_label(limit, shared_tokens(limit))


def sentence_vectors(
    encoder: Encoder, texts: Sequence[str], long: str = CHUNK, cache: str = ""
) -> SentenceVectors:
    """Mean of the last states of each text or window, of length 1.

    This is how all-MiniLM-L6-v2 was trained to be used (Reimers and Gurevych 2019). `cache` names the
    model where vectors are to be kept on disk; the tokens of a window's context count in the one before.
    """
    limit = sentence_limit(encoder)
    cut = text_windows(encoder, texts, limit, long)
    if not cache:
        vectors = _row_vectors(encoder, cut.rows, cut.context)
    else:
        keys = _row_keys(texts, cut, limit)
        place = {key: row for row, key in enumerate(keys)}

        def make(wanted: Sequence[str]) -> tuple[States, NDArray[np.bool_]]:
            rows = [place[key] for key in wanted]
            own = [cut.rows[row] for row in rows]
            return _row_vectors(encoder, own, cut.context[rows]), has_words(encoder, own)

        vectors, _ = cached_vectors(cache, keys, make)
    offsets = cut.offsets
    known = has_words(encoder, [cut.rows[row] for row in offsets[:-1].tolist()])
    return SentenceVectors(vectors, offsets, cut.shares, known, cut.beyond)


def _row_keys(texts: Sequence[str], cut: Windows, limit: int) -> list[str]:
    """What the cache knows a row by: the text, or for windows also which and of what kind."""
    several = np.diff(cut.offsets) > 1
    kind = f"{CHUNK}:{windows_of(limit)}"
    return [
        f"{kind}:{row - cut.offsets[owner]}\x1f{texts[owner]}" if several[owner] else texts[owner]
        for row, owner in enumerate(cut.owner.tolist())
    ]


def _row_vectors(encoder: Encoder, rows: Ids, context: NDArray[np.int64]) -> States:
    vectors: list[States] = []

    def keep(places: NDArray[np.int64], states: States) -> None:
        means = states.mean(axis=1)
        for own in np.flatnonzero(context[places]).tolist():
            means[own] = np.delete(states[own], context_places(encoder, context[places[own]]), 0).mean(axis=0)
        if not vectors:
            vectors.append(np.zeros((len(rows), means.shape[1]), dtype=np.float32))
        vectors[0][places] = means / np.linalg.norm(means, axis=1, keepdims=True)

    _run(encoder, rows, encoder.layers, keep)
    return vectors[0] if vectors else np.zeros((len(rows), 1), dtype=np.float32)


def context_places(encoder: Encoder, context: int) -> slice:
    """Where a row has the tokens of its context."""
    return slice(encoder.ends[0], encoder.ends[0] + context)


def has_words(encoder: Encoder, ids: Ids) -> NDArray[np.bool_]:
    """Which texts have a token that is not one of the encoder's special ones."""
    return np.array([not encoder.special.issuperset(row) for row in ids], dtype=bool)


def _run(encoder: Encoder, ids: Ids, layer: int, keep: Callable[[NDArray[np.int64], States], None]) -> None:
    """Run every distinct text once and hand out the states of all texts that are equal to it."""
    known: dict[tuple[int, ...], int] = {}
    places = np.array([known.setdefault(tuple(row), len(known)) for row in ids], dtype=np.int64)
    distinct = list(known)
    owners = np.argsort(places, kind="stable")
    firsts = np.searchsorted(places[owners], np.arange(len(distinct) + 1))
    done, total = 0, sum(map(len, distinct))  # batches differ in length: tokens tell the time left
    for batch in _batches(distinct):
        states = encoder.states(np.array([distinct[i] for i in batch], dtype=np.int64), layer)
        counts = firsts[np.add(batch, 1)] - firsts[batch]
        rows = np.concatenate([owners[firsts[i] : firsts[i + 1]] for i in batch])
        keep(rows, states if counts.max() == 1 else np.repeat(states, counts, axis=0))
        done += sum(len(distinct[i]) for i in batch)
        tell("tokens", done, total)


def _batches(texts: Sequence[tuple[int, ...]]) -> Iterator[list[int]]:
    """Places of texts of one length, the longest first, so that too little memory shows early.

    A text without any token, as tokenisers without special tokens make of an empty one, has none.
    """
    by_length: dict[int, list[int]] = {}
    for place, text in enumerate(texts):
        if text:
            by_length.setdefault(len(text), []).append(place)
    for length, places in sorted(by_length.items(), reverse=True):
        size = max(1, _TOKENS_A_BATCH // length)
        for start in range(0, len(places), size):
            yield places[start : start + size]
