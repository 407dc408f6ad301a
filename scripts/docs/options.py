"""The page of every command and option, made of the commands themselves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

TOP = """# Commands

Each command has a page with examples. All options are [below](#all-options), as `captious COMMAND --help`
prints them.

| command | what it does |
|---|---|"""
OPTIONS = """
## All options

Defaults are in square brackets.
"""


def page() -> str:
    """All commands as Markdown: a table of them, and a heading each."""
    return "\n".join([TOP, *_rows(), OPTIONS, *map(_section, commands())])


def commands() -> Iterator[tuple[list[str], Any]]:
    """Every command with the words that call it, groups left out."""
    yield from _below([], _root())


def _root() -> Any:
    import typer.main

    from captious.cli.main import application

    return typer.main.get_command(application())


def _rows() -> Iterator[str]:
    for name, command in sorted(_root().commands.items()):
        yield f"| [`{name}`]({name}.md) | {_first(command)} |"


def _first(command: Any) -> str:
    """The first paragraph of a command's help."""
    return _plain(" ".join((command.help or "").split("\n\n")[0].split()))


def _below(words: list[str], command: Any) -> Iterator[tuple[list[str], Any]]:
    inner = getattr(command, "commands", {})
    if words and not inner:
        yield words, command
    for name, one in inner.items():
        yield from _below([*words, name], one)


def _section(found: tuple[list[str], Any]) -> str:
    words, command = found
    rows = [f"| {_call(one)} | {_text(one)} |" for one in command.params if one.name != "help"]
    table = ["| argument or option | what it does |", "|---|---|", *rows, ""] if rows else []
    return "\n".join(
        [f"### captious {' '.join(words)}", "", f"{_first(command)} [More]({words[0]}.md)", "", *table]
    )


def _call(parameter: Any) -> str:
    names = [*parameter.opts, *parameter.secondary_opts]
    if parameter.param_type_name == "argument":
        names = [parameter.name.upper()]
    return ", ".join(f"`{name}`" for name in names)


def _text(parameter: Any) -> str:
    default = parameter.default
    plain = isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
    shown = f" [{getattr(default, 'value', default)}]" if plain else ""
    return _plain(" ".join((parameter.help or "").split()) + shown)


def _plain(text: str) -> str:
    """Text that Markdown shows as it is, in a cell of a table."""
    for mark in "\\`*_[]|<>":
        text = text.replace(mark, f"&#{ord(mark)};")
    return text
