"""Rules of good alternative texts, which need neither references nor the image."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from captious.corpus.columns import FloatArray
from captious.corpus.findings import Place
from captious.errors import InputError
from captious.metrics.base import Metric
from captious.metrics.batch import Batch
from captious.metrics.registry import register

KIND = "text"  # of its findings
COST = {"major": 1.0, "minor": 0.25}  # ours: neither W3C nor WebAIM weigh their rules

_SUFFIXES = "jpe?g|png|gif|webp|svg|bmp|tiff?|avif|heic"
_FILE = re.compile(rf"[\w%+-]+\.(?:{_SUFFIXES})\b|\b(?:IMG|DSCN?|PXL|Screenshot)[_-]?\d{{3,}}\w*", re.I)
_THINGS = "image|picture|photo|photograph|graphic|icon|screenshot|pic"
_PREFIX = re.compile(
    rf"\s*(?:(?:this is|here is|here's)\s+)?(?:an?\s+|the\s+)?(?:{_THINGS})\s+"
    r"(?:of|showing|shows|depicting)\b",
    re.I,
)
_NO_TEXT = re.compile(
    rf"(?:an?\s+|the\s+)?(?:{_THINGS}|logo|banner|thumbnail|alt(?: text)?|untitled|placeholder|null|"
    r"undefined|n/?a|todo|none|(?:image|photo)\s*\d+)[.\s]*",
    re.I,
)
_DECORATIVE = re.compile(
    r"\s*(?:a\s+)?(?:(?:purely\s+)?decorative(?:\s+\w+)?|decoration|spacer|divider|separator|bullet|"
    r"background)(?:\s+image)?[.\s]*",
    re.I,
)
_WORD = re.compile(r"\w+")
_ARTICLES = ("a", "an", "the", "and")
FEWEST_KEYWORDS = 4  # parts of one or two words between commas
TIMES = 3  # that a word of four letters or more comes back


@register("alttext")
@dataclass(frozen=True)
class AltText(Metric):
    """1 minus the costs of the rules that an alternative text breaks, at least 0.

    | rule | cost | after |
    |---|---|---|
    | empty, though nothing says that the image is decorative | 1 | W3C, decision tree |
    | the name of a file | 1 | W3C F30 |
    | a word such as "image" or "logo" that tells nothing | 1 | W3C F30 |
    | names itself decorative: such an image has an empty text | 1 | W3C F39 |
    | the same text for several images, or the text that stands beside it | 1 | WebAIM |
    | a list of keywords | 1 | WebAIM |
    | begins with "image of" | 0.25 | WebAIM |
    | longer than `longest_text` characters | 0.25 | WebAIM |

    The costs are ours. `decorative=yes` says that empty texts are meant: they then have no score.
    """

    title: ClassVar[str] = "AltText"
    summary: ClassVar[str] = "rules of W3C and WebAIM for alternative texts; needs no references"
    citation: ClassVar[str] = "W3C 2022; WebAIM 2021"
    needs: ClassVar[frozenset[Any]] = frozenset()
    partial: ClassVar[bool] = True
    longest_text: int = 150
    decorative: bool = False

    def __post_init__(self) -> None:
        if self.longest_text < 1:
            raise InputError(f"alttext: longest_text is {self.longest_text}; it must be at least 1.")

    def collect(self, batch: Batch) -> Counter[str]:
        """On how many images each text stands."""
        corpus = batch.corpus
        systems, images = corpus.system_of.tolist(), corpus.image_of.tolist()
        texts = map(_plain, corpus.captions)
        return Counter(f"{system}|{text}" for system, text, _ in {*zip(systems, texts, images, strict=True)})

    def merge(self, parts: Sequence[Counter[str]]) -> Counter[str]:
        """The sum, as parts hold whole images."""
        return sum(parts, Counter[str]())

    def score_examples(self, batch: Batch, knowledge: Any) -> FloatArray:
        """1 minus the costs."""
        scores = [
            max(0.0, 1.0 - sum(COST[place.severity] for place in places))
            for places in self.findings(batch, knowledge)
        ]
        blank = np.array([not text.strip() for text in batch.corpus.captions], dtype=bool)
        return np.where(blank & self.decorative, np.nan, scores)

    def findings(self, batch: Batch, knowledge: Any) -> list[list[Place]]:
        """The rules that each text breaks, with what to do."""
        return [
            list(self._broken(one.caption, one.context, knowledge[f"{system}|{_plain(one.caption)}"]))
            for one, system in zip(batch.corpus, batch.corpus.system_of.tolist(), strict=True)
        ]

    def _broken(self, text: str, context: str, images: int) -> Iterator[Place]:
        if not text.strip():
            if not self.decorative:
                yield Place(None, None, KIND, "major", note="empty: right only if the image is decorative")
            return
        whole = (0, len(text), KIND)
        if found := _FILE.search(text):
            yield Place(*found.span(), KIND, "major", note="the name of a file")
        elif _NO_TEXT.fullmatch(text.strip()):
            yield Place(*whole, "major", note="tells nothing of the image")
        elif _DECORATIVE.fullmatch(text):
            yield Place(*whole, "major", note="decorative: leave the text empty")
        if images > 1:
            yield Place(*whole, "major", note=f"the same text for {images} images")
        if context.strip() and _plain(text) == _plain(context):
            yield Place(*whole, "major", note="repeats the text beside it")
        if _is_keywords(text):
            yield Place(*whole, "major", note="a list of keywords: write a sentence")
        if found := _PREFIX.match(text):
            yield Place(*found.span(), KIND, "minor", note="screen readers say that it is an image")
        if len(text) > self.longest_text:
            note = f"{len(text)} characters: keep to {self.longest_text}, or describe it on the page"
            yield Place(self.longest_text, len(text), KIND, "minor", note=note)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))


def _is_keywords(text: str) -> bool:
    """Whether a text is short parts between commas, or says a word again and again.

    >>> _is_keywords("shoes, red shoes, buy shoes, sale"), _is_keywords("A dog, a cat, and two birds sit.")
    (True, False)
    """
    parts = [part.split() for part in re.split(r"[,;|]", text.strip(" .,")) if part.strip()]
    short = all(len(part) <= 2 and part[0].casefold() not in _ARTICLES for part in parts)
    if len(parts) >= FEWEST_KEYWORDS and short:
        return True
    words = Counter(word for word in _WORD.findall(text.casefold()) if len(word) > 3)
    times = max(words.values(), default=0)
    return times >= TIMES and 3 * times >= len(text.split())
