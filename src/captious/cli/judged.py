"""Captions and the judgments of them, from what was typed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from captious.corpus import Corpus, Judgments


class JudgedCorpus(NamedTuple):
    """What is looked at, and what humans said of it, if anything."""

    corpus: Corpus
    judgments: Judgments | None


def judged_corpus(
    candidates: Sequence[Path] | None,
    references: Sequence[Path] | None,
    judgments: Path | None,
    images: Path | None,
    load: Callable[[Sequence[Path]], Corpus],
    purpose: str,
    objects: Path | None = None,
) -> JudgedCorpus:
    """The candidates as `load` reads them, or the captions that the judgments hold.

    `purpose` ends the sentence "there is nothing to …" where neither was given.
    """
    judged, own = _judgments(judgments, references, with_captions=not candidates)
    if candidates:
        return JudgedCorpus(load(candidates), judged)
    return JudgedCorpus(_of_judgments(own, judgments, images, objects, purpose), judged)


def _judgments(
    path: Path | None, references: Sequence[Path] | None, *, with_captions: bool
) -> tuple[Judgments | None, Corpus | None]:
    from captious.corpus.judged import read_judgments

    if path is None:
        return None, None
    return read_judgments(path, references=(references or None) if with_captions else None)


def _of_judgments(
    corpus: Corpus | None, judgments: Path | None, images: Path | None, objects: Path | None, purpose: str
) -> Corpus:
    from dataclasses import replace

    from captious.corpus.images import find_images
    from captious.corpus.objects import read_objects
    from captious.errors import InputError

    if judgments is None:
        raise InputError(f"there is nothing to {purpose}. Give --candidates.")
    if corpus is None:
        raise InputError(f"{judgments}: contains no captions. Give them with --candidates.")
    if objects is not None:
        corpus = replace(corpus, objects=read_objects(objects, corpus.image_ids))
    if images is None:
        return corpus
    return replace(corpus, image_paths=find_images(images, corpus.image_ids))
