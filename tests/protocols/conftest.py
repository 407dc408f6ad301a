"""A small corpus of made-up images, for the rules of choice."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from captious.corpus import Corpus


def build(images: int, systems: tuple[str, ...] = ("m", "n"), references: int = 3) -> Corpus:
    names = [str(image) for image in range(images) for _ in systems]
    return Corpus.from_lists(
        [f"System {system} sees image {i}." for i in range(images) for system in systems],
        [[f"Person {k} sees image {name}." for k in range(references)] for name in names],
        image_ids=names,
        systems=list(systems) * images,
    )


@pytest.fixture(scope="session")
def made_up() -> Callable[..., Corpus]:
    """Images 0, 1, ...; every system and reference has words of its own."""
    return build
