"""What a campaign would be, before anything is stored: for `captious campaign create --dry-run`."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from captious.cli.campaign import tables
from captious.tables import Cell, Table

if TYPE_CHECKING:
    from captious.campaigns.records import Draft

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
