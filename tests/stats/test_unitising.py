import math

import numpy as np
import pytest

from captious.stats import Mark, MarkedText, unitising_alpha

# Krippendorff 2019, figure 12.11: three observers of a continuum of 60 units; first and last unit, value.
ALEX = [(1, 7, "1"), (8, 13, "2"), (31, 32, "5"), (33, 37, "6"), (38, 44, "6"), (45, 60, "7")]
PAUL = [(1, 7, "1"), (8, 13, "3"), (14, 21, "5"), (33, 44, "6")]
SUZAN = [(1, 7, "1"), (8, 13, "4"), (14, 21, "5"), (33, 37, "6"), (38, 41, "6"), (42, 44, "6")]


def marks(units: list[tuple[int, int, str]]) -> list[Mark]:
    return [Mark(first - 1, last, value) for first, last, value in units]


FIGURE = MarkedText("x" * 60, [marks(ALEX), marks(PAUL), marks(SUZAN)])


def test_the_values_of_the_book() -> None:
    assert unitising_alpha([FIGURE], kinds=True).value == pytest.approx(0.510, abs=5e-4)
    assert unitising_alpha([FIGURE]).value == pytest.approx(0.413, abs=1e-3)


def test_texts_are_strung_together() -> None:
    # Cut at 32, where nobody's unit is divided, the continuum is the same.
    parts = [
        MarkedText("x" * length, [[Mark(m.start - at, m.end - at, m.kind) for m in own] for own in by])
        for at, length, by in (
            (0, 32, [[m for m in own if m.start < 32] for own in FIGURE.by]),
            (32, 28, [[m for m in own if m.start >= 32] for own in FIGURE.by]),
        )
    ]
    for kinds in (True, False):
        assert unitising_alpha(parts, kinds=kinds).value == pytest.approx(
            unitising_alpha([FIGURE], kinds=kinds).value
        )


def test_by_the_definition() -> None:
    """The expected disagreement is that of random pairs of characters that are not of one mark."""
    rng = np.random.default_rng(5)
    by = [
        [Mark(int(start), int(start) + 4, str(rng.integers(2))) for start in rng.choice(6, 3, False) * 10]
        for _ in range(3)
    ]
    cells = []  # of each rater and character: the value and the mark, of gaps the character itself
    for rater, own in enumerate(by):
        held = {place: (mark.kind, (rater, mark)) for mark in own for place in range(mark.start, mark.end)}
        cells += [held.get(place, ("", (rater, place))) for place in range(60)]
    pairs = [(a, b) for i, a in enumerate(cells) for j, b in enumerate(cells) if a[1] != b[1] and i != j]
    columns = [cells[60 * rater :][:60] for rater in range(3)]
    seen = [(a[0], b[0]) for i, x in enumerate(columns) for j, y in enumerate(columns) if i != j
            for a, b in zip(x, y, strict=True)]  # fmt: skip
    chance = np.mean([a[0] != b[0] for a, b in pairs])
    assert unitising_alpha([MarkedText("x" * 60, by)], kinds=True).value == pytest.approx(
        1 - np.mean([a != b for a, b in seen]) / chance
    )
    held = np.mean([bool(a) != bool(b) for a, b in seen])
    apart = np.mean([bool(a[0]) != bool(b[0]) for a, b in pairs])
    assert unitising_alpha([MarkedText("x" * 60, by)]).value == pytest.approx(1 - held / apart)


def test_agreement_and_what_has_none() -> None:
    same = MarkedText("A red dog.", [[Mark(2, 5, "a")], [Mark(2, 5, "a")]])
    assert unitising_alpha([same], kinds=True).value == 1
    other = MarkedText("A red dog.", [[Mark(2, 5, "a")], [Mark(2, 5, "b")]])
    assert unitising_alpha([other]).value == 1 > unitising_alpha([other], kinds=True).value
    for text, own in (("A dog.", []), ("", []), ("x", [Mark(0, 1)])):
        found = unitising_alpha([MarkedText(text, [own, own])])
        assert math.isnan(found.value)
        assert "nothing or everything" in found.reason


def test_overlapping_marks_of_one_rater_are_cut() -> None:
    cut = MarkedText("abcdef", [[Mark(0, 3), Mark(3, 5)], [Mark(2, 4)]])
    overlapping = MarkedText("abcdef", [[Mark(0, 3), Mark(1, 5), Mark(1, 2)], [Mark(2, 4)]])
    assert unitising_alpha([cut]).value == unitising_alpha([overlapping]).value
