"""What a campaign would be, before anything is stored: for `captious campaign create --dry-run`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from captious.cli.campaign import tables
from captious.tables import Cell, Table

if TYPE_CHECKING:
    from captious.campaigns.records import Draft

from captious.cli import options
from captious.cli.output import Format

PREVIEWED = 3  # items


def draft_tables(draft: Draft) -> list[Table]:
    """What a campaign would be: counts, costs and its first items."""
    from captious.campaigns.setup import cost
    from captious.campaigns.setup.cost import expected
    from captious.campaigns.setup.create import preview

    rows: list[list[Cell]] = [
        [item.image, caption.key, caption.text, "check" if item.check else item.stage]
        for item in preview(draft, PREVIEWED)
        for caption in item.captions
    ]
    needed = draft.rules().raters_needed(draft.items)
    counted = f"{draft.title}: {len(draft.items):,} items on {_images(draft):,} images"
    first = cost.first_stage(draft.items)
    return [
        Table(
            counted,
            ["image", "shown as", "caption", "stage"],
            rows,
            f"the first items are shown; at least {needed} raters are needed",
        ),
        tables.cost_table(cost.estimate(draft.rules(), first, draft.settings)),
        *tables.precision_table(expected(draft.rules(), draft.items)),
        *([tables.training_table(draft.training)] if draft.training else []),
    ]


def _images(draft: Draft) -> int:
    return len({item.image for item in draft.items})


def draft_payload(draft: Draft) -> dict[str, Any]:
    """The same as plain values."""
    from captious.campaigns.setup import cost
    from captious.campaigns.setup.cost import expected
    from captious.campaigns.setup.create import preview

    first = cost.first_stage(draft.items)
    return {
        "slug": draft.slug,
        "title": draft.title,
        "protocol": draft.protocol,
        "options": dict(draft.options),
        "items": draft.counted_items,
        "images": _images(draft),
        "raters_needed": draft.rules().raters_needed(draft.items),
        "cost": cost.estimate(draft.rules(), first, draft.settings).to_dict(),
        "precision": [asdict(one) for one in expected(draft.rules(), draft.items)],
        "preview": [item.public() for item in preview(draft, PREVIEWED)],
        **({"training": len(draft.training.examples)} if draft.training else {}),
    }


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
