"""The mistakes that `scripts/mutants.py` plants."""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SOURCE = '''"""Not 1 word of this."""
from os import path


LEAST: "1 + 1" = 3
def f(a: int = 1, é: bool = True) -> "a < b":
    """Not this: 1 < 2."""
    if a and not é:
        raise ValueError(f"{a + 1} is wrong", 7)
    for x, y in zip([], [], strict=True):
        a += x
    print("é", a) ; return a <= LEAST
def __repr__(self):
    return 1
'''


@pytest.fixture
def makers(monkeypatch: pytest.MonkeyPatch) -> Any:
    if not SCRIPTS.is_dir():
        pytest.skip("the scripts are not here")
    monkeypatch.syspath_prepend(str(SCRIPTS))
    import mutant_makers

    yield mutant_makers
    del sys.modules["mutant_makers"]


def test_mistakes_are_planted_in_what_runs_and_not_in_what_is_said(makers: Any) -> None:
    found = makers.mutants_of(SOURCE, "f.py")
    assert [(one.line, one.kind, one.change) for one in found] == [
        (5, "number", "3 -> 4"),
        (6, "number", "1 -> 2"),
        (6, "flag", "True -> False"),
        (8, "condition", "a and (not é) -> not (a and (not é))"),
        (8, "operator", "a and (not é) -> a or not é"),
        (8, "lost not", "not é -> é"),
        (9, "dropped", "raise ValueError(f'{a + 1} is wrong', 7) -> pass"),
        (11, "operator", "a += x -> a -= x"),
        (11, "dropped", "a += x -> pass"),
        (12, "dropped", "print('é', a) -> pass"),
        (12, "return", "return a <= LEAST -> return None"),
        (12, "comparison", "a <= LEAST -> a < LEAST"),
    ]
    assert len({one.key for one in found}) == len(found)


def test_a_mutant_is_the_text_with_one_change(makers: Any) -> None:
    for one in makers.mutants_of(SOURCE, "f.py"):
        changed = one.apply(SOURCE)
        assert ast.dump(ast.parse(changed)) != ast.dump(ast.parse(SOURCE))
        differs = [
            at
            for at, pair in enumerate(zip(SOURCE.split("\n"), changed.split("\n"), strict=True), 1)
            if pair[0] != pair[1]
        ]
        assert differs == [one.line]
