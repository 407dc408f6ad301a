"""Who came: our side of a participant's place, what becomes of it, and who is kept out of every study."""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, select, update

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow, insert_new
from captious.campaigns.work.removal import put_back, take_out
from captious.crowd.values import GIVEN_BACK, Arrival, Outcome, Place, PlaceState, Study


def block(
    db: Database, provider: str, participants: Iterable[str], *, secret: bytes, reason: str = ""
) -> int:
    """Keep participants of a provider out from now on; how many were not kept out before."""
    digests = dict.fromkeys(digest(secret, provider, one) for one in participants)
    rows = [{"provider": provider, "digest": one, "reason": reason, "created": db.now()} for one in digests]
    with db.write() as connection:
        return insert_new(connection, schema.crowd_block, rows)


def is_blocked(connection: Connection, provider: str, participant: str, secret: bytes) -> bool:
    """Whether a participant is kept out."""
    table = schema.crowd_block
    wanted = select(table.c.created).where(
        table.c.provider == provider, table.c.digest == digest(secret, provider, participant)
    )
    return connection.execute(wanted).first() is not None


def digest(secret: bytes, provider: str, participant: str) -> str:
    """HMAC-SHA256 of a participant's id under the installation's secret.

    >>> one = digest(b"s" * 16, "panel", "ada")
    >>> one == digest(b"s" * 16, "panel", "ada"), one == digest(b"t" * 16, "panel", "ada")
    (True, False)
    """
    return hmac.new(secret, f"crowd|{provider}|{participant}".encode(), "sha256").hexdigest()


# A place whose participant has not finished after this many times its usual time is free again.
PATIENCE = 4.0
SHORTEST_SECONDS = 1200.0


@dataclass(frozen=True)
class Visit:
    """A participant's place as we know it. `outcome` is "" until the visit has ended.

    `rater_id` is who works here, None before the work began; `arrived` is None for a place that the
    provider knows and nobody has come for.
    """

    id: int
    study_id: int
    place: str
    participant: str
    rater_id: int | None
    state: PlaceState
    outcome: Outcome | Literal[""]
    checked: bool
    tries: int
    arrived: float | None
    finished: float | None
    detail: Mapping[str, str]

    @property
    def taken(self) -> bool:
        """Whether it fills one of the places that are wanted."""
        return self.state not in GIVEN_BACK and self.outcome in ("", "completed")

    @property
    def seconds(self) -> float | None:
        """How long the participant was here, None where the work was not completed."""
        if self.outcome != "completed" or self.arrived is None or self.finished is None:
            return None
        return self.finished - self.arrived

    def as_place(self) -> Place:
        """The visit as the provider's calls take it."""
        return Place(self.place, self.participant, self.state, self.arrived, self.finished)

    def as_arrival(self) -> Arrival:
        """The visit as `completion` takes it."""
        return Arrival(self.participant, self.place, self.checked, self.detail)


def allowed_seconds(study: Study) -> float:
    """How long a participant may take before the place is given to another."""
    return max(SHORTEST_SECONDS, PATIENCE * study.minutes * 60)


def of_study(db: Database, study_id: int) -> list[Visit]:
    """The visits of a study, oldest first."""
    with db.read() as connection:
        return within(connection, study_id)


def within(connection: Connection, study_id: int) -> list[Visit]:
    """As `of_study`, in the caller's transaction."""
    table = schema.crowd_place
    rows = connection.execute(select(table).where(table.c.study_id == study_id).order_by(table.c.id))
    return [visit_of(row) for row in rows]


def of_rater(db: Database, rater_id: int) -> Visit | None:
    """The latest visit of a rater; None for one who came by another way."""
    table = schema.crowd_place
    wanted = select(table).where(table.c.rater_id == rater_id).order_by(table.c.id.desc()).limit(1)
    with db.read() as connection:
        row = connection.execute(wanted).first()
    return None if row is None else visit_of(row)


def at_place(connection: Connection, study_id: int, place: str) -> Visit | None:
    """The visit of a place."""
    table = schema.crowd_place
    wanted = select(table).where(table.c.study_id == study_id, table.c.place == place)
    row = connection.execute(wanted).first()
    return None if row is None else visit_of(row)


def change(connection: Connection, visit_id: int, **values: Any) -> None:
    """Change columns of a visit."""
    table = schema.crowd_place
    connection.execute(update(table).where(table.c.id == visit_id).values(**values))


def give_back(connection: Connection, visit: Visit, state: PlaceState, reason: str) -> None:
    """Free the place: what the participant holds comes back, and unfinished work does not count.

    Answers of a place that is given back are not paid for, so they are not used. A participant who
    has completed another place of the campaign keeps those answers.
    """
    change(connection, visit.id, state=state)
    if visit.rater_id is not None and not _completed_elsewhere(connection, visit):
        take_out(connection, visit.rater_id, "withdrawn", reason)


def take_again(connection: Connection, visit: Visit, now: float) -> None:
    """Let a participant go on whose place had run out; their answers count again."""
    change(connection, visit.id, state="active", arrived=now)
    if visit.rater_id is not None:
        put_back(connection, visit.rater_id)


def _completed_elsewhere(connection: Connection, visit: Visit) -> bool:
    table = schema.crowd_place
    wanted = select(table.c.id).where(
        table.c.rater_id == visit.rater_id,
        table.c.id != visit.id,
        table.c.outcome == "completed",
        table.c.state.not_in(GIVEN_BACK),
    )
    return connection.execute(wanted.limit(1)).first() is not None


def visit_of(row: AnyRow) -> Visit:
    """A visit from its row."""
    return Visit(**row._mapping)
