"""A rater who fails an attention check is removed in the transaction that stores the answer."""

from __future__ import annotations

from sqlalchemy import Connection, exists, func, select, true

from captious.campaigns.quality import flags
from captious.campaigns.quality.rules import ATTENTION, attention_rule
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.store import log, schema
from captious.campaigns.work.removal import take_out
from captious.protocols import Item, Response


def remove_if_failed(
    connection: Connection, campaign: Campaign, rater: Rater, item: Item, response: Response
) -> bool:
    """Remove the rater where the protocol says so, with a flag that can be dismissed.

    Whoever has been taken back after such a flag was dismissed stays.
    """
    if not item.check or not campaign.rules().removed_raters([item], [response]):
        return False
    if _flagged(connection, rater.id):
        return False
    finding = attention_rule([item.key], _checks_answered(connection, rater.id) - 1)
    if finding is None:
        return False
    reason = flags.reason_of(finding.rule, finding.explanation)
    take_out(connection, rater.id, "removed", reason)
    flags.add(connection, campaign.id, rater.id, finding, time=response.time, removed=True)
    log.record(
        connection,
        flags.BY_RULE,
        "remove rater",
        time=response.time,
        campaign_id=campaign.id,
        subject=rater.pseudonym,
        detail={"reason": reason},
    )
    return True


def _flagged(connection: Connection, rater_id: int) -> bool:
    table = schema.flag
    flagged = exists().where(table.c.rater_id == rater_id, table.c.rule == ATTENTION)
    return bool(connection.execute(select(flagged)).scalar())


def _checks_answered(connection: Connection, rater_id: int) -> int:
    assignment, item = schema.assignment, schema.item
    wanted = (
        select(func.count())
        .select_from(assignment.join(item, item.c.id == assignment.c.item_id))
        .where(assignment.c.rater_id == rater_id, assignment.c.state == "answered", item.c.is_check == true())
    )
    return int(connection.execute(wanted).scalar_one())
