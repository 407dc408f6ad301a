"""`captious train` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from captious.cli.train import app
from captious.errors import InputError
from captious.models.language.ngram import NgramModel


@pytest.fixture
def captions(tmp_path: Path) -> Path:
    path = tmp_path / "references.json"
    path.write_text(json.dumps({"1": ["A man rides a horse.", "A man on a horse."], "2": ["Two dogs play."]}))
    return path


def test_it_writes_a_model_that_loads(captions: Path, tmp_path: Path) -> None:
    out = tmp_path / "own.lm.npz"
    result = CliRunner().invoke(app, ["lm", "--captions", str(captions), "--out", str(out), "--order", "2"])
    assert result.exit_code == 0
    model = NgramModel.load(out)
    assert (model.order, model.captions) == (2, 3)
    assert "n-grams of 3 captions" in result.output


def test_another_suffix_is_refused(captions: Path, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["lm", "--captions", str(captions), "--out", str(tmp_path / "own.pkl")])
    assert isinstance(result.exception, InputError)
    assert "must end in .npz" in str(result.exception)


def test_captions_that_are_absent_are_an_error(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        app, ["lm", "--captions", str(tmp_path / "none.json"), "--out", str(tmp_path / "x.npz")]
    )
    assert result.exit_code != 0
    assert not (tmp_path / "x.npz").exists()
