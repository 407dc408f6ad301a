"""What COCO's references say about words: forms, classes, and which words go with which objects."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.resources import as_file, files
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.corpus.columns import FloatArray
from captious.metrics.chair.words import synonyms
from captious.text.lemma import lemma
from captious.text.parser.load import pack_names, unpack_names
from captious.text.scene_graph.discourse import is_object
from captious.text.stop_words import word_list

TABLE = "evidence.npz"
COLOURS = word_list(
    """
    red blue green yellow white black brown gray grey orange pink purple silver gold golden beige tan
    """
)
NUMBERS = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
SEVERAL = frozenset(["several", "multiple", "various", "numerous"])
FURTHER = frozenset(["another", "additional", "third", "fourth"])
_MOSTLY = 0.55  # of a form's uses that are nouns


class Word(NamedTuple):
    """A form: its lemma, the row of the lemma in the table or -1, and whether it is a noun or a verb.

    `acts` says that it may be a verb after a noun: "rides" of "a man rides".
    """

    lemma: str
    row: int
    noun: bool
    plural: bool
    verb: bool
    acts: bool


@dataclass(frozen=True)
class Lexicon:
    """Forms and lemmas of COCO's references, CHAIR's classes, and how they go together.

    `training/invented/evidence.py` makes it and says what each column is.
    """

    forms: list[str]
    lemma_of: list[str]
    nouns: FloatArray
    verbs: FloatArray
    lemmas: list[str]
    classes: list[str]
    weights: NDArray[np.float32]
    bias: FloatArray
    usual: FloatArray
    alone: FloatArray
    lacking: FloatArray
    rates: dict[str, float]
    digest: str = ""

    @cached_property
    def rows(self) -> dict[str, int]:
        """The row of each lemma."""
        return {name: row for row, name in enumerate(self.lemmas)}

    @cached_property
    def class_of(self) -> dict[str, str]:
        """The class that each of CHAIR's words names."""
        return synonyms()

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of each class."""
        return {name: number for number, name in enumerate(self.classes)}

    @cached_property
    def _forms(self) -> frozenset[str]:
        return frozenset(self.forms)

    @cached_property
    def _known(self) -> dict[str, Word]:
        known = {}
        columns = zip(self.forms, self.lemma_of, self.nouns.tolist(), self.verbs.tolist(), strict=True)
        for form, base, noun, verb in columns:
            is_noun = noun >= _MOSTLY
            known[form] = Word(
                base, self.rows.get(base, -1), is_noun, is_noun and base != form, verb >= 0.5, verb >= 0.1
            )
        return known

    def word(self, form: str) -> Word:
        """What is known of a form in lower case; a form that no reference has is judged by its ending.

        >>> lexicon().word("dogs")[0], lexicon().word("dogs").plural
        ('dog', True)
        """
        found = self._known.get(form)
        if found is None:
            base = lemma(form, "NNS") if form.endswith("s") else form
            noun = base in self.class_of or (
                len(form) > 3
                and form.isalpha()
                and not form.endswith(("ing", "ed", "ly"))
                and is_object(base)
            )
            found = self._known[form] = Word(base, self.rows.get(base, -1), noun, base != form, False, False)
        return found

    def knows(self, form: str) -> bool:
        """Whether references use this form."""
        return form in self._forms

    def odds(self, objects: NDArray[np.bool_]) -> tuple[FloatArray, FloatArray]:
        """Of every lemma the log odds that references of such images use it, and how far beyond the usual."""
        found = objects.astype(np.float32) @ self.weights + self.bias
        usual = np.clip(self.usual, 1e-5, 1 - 1e-5)
        return found, found - np.log(usual / (1 - usual))


def save_lexicon(path: Path, one: Lexicon) -> None:
    """Write a lexicon as plain arrays: weights as 8-bit integers, shares in 255ths."""
    step = float(np.abs(one.weights).max()) / 127
    notes = {"step": step, "rates": one.rates, "classes": one.classes}
    np.savez_compressed(
        path,
        forms=pack_names(one.forms),
        lemma_of=pack_names(one.lemma_of),
        lemmas=pack_names(one.lemmas),
        shares=np.round(255 * np.stack([one.nouns, one.verbs])).astype(np.uint8),
        weights=np.round(one.weights / step).astype(np.int8),
        by_lemma=np.stack([one.bias, one.usual, one.alone, one.lacking]).astype(np.float32),
        notes=np.frombuffer(json.dumps(notes).encode(), dtype=np.uint8),
    )


def read_lexicon(path: Path) -> Lexicon:
    """Read what `save_lexicon` wrote."""
    with np.load(path, allow_pickle=False) as stored:
        notes = json.loads(stored["notes"].tobytes())
        nouns, verbs = stored["shares"] / 255
        bias, usual, alone, lacking = stored["by_lemma"].astype(np.float64)
        return Lexicon(
            forms=unpack_names(stored["forms"]),
            lemma_of=unpack_names(stored["lemma_of"]),
            nouns=nouns,
            verbs=verbs,
            lemmas=unpack_names(stored["lemmas"]),
            classes=notes["classes"],
            weights=stored["weights"].astype(np.float32) * np.float32(notes["step"]),
            bias=bias,
            usual=usual,
            alone=alone,
            lacking=lacking,
            rates=notes["rates"],
            digest=hashlib.sha256(path.read_bytes()).hexdigest()[:8],
        )


@cache
def lexicon() -> Lexicon:
    """The lexicon inside the package."""
    with as_file(files("captious.metrics.invented") / TABLE) as path:
        return read_lexicon(path)
