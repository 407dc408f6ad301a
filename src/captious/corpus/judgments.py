"""`Judgments`: human judgments as one long table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from captious.corpus.columns import FloatArray, IntArray, factorise
from captious.corpus.ids import meet
from captious.corpus.types import Corpus
from captious.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    import pandas as pd


def example_id(image: str, system: str) -> str:
    """The name of an example that has none of its own.

    >>> example_id("7", "m2"), example_id("7", "")
    ('7|m2', '7')
    """
    return f"{image}|{system}" if system else image


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """Human judgments, one row per judgment: example, rater, aspect and value.

    Row `i` judges example `example_of[i]`. `keys` contains each example's image id and system, `ids`
    its name (by default image and system) and `captions` its text ("" if unknown). `stages` are rounds
    of annotation, and `times` (seconds since 1970, NaN if unknown) when a judgment was given.

    >>> judged = Judgments.from_columns(
    ...     images=["1", "1"], systems=["m", "m"], raters=["r1", "r2"],
    ...     aspects=["precision"] * 2, values=[5, 4])
    >>> judged
    Judgments(2 of 1 captions by 2 raters; precision)
    >>> judged.matrix("precision")
    array([[5., 4.]])
    """

    keys: list[tuple[str, str]]
    ids: list[str]
    captions: list[str]
    example_of: IntArray
    raters: list[str]
    rater_of: IntArray
    aspects: list[str]
    aspect_of: IntArray
    values: FloatArray
    stages: list[str]
    stage_of: IntArray
    times: FloatArray

    def __repr__(self) -> str:
        who = f"{len(self.values):,} of {len(self.keys):,} captions by {len(self.raters):,} raters"
        return f"Judgments({who}; {', '.join(self.aspects)})"

    @classmethod
    def from_columns(
        cls,
        *,
        images: Sequence[str],
        values: Sequence[float] | FloatArray,
        systems: Sequence[str] | None = None,
        captions: Sequence[str] | None = None,
        examples: Sequence[str] | None = None,
        raters: Sequence[str] | None = None,
        aspects: Sequence[str] | None = None,
        stages: Sequence[str] | None = None,
        times: Sequence[float] | None = None,
    ) -> Judgments:
        """Build judgments from parallel columns. A column left out has the same value in all rows."""
        n = len(images)
        columns = {
            "values": values,
            "systems": systems,
            "captions": captions,
            "examples": examples,
            "raters": raters,
            "aspects": aspects,
            "stages": stages,
            "times": times,
        }
        for name, column in columns.items():
            if column is not None and len(column) != n:
                raise InputError(f"judgments: {name} has {len(column)} entries for {n} rows.")
        names = systems if systems is not None else [""] * n
        given = examples if examples is not None else [""] * n
        keys, example_of = factorise(zip(images, names, given, strict=True))
        texts = [""] * len(keys)
        for row, example in enumerate(example_of.tolist() if captions is not None else ()):
            texts[example] = captions[row] if captions is not None else ""
        rater_names, rater_of = factorise(raters if raters is not None else [""] * n)
        aspect_names, aspect_of = factorise(aspects if aspects is not None else ["overall"] * n)
        stage_names, stage_of = factorise(stages if stages is not None else [""] * n)
        return cls(
            keys=[(image, system) for image, system, _ in keys],
            ids=[own or example_id(image, system) for image, system, own in keys],
            captions=texts,
            example_of=example_of,
            raters=rater_names,
            rater_of=rater_of,
            aspects=aspect_names,
            aspect_of=aspect_of,
            values=np.asarray(values, dtype=np.float64),
            stages=stage_names,
            stage_of=stage_of,
            times=np.asarray(times if times is not None else np.full(n, np.nan), dtype=np.float64),
        )

    @classmethod
    def from_matrix(
        cls,
        values: Sequence[Sequence[float]] | FloatArray,
        *,
        images: Sequence[Any] | None = None,
        raters: Sequence[Any] | None = None,
        aspect: str = "overall",
    ) -> Judgments:
        """Build judgments from a matrix: one row per image, one column per rater, NaN for no rating.

        >>> Judgments.from_matrix([[5, 4], [2, float("nan")]], raters=["ann", "bob"])
        Judgments(3 of 2 captions by 2 raters; overall)
        """
        try:
            table = np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                "judgments: a matrix must have only numbers, equally many in each row."
            ) from None
        if table.ndim != 2:
            raise InputError(f"judgments: a matrix has 2 dimensions, images by raters; found {table.ndim}.")
        names = list(images) if images is not None else list(range(table.shape[0]))
        people = list(raters) if raters is not None else [f"rater {n + 1}" for n in range(table.shape[1])]
        for what, given, wanted in (("images", names, table.shape[0]), ("raters", people, table.shape[1])):
            if len(given) != wanted:
                raise InputError(f"judgments: {len(given)} {what} for a matrix of {wanted}.")
        rows, columns = np.nonzero(~np.isnan(table))
        if not len(rows):
            raise InputError("judgments: the matrix contains no rating.")
        return cls.from_columns(
            images=[str(names[row]) for row in rows.tolist()],
            raters=[str(people[column]) for column in columns.tolist()],
            aspects=[aspect] * len(rows),
            values=table[rows, columns],
        )

    def __len__(self) -> int:
        return len(self.values)

    def rows(self, aspect: str | None = None, stage: str | None = None) -> IntArray:
        """Rows of one aspect and one stage; `None` means all."""
        keep = np.ones(len(self), dtype=bool)
        if aspect is not None:
            if aspect not in self.aspects:
                raise UnknownNameError("aspect", aspect, self.aspects)
            keep &= self.aspect_of == self.aspects.index(aspect)
        if stage is not None:
            if stage not in self.stages:
                raise UnknownNameError("stage", stage, self.stages)
            keep &= self.stage_of == self.stages.index(stage)
        return np.flatnonzero(keep)

    def matrix(self, aspect: str | None = None, stage: str | None = None) -> FloatArray:
        """Return examples by raters: NaN if a rater did not judge an example, the last value if twice."""
        rows = self.rows(aspect, stage)
        table = np.full((len(self.keys), len(self.raters)), np.nan)
        table[self.example_of[rows], self.rater_of[rows]] = self.values[rows]
        return table

    def means(self, aspect: str | None = None, stage: str | None = None) -> FloatArray:
        """Mean over all judgments of each example; NaN if there are none."""
        rows = self.rows(aspect, stage)
        size = len(self.keys)
        sums = np.bincount(self.example_of[rows], self.values[rows], minlength=size)
        counts = np.bincount(self.example_of[rows], minlength=size)
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / counts, dtype=np.float64)

    def by_system(self) -> Judgments:
        """The same judgments with one example for each image and system, whatever the caption."""
        keys, places = factorise(self.keys)
        first = {place: row for row, place in reversed([*enumerate(places.tolist())])}
        return replace(
            self,
            keys=keys,
            ids=[example_id(*key) for key in keys],
            captions=[self.captions[first[place]] for place in range(len(keys))],
            example_of=places[self.example_of],
        )

    def in_order(self, places: IntArray, size: int) -> Judgments:
        """The same judgments, with example `i` at `places[i]` of `size` examples."""
        keys, ids, captions = [("", "")] * size, [""] * size, [""] * size
        for row, place in enumerate(places.tolist()):
            keys[place], ids[place] = self.keys[row], self.ids[row]
            captions[place] = self.captions[row]
        return replace(self, keys=keys, ids=ids, captions=captions, example_of=places[self.example_of])

    def select(self, examples: IntArray) -> Judgments:
        """The judgments of some examples, in this order.

        >>> judged = Judgments.from_columns(images=["1", "2", "2"], values=[5, 4, 3])
        >>> judged.select(np.array([1])).values.tolist()
        [4.0, 3.0]
        """
        place = np.full(len(self.keys), -1, dtype=np.int64)
        place[examples] = np.arange(len(examples))
        kept = place[self.example_of] >= 0
        return replace(
            self,
            keys=[self.keys[row] for row in examples.tolist()],
            ids=[self.ids[row] for row in examples.tolist()],
            captions=[self.captions[row] for row in examples.tolist()],
            example_of=place[self.example_of[kept]],
            rater_of=self.rater_of[kept],
            aspect_of=self.aspect_of[kept],
            values=self.values[kept],
            stage_of=self.stage_of[kept],
            times=self.times[kept],
        )

    def spelled_like(self, corpus: Corpus) -> Judgments:
        """The same judgments, with ids of images spelled as in `corpus` where it has another spelling.

        >>> judged = Judgments.from_columns(images=["COCO_val2014_000000000974.jpg"], values=[5])
        >>> judged.spelled_like(Corpus.from_lists(["A dog."], image_ids=["974"])).keys
        [('974', '')]
        """
        images = meet((image for image, _ in self.keys), corpus.image_ids)
        if not images:
            return self
        return replace(self, keys=[(images.get(image, image), system) for image, system in self.keys])

    def places_in(self, corpus: Corpus) -> IntArray:
        """For each example, its row in `corpus`; -1 where it is not there.

        Where a corpus has several captions of a system for an image, the caption tells.
        """
        rows: dict[tuple[str, str], int] = {}
        exact: dict[tuple[str, str, str], int] = {}
        columns = zip(corpus.image_of.tolist(), corpus.system_of.tolist(), corpus.captions, strict=True)
        for row, (image, system, caption) in enumerate(columns):
            key = (corpus.image_ids[image], corpus.systems[system])
            rows[key] = row
            exact[*key, caption] = row
        found = [
            exact.get((*key, caption), rows.get(key, -1))
            for key, caption in zip(self.keys, self.captions, strict=True)
        ]
        return np.array(found, dtype=np.int64)

    def to_pandas(self) -> pd.DataFrame:
        """Return a long table: example, image, system, caption, rater, aspect, value, stage, time."""
        from captious.tables.frames import data_frame

        examples = self.example_of.tolist()
        return data_frame(
            {
                "example": [self.ids[i] for i in examples],
                "image": [self.keys[i][0] for i in examples],
                "system": [self.keys[i][1] for i in examples],
                "caption": [self.captions[i] for i in examples],
                "rater": [self.raters[i] for i in self.rater_of.tolist()],
                "aspect": [self.aspects[i] for i in self.aspect_of.tolist()],
                "value": self.values,
                "stage": [self.stages[i] for i in self.stage_of.tolist()],
                "time": self.times,
            }
        )
