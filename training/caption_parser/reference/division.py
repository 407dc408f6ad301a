"""Golden captions divided into those that a caption parser learnt from and those kept from it."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Literal

from reference.captions import SOURCES, flickr8k_expert_images, images_of_captions

Part = Literal["training", "kept", "neither"]

KEPT_SHARE = 0.1
# The benchmarks whose scores are compared; Flickr8k-Expert is added by its list of images.
BENCHMARK_SOURCES = ("thumb", "karpathy", "capeval1k")


def is_kept_image(image: str, share: float = KEPT_SHARE) -> bool:
    """Whether an image is among the tenth kept from training: the same answer on every machine.

    >>> [is_kept_image(f"coco/{number}") for number in range(5)]
    [False, True, False, False, False]
    """
    fraction = int.from_bytes(sha256(image.encode()).digest()[:8]) / 2**64
    return fraction < share


class Division:
    """Captions by image, so that no kept image has a caption in training.

    A tenth of the images is always kept. With `benchmarks_held_out` so are all images of THumB,
    Karpathy's test split, CapEval1k and Flickr8k-Expert. A caption that several images share is
    kept when any of these is; a caption whose image is unknown is in neither part.
    """

    def __init__(self, data: Path, *, benchmarks_held_out: bool) -> None:
        self._images: dict[str, set[str]] = {}
        kept_too: set[str] = set()
        for source in SOURCES:
            for caption, images in images_of_captions(data, source).items():
                self._images.setdefault(caption, set()).update(images)
                if benchmarks_held_out and source in BENCHMARK_SOURCES:
                    kept_too |= images
        if benchmarks_held_out:
            kept_too |= flickr8k_expert_images(data)
        self._kept_too = kept_too

    def images(self, caption: str) -> set[str]:
        """Images of a caption, given as its tokens."""
        return self._images.get(caption, set())

    def part(self, caption: str) -> Part:
        """Where a caption, given as its tokens, belongs."""
        if self.kept_images(caption):
            return "kept"
        return "training" if self.images(caption) else "neither"

    def kept_images(self, caption: str) -> list[str]:
        """Images of a caption that were kept from training, by name."""
        return sorted(
            image for image in self.images(caption) if image in self._kept_too or is_kept_image(image)
        )
