"""N-gram language models: probabilities with back-off, looked up for all texts at once.

An n-gram is its first n - 1 tokens, which are an n-gram too, and one token more, so that each gets
its number from a pair of numbers. A model holds for every n-gram that was seen the logarithm of its
interpolated probability, and for every context the logarithm of the mass that is left for tokens
not seen after it (Katz 1987 gave this form; modified Kneser-Ney fills it, see `ngram_train`).
"""

from __future__ import annotations

import hashlib
import math
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError
from captious.files import atomically
from captious.models import locate
from captious.models.language.load import Likelihoods
from captious.text.lookup import ABSENT, Lookup, chunks
from captious.text.remembered import Remembered
from captious.text.tokens import TokenTable, token_table

BEGIN, END, UNKNOWN = 0, 1, 2
SPECIAL = 3  # how many numbers are no words
FORMAT = "captious-ngram-lm-2"
FORMAT_1 = "captious-ngram-lm-1"  # keys as they are, without a scale of fluency
_SEPARATOR = "\n"
_CHUNK = 1 << 20  # tokens looked up at once, to bound memory
IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class NgramModel:
    """Words, n-grams, probabilities and back-off weights, all logarithms natural.

    Word `i` has the number `i + SPECIAL`. `keys[k]` holds in ascending order
    `context * size + token` for every n-gram of order k + 2. `fluent` is what `fluency` reads.
    """

    words: list[str]
    keys: tuple[IntArray, ...]
    logs: tuple[FloatArray, ...]
    backoffs: tuple[FloatArray, ...]
    captions: int
    tokeniser: str = "ptb"
    fluent: FloatArray | None = None

    @property
    def order(self) -> int:
        """Length of the longest n-gram."""
        return len(self.logs)

    @property
    def size(self) -> int:
        """How many words there are, with begin, end and unknown."""
        return len(self.words) + SPECIAL

    @property
    def n_grams(self) -> int:
        """How many n-grams of all orders the model holds, begin and unknown included."""
        return sum(map(len, self.logs))

    @property
    def windows(self) -> str:
        """None: it reads texts of any length."""
        return ""

    @cached_property
    def label(self) -> str:
        """What a signature says: order, captions it was trained on, digest of its content."""
        return f"ngram{self.order}:{self.captions}:{_digest(self._arrays())[:8]}"

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.words, SPECIAL)}

    @cached_property
    def _lookups(self) -> list[Lookup]:
        return [Lookup(keys) for keys in self.keys]

    def beyond(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """It reads texts of any length."""
        return np.zeros(len(texts), dtype=np.int64)

    def likelihoods(self, texts: Sequence[str], long: str = "") -> Likelihoods:
        """Logarithm of each text's probability, its end included, and its tokens plus one."""
        table = token_table(texts, self.tokeniser)
        numbers = np.array([self._numbers.get(word, UNKNOWN) for word in table.vocabulary], dtype=np.int64)
        sums = np.zeros(len(table))
        for part in chunks(table.lengths + 2, _CHUNK):
            stream, starts = stream_of(table, numbers, part)
            logs = self.token_logs(stream)
            sums[part] = np.add.reduceat(logs, starts) if len(starts) else 0.0
        return Likelihoods(sums, table.lengths + 1)

    def token_logs(self, stream: IntArray) -> FloatArray:
        """Log-probability of each token of a stream of texts given those before it.

        The begin of a text is certain (0), and no context reaches across it.
        """
        rows = stream
        logs = self.logs[0][stream]
        for lookup, own, backoffs in zip(self._lookups, self.logs[1:], self.backoffs, strict=True):
            contexts = np.append(ABSENT, rows[:-1])
            contexts[stream == BEGIN] = ABSENT
            known = np.flatnonzero(contexts >= 0)
            found = np.full(len(stream), ABSENT, dtype=np.int64)
            found[known] = lookup.find(contexts[known] * self.size + stream[known])
            logs[known] += backoffs[contexts[known]]
            seen = found >= 0
            logs[seen] = own[found[seen]]
            rows = found
        logs[stream == BEGIN] = 0.0
        return logs

    def save(self, path: Path) -> None:
        """Write plain arrays (`.npz`), which run no code when they are read."""
        with atomically(path) as temporary, temporary.open("wb") as file:
            arrays = {name: _packed(name, array) for name, array in self._arrays().items()}
            np.savez_compressed(file, allow_pickle=False, **arrays)

    @classmethod
    def load(cls, path: Path) -> NgramModel:
        """Read what `save` wrote, and refuse anything else."""
        try:
            arrays = _read_arrays(path)
            model = cls._from_arrays(arrays)
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror or error}).") from error
        except (ValueError, KeyError, TypeError, zipfile.BadZipFile, EOFError) as error:
            raise _not_a_model(path) from error
        if not model._is_sound():
            raise _not_a_model(path)
        return model

    @classmethod
    def _from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> NgramModel:
        format_ = arrays["format"].tobytes().decode()
        if format_ not in (FORMAT, FORMAT_1):
            raise ValueError("another format")
        unpacked = np.cumsum if format_ == FORMAT else np.asarray
        text = arrays["words"].tobytes().decode(errors="surrogatepass")
        order = int(arrays["order"])
        return cls(
            words=text.split(_SEPARATOR) if text else [],
            keys=tuple(unpacked(arrays[f"keys{n}"].astype(np.int64)) for n in range(2, order + 1)),
            logs=tuple(arrays[f"logs{n}"].astype(np.float64) for n in range(1, order + 1)),
            backoffs=tuple(arrays[f"backoffs{n}"].astype(np.float64) for n in range(1, order)),
            captions=int(arrays["captions"]),
            tokeniser=arrays["tokeniser"].tobytes().decode(),
            fluent=arrays["fluent"].astype(np.float64) if "fluent" in arrays else None,
        )

    def _arrays(self) -> dict[str, NDArray[Any]]:
        return (
            {
                "format": _bytes(FORMAT),
                "words": _bytes(_SEPARATOR.join(self.words)),
                "order": np.array(self.order),
                "captions": np.array(self.captions),
                "tokeniser": _bytes(self.tokeniser),
            }
            | {f"keys{n}": keys for n, keys in enumerate(self.keys, 2)}
            | {f"logs{n}": logs for n, logs in enumerate(self.logs, 1)}
            | {f"backoffs{n}": weights for n, weights in enumerate(self.backoffs, 1)}
            | ({} if self.fluent is None else {"fluent": self.fluent})
        )

    def _is_sound(self) -> bool:
        """Whether every number points to something that is there."""
        below = self.size
        if len(self.logs[0]) != below:
            return False
        for keys, logs, backoffs in zip(self.keys, self.logs[1:], self.backoffs, strict=True):
            if len(keys) != len(logs) or len(backoffs) != below:
                return False
            if len(keys) and not (
                keys[0] >= 0 and keys[-1] < below * self.size and bool(np.all(np.diff(keys) > 0))
            ):
                return False
            below = len(keys)
        scale = np.zeros(1) if self.fluent is None else self.fluent
        return all(bool(np.isfinite(part).all()) for part in (*self.logs, *self.backoffs, scale))


