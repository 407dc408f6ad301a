"""One line, in the words of whoever reads it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

import captious
import captious.learn
from captious.benchmarks.data_files import data_folder
from captious.benchmarks.registry import CHOICES
from captious.cli.main import application
from captious.errors import ARGUMENTS, InputError, UnknownNameError
from captious.learn.splits import parse_shares


def test_an_option_that_python_does_not_have_stays_as_it_is_typed() -> None:
    error = InputError('--format "pdf": is no format.')
    assert str(error) == error.typed == '--format "pdf": is no format.'


def test_an_option_that_python_has_is_named_as_there() -> None:
    with pytest.raises(InputError) as caught:
        parse_shares("70/70")
    assert caught.value.typed.startswith('--split "70/70": ')
    assert str(caught.value).startswith('split="70/70": ')


def test_options_become_arguments_where_a_function_takes_them() -> None:
    """`ARGUMENTS` is what the options of all commands and the arguments of public functions share."""
    taken = set(CHOICES)  # `captious.meta(..., **choices)`
    for module in (captious, captious.learn):
        for one in (getattr(module, name) for name in module.__all__):
            taken |= set(_parameters(one))
    options = {option.removeprefix("--") for option in _options(get_command(application()))}
    assert {option for option in options if option.replace("-", "_") in taken} == ARGUMENTS


def _parameters(one: Any) -> Iterator[str]:
    """The arguments of a function, or of a class and its public methods."""
    members = [one]
    if inspect.isclass(one):
        named = inspect.getmembers(one, callable)
        members = [member for name, member in named if name == "__init__" or not name.startswith("_")]
    for member in members:
        with suppress(ValueError, TypeError):  # a constant, or a method written in C
            yield from inspect.signature(member).parameters


def _options(command: Any) -> Iterator[str]:
    for parameter in command.params:
        yield from (option for option in parameter.opts if option.startswith("--"))
    for below in getattr(command, "commands", {}).values():
        yield from _options(below)


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        data_folder(tmp_path / "none")
    assert str(caught.value).endswith("Check data=.")
    assert caught.value.typed.endswith("Check --data.")


def test_what_a_user_wrote_is_shown_as_written() -> None:
    assert '"--cider"' in str(UnknownNameError("metric", "--cider", ["cider"]))
    assert str(UnknownNameError("token", "web", [])) == 'unknown token "web". There is none.'
