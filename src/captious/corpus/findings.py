"""`Findings`: what is wrong in captions, and where, as one long table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from captious.charts.marked_text import MARKED_CSS, marked_html
from captious.corpus.columns import FloatArray, IntArray, factorise
from captious.corpus.ids import meet
from captious.corpus.judgments import Judgments, example_id
from captious.corpus.types import Corpus
from captious.errors import InputError, UnknownNameError, one_line
from captious.stats.spans import Mark, MarkedText

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("object", "attribute", "count", "relation", "text", "inference")
SEVERITIES = ("minor", "major")
# MQM as Freitag et al. 2021 count it: what a finding of each severity costs; without one it is minor.
MQM_WEIGHTS = {"": 1.0, "minor": 1.0, "major": 5.0}
MQM = "mqm"
NO_PLACE = -1  # the start and end of what the caption does not mention


class Place(NamedTuple):
    """A finding in a caption that is known: where, what kind, how severe and how sure.

    `start` and `end` are code points of the caption; both are None for what is missing from it.
    """

    start: int | None
    end: int | None
    kind: str
    severity: str = ""
    confidence: float = math.nan
    note: str = ""
    evidence: str = ""


class Finding(NamedTuple):
    """One finding with its caption, and who says so: a rater, a metric or a model.

    A row with an empty kind says that this source looked at the caption and found nothing. `example` is
    the caption's own name where image and system do not tell captions apart.

    >>> Finding("7", "m", "A red dog.", 2, 5, "attribute", source="ann").text
    'red'
    """

    image: str
    system: str
    caption: str
    start: int | None
    end: int | None
    kind: str
    severity: str = ""
    confidence: float = math.nan
    source: str = ""
    note: str = ""
    evidence: str = ""
    example: str = ""

    @property
    def text(self) -> str:
        """The words of the caption; empty for what is missing."""
        return self.caption[self.start : self.end] if self.start is not None else ""


@dataclass(frozen=True, eq=False, repr=False)
class Findings:
    """Findings in captions, one row per finding, ordered by example, source and place.

    Row `i` is about example `example_of[i]` and by source `source_of[i]`. It marks the code points
    `starts[i]` to `ends[i]` of the caption, both -1 for what is missing from it. `keys` contains each
    example's image id and system, `ids` its name and `captions` its text. `looked` holds the pairs of
    example and source that were looked at: a source that found nothing is not one that did not look.

    >>> found = Findings.from_rows([
    ...     Finding("1", "m", "A red dog.", 2, 5, "attribute", source="ann"),
    ...     Finding("1", "m", "A red dog.", None, None, "", source="bob")])
    >>> found
    Findings(1 in 1 captions by 2 sources; attribute)
    >>> found.spans(0, 0), found.spans(0, 1)
    ([(2, 5)], [])
    """

    keys: list[tuple[str, str]]
    ids: list[str]
    captions: list[str]
    sources: list[str]
    looked: frozenset[tuple[int, int]]
    example_of: IntArray
    source_of: IntArray
    starts: IntArray
    ends: IntArray
    kinds: list[str]
    severities: list[str]
    confidences: FloatArray
    notes: list[str]
    evidences: list[str]

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        kinds = ", ".join(dict.fromkeys(self.kinds)) or "none"
        where = f"{len(self.keys):,} captions by {len(self.sources):,} sources"
        return f"Findings({len(self):,} in {where}; {kinds})"

    @classmethod
    def from_rows(cls, rows: Iterable[Finding]) -> Findings:
        """Findings of rows, each checked against its caption."""
        given = list(rows)
        ids, example_of = factorise(row.example or example_id(row.image, row.system) for row in given)
        sources, source_of = factorise(row.source for row in given)
        first: dict[int, Finding] = {}
        for row, example in zip(given, example_of.tolist(), strict=True):
            earlier = first.setdefault(example, row)
            if (earlier.image, earlier.system, earlier.caption) != (row.image, row.system, row.caption):
                raise InputError(
                    f'findings: example "{one_line(ids[example], 40)}" has two captions, '
                    f'"{one_line(earlier.caption, 40)}" and "{one_line(row.caption, 40)}". '
                    "Give each caption a system or an example id of its own."
                )
            _check(row, ids[example])
        places = np.array(
            [(row.start, row.end) if row.start is not None else (NO_PLACE, NO_PLACE) for row in given]
        )
        starts, ends = places.reshape(-1, 2).astype(np.int64).T
        last = np.where(starts < 0, np.iinfo(np.int64).max, starts)  # what is missing comes last
        order = np.lexsort((ends, last, source_of, example_of))
        kept = order[[bool(given[row].kind) for row in order.tolist()]] if given else order
        examples = list(first.values())
        return cls(
            keys=[(row.image, row.system) for row in examples],
            ids=ids,
            captions=[row.caption for row in examples],
            sources=sources,
            looked=frozenset(zip(example_of.tolist(), source_of.tolist(), strict=True)),
            example_of=example_of[kept],
            source_of=source_of[kept],
            starts=starts[kept],
            ends=ends[kept],
            kinds=[given[row].kind for row in kept.tolist()],
            severities=[given[row].severity for row in kept.tolist()],
            confidences=np.array([given[row].confidence for row in kept.tolist()], dtype=np.float64),
            notes=[given[row].note for row in kept.tolist()],
            evidences=[given[row].evidence for row in kept.tolist()],
        )

    @classmethod
    def from_places(cls, corpus: Corpus, source: str, found: Sequence[Sequence[Place] | None]) -> Findings:
        """What one source found in each caption of a corpus; None where it did not look.

        >>> corpus = Corpus.from_lists(["A red dog."], image_ids=["7"])
        >>> [row.text for row in Findings.from_places(corpus, "mine", [[Place(2, 5, "attribute")]]).rows()]
        ['red']
        """
        ids = example_ids(corpus)
        nothing = [Place(None, None, "")]

        def rows() -> Iterator[Finding]:
            for row, places in enumerate(found):
                image = corpus.image_ids[int(corpus.image_of[row])]
                system = corpus.systems[int(corpus.system_of[row])]
                for place in (places or nothing) if places is not None else ():
                    start, end, kind, severity, confidence, note, evidence = place
                    yield Finding(
                        image, system, corpus.captions[row], start, end, kind, severity, confidence,
                        source, note, evidence, ids[row],
                    )  # fmt: skip

        return cls.from_rows(rows())

    def rows(self) -> Iterator[Finding]:
        """Every finding, and a row with an empty kind for each look that found nothing."""
        found: dict[tuple[int, int], list[int]] = {pair: [] for pair in sorted(self.looked)}
        for row, pair in enumerate(zip(self.example_of.tolist(), self.source_of.tolist(), strict=True)):
            found[pair].append(row)
        for (example, source), own in found.items():
            (image, system), caption = self.keys[example], self.captions[example]
            name, by = self.ids[example], self.sources[source]
            if not own:
                yield Finding(image, system, caption, None, None, "", source=by, example=name)
            for row in own:
                start, end = int(self.starts[row]), int(self.ends[row])
                yield Finding(
                    image,
                    system,
                    caption,
                    start if start != NO_PLACE else None,
                    end if start != NO_PLACE else None,
                    self.kinds[row],
                    self.severities[row],
                    float(self.confidences[row]),
                    by,
                    self.notes[row],
                    self.evidences[row],
                    name,
                )

    def spans(self, example: int, source: int) -> list[tuple[int, int]]:
        """The places that a source marked in one example."""
        rows = (self.example_of == example) & (self.source_of == source) & (self.starts != NO_PLACE)
        return list(zip(self.starts[rows].tolist(), self.ends[rows].tolist(), strict=True))

    def marked_texts(self) -> list[MarkedText]:
        """Each caption with the marks of those who looked at it, as `captious.stats` compares them."""
        by: list[dict[int, list[Mark]]] = [{} for _ in self.keys]
        for example, source in sorted(self.looked):
            by[example][source] = []
        columns = (self.example_of, self.source_of, self.starts, self.ends)
        for example, source, start, end, kind in zip(
            *(column.tolist() for column in columns), self.kinds, strict=True
        ):
            if start != NO_PLACE:
                by[example][source].append(Mark(start, end, kind))
        return [MarkedText(text, list(own.values())) for text, own in zip(self.captions, by, strict=True)]

    def to_judgments(self, weights: Mapping[str, float] | None = None) -> Judgments:
        """A score of each caption by each source: minus the weights of its findings, 0 where there are none.

        `weights` says what a finding of each severity costs: by default 1, and 5 if it is major, as MQM
        has it (Freitag et al. 2021). What is missing from a caption counts too. The aspect is `mqm`.

        >>> found = Findings.from_rows([
        ...     Finding("1", "m", "A red dog.", 2, 5, "attribute", "major", source="ann"),
        ...     Finding("1", "m", "A red dog.", 6, 9, "object", "minor", source="ann"),
        ...     Finding("1", "m", "A red dog.", None, None, "", source="bob")])
        >>> found.to_judgments().values.tolist()
        [-6.0, 0.0]
        """
        costs = MQM_WEIGHTS if weights is None else weights
        lacking = next((one for one in self.severities if one not in costs), None)
        if lacking is not None:
            raise InputError(
                f'findings: the severity "{one_line(lacking, 40)}" has no weight. '
                f"Weights are given for {', '.join(filter(None, costs))}.",
                python=f'Give weights={{"{one_line(lacking, 40)}": …}}.',
                command="Give --weights, such as minor=1,major=5.",
            )
        sums = dict.fromkeys(sorted(self.looked), 0.0)
        pairs = zip(self.example_of.tolist(), self.source_of.tolist(), strict=True)
        for pair, severity in zip(pairs, self.severities, strict=True):
            sums[pair] -= costs[severity]
        examples = [example for example, _ in sums]
        return Judgments.from_columns(
            images=[self.keys[example][0] for example in examples],
            systems=[self.keys[example][1] for example in examples],
            captions=[self.captions[example] for example in examples],
            examples=[self.ids[example] for example in examples],
            raters=[self.sources[source] for _, source in sums],
            aspects=[MQM] * len(sums),
            values=list(sums.values()),
        )

    def of_kind(self, kind: str) -> Findings:
        """The findings of one kind; those who looked have looked all the same."""
        if kind not in self.kinds:
            raise UnknownNameError("kind of finding", kind, dict.fromkeys(self.kinds))
        nothing = Place(None, None, "")
        return Findings.from_rows(
            row if row.kind == kind else row._replace(**nothing._asdict()) for row in self.rows()
        )

    def of_source(self, source: str) -> Findings:
        """The findings of one source, in the examples that it looked at."""
        return Findings.from_rows(row for row in self.rows() if row.source == source)

    def merge(self, *others: Findings) -> Findings:
        """These findings and those of others, example by example."""
        return Findings.from_rows(row for one in (self, *others) for row in one.rows())

    def named(self, source: str) -> Findings:
        """The same findings under another name, where they have one source."""
        return replace(self, sources=[source] * len(self.sources))

    def select(self, examples: IntArray) -> Findings:
        """The findings in some examples, in this order."""
        kept = examples.tolist()
        place = {example: row for row, example in enumerate(kept)}
        rows = [row for row, example in enumerate(self.example_of.tolist()) if example in place]
        rows.sort(key=lambda row: place[int(self.example_of[row])])
        return replace(
            self,
            keys=[self.keys[example] for example in kept],
            ids=[self.ids[example] for example in kept],
            captions=[self.captions[example] for example in kept],
            looked=frozenset((place[example], source) for example, source in self.looked if example in place),
            example_of=np.array([place[int(self.example_of[row])] for row in rows], dtype=np.int64),
            source_of=self.source_of[rows],
            starts=self.starts[rows],
            ends=self.ends[rows],
            kinds=[self.kinds[row] for row in rows],
            severities=[self.severities[row] for row in rows],
            confidences=self.confidences[rows],
            notes=[self.notes[row] for row in rows],
            evidences=[self.evidences[row] for row in rows],
        )

    def on(self, corpus: Corpus) -> Findings:
        """The findings in captions of a corpus, example `i` being its row `i`; others are left out."""
        names = example_ids(corpus)
        rows = {name: row for row, name in enumerate(names)}
        places = np.array([rows.get(name, NO_PLACE) for name in self.ids], dtype=np.int64)
        for example, row in enumerate(places.tolist()):
            if row != NO_PLACE and self.captions[example] != corpus.captions[row]:
                raise InputError(
                    f'findings: example "{one_line(names[row], 40)}" has another caption here: '
                    f'"{one_line(self.captions[example], 40)}", not "{one_line(corpus.captions[row], 40)}". '
                    "Give the findings of the captions that are scored."
                )
        kept = np.flatnonzero(places[self.example_of] != NO_PLACE)
        image, system = corpus.image_of.tolist(), corpus.system_of.tolist()
        return Findings(
            keys=[(corpus.image_ids[i], corpus.systems[s]) for i, s in zip(image, system, strict=True)],
            ids=names,
            captions=list(corpus.captions),
            sources=self.sources,
            looked=frozenset((int(places[e]), s) for e, s in self.looked if places[e] != NO_PLACE),
            example_of=places[self.example_of][kept],
            source_of=self.source_of[kept],
            starts=self.starts[kept],
            ends=self.ends[kept],
            kinds=[self.kinds[row] for row in kept.tolist()],
            severities=[self.severities[row] for row in kept.tolist()],
            confidences=self.confidences[kept],
            notes=[self.notes[row] for row in kept.tolist()],
            evidences=[self.evidences[row] for row in kept.tolist()],
        )

    def to_html(self, most: int = 20) -> str:
        """The first captions as HTML, once for each source that looked, with its findings marked."""
        by_example: dict[int, dict[str, list[Finding]]] = {}
        for example, source in sorted(self.looked):
            if example in by_example or len(by_example) < most:
                by_example.setdefault(example, {})[self.sources[source]] = []
        places = {name: place for place, name in enumerate(self.ids)}
        for row in self.rows():
            if row.kind and (own := by_example.get(places[row.example])) is not None:
                own[row.source].append(row)
        figures = [marked_html(self.captions[example], marks) for example, marks in by_example.items()]
        left = len({example for example, _ in self.looked}) - len(figures)
        more = f"\n<p>{left:,} more captions.</p>" if left else ""
        return f"<style>{MARKED_CSS}</style>\n" + "\n".join(figures) + more

    def _repr_html_(self) -> str:
        return self.to_html()

    def places_in(self, corpus: Corpus) -> dict[str, list[list[Place] | None]]:
        """What each source found in each caption of a corpus, by image and text; None where it did not look.

        The system decides only between captions that are alike. Ids of images may differ in spelling.

        >>> found = Findings.from_rows([Finding("7", "m", "A red dog.", 2, 5, "attribute", source="ann")])
        >>> corpus = Corpus.from_lists(["A red dog.", "A cat."], image_ids=["7", "7"])
        >>> [places and places[0][:2] for places in found.places_in(corpus)["ann"]]
        [(2, 5), None]
        """
        spelled = meet((image for image, _ in self.keys), corpus.image_ids)
        named: dict[tuple[str, ...], list[int]] = {}
        for example, ((image, system), caption) in enumerate(zip(self.keys, self.captions, strict=True)):
            known = spelled.get(image, image)
            for key in ((known, caption), (known, caption, system)):
                named.setdefault(key, []).append(example)
        own: list[dict[str, list[Place]]] = [{} for _ in self.keys]
        for example, source in self.looked:
            own[example][self.sources[source]] = []
        examples = {name: example for example, name in enumerate(self.ids)}
        for one in self.rows():
            if one.kind:
                place = Place(
                    one.start, one.end, one.kind, one.severity, one.confidence, one.note, one.evidence
                )
                own[examples[one.example]][one.source].append(place)
        found: dict[str, list[list[Place] | None]] = {name: [None] * len(corpus) for name in self.sources}
        met: dict[tuple[str, ...], int] = {}
        for row, (image, system) in enumerate(
            zip(corpus.image_of.tolist(), corpus.system_of.tolist(), strict=True)
        ):
            text = (corpus.image_ids[image], corpus.captions[row])
            key = (*text, corpus.systems[system])
            alike = named.get(key) or named.get(text, [])
            turn = met[key] = met.get(key, -1) + 1  # the same caption again: the next example of it
            if alike:
                for name, places in own[alike[turn if turn < len(alike) else 0]].items():
                    found[name][row] = places
        return found

    def to_pandas(self) -> pd.DataFrame:
        """Return a long table with the columns of files; captions in which nothing was found have none."""
        from captious.corpus.finding_files import columns_of
        from captious.tables.frames import data_frame

        return data_frame(columns_of(row for row in self.rows() if row.kind))

    def write(self, path: str | PathLike[str]) -> None:
        """Write a .jsonl, .csv or .parquet file that `captious.read_findings` reads."""
        from captious.corpus.finding_files import write_findings

        write_findings(self, path)


def example_ids(corpus: Corpus) -> list[str]:
    """A name for each caption of a corpus: image and system, and a number where they have several.

    >>> example_ids(Corpus.from_lists(["A dog.", "A cat."], image_ids=["7", "7"], systems=["m", "m"]))
    ['7|m', '7|m|2']
    """
    seen: dict[str, int] = {}
    names = []
    for image, system in zip(corpus.image_of.tolist(), corpus.system_of.tolist(), strict=True):
        name = example_id(corpus.image_ids[image], corpus.systems[system])
        seen[name] = seen.get(name, 0) + 1
        names.append(name if seen[name] == 1 else f"{name}|{seen[name]}")
    return names


def _check(row: Finding, example: str) -> None:
    """Refuse a place that is not in the caption."""
    if row.start is None and row.end is None:
        return
    where = f'findings: example "{one_line(example, 40)}"'
    if row.start is None or row.end is None:
        raise InputError(f"{where}: a place needs a start and an end. Leave both out for what is missing.")
    if not row.kind:
        raise InputError(f"{where}: the place {row.start}-{row.end} has no kind. Name one, such as object.")
    if not 0 <= row.start < row.end <= len(row.caption):
        raise InputError(
            f"{where}: the place {row.start}-{row.end} is not in its caption of {len(row.caption)} "
            "characters. Count characters (code points) of the caption as given, from 0."
        )
