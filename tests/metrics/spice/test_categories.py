from __future__ import annotations

import pytest

from captious.metrics.spice import SceneGraph
from captious.metrics.spice.categories import categories_of


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (("dog",), ("object",)),
        (("dog", "ball", "chase"), ("relation",)),
        (("dog", "happy"), ("attribute",)),
        (("dog", "brown"), ("attribute", "colour")),
        (("dog", "three"), ("attribute", "count")),
        (("dog", "3"), ("attribute", "count")),
        (("dog", "tiny"), ("attribute", "size")),
    ],
)
def test_what_a_tuple_says(parts: tuple[str, ...], expected: tuple[str, ...]) -> None:
    assert categories_of(SceneGraph.of([[parts]]).tuples()[-1]) == expected
