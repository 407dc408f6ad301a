"""The file of the metric `captious`: a change of the encoder, word tables, and weights of features.

One file of plain arrays (`.npz`, no pickled objects). Beside the weights that were fitted on all
training data it holds those fitted without one benchmark each, so that figures on a benchmark can be
computed with weights that never saw it.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.errors import InputError, UnknownNameError, one_line
from captious.metrics.captious_metric.meaning import MEANING_FEATURES, TokenWeights
from captious.metrics.captious_metric.words import WORD_FEATURES, WordTable
from captious.models.encoders.bert_graph import Ranges
from captious.models.encoders.checkpoint import LowRank

FEATURES = (*WORD_FEATURES, *MEANING_FEATURES)
SHIPPED = "shipped"
NOTHING = "nothing"
PAIR_STEPS = 16  # a pair's familiarity is stored in sixteenths
_SHIPPED_FILE = Path(__file__).parent / "weights.npz"
_LAYOUT = 2
_RANGES = "|range"


@dataclass(frozen=True, eq=False)
class Head:
    """Score of an example from its features x: 1 / (1 + exp(-(bias + weights . x)))."""

    weights: FloatArray
    bias: float

    def scores(self, features: FloatArray) -> FloatArray:
        """Scores of many examples; those of one do not depend on which others are with it."""
        # A matrix product sums in an order that depends on the number of rows.
        sums = np.einsum("ij,j->i", features, self.weights)
        found: FloatArray = 1.0 / (1.0 + np.exp(-(sums + self.bias)))
        return found


@dataclass(frozen=True, eq=False)
class Model:
    """Everything that scoring needs besides the published encoder."""

    change: LowRank
    tokens: TokenWeights
    table: WordTable
    heads: Mapping[str, Head]
    ranges: Ranges | None = None  # with which the encoder computes in whole numbers
    digest: str = ""
    images: frozenset[str] = frozenset()  # that it was fitted to, by loose id

    def head(self, held_out: str) -> Head:
        """The weights that were fitted without a benchmark."""
        if held_out not in self.heads:
            raise UnknownNameError("held_out of captious", held_out, self.heads)
        return self.heads[held_out]


def load_model(name: str = SHIPPED) -> Model:
    """The shipped model, or one that `captious train captious` wrote.

    >>> sorted(load_model().heads)[0]
    'flickr8k-expert'
    """
    path = _SHIPPED_FILE if name == SHIPPED else Path(name).expanduser()
    try:
        facts = path.stat()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}). Give a file that captious train wrote."
        ) from None
    return _load(path, facts.st_mtime_ns)


@lru_cache(maxsize=4)
def _load(path: Path, changed: int) -> Model:
    try:
        content = path.read_bytes()
        with np.load(path, allow_pickle=False) as stored:
            arrays = {key: stored[key] for key in stored.files}
        return _model(arrays, hashlib.sha256(content).hexdigest()[:8])
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from None
    except (BadZipFile, EOFError, KeyError, TypeError, ValueError, zlib.error) as error:
        # NumPy's own words advise to unpickle a strange file; nobody should.
        why = "no plain arrays" if "pickle" in str(error) else one_line(str(error))
        raise InputError(
            f"{path}: is not a captious model ({why}). Give a file that captious train captious wrote."
        ) from None


def _model(arrays: Mapping[str, NDArray[np.generic]], digest: str) -> Model:
    if int(arrays["layout"]) != _LAYOUT or _words(arrays["features"]) != list(FEATURES):
        raise ValueError("made by another version")
    matrices = [key[:-2] for key in arrays if key.endswith("|a")]
    factors = {name: (_floats(arrays[name + "|a"]), _floats(arrays[name + "|b"])) for name in matrices}
    ranges = {key.removesuffix(_RANGES): _floats(arrays[key]) for key in arrays if key.endswith(_RANGES)}
    rarity = dict(zip(_words(arrays["words"]), arrays["rarity"].astype(float).tolist(), strict=True))
    heads = {
        name: Head(row[:-1], float(row[-1]))
        for name, row in zip(_words(arrays["heads"]), arrays["head_weights"].astype(float), strict=True)
    }
    return Model(
        LowRank(factors, float(arrays["strength"])),
        TokenWeights(arrays["token_weights"].astype(np.float32), float(arrays["token_bias"])),
        WordTable(rarity, arrays["pairs"].astype(float) / PAIR_STEPS),
        heads,
        ranges or None,
        digest,
        frozenset(_words(arrays["images"])) if "images" in arrays else frozenset(),
    )


def save_model(path: Path, model: Model) -> None:
    """Write a model; half precision for large arrays. The write is atomic."""
    from captious.files import atomically

    arrays: dict[str, NDArray[np.generic]] = {"layout": np.array(_LAYOUT), "features": _bytes(FEATURES)}
    for name, (a, b) in model.change.factors.items():
        arrays[name + "|a"], arrays[name + "|b"] = a.astype(np.float16), b.astype(np.float16)
    arrays |= {name + _RANGES: own.astype(np.float16) for name, own in (model.ranges or {}).items()}
    arrays["strength"] = np.array(model.change.strength)
    arrays["token_weights"] = model.tokens.w.astype(np.float16)
    arrays["token_bias"] = np.array(model.tokens.b)
    arrays["words"] = _bytes(model.table.rarity)
    arrays["rarity"] = np.array(list(model.table.rarity.values()), dtype=np.float16)
    arrays["pairs"] = np.round(model.table.pairs * PAIR_STEPS).clip(0, 255).astype(np.uint8)
    arrays["heads"] = _bytes(model.heads)
    arrays["head_weights"] = np.array([[*h.weights, h.bias] for h in model.heads.values()], dtype=np.float32)
    if model.images:
        arrays["images"] = _bytes(sorted(model.images))
    with atomically(path) as fresh, fresh.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]


def _floats(stored: NDArray[np.generic]) -> NDArray[np.float32]:
    return stored.astype(np.float32)


def _bytes(words: Iterable[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(words).encode(), dtype=np.uint8)


def _words(stored: NDArray[np.generic]) -> list[str]:
    return bytes(stored.astype(np.uint8)).decode().split("\n")