def stream_of(table: TokenTable, numbers: IntArray, part: slice) -> tuple[IntArray, IntArray]:
    """Texts of a slice one after another, each between begin and end, and where each begins."""
    lengths = table.lengths[part]
    ends = np.cumsum(lengths + 2)
    starts = ends - lengths - 2
    stream = np.full(int(ends[-1]) if len(ends) else 0, END, dtype=np.int64)
    stream[starts] = BEGIN
    inner = np.ones(len(stream), dtype=bool)
    inner[starts] = inner[ends - 1] = False
    first, last = int(table.offsets[part.start]), int(table.offsets[part.stop])
    stream[inner] = numbers[table.ids[first:last]]
    return stream, starts


def _read_arrays(path: Path) -> dict[str, NDArray[Any]]:
    with path.open("rb") as file:
        if not zipfile.is_zipfile(file):
            raise _not_a_model(path)
        file.seek(0)
        with np.load(file, allow_pickle=False) as archive:
            return {name: archive[name] for name in archive.files}


def _not_a_model(path: Path) -> InputError:
    return InputError(
        f"{path}: is not a complete n-gram model. Write one with `captious train lm --captions FILE "
        f"--out {path.name}`."
    )


def _packed(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """The same numbers in less room: ascending keys as steps, and the smallest type that holds all."""
    if name.startswith("keys"):
        steps = np.diff(array, prepend=0)
        return steps.astype(np.min_scalar_type(int(steps.max(initial=0))))
    if array.dtype == np.float64:
        for kind in (np.float16, np.float32):
            with np.errstate(over="ignore"):
                smaller = array.astype(kind)
            if np.array_equal(smaller, array):
                return smaller
    return array


def _bytes(text: str) -> NDArray[np.uint8]:
    return np.frombuffer(text.encode(errors="surrogatepass"), dtype=np.uint8)


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    content = hashlib.sha256()
    for name in sorted(arrays):
        content.update(name.encode() + b"\0" + np.ascontiguousarray(arrays[name]).tobytes())
    return content.hexdigest()


_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ORDER = 3
# A word that the model does not know; its rarest words have about 10^-7.
UNKNOWN_WORD = math.log(1e-7)


class PocketsphinxModel:
    """Probabilities of lower-case words without punctuation, begin and end of text included."""

    windows = ""

    def __init__(self) -> None:
        try:
            from pocketsphinx import Config, LogMath, NGramModel, get_model_path
        except ImportError:
            raise MissingDependencyError("lm's trigram comes with the package pocketsphinx", "lm") from None
        path = Path(get_model_path("en-us/en-us.lm.bin"))
        self._scale = LogMath()
        self._model = NGramModel(Config(lm=str(path)), self._scale, str(path))
        self._known = Remembered[tuple[str, ...], float]()
        self._impossible = self._scale.get_zero()
        self.label = f"pocketsphinx-en-us/{locate.digest(path)}"

    def beyond(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """It reads texts of any length."""
        return np.zeros(len(texts), dtype=np.int64)

    def likelihoods(self, texts: Sequence[str], long: str = "") -> Likelihoods:
        """Logarithm of each text's probability, its end included, and its words plus one."""
        logs, tokens = [], []
        for text in texts:
            words = ["<s>", *_WORD.findall(text.lower().replace("’", "'")), "</s>"]
            logs.append(math.fsum(self._log(words, place) for place in range(1, len(words))))
            tokens.append(len(words) - 1)
        return Likelihoods(np.array(logs, dtype=np.float64), np.array(tokens, dtype=np.int64))

    def _log(self, words: list[str], place: int) -> float:
        # The word first, then those before it, the nearest first.
        gram = tuple(words[max(0, place - _ORDER + 1) : place + 1][::-1])
        found = self._known.get(gram)
        if found is None:
            value = self._model.prob(list(gram))
            known = value > self._impossible
            found = float(self._scale.log_to_ln(value)) if known else UNKNOWN_WORD
            self._known[gram] = found
        return found
