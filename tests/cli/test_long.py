"""`--long`: every metric with a limit honours it or refuses it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.errors import MissingDependencyError
from captious.metrics import resolve

DOG = "a dog runs on the beach . "


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Two captions, of which one is beyond the tokens of every sentence encoder."""
    (tmp_path / "long.json").write_text(json.dumps({"1": DOG * 90, "2": "two cats sleep"}))
    (tmp_path / "refs.json").write_text(json.dumps({"1": [DOG * 90], "2": ["two cats"]}))
    return ["score", "-c", str(tmp_path / "long.json"), "-r", str(tmp_path / "refs.json")]


@pytest.mark.parametrize("name", ["sentsim", "captious", "bertscore"])
def test_a_metric_with_tokens_honours_every_way(run, files: list[str], name: str) -> None:
    try:
        resolve(name).ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))
    for way, told in (("chunk", "long:chunk:"), ("truncate", "long:truncate|trunc:")):
        done = run(*files, "-m", name, "--long", way)
        assert done.code == 0
        assert told in done.out
        assert "is not used" not in done.err
    refused = run(*files, "-m", name, "--long", "error")
    assert refused.code == 2
    assert "that all-MiniLM-L6-v2 reads. Shorten it, or choose --long truncate or chunk." in refused.err
    # Without the option the metric's own way is taken, and told.
    way = resolve(name).longest.default  # type: ignore[union-attr]
    assert f"long:{way}" in run(*files, "-m", name).out


def test_a_limit_of_words_can_only_be_an_error(run, files: list[str]) -> None:
    refused = run(*files, "-m", "spice", "--long", "chunk")
    assert refused.code == 2
    assert refused.err.count("\n") == 1
    assert "--long chunk: spice does not offer it; beyond 5,000 words it knows error." in refused.err
    assert run(*files, "-m", "spice", "--long", "error").code == 0


def test_a_metric_that_would_cut_all_the_same_is_refused_beside_others(run, files: list[str]) -> None:
    refused = run(*files, "-m", "sentsim,vcrscore", "--long", "error")
    assert refused.code == 2
    assert "--long error: vcrscore does not offer it; beyond 40 tokens it knows truncate." in refused.err


def test_only_where_nothing_has_a_limit_it_is_not_used(run, files: list[str]) -> None:
    done = run(*files, "-m", "bleu4,bleu1", "--long", "chunk")
    assert done.code == 0
    assert "--long chunk is not used: none of these metrics has a limit." in done.err
