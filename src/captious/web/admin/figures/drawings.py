"""Charts of the pages, drawn beside them and kept by content: the same table is drawn once."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from captious.campaigns.records import Campaign
from captious.campaigns.store import snapshots
from captious.campaigns.store.database import Database
from captious.campaigns.store.snapshots import Marker
from captious.charts.apart import Pictures, page_pictures
from captious.charts.drawn import digest_of
from captious.charts.render import can_draw
from captious.errors import CaptiousError
from captious.tables import Table
from captious.web.admin.figures.one_at_a_time import OneAtATime

NOTHING = Pictures("", "")
_log = logging.getLogger("captious.web")
_work = OneAtATime()


class Drawn(NamedTuple):
    """The pictures of tables, in their order (None: not there), and whether more are coming."""

    pictures: list[Pictures | None]
    drawing: bool


def drawn(db: Database, campaign: Campaign, kind: str, tables: Sequence[Table]) -> Drawn:
    """What is kept of the charts of a page at once; the others are begun where they can be drawn."""
    digests = [digest_of(table) for table in tables]
    known = _known(db, campaign, kind)
    missing = [table for table, digest in zip(tables, digests, strict=True) if digest not in known]
    drawing = bool(missing) and can_draw()
    if drawing:
        _begin(db, campaign, kind, tables)
    return Drawn([_picture(known.get(digest)) for digest in digests], drawing)


def _picture(kept: list[str] | None) -> Pictures | None:
    return Pictures(*kept) if kept and any(kept) else None


def _kind(kind: str) -> str:
    return f"drawn {kind}"


def _known(db: Database, campaign: Campaign, kind: str) -> dict[str, list[str]]:
    kept = snapshots.latest(db, campaign, _kind(kind))
    return dict(kept.content.get("pictures", {})) if kept is not None else {}


def draw(db: Database, campaign: Campaign, kind: str, tables: Sequence[Table]) -> None:
    """Draw what is not kept yet, and keep it in place of what the page shows no more.

    A chart that cannot be drawn is kept as empty, so that it is not tried at every visit.
    """
    known = _known(db, campaign, kind)
    wanted = {digest_of(table): table for table in tables}
    missing = {digest: table for digest, table in wanted.items() if digest not in known}
    try:
        found = page_pictures(list(missing.values()))
    except CaptiousError as error:
        _log.warning("%s of %s: %s", kind, campaign.slug, error)
        found = [NOTHING] * len(missing)
    pictures = {digest: list(one) for digest, one in zip(missing, found, strict=True)}
    kept = {digest: pictures.get(digest) or known[digest] for digest in wanted}
    snapshots.keep(db, campaign, _kind(kind), {"pictures": kept}, Marker(0, 0))


def _begin(db: Database, campaign: Campaign, kind: str, tables: Sequence[Table]) -> None:
    """Draw in a thread that waits for a process, unless one is at it already."""
    key = (str(id(db)), campaign.id, kind)
    _work.begin(key, f"captious-{_kind(kind)}-{campaign.slug}", partial(draw, db, campaign, kind, tables))
