from __future__ import annotations

from captious.benchmarks.datasets.same_text import fold, without


def test_tokenised_and_written_text_are_the_same() -> None:
    assert fold("A boy 's dog , running .") == fold("a boy's dog, running")
    assert fold("A dog.") != fold("A dog runs.")


def test_accents_and_scripts_stay() -> None:
    assert fold("Café.") == "café"
    assert fold("一只狗。") == "一只狗"


def test_nothing_else_leaves() -> None:
    assert without(["A dog .", "A dog runs ."], ["a dog"]) == ["A dog runs ."]
    assert without(["A dog ."], []) == ["A dog ."]
