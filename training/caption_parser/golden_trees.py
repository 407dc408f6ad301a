"""Golden parses as trees, and their division into training and held-out captions."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import images

NO_BREAK_SPACE = "\xa0"
EXPERT_SETS = ("thumb", "karpathy", "capeval1k")


class Tree(NamedTuple):
    """One golden parse, `heads` from 1, 0 is the root, and the scene graph read from it."""

    caption: str
    source: str
    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    tuples: frozenset[tuple[str, ...]] = frozenset()


def _dependencies(text: str, length: int) -> tuple[tuple[int, ...], tuple[str, ...]]:
    heads, relations = [-1] * length, [""] * length
    for item in text.split():
        relation, _, ends = item[:-1].rpartition("(")
        head, dependent = map(int, ends.split(","))
        heads[dependent - 1], relations[dependent - 1] = head, relation
    return tuple(heads), tuple(relations)


def read_trees(golden: Path) -> Iterator[Tree]:
    """Parses of the golden file, a tree a caption."""
    with gzip.open(golden / "spice" / "parses.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            (sentence,) = row["sentences"]
            words, tags = sentence["words"].split(" "), sentence["tags"].split(" ")
            heads, relations = _dependencies(sentence["basic"], len(words))
            caption = row["caption"].replace(NO_BREAK_SPACE, " ")
            tuples = frozenset(map(tuple, row["tuples"]))
            yield Tree(caption, row["set"], tuple(words), tuple(tags), heads, relations, tuples)


def _images_of_all(data: Path) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for source in images.SOURCES:
        for caption, names in images.images_of_captions(data, source).items():
            found.setdefault(caption, set()).update(names)
    return found


def _kept_from_check(data: Path) -> set[str]:
    kept = images.flickr8k_expert_images(data)
    for source in EXPERT_SETS:
        for names in images.images_of_captions(data, source).values():
            kept |= names
    return kept


class Split(NamedTuple):
    """Captions to train on and captions kept from training."""

    training: list[Tree]
    held_out: list[Tree]


def split_by_image(trees: list[Tree], data: Path, *, benchmarks_held_out: bool) -> Split:
    """Divide captions so that no held-out image has a caption in training.

    A tenth of the images is always held out. With `benchmarks_held_out` so are all images of
    THumB, Karpathy's test split, CapEval1k and Flickr8k-Expert. A caption that several images
    share is held out when any of these is; a caption whose image is unknown is in neither part.
    """
    of_caption = _images_of_all(data)
    kept = _kept_from_check(data) if benchmarks_held_out else set()
    training, held_out = [], []
    for tree in trees:
        names = of_caption.get(tree.caption, set())
        if any(name in kept or images.is_held_out(name) for name in names):
            held_out.append(tree)
        elif names:
            training.append(tree)
    return Split(training, held_out)
