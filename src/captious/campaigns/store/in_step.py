"""Works of one transaction that go forward in step: what several ask at the same moment is asked once.

Raters' turns ask the same few questions. On PostgreSQL a question costs a way to the server and back,
and the start of a plan there, several times what the rows cost. So each work of a group is a
greenlet: where it asks something that can be asked for many (`Statement.answers`), it stops until the
others have come as far, and one statement answers all of them.

All works are in one transaction, so that no row lock keeps them apart. What a statement `holds` (the
rater whose row it locks) a work has to itself until it ends: another that asks for the same waits, and
then sees what the first has written. A statement that may touch what others have read and not yet
used comes `last`, when nobody asks for anything else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from greenlet import getcurrent, greenlet
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

Values = Mapping[str, Any]
Held = tuple[str, Any]


class RolledBack(Exception):  # noqa: N818
    """A work has failed after it had written, or no work can go on: the transaction must be rolled back."""


class Statement(Protocol):
    """What works ask in step."""

    holds: str
    last: bool

    def answers(self, connection: Connection, given: Sequence[Values]) -> Sequence[Any]:
        """The answer to each, asked at once where that can be."""


class _Asked(NamedTuple):
    statement: Statement
    given: Values

    @property
    def held(self) -> Held | None:
        name = self.statement.holds
        return (name, self.given[name]) if name else None


class _Working(greenlet):
    """A work on its way; its outcome is what it returned, or the error that it ended with."""

    def __init__(
        self, work: Callable[[Connection], Any], connection: Connection, memory: Counter[Any]
    ) -> None:
        super().__init__(self._go)
        self.work, self.connection, self.memory = work, connection, memory
        self.outcome: Any = None
        self.wrote = False

    def _go(self) -> None:
        try:
            self.outcome = self.work(self.connection)
        except SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001 - it is handed to whoever waits
            self.outcome = error


def asked_in_step(statement: Statement, given: Values) -> Any:
    """The answer to a work that goes in step with others; None where nobody does."""
    current = getcurrent()
    if not isinstance(current, _Working) or current.parent is None:
        return None
    return current.parent.switch(_Asked(statement, given))


def group_memory() -> Counter[Any] | None:
    """What works that go in step tell each other; None where a work is by itself."""
    current = getcurrent()
    return current.memory if isinstance(current, _Working) else None


def run_in_step(
    connection: Connection,
    works: Sequence[Callable[[Connection], Any]],
    changes_of: Callable[[Connection], int],
) -> list[Any]:
    """What became of each work, in a transaction that is open; `RolledBack` where nothing may be kept."""
    group = _Group(connection, changes_of)
    memory: Counter[Any] = Counter()
    begun = [_Working(work, connection, memory) for work in works]
    try:
        for one in begun:
            group.resume(one, None)
        while group.asked:
            group.step()
    finally:
        for one in begun:
            if not one.dead:
                one.throw()
    return [one.outcome for one in begun]


class _Group:
    def __init__(self, connection: Connection, changes_of: Callable[[Connection], int]) -> None:
        self.connection, self.changes_of = connection, changes_of
        # What each work that has stopped asks.
        self.asked: dict[_Working, _Asked] = {}
        # The order in which statements came up first: who is behind catches up.
        self.order: dict[Statement, int] = {}
        self.holders: dict[Held, _Working] = {}

    def resume(self, one: _Working, answer: Any) -> None:
        """Let a work go on to its next question or to its end."""
        before = self.changes_of(self.connection)
        asked = one.switch(answer) if one else one.switch()
        one.wrote |= self.changes_of(self.connection) != before
        if not one.dead:
            self.asked[one] = asked
            self.order.setdefault(asked.statement, len(self.order))
            return
        if one.wrote and isinstance(one.outcome, Exception):
            raise RolledBack from one.outcome
        self.holders = {held: holder for held, holder in self.holders.items() if holder is not one}

    def step(self) -> None:
        """Ask one statement for all who wait for it."""
        ready = [one for one, asked in self.asked.items() if self._may_go(one, asked)]
        now = [one for one in ready if not self.asked[one].statement.last]
        if not ready:
            raise RolledBack
        if now:
            statement = min((self.asked[one].statement for one in now), key=self.order.__getitem__)
            those = [one for one in now if self.asked[one].statement is statement]
        else:
            those = ready[:1]
            statement = self.asked[those[0]].statement
        before = self.changes_of(self.connection)
        given = [self.asked.pop(one).given for one in those]
        answers = statement.answers(self.connection, given)
        wrote = self.changes_of(self.connection) != before
        for one, answer in zip(those, answers, strict=True):
            one.wrote |= wrote
            self.resume(one, answer)

    def _may_go(self, one: _Working, asked: _Asked) -> bool:
        return asked.held is None or self.holders.setdefault(asked.held, one) is one
