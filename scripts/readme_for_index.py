"""The README as a package index shows it: a page without neighbours, where relative links lead nowhere.

`[tool.hatch.metadata.hooks.custom]` in pyproject.toml has one setting, `address`: where the project's files
can be read. Where it is set, links lead there. Where it is empty, a link becomes its text, and a picture its
description; the files themselves are in the source distribution.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

try:
    from hatchling.metadata.plugin.interface import MetadataHookInterface
except ImportError:  # the function below is tested without the build tool
    MetadataHookInterface = object

_LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")
_ELSEWHERE = ("http://", "https://", "mailto:", "#")


def readme_for_index(text: str, address: str) -> str:
    """Links that hold on any page.

    >>> readme_for_index("See [Speed](docs/speed.md) and [this](https://example.org).", "")
    'See Speed and [this](https://example.org).'
    >>> readme_for_index("![A chart](docs/a.png)", "https://example.org/files")
    '![A chart](https://example.org/files/docs/a.png)'
    """

    def link(found: re.Match[str]) -> str:
        picture, shown, target = found.groups()
        if target.startswith(_ELSEWHERE):
            return found[0]
        if address:
            return f"{picture}[{shown}]({address.rstrip('/')}/{target})"
        return f"*{shown}*" if picture else shown

    return _LINK.sub(link, text)


class ReadmeHook(MetadataHookInterface):  # type: ignore[misc]
    """Called by the build tool."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = (Path(self.root) / "README.md").read_text("utf-8")
        shown = readme_for_index(text, self.config.get("address", ""))
        metadata["readme"] = {"content-type": "text/markdown", "text": shown}
