"""A stream of photographs: each decoded once, a few at a time, the broken ones set aside.

Threads decode ahead of the model (Pillow works outside Python's lock); never more than two batches
of prepared pixels are held, however many images there are.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError
from captious.models.encoders.base import ImageFile
from captious.models.encoders.recipe import Pixels, Recipe
from captious.models.images import digest, load_image, read_file

_THREADS = 2


class PixelBatch(NamedTuple):
    """Pixels of some images, and the places of those in the list that was asked for."""

    places: NDArray[np.int64]
    pixels: Pixels


def content_keys(images: Sequence[ImageFile], broken: dict[str, str]) -> list[bytes | None]:
    """A name for each image by its content; None, and a reason in `broken`, where it has none."""
    keys: list[bytes | None] = []
    for image in images:
        try:
            keys.append(digest(read_file(image_path(image))))
        except InputError as error:
            broken[image.id] = str(error)
            keys.append(None)
    return keys


def pixel_batches(
    images: Sequence[ImageFile], recipe: Recipe, size: int, broken: dict[str, str]
) -> Iterator[PixelBatch]:
    """Prepared pixels in batches of at most `size`; unreadable images go to `broken` with the reason."""

    def prepare(image: ImageFile) -> Pixels:
        return recipe.pixels(load_image(image_path(image)))

    waiting: deque[tuple[int, Future[Pixels]]] = deque()
    with ThreadPoolExecutor(_THREADS) as pool:
        ahead = iter(enumerate(images))
        ready: list[tuple[int, Pixels]] = []
        while True:
            for place, image in ahead:
                waiting.append((place, pool.submit(prepare, image)))
                if len(waiting) >= size:
                    break
            if not waiting:
                break
            place, future = waiting.popleft()
            try:
                ready.append((place, future.result()))
            except InputError as error:
                broken[images[place].id] = str(error)
            if len(ready) == size:
                yield _batch(ready)
                ready = []
        if ready:
            yield _batch(ready)


def _batch(ready: list[tuple[int, Pixels]]) -> PixelBatch:
    places, pixels = zip(*ready, strict=True)
    return PixelBatch(np.array(places, dtype=np.int64), np.stack(pixels))


def image_path(image: ImageFile) -> str:
    """The file of an image; `InputError` where none was found."""
    if image.path is None:
        raise InputError(f'image "{image.id}": no file was found for it. Check the folder.')
    return image.path
