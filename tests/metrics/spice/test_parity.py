"""Given the reference implementation's tuples, its scores come out exactly."""

from __future__ import annotations

from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from captious.metrics.spice import score_tuples
from captious.text.synsets import meteor_table

# Not among the golden parses: 2 captions whose last token coco-caption's tokeniser decides by
# looking into the next caption, one with a no-break space, and 185 that were left out.
WITHOUT_TUPLES = {"nebula": 186, "capeval1k": 40, "thumb": 5, "karpathy_m2": 1}


@pytest.fixture(scope="module")
def known_items(golden_items: list[Any], golden_tuples: dict[str, Any]) -> list[Any]:
    known = [
        item
        for item in golden_items
        if all(text in golden_tuples for text in (item.candidate, *item.references))
    ]
    left_out = Counter(item.benchmark for item in golden_items)
    left_out.subtract(Counter(item.benchmark for item in known))
    assert +left_out == WITHOUT_TUPLES
    return known


def test_every_item_equals_the_reference(known_items: list[Any], golden_tuples: Any) -> None:
    assert len(known_items) == 17_230
    for item in known_items:
        counts = score_tuples(
            golden_tuples[item.candidate], [golden_tuples[text] for text in item.references]
        )
        assert counts == (item.matched, item.invented, item.missed), item
        assert counts.f == pytest.approx(item.f, abs=1e-12)


@pytest.mark.long
def test_meteors_table_gives_the_same_scores(known_items: list[Any], golden_tuples: Any) -> None:
    if find_spec("pycocoevalcap") is None:
        pytest.skip("pycocoevalcap is not installed")
    import pycocoevalcap

    folder = Path(next(iter(pycocoevalcap.__path__)))
    table = meteor_table(folder / "meteor" / "meteor-1.5.jar")
    for item in known_items:
        references = [golden_tuples[text] for text in item.references]
        counts = score_tuples(golden_tuples[item.candidate], references, table)
        assert counts == (item.matched, item.invented, item.missed), item
