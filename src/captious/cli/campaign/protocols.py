"""`captious campaign protocols`: what there is to choose from."""

from __future__ import annotations

from typing import Any

from captious.cli import options
from captious.cli.output import Format


def protocols(form: options.OutputFormat = Format.table) -> None:
    """List the installed protocols with their options.

    Example: captious campaign protocols
    """
    from captious.cli.output import emit_guarded
    from captious.protocols import known_protocols
    from captious.protocols.capabilities import FromFile
    from captious.protocols.options import options_of
    from captious.tables import Table

    rows: list[list[str]] = []
    payload: dict[str, Any] = {}
    for name, kind in known_protocols().items():
        own = () if FromFile.kind(kind).suffixes else options_of(kind)
        described = (
            ", ".join(f"{one.name}={one.default}" for one in own)
            or f"a file ({FromFile.kind(kind).suffixes[0]})"
        )
        rows.append([name, kind.title, described])
        payload[name] = {
            "title": kind.title,
            "citation": kind.citation,
            "needs": sorted(kind.needs),
            "files": list(FromFile.kind(kind).suffixes),
            "options": {
                one.name: {"label": one.label, "default": one.default, "range": one.wanted()} for one in own
            },
        }
    emit_guarded(Table("", ["protocol", "what", "options"], rows), payload, form)
