"""The trigram of the pocketsphinx package: general English, offline, 20,000 words."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from captious.errors import MissingDependencyError
from captious.models import locate
from captious.models.language.load import Likelihoods
from captious.text.remembered import Remembered

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
