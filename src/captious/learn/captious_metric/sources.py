"""What the encoder is tuned on: captions by image, ratings of captions of other images, caption pairs.

Images of the benchmarks are left out by id and, where ids are hidden, by their captions: an image is
known from two captions that it shares.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from captious.corpus.ids import loose_id
from captious.errors import InputError

CXC_SCALE = 5.0
_CXC_IMAGES, _CXC_PAIRS = "cxc/caption_image.jsonl.gz", "cxc/caption_caption.jsonl.gz"
_FLICKR8K, _EXPERT = "flickr8k/Flickr8k.token.txt", "flickr8k/ExpertAnnotations.txt"


@dataclass(frozen=True)
class Group:
    """One image: its captions with their ratings (-1 where there is none), and rated others."""

    image: str
    captions: tuple[str, ...]
    ratings: tuple[float, ...]
    others: tuple[tuple[str, float], ...] = ()


class CaptionPair(NamedTuple):
    """Two captions and how alike people found them."""

    first: str
    second: str
    rating: float


@dataclass(frozen=True)
class Sources:
    """Everything that tuning may see."""

    graded: tuple[Group, ...]
    plain: tuple[Group, ...] = ()
    pairs: tuple[CaptionPair, ...] = ()
    notes: tuple[str, ...] = field(default=())


def groups_of(references: Mapping[str, Sequence[str]]) -> tuple[Group, ...]:
    """Groups without ratings, from the captions of images; two captions at least.

    >>> groups_of({"1": ["a dog", "a hound"], "2": ["a cat"]})[0].captions
    ('a dog', 'a hound')
    """
    return tuple(
        Group(image, tuple(dict.fromkeys(own)), (-1.0,) * len(dict.fromkeys(own)))
        for image, own in references.items()
        if len(set(own)) > 1
    )


def read_sources(folder: Path, held: Iterable[str], held_captions: Iterable[Sequence[str]]) -> Sources:
    """Crisscrossed Captions and the Flickr8k images that no expert judged, without held images.

    `held` are ids of COCO images; `held_captions` the captions of images without known ids.
    """
    rows = list(_rows(folder / _CXC_IMAGES))
    own: dict[str, list[tuple[str, float]]] = {}
    for row in rows:
        if row["pair"] == "original":
            own.setdefault(row["image"], []).append((row["caption"].strip(), row["rating"]))
    known = {image: [text for text, _ in texts] for image, texts in own.items()}
    left_out = {loose_id(image) for image in held} | _recognised(known, held_captions)
    others: dict[str, list[tuple[str, float]]] = {}
    for row in rows:
        if row["pair"] != "original" and not {row["image"], row["source_image"]} & left_out:
            others.setdefault(row["image"], []).append((row["caption"].strip(), row["rating"]))
    graded = tuple(
        Group(image, *_columns(texts), tuple(others.get(image, ())))
        for image, texts in own.items()
        if image not in left_out
    )
    pairs = tuple(
        CaptionPair(row["caption"].strip(), row["other"].strip(), row["rating"])
        for row in _rows(folder / _CXC_PAIRS)
        if not {row["image"], row["other_image"]} & left_out
    )
    left = len(left_out & own.keys())
    note = f"{left:,} of {len(own):,} images of cxc are left out because benchmarks use them."
    return Sources(graded, _flickr8k(folder), pairs, (note,))


def _columns(texts: list[tuple[str, float]]) -> tuple[tuple[str, ...], tuple[float, ...]]:
    return tuple(text for text, _ in texts), tuple(rating for _, rating in texts)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. Give the data folder with --data.")
    with gzip.open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield orjson.loads(line)
            except orjson.JSONDecodeError:
                raise InputError(f"{path}: line {number} is not valid JSON. Copy the file again.") from None


def _recognised(known: dict[str, list[str]], captions: Iterable[Sequence[str]]) -> set[str]:
    """Images that share two captions with a list of captions."""
    owners: dict[str, set[str]] = {}
    for image, texts in known.items():
        for text in texts:
            owners.setdefault(_folded(text), set()).add(image)
    found: set[str] = set()
    for shared in captions:
        counts = Counter(image for text in shared for image in owners.get(_folded(text), ()))
        found.update(image for image, count in counts.items() if count > 1)
    return found


def _folded(text: str) -> str:
    return " ".join(text.lower().strip(" .").split())


def _flickr8k(folder: Path) -> tuple[Group, ...]:
    if not (folder / _FLICKR8K).is_file() or not (folder / _EXPERT).is_file():
        return ()
    judged: set[str] = set()
    for line in (folder / _EXPERT).read_text("utf-8").splitlines():
        image, caption = line.split("\t")[:2]
        judged |= {image, caption.rpartition("#")[0]}
    captions: dict[str, Sequence[str]] = {}
    for line in (folder / _FLICKR8K).read_text("utf-8").splitlines():
        name, _, text = line.partition("\t")
        image = name.rpartition("#")[0]
        if image not in judged:
            captions[image] = [*captions.get(image, ()), text.strip()]
    return groups_of(captions)
