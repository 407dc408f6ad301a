"""What protocols make items from: captions by image, blind keys, and draws that a seed repeats."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from captious.corpus import Corpus
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError
from captious.protocols.options import option
from captious.text.normalise import thumb_normalise

BLIND_KEYS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def draws(seed: int, *labels: str) -> np.random.Generator:
    """A generator of its own for each label, whatever the order in which they are asked.

    >>> int(draws(7, "a").integers(1000)) == int(draws(7, "a").integers(1000))
    True
    """
    digest = hashlib.blake2b(repr((seed, labels)).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest, "big"))


def opaque(seed: int, *labels: str) -> str:
    """A key that tells a rater nothing, the same for the same seed and labels.

    >>> len(opaque(1, "check", "7")), opaque(1, "check", "7") == opaque(2, "check", "7")
    (20, False)
    """
    return hashlib.blake2b(repr((seed, labels)).encode(), digest_size=10).hexdigest()


def blind_key(place: int) -> str:
    """A, B, ... Z, then AA, AB, ...

    >>> blind_key(0), blind_key(25), blind_key(26)
    ('A', 'Z', 'AA')
    """
    letters = ""
    place += 1
    while place:
        place, last = divmod(place - 1, len(BLIND_KEYS))
        letters = BLIND_KEYS[last] + letters
    return letters


def clean_option() -> Any:
    """The option that shows all captions in one spelling, so that none gives its writer away."""
    return option(
        True,
        "Clean the text of captions",
        "Remove spaces at the start and end, capitalise the first letter, end with a full stop. "
        "Otherwise letter case and full stops can reveal who wrote a caption.",
    )


def captions_of(corpus: Corpus, *, clean: bool = False) -> dict[str, dict[str, list[str]]]:
    """For each image, each distinct caption with the systems that wrote it, in corpus order.

    With `clean`, captions are spelled as THumB asks, and those that then are equal are one.

    >>> captions_of(Corpus.from_lists(["A dog.", "a dog"], image_ids=["1", "1"],
    ...                               systems=["m", "n"]), clean=True)
    {'1': {'A dog.': ['m', 'n']}}
    """
    found: dict[str, dict[str, list[str]]] = {}
    places = zip(corpus.image_of.tolist(), corpus.system_of.tolist(), corpus.captions, strict=True)
    for image, system, text in places:
        if not text.strip():
            raise InputError(
                f'image "{corpus.image_ids[image]}": the caption of {corpus.systems[system]} is '
                "empty. Remove it or correct the file."
            )
        own = found.setdefault(corpus.image_ids[image], {})
        own.setdefault(thumb_normalise(text) if clean else text, []).append(corpus.systems[system])
    return found


def human_captions(corpus: Corpus, *, clean: bool = False) -> dict[str, list[str]]:
    """The distinct references of each image, in order."""
    spelled = thumb_normalise if clean else str
    found: dict[str, dict[str, None]] = {}
    pairs = zip(corpus.image_of.tolist(), corpus.references_of.tolist(), strict=True)
    for image, set_ in dict.fromkeys(pairs):
        own = found.setdefault(corpus.image_ids[image], {})
        if set_ != NO_REFERENCES:
            own.update(dict.fromkeys(spelled(text) for text in corpus.references[set_] if text.strip()))
    missing = next((image for image, texts in found.items() if not texts), None)
    if missing is not None:
        raise InputError(
            f'image "{missing}" has no human caption to compare with. '
            "Give references for every image, or leave the image out."
        )
    return {image: list(texts) for image, texts in found.items()}


def refuse_names(corpus: Corpus, *reserved: str) -> None:
    """Refuse systems whose names mean something else in a protocol."""
    clash = next((name for name in corpus.systems if name in reserved), None)
    if clash is not None:
        raise InputError(f'system "{clash}": this protocol uses that name itself. Rename the system.')
