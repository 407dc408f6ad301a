"""No module outside `protocols/` imports a particular protocol."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import captious
from captious.protocols import known_protocols

ROOT = Path(captious.__file__).parent
FOLDERS = {path.parent.name for path in (ROOT / "protocols").glob("*/__init__.py")}
# What every protocol shares, in a room of its own.
SHARED = {"training", "questions"}
HOMES = (FOLDERS - SHARED) | {kind.__module__.split(".")[2] for kind in known_protocols().values()}
# Each is the analysis or the text of one protocol under a name of its own, not a guess at what a
# campaign runs: the judge reads out THumB's rubric, the commands `audit` and `campaign mix` apply
# one paper's functions to files.
NAMED = {"metrics/vlm_judge/rubric.py", "cli/audited.py", "cli/campaign/mix.py"}


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def test_nobody_outside_knows_a_protocol_by_name() -> None:
    assert {"thumb", "humanr", "tagging", "audit", "generic"} <= HOMES
    particular = {f"captious.protocols.{home}" for home in HOMES}
    found = set()
    for path in ROOT.rglob("*.py"):
        place = path.relative_to(ROOT).as_posix()
        if not place.startswith("protocols/"):
            for name in imported(path):
                if ".".join(name.split(".")[:3]) in particular:
                    found.add(place)
    assert found == NAMED
