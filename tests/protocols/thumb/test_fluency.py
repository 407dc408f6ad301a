from __future__ import annotations

from captious.protocols.thumb.fluency import RUBRIC, fluency_penalty


def test_the_rubric_is_table_6() -> None:
    # Kasai et al. 2022, Table 6, row by row: the penalty, or its range ("0.5+" has no upper end).
    assert [(option.amount, option.low) for option in RUBRIC] == [
        (0.1, None),
        (0.1, None),
        (0.1, None),
        (0.1, None),
        (0.1, None),
        (0.2, None),
        (0.5, None),
        (0.5, None),
        (0.5, None),
        (None, 0.1),
        (None, 0.5),
    ]
    assert [option.high for option in RUBRIC if option.free] == [0.5, 5.0]
    assert all(option.example and option.help for option in RUBRIC)


def test_several_errors_add_up() -> None:
    assert fluency_penalty({}) == 0
    assert fluency_penalty({"spelling": 0.1, "grammar": 0.1, "broken": 0.8}) == 1.0
