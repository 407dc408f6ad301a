"""The journal: each call that changes something at a provider happens once, whatever breaks.

The intent is stored under a unique key before the call, the result after it. A program that stops in
between leaves an open intent. Whoever meets it again first looks at the provider whether the call
came through; only then is it made again. The amounts are the ledger that a budget is held against.
"""

from __future__ import annotations

import math
import os
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Connection, func, insert, select, update

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow
from captious.crowd.base import CallRefused
from captious.crowd.money import shown
from captious.errors import InputError, one_line

CallState = Literal["open", "done", "refused"]
Result = Mapping[str, Any]
# A call of another machine that has been open for so long is taken for dead.
LEASE_SECONDS = 300.0
LONGEST_NOTE = 300


class BudgetExceeded(InputError):  # noqa: N818
    """A call would cost more than is left of the budget: it was not made."""


class CallInDoubt(InputError):  # noqa: N818
    """An earlier try may or may not have come through, and nobody can tell which."""


@dataclass(frozen=True)
class Call:
    """One line of the journal; `amount` is what it costs at most."""

    id: int
    study_id: int
    key: str
    action: str
    request: Mapping[str, Any]
    amount: int
    state: CallState
    result: Result | None
    note: str
    owner: str
    started: float
    ended: float | None


@dataclass(frozen=True)
class Intent:
    """What is to be done: its action, the key that makes it one call, what it costs at most.

    `budget` is the most that the study may cost in all, in minor units of `currency`.
    """

    study_id: int
    action: str
    key: str
    request: Mapping[str, Any]
    amount: int = 0
    budget: int | None = None
    currency: str = "USD"


def perform(
    db: Database,
    intent: Intent,
    do: Callable[[], Result],
    *,
    seen: Callable[[], Result | None] | None = None,
    repeatable: bool = True,
    settling: float = 0.0,
) -> Result:
    """Make a call once, and return its result, also where it was made before.

    `seen` looks at the provider whether an earlier try came through, and returns its result, else
    None. Where that cannot be told and a second call would do harm, give `repeatable=False`: after a
    try of unknown end, `CallInDoubt` is raised in its place. Where the provider shows only after
    `settling` seconds that a try came through, it is raised until these are over.
    """
    before, owner = _begin(db, intent)
    if before is not None and before.state == "done":
        return before.result or {}
    try:
        if before is not None and before.state == "open":
            found = seen() if seen is not None else None
            if found is not None:
                return _end(db, intent.key, "done", found)
            _require_no_doubt(intent, before, db.now(), repeatable=repeatable, settling=settling)
            _mark_again(db, intent.key)
        result = _made(db, intent, do)
    finally:
        _let_go(db, intent.key, owner)
    return _end(db, intent.key, "done", result)


def _made(db: Database, intent: Intent, do: Callable[[], Result]) -> Result:
    """Make the call. Only what refuses the call itself closes it: a look that is refused tells nothing."""
    try:
        return do()
    except CallRefused as error:
        _end(db, intent.key, "refused", {}, one_line(str(error), LONGEST_NOTE))
        raise


def _require_no_doubt(intent: Intent, before: Call, now: float, *, repeatable: bool, settling: float) -> None:
    """Refuse to repeat a call that may have come through."""
    if not repeatable:
        raise CallInDoubt(
            f"{intent.action}: an earlier attempt was interrupted, and the provider does not report whether "
            "it went through. Check there before you send it again under another key."
        )
    left = before.started + settling - now
    if left > 0:
        raise CallInDoubt(
            f"{intent.action}: an earlier attempt was interrupted, and the provider may only show later "
            f"whether it went through. Run the command again in {math.ceil(left / 60)} min."
        )


def _mark_again(db: Database, key: str) -> None:
    """The call is made once more, from now on."""
    table = schema.crowd_call
    with db.write() as connection:
        connection.execute(update(table).where(table.c.key == key).values(started=db.now()))


