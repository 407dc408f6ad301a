"""Extra inputs of a benchmark: objects, photographs, and the number of references.

Objects and photographs are rarely available for every image. Examples without them are left out for all
metrics, so that the values in one table are computed on the same examples; the protocol says how many
there are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.benchmarks.protocol import Preferences, RatedExamples
from captious.corpus import Corpus
from captious.corpus.columns import IntArray
from captious.corpus.ids import meet
from captious.corpus.images import find_images
from captious.corpus.objects import labels_by_image, read_objects
from captious.corpus.types import Ragged
from captious.errors import InputError

Data = RatedExamples | Preferences
Mask = NDArray[np.bool_]


class ExtraInputs(NamedTuple):
    """A file of objects, a folder of photographs, the number of references of each image.

    >>> ExtraInputs(reference_count=1).objects is None
    True
    """

    objects: Path | None = None
    images: Path | None = None
    reference_count: int | None = None


def with_extra_inputs(data: Data, given: ExtraInputs) -> Data:
    """The benchmark with what was given, restricted to the images that have it."""
    if given.reference_count is not None:
        data = first_references(data, given.reference_count)
    if given.objects is not None:
        data = with_objects(data, given.objects)
    if given.images is not None:
        data = with_images(data, given.images)
    return data


def first_references(data: Data, count: int) -> Data:
    """Each example with the first `count` of its references; all of them where it has fewer.

    >>> from captious.benchmarks.protocol import Protocol, rated_examples
    >>> corpus = Corpus.from_lists(["a dog", "a cat"], [["dog", "hound"], ["cat", "puss"]])
    >>> data = rated_examples(Protocol("mine"), corpus, {"overall": [[4], [1]]}, ["a", "b"])
    >>> first_references(data, 1).corpus.reference_counts.tolist()
    [1, 1]
    """
    require_count(count)
    changed = [
        replace(corpus, references=Ragged.from_lists(own[:count] for own in corpus.references))
        for corpus in _corpora(data)
    ]
    protocol = data.protocol
    protocol = replace(protocol, references=f"the first {count} of: {protocol.references}")
    return replace(_with_corpora(data, changed), protocol=protocol)


def require_count(count: int) -> None:
    """Refuse to use no references."""
    if count < 1:
        raise InputError(f"--reference-count {count}: give at least 1.")


def with_objects(data: Data, path: Path) -> Data:
    """Only the examples whose image the file names, each image with its objects.

    An image that the file names and in which nothing was found stays, without objects.
    """
    images = _corpora(data)[0].image_ids
    objects = read_objects(path, images)
    labels = labels_by_image(path)
    spelled = set(meet(labels, images).values())
    named = np.array([image in labels or image in spelled for image in images])
    changed = [replace(corpus, objects=objects) for corpus in _corpora(data)]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:8]
    found = _with_corpora(data, changed)
    found = replace(found, protocol=data.protocol.with_options(objects=f"{path.name}:{digest}"))
    return of_images(found, named, f"that are not in {path.name}")


def with_images(data: Data, folder: Path) -> Data:
    """Only the examples whose photograph is in the folder, each image with its path."""
    images = _corpora(data)[0].image_ids
    paths = find_images(folder, images)
    there = np.array([path is not None for path in paths])
    if not there.any():
        raise InputError(
            f'{folder}: contains no photograph of {data.protocol.name} (such as "{images[0]}"). '
            "Give the folder that contains them."
        )
    changed = [replace(corpus, image_paths=paths) for corpus in _corpora(data)]
    found = _with_corpora(data, changed)
    found = replace(found, protocol=data.protocol.with_options(images=folder.name))
    return of_images(found, there, f"that are not in {folder.name}")


def _corpora(data: Data) -> list[Corpus]:
    return data.corpora if isinstance(data, Preferences) else [data.corpus]


def _with_corpora(data: Data, corpora: Sequence[Corpus]) -> Data:
    if isinstance(data, Preferences):
        return replace(data, corpora=list(corpora))
    return replace(data, corpus=corpora[0])


def of_images(data: Data, kept: Mask, lacking: str) -> Data:
    """The examples of the kept images; the protocol and a note tell of the others."""
    if kept.all():
        return data
    found: Data
    if isinstance(data, Preferences):
        found = _pairs_of(data, kept)
        unit, before, after = "pairs", len(data.label), len(found.label)
    else:
        rows = np.flatnonzero(kept[data.corpus.image_of])
        found = examples_of(data, rows)
        unit, before, after = "examples", len(data.corpus), len(rows)
    said = f"{before - after:,} {unit} of {int((~kept).sum()):,} images {lacking}"
    before_that = data.protocol.left_out
    left_out = said if before_that == "nothing" else f"{before_that}; {said}"
    note = f"{said} are left out; {after:,} {unit} of {int(kept.sum()):,} images remain."
    return replace(found, protocol=replace(data.protocol, left_out=left_out), notes=(*data.notes, note))


def examples_of(data: RatedExamples, rows: IntArray) -> RatedExamples:
    """Some examples with their judgments."""
    return replace(
        data,
        corpus=_rows_of(data.corpus, rows),
        judgments=data.judgments.select(rows),
        ids=[data.ids[row] for row in rows.tolist()],
        by=[data.by[row] for row in rows.tolist()] if data.by else [],
        findings=data.findings.select(rows) if data.findings else None,
    )


def _pairs_of(data: Preferences, kept: Mask) -> Preferences:
    """Both captions of a pair are of one image, so that pairs stay whole."""
    image_of = data.corpora[0].image_of
    pairs = np.flatnonzero(kept[image_of[data.first]])
    rows = np.flatnonzero(kept[image_of])
    place = np.full(len(image_of), -1, dtype=np.int64)
    place[rows] = np.arange(len(rows))
    return replace(
        data,
        corpora=[_rows_of(corpus, rows) for corpus in data.corpora],
        first=place[data.first[pairs]],
        second=place[data.second[pairs]],
        label=data.label[pairs],
        category=[data.category[pair] for pair in pairs.tolist()],
        ids=[data.ids[row] for row in rows.tolist()],
    )


def _rows_of(corpus: Corpus, rows: IntArray) -> Corpus:
    """Some examples, without the images and references that none of them uses."""
    chosen = corpus.select(rows).compact()
    used, places = np.unique(chosen.image_of, return_inverse=True)
    paths = corpus.image_paths
    return replace(
        chosen,
        image_ids=[corpus.image_ids[image] for image in used.tolist()],
        image_of=places.astype(np.int64),
        image_paths=None if paths is None else [paths[image] for image in used.tolist()],
        objects=None if corpus.objects is None else corpus.objects.take(used),
    )
