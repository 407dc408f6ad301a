"""One line, in the words of whoever reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from captious.benchmarks.locate import data_folder
from captious.errors import InputError, UnknownNameError
from captious.learn.splits import parse_shares


def test_an_option_is_an_argument_in_python() -> None:
    with pytest.raises(InputError) as caught:
        parse_shares("70/70")
    assert str(caught.value).startswith('split="70/70": ')
    assert caught.value.typed.startswith('--split "70/70": ')


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        data_folder(tmp_path / "none")
    assert str(caught.value).endswith("Check data=.")
    assert caught.value.typed.endswith("Check --data.")


def test_what_a_user_wrote_is_shown_as_written() -> None:
    assert '"--cider"' in str(UnknownNameError("metric", "--cider", ["cider"]))
    assert str(UnknownNameError("token", "web", [])) == 'unknown token "web". There is none.'
