"""Options that are given twice though they take one value: the first would be dropped without a word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any


def repeated_lines(command: Any, arguments: Sequence[str]) -> Iterator[str]:
    """A line for each option of one value that is typed more than once; `command` is Typer's for all."""
    for argument in arguments:
        below = getattr(command, "commands", {})
        if not below:
            break
        command = below.get(argument, command)
    takes_one = {
        name: parameter.opts[0]
        for parameter in command.params
        if not (getattr(parameter, "multiple", True) or getattr(parameter, "is_flag", True))
        for name in parameter.opts
    }
    typed = [argument.partition("=")[0] for argument in arguments if argument.startswith("-")]
    for option, times in Counter(takes_one[one] for one in typed if one in takes_one).items():
        if times > 1:
            yield f"{option} is given {times} times; only the last one counts."
