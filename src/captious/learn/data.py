"""What a metric is trained on: rated captions of one data set or of several."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from captious.corpus import Corpus
from captious.corpus.columns import FloatArray, IntArray
from captious.corpus.ids import loose_id
from captious.corpus.splits import PAPER_SHARES, Shares, Split, hashed_split
from captious.errors import InputError

Scale = tuple[float, float]


@dataclass(frozen=True, eq=False)
class RatedSet:
    """One data set: captions, all their ratings, and the ends of the scale.

    Rating `j` has the value `values[j]` and belongs to example `example_of[j]`. `split` says which images
    are for training, validation and test; without one, a hash of their ids does, with these `shares`.

    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["dog"], ["cat"]])
    >>> rated = RatedSet("mine", corpus, np.array([0, 0, 1]), np.array([4.0, 5.0, 1.0]), (1.0, 5.0))
    >>> rated.means.tolist()
    [4.5, 1.0]
    """

    name: str
    corpus: Corpus
    example_of: IntArray
    values: FloatArray
    scale: Scale
    shares: Shares = PAPER_SHARES
    aspect: str = "overall"
    licence: str = ""
    split: Split | None = None

    @cached_property
    def images(self) -> list[str]:
        """The image of every example; data sets may spell the id of one image differently."""
        loose = [loose_id(image) for image in self.corpus.image_ids]
        return [loose[image] for image in self.corpus.image_of.tolist()]

    @cached_property
    def parts(self) -> Split:
        """The part of each image: as given, or by a hash of its id."""
        return self.split or hashed_split(self.images, self.shares)

    @cached_property
    def means(self) -> FloatArray:
        """Mean rating of each example; NaN if it has none."""
        n = len(self.corpus)
        sums = np.bincount(self.example_of, self.values, minlength=n)
        counts = np.bincount(self.example_of, minlength=n)
        means: FloatArray = np.divide(sums, counts, out=np.full(n, np.nan), where=counts > 0)
        return means

    @property
    def several_ratings(self) -> bool:
        """Whether any example has more than one rating."""
        return bool(len(self.example_of) and np.bincount(self.example_of).max() > 1)

    def normalised(self) -> RatedSet:
        """The same ratings on 0 to 1 (VCRScore, 4.1)."""
        low, high = self.scale
        return replace(self, values=(self.values - low) / (high - low), scale=(0.0, 1.0))

    def without_lowest(self) -> RatedSet:
        """Without the examples whose mean is the lowest end of the scale (VCRScore, 4.1)."""
        return self.select(np.flatnonzero(self.means > self.scale[0]))

    def select(self, rows: IntArray) -> RatedSet:
        """Some of the examples with their ratings."""
        place = np.full(len(self.corpus), -1, dtype=np.int64)
        place[rows] = np.arange(len(rows))
        kept = place[self.example_of] >= 0
        return replace(
            self,
            corpus=self.corpus.select(rows).compact(),
            example_of=place[self.example_of[kept]],
            values=self.values[kept],
        )


def observed_scale(values: FloatArray) -> Scale:
    """The lowest and the highest rating in the data.

    >>> observed_scale(np.array([2.0, 1.0, 4.0]))
    (1.0, 4.0)
    """
    low, high = float(values.min()), float(values.max())
    if not low < high:
        raise InputError(f"all ratings are {low:g}, so there is nothing to learn. Give ratings that differ.")
    return low, high


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Several rated sets, concatenated.

    `others` are not trained on, nor are the images that are tested or validated in them.
    """

    sets: tuple[RatedSet, ...]
    others: tuple[RatedSet, ...] = ()

    def __post_init__(self) -> None:
        if not self.sets or not sum(len(one.corpus) for one in self.sets):
            raise InputError(
                "there are no rated captions to learn from.",
                python="Give judgments of captions.",
                command="Give --judgments FILE.",
            )
        if len({one.scale for one in self.sets}) > 1:
            raise InputError("the data sets have different scales. Train on ratings normalised to 0-1.")
        names = [one.name for one in self.sets]
        if len(set(names)) < len(names):
            raise InputError(f'the data set "{next(n for n in names if names.count(n) > 1)}" is given twice.')

    def __len__(self) -> int:
        return len(self.target)

    @property
    def scale(self) -> Scale:
        """Ends of the human scale."""
        return self.sets[0].scale

    @cached_property
    def target(self) -> FloatArray:
        """Mean rating of every example."""
        return np.concatenate([one.means for one in self.sets])

    @cached_property
    def set_of(self) -> IntArray:
        """Which set each example is from."""
        return np.repeat(np.arange(len(self.sets)), [len(one.corpus) for one in self.sets])

    @cached_property
    def images(self) -> list[str]:
        """The image of every example."""
        return [image for one in self.sets for image in one.images]

    @cached_property
    def digest(self) -> str:
        """A name for exactly these captions and ratings."""
        content = hashlib.sha256()
        for one in self.sets:
            content.update(corpus_digest(one.corpus))
            for column in (one.example_of, one.values):
                content.update(np.ascontiguousarray(column).tobytes())
        for one in (*self.sets, *self.others):
            content.update(repr([(image, one.parts.part(image)) for image in one.images]).encode())
        return content.hexdigest()

    def rows_of(self, place: int, rows: IntArray) -> IntArray:
        """Those of `rows` that are of one set."""
        own: IntArray = rows[self.set_of[rows] == place]
        return own

    def each_rating(self, place: int, rows: IntArray) -> tuple[IntArray, FloatArray]:
        """Every single rating of examples of one set: its row, its value."""
        first = int(np.flatnonzero(self.set_of == place)[0])
        one = self.sets[place]
        chosen = np.isin(one.example_of + first, rows)
        return one.example_of[chosen] + first, one.values[chosen]


def corpus_digest(corpus: Corpus) -> bytes:
    """A name for the texts of a corpus: captions, references, objects, and whose they are."""
    content = hashlib.sha256()
    texts: list[Sequence[str]] = [corpus.captions, corpus.image_ids, corpus.references.values]
    if corpus.objects is not None:
        texts.append(corpus.objects.values)
    for column in texts:
        for text in column:
            content.update(text.encode(errors="surrogatepass") + b"\0")
        content.update(b"\1")
    numbers = [corpus.image_of, corpus.references_of, corpus.references.offsets]
    if corpus.objects is not None:
        numbers.append(corpus.objects.offsets)
    for numbers_column in numbers:
        content.update(np.ascontiguousarray(numbers_column).tobytes() + b"\2")
    return content.digest()
