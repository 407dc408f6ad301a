"""A griffe extension: examples in docstrings become code blocks of the site."""

from __future__ import annotations

import re
from typing import Any

import griffe

_EXAMPLE = re.compile(r"(?m)^>>> (?:.*\n?)(?:(?!^\s*$).*\n?)*")


class Examples(griffe.Extension):
    """Fences every run of `>>>` lines and what they print."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = _EXAMPLE.sub(
                lambda found: f"```pycon\n{found[0].rstrip()}\n```\n", obj.docstring.value
            )
