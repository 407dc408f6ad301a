"""Flags: a rule pointed at a rater, and what people decided about it. A decision can be changed.

An upheld flag removes the rater: the responses stay stored and count no more. A dismissed one takes
a rater back who was removed because of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, Select, delete, insert, select, update

from captious.campaigns.quality.rules import ATTENTION, Finding
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.work.removal import put_back, take_out
from captious.errors import InputError

Decision = Literal["upheld", "dismissed"]
BY_RULE = "rule"


@dataclass(frozen=True)
class Flag:
    """A rule pointed at a rater: why, on what evidence, and what was decided (`""`: not yet)."""

    id: int
    campaign_id: int
    rater_id: int
    rater: str
    rule: str
    explanation: str
    evidence: dict[str, Any]
    created: float
    decision: str
    decided_by: str
    decided_at: float | None


def flags(db: Database, campaign: Campaign) -> list[Flag]:
    """Every flag of a campaign, those that wait for a decision first, the newest first."""
    table = schema.flag
    wanted = _wanted().where(table.c.campaign_id == campaign.id)
    with db.read() as connection:
        rows = connection.execute(wanted.order_by(table.c.decision != "", table.c.id.desc())).all()
    return [Flag(**row._mapping) for row in rows]


def decide(db: Database, flag_id: int, decision: Decision, *, actor: str) -> Flag:
    """Uphold or dismiss a flag, and remove or take back the rater in the same transaction.

    A rater is taken back unless another flag of theirs is upheld, or someone removed them for
    another reason.
    """
    if decision not in ("upheld", "dismissed"):
        raise InputError(f'decision "{decision}": give upheld or dismissed.')
    table = schema.flag

    def work(connection: Connection) -> Flag:
        flag = _one(connection, flag_id)
        connection.execute(
            update(table)
            .where(table.c.id == flag_id)
            .values(decision=decision, decided_by=actor, decided_at=db.now())
        )
        done = _carry_out(connection, flag, decision)
        log.record(
            connection,
            actor,
            "decide flag",
            time=db.now(),
            campaign_id=flag.campaign_id,
            subject=flag.rater,
            detail={"flag": flag_id, "rule": flag.rule, "decision": decision, "rater": done},
        )
        return _one(connection, flag_id)

    return db.transact(work)


def _carry_out(connection: Connection, flag: Flag, decision: Decision) -> str:
    """Remove or take back the rater where the decision asks for it; says what was done."""
    rater, table = schema.rater, schema.flag
    state, reason = connection.execute(
        select(rater.c.state, rater.c.reason).where(rater.c.id == flag.rater_id)
    ).one()
    if decision == "upheld" and state == "active":
        take_out(connection, flag.rater_id, "removed", reason_of(flag.rule, flag.explanation))
        return "removed"
    others = connection.execute(
        select(table.c.id).where(
            table.c.rater_id == flag.rater_id, table.c.decision == "upheld", table.c.id != flag.id
        )
    ).first()
    because_of_it = reason.startswith(f"{flag.rule}:") or flag.decision == "upheld"
    if decision == "dismissed" and state == "removed" and because_of_it and others is None:
        put_back(connection, flag.rater_id)
        return "reinstated"
    return "unchanged"


def reason_of(rule: str, explanation: str) -> str:
    """Why a rater was removed, as the rater's row tells it."""
    return f"{rule}: {explanation}"


def store(
    db: Database, campaign: Campaign, people: Sequence[Rater], findings: Mapping[int, Sequence[Finding]]
) -> None:
    """Keep what the rules found about all raters.

    A decided flag stays as it was decided; an undecided one is brought up to date, and goes away
    where its rule finds nothing any more. A failed attention check is kept as it was found when it
    came in.
    """
    table = schema.flag
    removed = {person.id for person in people if person.state == "removed"}

    def work(connection: Connection) -> None:
        known = connection.execute(select(table).where(table.c.campaign_id == campaign.id))
        old = {(row.rater_id, row.rule): row for row in known}
        for rater_id, own in findings.items():
            for finding in own:
                row = old.pop((rater_id, finding.rule), None)
                if row is None:
                    add(
                        connection, campaign.id, rater_id, finding, time=db.now(), removed=rater_id in removed
                    )
                elif not row.decision and finding.rule != ATTENTION:
                    values = {"explanation": finding.explanation, "evidence": finding.evidence}
                    connection.execute(update(table).where(table.c.id == row.id).values(values))
        gone = [row.id for row in old.values() if not row.decision and row.rule != ATTENTION]
        if gone:
            connection.execute(delete(table).where(table.c.id.in_(gone)))

    db.transact(work)


def add(
    connection: Connection, campaign_id: int, rater_id: int, finding: Finding, *, time: float, removed: bool
) -> None:
    """Add a flag. Raters who fail a check are removed at once: their flag is upheld by the rule."""
    decided: dict[str, Any] = {}
    if finding.rule == ATTENTION and removed:
        decided = {"decision": "upheld", "decided_by": BY_RULE, "decided_at": time}
    connection.execute(
        insert(schema.flag).values(
            campaign_id=campaign_id,
            rater_id=rater_id,
            rule=finding.rule,
            explanation=finding.explanation,
            evidence=finding.evidence,
            created=time,
            **decided,
        )
    )


def _wanted() -> Select[Any]:
    rater, table = schema.rater, schema.flag
    return select(table, rater.c.pseudonym.label("rater")).join(rater, rater.c.id == table.c.rater_id)


def _one(connection: Connection, flag_id: int) -> Flag:
    row = connection.execute(_wanted().where(schema.flag.c.id == flag_id)).first()
    if row is None:
        raise InputError(f"flag {flag_id}: no flag has this number.")
    return Flag(**row._mapping)
