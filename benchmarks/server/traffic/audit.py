"""What the database holds after a run, against what raters were told."""

from __future__ import annotations

from dataclasses import dataclass

import sqlalchemy as sa

from captious.campaigns.store.database import Database
from traffic.databases import Place
from traffic.raters import Tally


@dataclass(frozen=True)
class Audit:
    """What the database says against what raters were told."""

    stored: int
    lost: int
    twice: int
    unknown: int
    miscounted: int

    @property
    def clean(self) -> bool:
        """Whether all is as it should be."""
        return not (self.lost or self.twice or self.unknown or self.miscounted)


def audit(place: Place, tally: Tally) -> Audit:
    """Every acknowledged response is there once, and the counters count what is there."""
    with Database.open(place.url, files=place.files) as db, db.read() as connection:
        rows = connection.execute(sa.text("SELECT id, key, assignment_id FROM response")).all()
        counted = connection.execute(
            sa.text("SELECT (SELECT sum(done) FROM item), (SELECT sum(answered) FROM rater)")
        ).one()
    ids = {row.key: row.id for row in rows}
    slots = {row.assignment_id for row in rows}
    return Audit(
        stored=len(rows),
        lost=sum(ids.get(key) != id_ for key, id_ in tally.acknowledged.items()),
        twice=len(rows) - min(len(ids), len(slots)),
        unknown=len(ids.keys() - tally.sent),
        miscounted=sum(abs(int(found or 0) - len(rows)) for found in counted),
    )
