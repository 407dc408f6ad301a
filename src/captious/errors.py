"""What can go wrong, each error one line for the person who meets it.

The command line turns any `CaptiousError` into that one line and exit code 2.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterable

_OPTION = re.compile(r"""(`[^`]*`)|(?<![\w"-])--([a-z][a-z-]*)(?:\ (?=[A-Z]{2,}\b|"|\d))?""", re.VERBOSE)
# Options of the command line that are arguments of the same name in Python, with - for _; a test holds
# them against the signatures. Any other option stays as it is typed.
_ARGUMENTS = """
    address aspect baseline beside by candidates captions columns common compare confidence crossed data
    duplicates engine features findings folds golden half-width human images interval jobs judgments kind
    leaked level licence mean metrics minus name near objects out overwrite own place places power raters
    reference-count references refit release resamples scale scores sd-images sd-raters seed seeds shares
    simulations skip-missing source split spread start statistics subset system trials unseen weights
    where
"""
ARGUMENTS = frozenset(_ARGUMENTS.split())


class CaptiousError(Exception):
    """Base of all errors that captious raises on purpose; `str(error)` is one line.

    Where the way out is another in Python than on the command line, give both: `python` ends
    `str(error)`, and `command` ends `typed`, which the command line prints.

    >>> error = InputError("no images.", python="Load them with images=.", command="Give --images DIR.")
    >>> str(error), error.typed
    ('no images. Load them with images=.', 'no images. Give --images DIR.')
    """

    typed: str

    def __init__(self, line: str = "", *, python: str = "", command: str = "") -> None:
        super().__init__(f"{line} {python}" if python else line)
        self.typed = f"{line} {command}" if command else line


class InputError(CaptiousError):
    """A file or argument is not what it should be: what, where, and how to mend it.

    A line may name an option as it is typed; in Python it is the argument of that name.

    >>> error = InputError("x.csv: no such folder. Name it: --images DIR")
    >>> str(error), error.typed
    ('x.csv: no such folder. Name it: images=DIR', 'x.csv: no such folder. Name it: --images DIR')
    """

    def __init__(self, line: str = "", *, python: str = "", command: str = "") -> None:
        super().__init__(as_arguments(line), python=python, command=command)
        self.typed = f"{line} {command}" if command else line


class FieldError(InputError):
    """What was typed into a field of a form is not what it should be; `field` names it."""

    def __init__(self, field: str, line: str) -> None:
        super().__init__(line)
        self.field = field


class UnknownNameError(InputError):
    """A metric, system, benchmark or option that does not exist; suggests the nearest."""

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        name = name if isinstance(name, str) else repr(name)
        self.kind, self.name, self.known = kind, name, sorted(known)
        hint = _suggestion(name, self.known)
        super().__init__(f'unknown {kind} "{one_line(name)}". {hint}')


class MissingDependencyError(CaptiousError):
    """An optional package is needed; says which and the command that installs it."""

    def __init__(self, what: str, extra: str = "", command: str = "", verb: str = "Install it") -> None:
        command = command or f'pip install "captious[{extra}]"'
        super().__init__(f"{what}. {verb} with: {command}")


class NotSetUpError(MissingDependencyError):
    """Nothing is to be installed, but something must be named or given first; says what."""

    def __init__(self, line: str) -> None:
        CaptiousError.__init__(self, line)


class CaptiousWarning(UserWarning):
    """Something to know beside the result; the command line prints it as a note.

    Where what to do is another in Python than on the command line, give both, as to an error.
    """

    def __init__(self, line: str = "", *, python: str = "", command: str = "") -> None:
        super().__init__(f"{line} {python}" if python else line)
        self.typed = f"{line} {command}" if command else line


class StatisticsError(CaptiousError, ValueError):
    """A statistic was asked of data that it is not defined for."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is spelled most like another; None where none is near.

    >>> nearest("clipscor", ["cider", "clipscore"]), nearest("nothing", ["cider", "clipscore"])
    ('clipscore', None)
    """
    folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(name.casefold()[:200], folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def _suggestion(name: str, known: list[str]) -> str:
    near = nearest(name, known)
    if near is not None:
        return f'Did you mean "{near}"?'
    return f"Known: {', '.join(known)}." if known else "There is none."


def as_arguments(line: str) -> str:
    """Options as the arguments that they are in Python; commands in backticks and quoted text stay, and
    so does an option that no function takes.

    >>> as_arguments('--where "a": no. Or --by NAME, as `captious meta --by NAME` and "--x" do')
    'where="a": no. Or by=NAME, as `captious meta --by NAME` and "--x" do'
    >>> as_arguments("pip install --no-deps it; or --port 80")
    'pip install --no-deps it; or --port 80'
    """

    def argument(found: re.Match[str]) -> str:
        return found[2].replace("-", "_") + "=" if found[2] in ARGUMENTS else found[0]

    return _OPTION.sub(argument, line)


def one_line(text: str, limit: int = 80) -> str:
    """Show user text inside an error: no newlines, no control characters, not too long.

    >>> one_line("two" + chr(10) + "lines")
    'two\\\\nlines'
    """
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def as_written(value: object, limit: int = 80) -> str:
    """A value of a user's file inside an error, as JSON writes it and not as Python does.

    >>> as_written(None), as_written("good"), as_written({"a": True}), as_written(float("nan"))
    ('null', 'good', '{"a": true}', 'empty')
    """
    if isinstance(value, float) and math.isnan(value):
        return "empty"
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    except RecursionError:
        text = "nested too deeply"
    return one_line(text, limit)
