"""The examples of the Python page, run as they stand."""

import doctest
from pathlib import Path

import pytest

from captious.cli.demo import demo

PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_every_example_of_the_page_is_true(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    demo(files=tmp_path / "sample")
    monkeypatch.chdir(tmp_path)
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    found = doctest.testfile(str(PAGE), module_relative=False, optionflags=flags, encoding="utf-8")
    assert found.attempted > 12
    assert found.failed == 0
