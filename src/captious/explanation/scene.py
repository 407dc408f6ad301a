"""SPICE explained: every tuple of both scene graphs, and its match in the other.

The references' graphs are merged before they are compared (Anderson et al. 2016), so a word of the
references may appear with its synonyms.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from captious.corpus.types import Example
from captious.metrics.spice import Counts, SceneGraph, explain_tuples
from captious.metrics.spice.categories import ATTRIBUTE, OBJECT, RELATION, categories_of
from captious.metrics.spice.graph import Concepts
from captious.text.scene_graph import Tuple
from captious.text.synsets import SynsetTable

# (object), (object, attribute) or (subject, object, relation); each part with its synonyms, the
# word to show first.
Parts = tuple[tuple[str, ...], ...]
_KINDS = {1: OBJECT, 2: ATTRIBUTE, 3: RELATION}


class Verdict(StrEnum):
    """What became of a tuple."""

    matched = "matched"
    invented = "invented"
    missed = "missed"


class By(StrEnum):
    """What two tuples have in common: every word, or for some part only a WordNet synset."""

    lemma = "lemma"
    synonym = "synonym"


@dataclass(frozen=True)
class Statement:
    """A tuple of one graph, and the tuple that it met in the other."""

    parts: Parts
    kind: str
    categories: tuple[str, ...]
    verdict: Verdict
    met: Parts | None = None
    matched_by: By | None = None


Row = tuple[Verdict, str, Parts | None, Parts | None, By | None]


@dataclass(frozen=True)
class GraphExplanation:
    """SPICE of one example explained; `judged` has its mean judgments by aspect."""

    metric: str
    signature: str
    image_id: str
    system: str
    caption: str
    references: list[str]
    counts: Counts
    categories: dict[str, Counts]
    candidate_graph: list[Statement]
    reference_graph: list[Statement]
    judged: dict[str, float]

    @property
    def score(self) -> float:
        """F over all tuples."""
        return self.counts.f

    @property
    def rows(self) -> list[Row]:
        """Verdict, kind, the candidate's tuple, the references' tuple, and what they share.

        Every tuple of both graphs once: the candidate's in its order, then what is left of the
        references'.
        """
        rows: list[Row] = [
            (one.verdict, one.kind, one.parts, one.met, one.matched_by) for one in self.candidate_graph
        ]
        shown = {one.met for one in self.candidate_graph}
        rows += [
            (one.verdict, one.kind, one.met, one.parts, one.matched_by)
            for one in self.reference_graph
            if one.parts not in shown
        ]
        order = list(Verdict)
        return sorted(rows, key=lambda row: order.index(row[0]))

    @property
    def side_by_side(self) -> list[tuple[str, float, str, float]]:
        """SPICE's precision, recall and F, each with the judged aspect that asks the same.

        THumB (Kasai et al. 2022) judges precision and recall from 1 to 5; its total is shown beside
        F. Aspects that were not judged are left out.
        """
        pairs = (
            ("precision", self.counts.precision, ("precision",)),
            ("recall", self.counts.recall, ("recall",)),
            ("F", self.score, ("total", "overall")),
        )
        return [
            (name, value, aspect, self.judged[aspect])
            for name, value, aspects in pairs
            for aspect in aspects
            if aspect in self.judged
        ]

    @property
    def other_judgments(self) -> dict[str, float]:
        """Judged aspects that ask something else than SPICE does."""
        compared = {aspect for _, _, aspect, _ in self.side_by_side}
        return {name: value for name, value in self.judged.items() if name not in compared}

    @property
    def remark(self) -> str:
        """Why the count of missed tuples is not that of the list, where it is not."""
        listed = sum(one.verdict is Verdict.missed for one in self.reference_graph)
        matched, missed = self.counts.matched, self.counts.missed
        if listed == missed:
            return ""
        return (
            f"SPICE counts {missed} missed tuples: the references' {len(self.reference_graph)} tuples "
            f"minus the candidate's {matched} matched ones. No match was found for {listed}, because "
            "a tuple may match several or share its match."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        found = asdict(self)
        found["counts"] = _count_values(self.counts)
        found["categories"] = {name: _count_values(c) for name, c in self.categories.items()}
        return found | {"score": self.score, "remark": self.remark}


def explain_graphs(
    candidate: Sequence[Tuple],
    references: Sequence[Sequence[Tuple]],
    example: Example,
    names: tuple[str, str] = ("spice", ""),
    *,
    judged: Mapping[str, float] | None = None,
    synsets: SynsetTable | None = None,
) -> GraphExplanation:
    """Compare a candidate's tuples with its references'; `names` are metric and signature.

    >>> example = Example("7", "a red bus", "m2", ["a coach"], None, None)
    >>> told = explain_graphs([("bus", "red")], [[("coach",)]], example)
    >>> [(one.parts[-1][0], str(one.verdict)) for one in told.candidate_graph]
    [('bus', 'matched'), ('red', 'invented')]
    >>> str(told.candidate_graph[0].matched_by)
    'synonym'
    """
    told = explain_tuples(candidate, references, synsets)
    own, theirs = SceneGraph.of([candidate], synsets), SceneGraph.of(references, synsets)
    reached: dict[tuple[int, ...], Concepts] = {}
    ours = []
    for parts, keys in zip(own.tuples(), own.found_in(theirs), strict=True):
        ours.append(_statement(parts, theirs.concepts(keys[0]) if keys else None, Verdict.invented))
        for key in keys:
            reached.setdefault(key, parts)
    return GraphExplanation(
        metric=names[0],
        signature=names[1],
        image_id=example.image_id,
        system=example.system,
        caption=example.caption,
        references=example.references,
        counts=told.counts,
        categories=told.categories,
        candidate_graph=ours,
        reference_graph=[
            _statement(theirs.concepts(key), reached.get(key), Verdict.missed) for key in theirs.numbered()
        ],
        judged=dict(judged or {}),
    )


def tuple_text(parts: Parts, *, synonyms: bool = True) -> str:
    """A tuple as the paper writes it, the relation in the middle.

    >>> tuple_text((("dog",), ("ball", "globe"), ("chase",)))
    '(dog, chase, ball/globe)'
    """
    words = ["/".join(part) if synonyms else part[0] for part in parts]
    if len(words) == 3:
        words = [words[0], words[2], words[1]]
    return f"({', '.join(words)})"


def _statement(parts: Concepts, met: Concepts | None, otherwise: Verdict) -> Statement:
    return Statement(
        parts=_words(parts),
        kind=_KINDS[len(parts)],
        categories=categories_of(parts),
        verdict=otherwise if met is None else Verdict.matched,
        met=None if met is None else _words(met),
        matched_by=None if met is None else _common(parts, met),
    )


def _common(parts: Concepts, met: Concepts) -> By:
    same = all(not set(one.words).isdisjoint(other.words) for one, other in zip(parts, met, strict=True))
    return By.lemma if same else By.synonym


def _words(parts: Concepts) -> Parts:
    return tuple(tuple(concept.words) for concept in parts)


def _count_values(counts: Counts) -> dict[str, float]:
    return counts._asdict() | {"precision": counts.precision, "recall": counts.recall, "f": counts.f}
