"""`Corpus`: what is judged, as columns.

An example is one candidate caption of one system for one image. Examples, images and references
are columns (lists of strings, integer arrays that point from one column into another), so that a
million captions load fast and metrics work on arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from captious.corpus.columns import IntArray, factorise, listed, require_list, require_texts
from captious.errors import InputError, UnknownNameError, one_line

if TYPE_CHECKING:
    import pandas as pd

NO_REFERENCES = -1


@dataclass(frozen=True, eq=False)
class Ragged:
    """Lists of strings of different lengths, stored flat.

    >>> lists = Ragged.from_lists([["a", "b"], [], ["c"]])
    >>> lists[0], lists.counts.tolist()
    (['a', 'b'], [2, 0, 1])
    """

    values: list[str]
    offsets: IntArray

    @classmethod
    def from_lists(cls, lists: Iterable[Sequence[str]]) -> Ragged:
        """Flatten lists of strings."""
        values: list[str] = []
        ends = [0]
        for item in lists:
            values.extend(item)
            ends.append(len(values))
        return cls(values, np.array(ends, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> list[str]:
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        return self.values[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[list[str]]:
        ends = self.offsets.tolist()
        for start, end in pairwise(ends):
            yield self.values[start:end]

    @property
    def counts(self) -> IntArray:
        """Length of each list."""
        return self.offsets[1:] - self.offsets[:-1]  # `np.diff` takes far longer

    def take(self, rows: IntArray) -> Ragged:
        """The lists at `rows`, in that order."""
        return Ragged.from_lists(self[int(row)] for row in rows)


class Example(NamedTuple):
    """One candidate caption with everything that is known about it."""

    image_id: str
    caption: str
    system: str
    references: list[str]
    image_path: str | None
    objects: list[str] | None
    context: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Candidate captions, their references, images and objects, as columns.

    `captions[i]` was written by `systems[system_of[i]]` for `image_ids[image_of[i]]` and is scored
    against `references[references_of[i]]` (-1: none). Usually an image has one list of references
    that all its examples share; benchmarks that give each example its own may do so. `encoders`
    maps systems to their declared image encoder; `contexts[i]` is the text that the caption stands in, such
    as the title of its page.

    >>> corpus = Corpus.from_lists(["A dog."], [["A dog runs.", "The dog."]])
    >>> corpus.example(0).references
    ['A dog runs.', 'The dog.']
    """

    captions: list[str]
    systems: list[str]
    system_of: IntArray
    image_ids: list[str]
    image_of: IntArray
    references: Ragged
    references_of: IntArray
    image_paths: list[str | None] | None = None
    objects: Ragged | None = None
    encoders: Mapping[str, str] = field(default_factory=dict)
    contexts: list[str] | None = None

    def __post_init__(self) -> None:
        n = len(self.captions)
        for name in ("system_of", "image_of", "references_of"):
            if len(getattr(self, name)) != n:
                found = len(getattr(self, name))
                raise InputError(f"corpus: {name} has {found} entries for {n} captions.")
        if self.contexts is not None and len(self.contexts) != n:
            raise InputError(f"corpus: contexts has {len(self.contexts)} entries for {n} captions.")
        for name in ("image_paths", "objects"):
            column = getattr(self, name)
            if column is not None and len(column) != len(self.image_ids):
                raise InputError(
                    f"corpus: {name} has {len(column)} entries for {len(self.image_ids)} images."
                )

    @classmethod
    def from_lists(
        cls,
        captions: Iterable[str],
        references: Iterable[Iterable[str]] | None = None,
        *,
        image_ids: Iterable[Any] | None = None,
        systems: str | Iterable[str] | None = None,
        image_paths: Mapping[str, str] | None = None,
        objects: Mapping[str, Sequence[str]] | None = None,
        encoders: Mapping[str, str] | None = None,
        contexts: Iterable[str] | None = None,
    ) -> Corpus:
        """Build a corpus from parallel lists, one entry per example.

        Without `image_ids`, every example is a separate image. Examples of one image with equal
        references share one list. `systems` is one name for all, or one for each.

        >>> Corpus.from_lists(["A dog.", "A cat."], [["A dog runs."], ["A cat sits."]], systems="m2")
        Corpus(2 captions, 2 images, 2 references, systems: m2)
        """
        texts = listed(captions)
        require_texts(texts, "captions")
        n = len(texts)
        own, ids, told = listed(references), listed(image_ids), listed(contexts)
        names = [systems] * n if isinstance(systems, str) else listed(systems)
        for name, column in (("references", own), ("image_ids", ids), ("systems", names), ("contexts", told)):
            if column is None:
                continue
            require_list(column, name)
            if isinstance(column, str):
                raise InputError(f'{name} must be a list; found the plain text "{one_line(column, 40)}".')
            if len(column) != n:
                raise InputError(f"{name} has {len(column)} entries for {n} captions; give one for each.")
        for name, by_name in (("image_paths", image_paths), ("objects", objects), ("encoders", encoders)):
            if by_name is not None and not isinstance(by_name, Mapping):
                raise InputError(f"{name} must be a dict; found {type(by_name).__name__}.")
        lists = None if own is None else [listed(one) for one in own]
        images, image_of = factorise(map(str, ids if ids is not None else range(n)))
        distinct, system_of = factorise(names if names is not None else ["candidates"] * n)
        sets, references_of = _reference_sets(lists, image_of)
        return cls(
            captions=list(texts),
            systems=distinct,
            system_of=system_of,
            image_ids=images,
            image_of=image_of,
            references=sets,
            references_of=references_of,
            image_paths=[image_paths.get(i) for i in images] if image_paths else None,
            objects=Ragged.from_lists([objects.get(i, []) for i in images]) if objects else None,
            encoders=dict(encoders or {}),
            contexts=None if told is None else list(told),
        )

    @classmethod
    def from_dict(cls, candidates: Mapping[str, Any], references: Mapping[str, Any] | None = None) -> Corpus:
        """Build a corpus from `{image: caption}`, or `{system: {image: caption}}`, and `{image: references}`.

        >>> Corpus.from_dict({"7": "A dog."}, {"7": ["A dog runs."]}).example(0).references
        ['A dog runs.']
        """
        from captious.corpus.load import load_corpus

        if isinstance(candidates, list | tuple):  # which load_corpus takes for names of files
            raise InputError(
                "candidates must be a dict, {image: caption} or {system: {image: caption}}; found a "
                f"{type(candidates).__name__}. For parallel lists there is Corpus.from_lists."
            )
        return load_corpus(candidates, references)

    @classmethod
    def from_pandas(
        cls, frame: Any, references: Any = None, *, columns: Mapping[str, str] | None = None
    ) -> Corpus:
        """Build a corpus from a data frame with one row per caption. Column names are those of files.

        References are in a column of lists, in `reference_1`, `reference_2`, … or in a separate table or
        dict. `columns` maps roles to column names, if the names differ.

        >>> import pandas as pd
        >>> frame = pd.DataFrame({"image_id": [7], "said": ["A dog."], "references": [["A dog runs."]]})
        >>> Corpus.from_pandas(frame, columns={"caption": "said"}).captions
        ['A dog.']
        """
        from captious.corpus.load import load_corpus
        from captious.corpus.readers.memory import read_memory

        return load_corpus(read_memory(frame, "candidates", names=columns), references)

    @classmethod
    def from_dataset(
        cls, dataset: Any, references: Any = None, *, columns: Mapping[str, str] | None = None
    ) -> Corpus:
        """Build a corpus from a `datasets.Dataset`, or from anything with named columns.

        >>> import pyarrow
        >>> table = pyarrow.table({"image_id": [7], "caption": ["A dog."], "references": [["A dog runs."]]})
        >>> Corpus.from_dataset(table).example(0).references
        ['A dog runs.']
        """
        return cls.from_pandas(dataset, references, columns=columns)

    def __len__(self) -> int:
        return len(self.captions)

    def __iter__(self) -> Iterator[Example]:
        """Iterate over the examples, with candidate and references as strings."""
        return map(self.example, range(len(self)))

    def __repr__(self) -> str:
        return (
            f"Corpus({len(self):,} captions, {len(self.image_ids):,} images, "
            f"{len(self.references.values):,} references, systems: {', '.join(self.systems)})"
        )

    def example(self, index: int) -> Example:
        """Return one row as an object. Meant for display; slow in large loops."""
        image, set_ = int(self.image_of[index]), int(self.references_of[index])
        return Example(
            image_id=self.image_ids[image],
            caption=self.captions[index],
            system=self.systems[int(self.system_of[index])],
            references=self.references[set_] if set_ != NO_REFERENCES else [],
            image_path=self.image_paths[image] if self.image_paths else None,
            objects=self.objects[image] if self.objects else None,
            context=self.contexts[index] if self.contexts else "",
        )

    @property
    def reference_counts(self) -> IntArray:
        """Number of references of each example."""
        counts = np.append(self.references.counts, 0)
        return counts[self.references_of]

    def rows_of(self, system: str) -> IntArray:
        """Rows of one system's examples."""
        if system not in self.systems:
            raise UnknownNameError("system", system, self.systems)
        return np.flatnonzero(self.system_of == self.systems.index(system))

    def select(self, rows: IntArray | Sequence[int] | Sequence[bool]) -> Corpus:
        """Select examples, by row numbers or by a boolean for each example.

        Images, systems and references keep their positions.

        >>> Corpus.from_lists(["A dog.", "A cat.", "A hat."]).select([0, 2]).captions
        ['A dog.', 'A hat.']
        """
        kept = np.asarray(rows)
        if kept.dtype == bool:
            if len(kept) != len(self):
                raise InputError(
                    f"select: {len(kept)} truth values for {len(self)} captions; give one for each."
                )
            kept = np.flatnonzero(kept)
        elif kept.size and not np.issubdtype(kept.dtype, np.integer):
            raise InputError("select: rows must be whole numbers or truth values.")
        kept = kept.astype(np.int64)
        if kept.size and not (-len(self) <= kept.min() and kept.max() < len(self)):
            raise InputError(f"select: row {int(kept.max())} is outside the corpus of {len(self)} captions.")
        return replace(
            self,
            captions=[self.captions[i] for i in kept.tolist()],
            system_of=self.system_of[kept],
            image_of=self.image_of[kept],
            references_of=self.references_of[kept],
            contexts=None if self.contexts is None else [self.contexts[i] for i in kept.tolist()],
        )

    def compact(self) -> Corpus:
        """The same examples without the reference lists that none of them uses."""
        used, places = np.unique(self.references_of, return_inverse=True)
        if len(used) and used[0] == NO_REFERENCES:
            used, places = used[1:], places - 1
        return replace(self, references=self.references.take(used), references_of=places.astype(np.int64))

    def to_pandas(self) -> pd.DataFrame:
        """Return a long table with one row per example: image_id, system, caption, references."""
        from captious.tables.frames import data_frame

        sets = [*self.references, []]
        return data_frame(
            {
                "image_id": [self.image_ids[i] for i in self.image_of.tolist()],
                "system": [self.systems[i] for i in self.system_of.tolist()],
                "caption": self.captions,
                "references": [sets[i] for i in self.references_of.tolist()],
            }
        )


def _reference_sets(
    references: Sequence[Sequence[str]] | None, image_of: IntArray
) -> tuple[Ragged, IntArray]:
    if references is None:
        return Ragged.from_lists([]), np.full(len(image_of), NO_REFERENCES, dtype=np.int64)
    known: dict[tuple[int, tuple[str, ...]], int] = {}
    places: list[int] = []
    for image, own in zip(image_of.tolist(), references, strict=True):
        if isinstance(own, str):
            raise InputError(
                "references must be a list of lists of captions; "
                f'found the plain text "{own[:40]}". Put each caption in a list.'
            )
        require_texts(own, f"references of entry {len(places) + 1}")
        if not own:
            places.append(NO_REFERENCES)
            continue
        places.append(known.setdefault((image, tuple(own)), len(known)))
    return Ragged.from_lists(own for _, own in known), np.array(places, dtype=np.int64)
