"""Language models: one interface, and how a name becomes a model."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from os import getpid
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from captious.errors import MissingDependencyError
from captious.models import locate
from captious.models.encoders.long_texts import CHUNK

POCKETSPHINX = "pocketsphinx"
CAPTIONS = "captions"  # comes with the package
NGRAM_SUFFIX = ".npz"
LONGEST_CAUSAL = 1024  # tokens that a causal model reads at once, unless it has fewer positions


def is_causal(name: str) -> bool:
    """Whether a name is one of a causal model: an n-gram model reads texts of any length."""
    return name not in (POCKETSPHINX, CAPTIONS) and not name.endswith(NGRAM_SUFFIX)


class Likelihoods(NamedTuple):
    """Of each text: the natural logarithm of its probability, and over how many tokens."""

    logs: NDArray[np.float64]
    tokens: NDArray[np.int64]


class LanguageModel(Protocol):
    """What every language model offers."""

    @property
    def label(self) -> str:
        """What a signature says: name and digest of the weights."""

    def likelihoods(self, texts: Sequence[str], long: str = CHUNK) -> Likelihoods:
        """How probable each text is. Every text counts at least one token: its end."""

    @property
    def windows(self) -> str:
        """The label of the windows that it reads a long text in; empty where it reads any text at once."""

    def beyond(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """Tokens of each text that are more than it reads at once."""


def load_language_model(name: str = POCKETSPHINX) -> LanguageModel:
    """Open a language model.

    `pocketsphinx` is the trigram of the package of that name; `captions` the bigram of COCO captions
    that comes with captious; a `.npz` file an n-gram model that
    `captious train lm` wrote; a `.gguf` file, a folder or any other name a causal model of
    transformers.
    """
    path = Path(name).expanduser()
    changed = path.stat().st_mtime_ns if path.is_file() else 0
    return _load(name, changed, getpid())


@lru_cache(maxsize=4)
def _load(name: str, changed: int, process: int) -> LanguageModel:
    if name == POCKETSPHINX:
        from captious.models.language.ngram import PocketsphinxModel

        return PocketsphinxModel()
    if name == CAPTIONS or name.endswith(NGRAM_SUFFIX):
        from captious.models.language.ngram import NgramModel

        return NgramModel.load(bundled() if name == CAPTIONS else Path(name).expanduser())
    from captious.models.language.causal_lm import CausalModel

    return CausalModel(name)


def bundled() -> Path:
    """The file of the bigram of captions that comes with the package."""
    return Path(__file__).parent / "captions.npz"


def ready(name: str) -> None:
    """Raise `MissingDependencyError` where weights or packages that the model needs are absent."""
    from importlib.util import find_spec

    if name == POCKETSPHINX:
        if find_spec("pocketsphinx") is None:
            raise MissingDependencyError("lm's trigram comes with the package pocketsphinx", "lm")
    elif name != CAPTIONS and not name.endswith(NGRAM_SUFFIX):
        path = locate.local(name)
        packages = ["torch", "transformers"]
        if path is not None and path.suffix == ".gguf":
            packages += ["gguf", "accelerate"]
        for package in packages:
            if find_spec(package) is None:
                raise MissingDependencyError(f'the language model "{name}" needs {package}', "models")
