"""Captions of several systems and their references as one corpus: one spelling of ids, the same images."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from captious.corpus.columns import IntArray, factorise
from captious.corpus.ids import meet
from captious.corpus.systems import SystemCaptions
from captious.corpus.types import NO_REFERENCES, Corpus, Ragged
from captious.errors import InputError, one_line


class ReferenceSets(NamedTuple):
    """References of one or several files: a list of texts for each image."""

    ids: dict[str, int]
    sets: Ragged
    file_names: dict[str, str]


def in_one_spelling(
    systems: list[SystemCaptions], sets: ReferenceSets | None
) -> tuple[list[SystemCaptions], int]:
    """All ids as the references (or else the first system) spell them."""
    if sets is None and len(systems) == 1:
        return systems, 0
    known = sets.ids if sets is not None else dict.fromkeys(systems[0].ids)
    result = []
    loosely: dict[str, str] = {}
    for system in systems:
        spelled = meet(system.ids, known)
        loosely |= spelled
        _refuse_two_spellings(system, spelled)
        result.append(system.respelled(spelled) if spelled else system)
        if sets is not None and not any(image in known for image in result[-1].ids):
            theirs, ours = next(iter(known)), system.ids[0]
            raise InputError(
                f"{system.source}: no image id occurs in the references "
                f'(candidate id "{one_line(ours, 40)}", reference id "{one_line(theirs, 40)}"). '
                "Use the same ids in both."
            )
    return result, len(loosely)


def _refuse_two_spellings(system: SystemCaptions, spelled: dict[str, str]) -> None:
    """A system must not name one image in two ways, or it would count twice."""
    taken = dict.fromkeys(spelled.values())
    first = {image: image for image in system.ids if image in taken}
    for image, known in spelled.items():
        if first.setdefault(known, image) != image:
            raise InputError(
                f'{system.source}: the ids "{one_line(first[known], 40)}" and '
                f'"{one_line(image, 40)}" are the same image. Keep one caption per image.'
            )


def same_images(systems: list[SystemCaptions], *, common: bool) -> tuple[list[SystemCaptions], int]:
    """Systems that describe the same images, and how many images were left out for it."""
    if len(systems) == 1:
        return systems, 0
    covered = [dict.fromkeys(system.ids) for system in systems]
    shared = set(covered[0]).intersection(*covered[1:])
    total = len(set().union(*covered))
    if len(shared) == total:
        return systems, 0
    if not common:
        for system, own in zip(systems, covered, strict=True):
            first = next((i for other in covered for i in other if i not in own), None)
            if first is not None:
                raise InputError(
                    f'{system.source}: system "{system.name}" describes {len(own):,} of the '
                    f'{total:,} images (image "{one_line(first, 40)}" is missing). '
                    "Add the captions, or keep only images that every system describes:",
                    python="load_corpus(…, common=True).",
                    command="--common.",
                )
    if not shared:
        raise InputError("candidates: no image is described by every system. Check the ids.")
    return [system.only(shared) for system in systems], total - len(shared)


def assemble(systems: list[SystemCaptions], sets: ReferenceSets | None) -> Corpus:
    """One corpus of all systems with their references: those given apart, else those of their own rows."""
    images, image_of = factorise([image for system in systems for image in system.ids])
    captions = [caption for system in systems for caption in system.captions]
    lengths = [len(system.ids) for system in systems]
    if sets is not None:
        references, references_of = _shared_references(systems, sets, images, image_of)
    elif all(system.references is not None for system in systems):
        own = [texts for system in systems for texts in system.references or []]
        joined = Corpus.from_lists(captions, own, image_ids=[images[i] for i in image_of.tolist()])
        references, references_of = joined.references, joined.references_of
    else:
        references = Ragged.from_lists([])
        references_of = np.full(len(captions), NO_REFERENCES, dtype=np.int64)
    corpus = Corpus(
        captions=captions,
        systems=[system.name for system in systems],
        system_of=np.repeat(np.arange(len(systems), dtype=np.int64), lengths),
        image_ids=images,
        image_of=image_of,
        references=references,
        references_of=references_of,
    )
    return _with_row_columns(corpus, systems)


def _shared_references(
    systems: list[SystemCaptions], sets: ReferenceSets, images: list[str], image_of: IntArray
) -> tuple[Ragged, IntArray]:
    places = np.array([sets.ids.get(image, -1) for image in images], dtype=np.int64)
    without = np.flatnonzero(places < 0)
    if len(without):
        first = images[int(without[0])]
        source = next(system.source for system in systems if first in system.ids)
        raise InputError(
            f"{source}: {len(without):,} of {len(images):,} images have no references (the first "
            f'is "{one_line(first, 40)}"). Add their references, or leave their captions out.'
        )
    if np.array_equal(places, np.arange(len(sets.ids))):
        return sets.sets, image_of
    return sets.sets.take(places), image_of


def _with_row_columns(corpus: Corpus, systems: list[SystemCaptions]) -> Corpus:
    """Image paths, objects, contexts and encoders that the candidates' own rows carry."""
    paths: dict[str, str] = {}
    objects: dict[str, list[str]] = {}
    for system in systems:
        paths |= system.image_paths
        objects |= system.objects
    if paths:
        corpus = replace(corpus, image_paths=[paths.get(image) for image in corpus.image_ids])
    if objects:
        lists = [objects.get(image, []) for image in corpus.image_ids]
        corpus = replace(corpus, objects=Ragged.from_lists(lists))
    if any(system.contexts is not None for system in systems):
        contexts = [text for system in systems for text in system.contexts or [""] * len(system.ids)]
        corpus = replace(corpus, contexts=contexts)
    encoders = {system.name: system.encoder for system in systems if system.encoder}
    return replace(corpus, encoders=encoders) if encoders else corpus
