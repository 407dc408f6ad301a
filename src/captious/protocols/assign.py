"""Items made with a seed (blind keys, draws), and who is asked what next: pure choices."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from captious.corpus import Corpus
from captious.corpus.types import NO_REFERENCES
from captious.errors import InputError
from captious.protocols.options import option
from captious.text.normalise import thumb_normalise

if TYPE_CHECKING:
    from captious.protocols.item import Item, Response

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


@dataclass(frozen=True)
class Progress:
    """What a choice depends on; a campaign can fill it from counts, without reading responses.

    `taken` counts for each item the responses that stand and the slots that raters hold;
    `seen` are the items that each rater has answered or holds, `images` the images of those.
    """

    taken: Mapping[str, int] = field(default_factory=dict)
    seen: Mapping[str, frozenset[str]] = field(default_factory=dict)
    images: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @classmethod
    def of(
        cls, items: Iterable[Item], responses: Iterable[Response], *, removed: frozenset[str] = frozenset()
    ) -> Progress:
        """Progress after some responses; those of `removed` raters free their slots."""
        image_of = {item.key: item.image for item in items}
        pairs = {(response.rater, response.item) for response in responses}
        seen: dict[str, set[str]] = {}
        for rater, key in pairs:
            seen.setdefault(rater, set()).add(key)
        return cls(
            taken=Counter(key for rater, key in pairs if rater not in removed),
            seen={rater: frozenset(keys) for rater, keys in seen.items()},
            images={
                rater: frozenset(image_of[key] for key in keys if key in image_of)
                for rater, keys in seen.items()
            },
        )

    def holding(self, rater: str, item: Item) -> Progress:
        """Progress once the rater holds a slot of the item."""
        own = frozenset({item.key}), frozenset({item.image})
        return replace(
            self,
            taken={**self.taken, item.key: self.taken.get(item.key, 0) + 1},
            seen={**self.seen, rater: self.seen.get(rater, frozenset()) | own[0]},
            images={**self.images, rater: self.images.get(rater, frozenset()) | own[1]},
        )


def eligible(item: Item, progress: Progress, rater: str, *, now: float, once_per_image: bool) -> bool:
    """Whether the rater may be given the item now."""
    return bool(_eligible([item], progress, rater, now=now, once_per_image=once_per_image))


def _eligible(
    items: Iterable[Item], progress: Progress, rater: str, *, now: float, once_per_image: bool
) -> list[Item]:
    taken, seen = progress.taken, progress.seen.get(rater, frozenset())
    images = progress.images.get(rater, frozenset()) if once_per_image else frozenset()
    return [
        item
        for item in items
        if taken.get(item.key, 0) < item.target
        and item.key not in seen
        and rater not in item.not_for
        and (item.only_for is None or rater in item.only_for)
        and item.not_before <= now
        and item.image not in images
    ]


def choose(
    items: Sequence[Item],
    progress: Progress,
    rater: str,
    *,
    now: float,
    seed: int,
    once_per_image: bool,
    count: int = 1,
) -> list[Item]:
    """Return the rater's next `count` items, fewer where fewer are left.

    Of the items that the rater may be given: what has been collected least of (by `balance`), then
    the item nearest to its target, so that items are finished rather than begun; then an order that
    is the rater's own, drawn from the seed.
    """
    collected: dict[str, int] = {}
    waiting: dict[str, list[tuple[int, Item]]] = {}
    taken = progress.taken
    for item in items:
        collected[item.balance] = collected.get(item.balance, 0) + taken.get(item.key, 0)
    for item in _eligible(items, progress, rater, now=now, once_per_image=once_per_image):
        waiting.setdefault(item.balance, []).append((item.target - taken.get(item.key, 0), item))
    place = rater_order(seed, rater)
    found: list[Item] = []
    images: set[str] = set()
    while len(found) < count and waiting:
        least = min([collected[kind] for kind in waiting])
        first = [one for kind, ranked in waiting.items() if collected[kind] == least for one in ranked]
        nearest = min([missing for missing, _ in first])
        equals = [item for missing, item in first if missing == nearest]
        # Only among equals is the rater's own order asked for.
        item = equals[0] if len(equals) == 1 else min(equals, key=lambda item: place(item.key))
        kind = item.balance
        waiting[kind] = [one for one in waiting[kind] if one[1] is not item]
        if not waiting[kind]:
            del waiting[kind]
        if once_per_image and item.image in images:
            continue
        found.append(item)
        images.add(item.image)
        collected[kind] += 1
    return found


# A rater who comes back is offered much of what they were offered before.
MOST_RATERS, MOST_PLACES = 1024, 64


@lru_cache(maxsize=MOST_RATERS)
def rater_order(seed: int, rater: str) -> Callable[[str], bytes]:
    """The rater's own random order: a key's place in it is the same whenever it is asked.

    >>> rater_order(1, "r")("a") == rater_order(1, "r")("a") != rater_order(2, "r")("a")
    True
    """
    salt = hashlib.blake2b(repr((seed, rater)).encode(), digest_size=16).digest()

    @lru_cache(maxsize=MOST_PLACES)
    def place(key: str) -> bytes:
        return hashlib.blake2b(key.encode(errors="surrogatepass"), key=salt, digest_size=8).digest()

    return place
