"""METEOR 1.5 in other languages than English: parameters, stems and function words (Denkowski & Lavie 2014).

Parameters and weights are those that the program prints. Its package brings paraphrases for English
alone, so that words of other languages match as they are and by stem. Stems are NLTK's Snowball: of
the packages it is nearest to the program's own, which date from 2010 (the newer `snowballstemmer` gives
other stems for one German word in 17).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import MissingDependencyError
from captious.metrics.meteor.compiler import word_keys
from captious.metrics.meteor.sources import find_sources
from captious.metrics.meteor.tables import Tables, Words

FUNCTION_WORDS = PROGRAM, OWN = ("program", "own")


class Language(NamedTuple):
    """What METEOR has for a language; `normalised` says whether it tokenises it itself."""

    name: str  # in METEOR's files, and NLTK's name of the stemmer
    alpha: float = 0.75
    beta: float = 1.4
    gamma: float = 0.7
    delta: float = 0.5
    weights: tuple[float, ...] = (1.0, 0.5)  # of equal words, and of equal stems
    normalised: bool = False

    @property
    def matchers(self) -> str:
        """Which words match."""
        return "exact+stem" if len(self.weights) > 1 else "exact"


LANGUAGES = {
    "de": Language("german", 0.95, 1.0, 0.55, 0.55, (1.0, 0.8), normalised=True),
    "es": Language("spanish", 0.65, 1.3, 0.5, 0.8, (1.0, 0.8), normalised=True),
    "fr": Language("french", 0.9, 1.4, 0.6, 0.65, (1.0, 0.2), normalised=True),
    "cs": Language("czech", 0.95, 0.2, 0.6, 0.8, (1.0,), normalised=True),
    "ru": Language("russian", normalised=True),
    "da": Language("danish"),
    "fi": Language("finnish"),
    "hu": Language("hungarian"),
    "it": Language("italian"),
    "nl": Language("dutch"),
    "no": Language("norwegian"),
    "pt": Language("portuguese"),
    "ro": Language("romanian"),
    "sv": Language("swedish"),
}
Stem = Callable[[str], str]


@dataclass(frozen=True, eq=False)
class StemTables(Tables):
    """A language's function words and stems; no synonyms, no paraphrases."""

    stem: Stem = field(default=str)

    def _look_up(self, vocabulary: Sequence[str]) -> tuple[NDArray[np.uint64], Words]:
        """Keys of the words' stems, and the rest."""
        return word_keys([self.stem(word) for word in vocabulary]), Words(
            number=np.full(len(vocabulary), -1),
            stem=np.zeros(0, dtype=np.int64),
            synsets=np.zeros(0, dtype=np.int64),
            synset_offsets=np.zeros(len(vocabulary) + 1, dtype=np.int64),
            function=np.array([word in self.function_words for word in vocabulary], dtype=bool),
        )


@cache
def load_language(code: str, function: str = PROGRAM) -> StemTables:
    """The tables of a language by its code of ISO 639-1.

    METEOR's program counts the function words of English whatever the language, unless its option `-s`
    names another list; `function=own` takes the language's list, which its files have for some.
    """
    sources, name = find_sources(), LANGUAGES[code].name
    words = sources.function_words(name if function == OWN else "english")
    abbreviations = frozenset[str]()
    if LANGUAGES[code].normalised:
        abbreviations = sources.abbreviations(name)
    content = "\n".join([*sorted(words), "", *sorted(abbreviations)])
    digest = sha256(content.encode("utf-8")).hexdigest()
    return StemTables({}, words, abbreviations, digest, stem=_stemmer(code))


def require_stemmer() -> None:
    """Refuse where NLTK is not installed."""
    if find_spec("nltk") is None:
        raise MissingDependencyError("meteor in other languages than English needs nltk", "meteor")


def stemmer_label() -> str:
    """What a signature says of the stems."""
    return f"nltk-{version('nltk')}"


def _stemmer(code: str) -> Stem:
    if LANGUAGES[code].matchers == "exact":
        return str
    require_stemmer()
    from nltk.stem.snowball import SnowballStemmer

    snowball: Any = SnowballStemmer(LANGUAGES[code].name)
    if code == "de":
        return lambda word: _german(word, snowball.stem(word))
    if code == "ru":
        return lambda word: _russian(word, snowball.stem)
    stem: Stem = snowball.stem
    return stem


def _german(word: str, stem: str) -> str:
    """The stem without the later rule that makes -nis of -niss-: METEOR's `ergebniss` of `ergebnisse`."""
    return f"{stem}s" if stem.endswith("nis") and word[len(stem) - 1 :].startswith("ss") else stem


def _russian(word: str, stem: Stem) -> str:
    """The stem of a word whose ё stays a letter of its own, as in METEOR."""
    return stem(word.replace("ё", "@")).replace("@", "ё")
