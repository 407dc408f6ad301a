"""Tables of the names that a page of the Python API documents, one for each of its sections."""

from __future__ import annotations

import importlib
import inspect
import re
from typing import Any

_NAME = re.compile(r"(?m)^::: ([\w.]+)$")


def with_tables(page: str) -> str:
    """A page with a table of names and summaries before the first name of each section."""
    return "".join(map(_section, re.split(r"(?m)^(?=## )", page)))


def _section(text: str) -> str:
    first = _NAME.search(text)
    if first is None:
        return text
    rows = [f"| [`{name.rpartition('.')[2]}`](#{name}) | {_summary(name)} |" for name in _NAME.findall(text)]
    table = "\n".join(["| name | summary |", "|---|---|", *rows])
    return f"{text[: first.start()]}{table}\n\n{text[first.start() :]}"


def _summary(name: str) -> str:
    """The first line of a docstring, fit for a cell."""
    return (inspect.getdoc(_found(name)) or "").split("\n")[0].replace("|", "&#124;")


def _found(name: str) -> Any:
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)