def _begin(db: Database, intent: Intent) -> tuple[Call | None, str]:
    """Store the intent, or take over an earlier one; the call as it was before, and our mark on it."""
    table = schema.crowd_call
    owner = f"{socket.gethostname()}:{os.getpid()}:{secrets.token_hex(4)}"

    def work(connection: Connection) -> Call | None:
        study = schema.crowd_study
        # Locked, so that two calls cannot both have the last of the budget.
        connection.execute(select(study.c.id).where(study.c.id == intent.study_id).with_for_update())
        row = connection.execute(select(table).where(table.c.key == intent.key)).first()
        before = None if row is None else call_of(row)
        if before is not None and before.state == "done":
            return before
        if before is not None and before.state == "open" and _at_work(before, db.now()):
            raise InputError(f"{intent.action}: another process is doing this. Wait until it has finished.")
        if before is None or before.state == "refused":
            _require_budget(connection, intent)
        values = {
            "request": dict(intent.request),
            "amount": intent.amount,
            "state": "open",
            "owner": owner,
            "started": db.now(),
            "note": "",
        }
        if before is None:
            own = {"study_id": intent.study_id, "key": intent.key, "action": intent.action}
            connection.execute(insert(table).values(**own, **values))
        elif before.state == "open":
            connection.execute(update(table).where(table.c.id == before.id).values(owner=owner))
        else:
            connection.execute(update(table).where(table.c.id == before.id).values(**values, ended=None))
        return before

    return db.transact(work), owner


def _require_budget(connection: Connection, intent: Intent) -> None:
    if intent.budget is None or not intent.amount:
        return
    spent = _committed(connection, intent.study_id)
    if spent + intent.amount > intent.budget:
        cost, left = shown(intent.amount, intent.currency), shown(intent.budget - spent, intent.currency)
        whole = shown(intent.budget, intent.currency)
        raise BudgetExceeded(
            f"{intent.action}: this costs {cost}, but only {left} of the budget of {whole} is left. "
            "Reduce the cost or raise the budget."
        )


def _end(db: Database, key: str, state: CallState, result: Result, note: str = "") -> Result:
    table = schema.crowd_call
    with db.write() as connection:
        values = {"state": state, "result": dict(result), "note": note, "ended": db.now()}
        connection.execute(update(table).where(table.c.key == key).values(**values))
    return result


def _let_go(db: Database, key: str, owner: str) -> None:
    """Say that nobody is at work on the call, so that the next try need not wait."""
    table = schema.crowd_call
    with db.write() as connection:
        own = (table.c.key == key) & (table.c.owner == owner)
        connection.execute(update(table).where(own).values(owner=""))


def _at_work(call: Call, now: float) -> bool:
    """Whether the process that made an open call still runs, as far as can be told from here."""
    host, _, rest = call.owner.partition(":")
    process = rest.partition(":")[0]
    if not process:
        return False
    if host != socket.gethostname():
        return now - call.started < LEASE_SECONDS
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def calls(db: Database, study_id: int, *, action: str = "", state: CallState | None = None) -> list[Call]:
    """The calls of a study, oldest first."""
    table = schema.crowd_call
    wanted = select(table).where(table.c.study_id == study_id).order_by(table.c.id)
    if action:
        wanted = wanted.where(table.c.action == action)
    if state is not None:
        wanted = wanted.where(table.c.state == state)
    with db.read() as connection:
        return [call_of(row) for row in connection.execute(wanted)]


def committed(db: Database, study_id: int) -> int:
    """What the calls so far cost at most, those of unknown end among them."""
    with db.read() as connection:
        return _committed(connection, study_id)


def _committed(connection: Connection, study_id: int) -> int:
    table = schema.crowd_call
    wanted = select(func.coalesce(func.sum(table.c.amount), 0)).where(
        table.c.study_id == study_id, table.c.state.in_(("open", "done"))
    )
    return int(connection.execute(wanted).scalar_one())


def next_key(db: Database, study_id: int, stem: str, action: str) -> str:
    """A key for an action that may be wanted again: that of a try without end, else a new one."""
    table = schema.crowd_call
    wanted = select(table.c.key, table.c.state).where(table.c.study_id == study_id, table.c.action == action)
    with db.read() as connection:
        rows = connection.execute(wanted.order_by(table.c.id)).all()
    unfinished = [row.key for row in rows if row.state != "done"]
    return str(unfinished[-1]) if unfinished else f"{stem}:{action}:{len(rows) + 1}"


def call_of(row: AnyRow) -> Call:
    """A call from its row."""
    return Call(**row._mapping)
