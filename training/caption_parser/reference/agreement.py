"""How far a caption parser agrees with the golden parses, word by word and tuple by tuple."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from captious.text.parse import Parse
from captious.text.parser import CaptionParser
from captious.text.scene_graph import scene_tuples
from reference.golden import GoldenParse


class Agreement(NamedTuple):
    """Sums over captions. Tuples: those that both have, and those of both sides together."""

    captions: int = 0
    words: int = 0
    right_tags: int = 0
    right_heads: int = 0
    right_arcs: int = 0
    exact_trees: int = 0
    shared_tuples: int = 0
    all_tuples: int = 0
    exact_tuples: int = 0

    def plus(self, other: Agreement) -> Agreement:
        """Sums of both."""
        return Agreement(*(a + b for a, b in zip(self, other, strict=True)))

    @property
    def tags(self) -> float:
        """Share of words with the golden tag."""
        return _share(self.right_tags, self.words)

    @property
    def uas(self) -> float:
        """Share of words with the golden head."""
        return _share(self.right_heads, self.words)

    @property
    def las(self) -> float:
        """Share of words with the golden head and relation."""
        return _share(self.right_arcs, self.words)

    @property
    def tuple_f1(self) -> float:
        """2 x shared / (ours + golden), over all captions."""
        return _share(2 * self.shared_tuples, self.all_tuples)


def _share(part: int, whole: int) -> float:
    return part / whole if whole else float("nan")


def compare_parses(golden: GoldenParse, parse: Parse) -> Agreement:
    """What a parse of the same words has in common with the golden one.

    >>> own = Parse(("a", "dog"), ("DT", "NN"), ("a", "dog"), (2, 0), ("det", "root"))
    >>> found = compare_parses(GoldenParse("a dog", "mine", own, [("dog",)]), own)
    >>> found.tags, found.las, found.tuple_f1
    (1.0, 1.0, 1.0)
    """
    theirs, ours = golden.parse, parse
    tags = [a == b for a, b in zip(theirs.tags, ours.tags, strict=True)]
    heads = [a == b for a, b in zip(theirs.heads, ours.heads, strict=True)]
    labels = [a == b for a, b in zip(theirs.labels, ours.labels, strict=True)]
    arcs = [head and label for head, label in zip(heads, labels, strict=True)]
    wanted, found = set(golden.tuples), set(scene_tuples(parse))
    return Agreement(
        captions=1,
        words=len(tags),
        right_tags=sum(tags),
        right_heads=sum(heads),
        right_arcs=sum(arcs),
        exact_trees=int(all(tags) and all(arcs)),
        shared_tuples=len(wanted & found),
        all_tuples=len(wanted) + len(found),
        exact_tuples=int(wanted == found),
    )


def parser_agreement(parser: CaptionParser, captions: Iterable[GoldenParse]) -> Mapping[str, Agreement]:
    """Agreement on captions of each set, and on `all`."""
    captions = list(captions)
    parses = parser.parse_many([golden.parse.words for golden in captions])
    sums = {"all": Agreement()}
    for golden, parse in zip(captions, parses, strict=True):
        found = compare_parses(golden, parse)
        for name in (golden.source, "all"):
            sums[name] = sums.get(name, Agreement()).plus(found)
    return sums
