"""A call happens once, whatever breaks between the intent and the answer."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from captious.campaigns.store.database import Database
from captious.crowd import journal
from captious.crowd.base import CallRefused, CallUnsure
from captious.crowd.journal import BudgetExceeded, CallInDoubt, Intent, perform
from captious.errors import InputError


def intent(stored: Any, key: str = "k1", **given: Any) -> Intent:
    return Intent(stored.id, "bonus", key, {"place": "p1"}, **given)


def test_the_same_key_calls_once_and_gives_the_same_result(db: Database, stored: Any) -> None:
    made: list[int] = []
    for _ in range(3):
        found = perform(db, intent(stored), lambda: {"n": made.append(1) or len(made)})
        assert found == {"n": 1}
    assert len(made) == 1
    assert [call.state for call in journal.calls(db, stored.id)] == ["done"]


def test_after_a_lost_reply_the_provider_is_looked_at_before_anything_is_repeated(
    db: Database, stored: Any
) -> None:
    paid: list[int] = []

    def pay_and_lose_the_reply() -> dict[str, Any]:
        paid.append(150)
        raise CallUnsure("no answer in 30 s.")

    with pytest.raises(CallUnsure):
        perform(db, intent(stored), pay_and_lose_the_reply)
    assert journal.calls(db, stored.id)[0].state == "open"
    found = perform(
        db, intent(stored), pay_and_lose_the_reply, seen=lambda: {"paid": paid[0]} if paid else None
    )
    assert (found, paid) == ({"paid": 150}, [150])


def test_a_call_that_did_not_come_through_is_made_again(db: Database, stored: Any) -> None:
    with pytest.raises(CallUnsure):
        perform(db, intent(stored), lambda: (_ for _ in ()).throw(CallUnsure("cut off.")))
    assert perform(db, intent(stored), lambda: {"done": True}, seen=lambda: None) == {"done": True}


def test_what_cannot_be_looked_up_is_not_sent_twice(db: Database, stored: Any) -> None:
    sent: list[str] = []

    def send() -> dict[str, Any]:
        sent.append("hello")
        raise CallUnsure("cut off.")

    with pytest.raises(CallUnsure):
        perform(db, intent(stored), send, repeatable=False)
    with pytest.raises(CallInDoubt, match="an earlier attempt was interrupted"):
        perform(db, intent(stored), send, repeatable=False)
    assert sent == ["hello"]


def test_a_payment_that_shows_late_is_not_made_again_before_it_must_have_shown(stored_on_disk: Any) -> None:
    now: list[float] = [1000.0]
    paid: list[float] = []

    def pay_and_lose_the_reply() -> dict[str, Any]:
        paid.append(now[0])
        raise CallUnsure("cut off.")

    with Database.open(stored_on_disk, clock=lambda: now[0]) as db:

        def again() -> None:
            own = Intent(1, "bonus", "k1", {})
            perform(db, own, pay_and_lose_the_reply, seen=lambda: None, settling=3600.0)

        with pytest.raises(CallUnsure):
            again()
        now[0] += 3000
        with pytest.raises(CallInDoubt, match=r"may only show later .* Run the command again in 10 min"):
            again()
        now[0] += 700  # an hour after the first try, and the provider shows nothing: it did not come through
        with pytest.raises(CallUnsure):
            again()
        now[0] += 700  # the second try is waited for as well
        with pytest.raises(CallInDoubt):
            again()
    assert paid == [1000.0, 4700.0]


def test_a_look_that_is_refused_does_not_close_a_call_of_unknown_end(db: Database, stored: Any) -> None:
    paid: list[int] = []

    def pay_and_lose_the_reply() -> dict[str, Any]:
        paid.append(150)
        raise CallUnsure("cut off.")

    def locked_out() -> dict[str, Any] | None:
        raise CallRefused("the token has expired.")

    with pytest.raises(CallUnsure):
        perform(db, intent(stored), pay_and_lose_the_reply)
    with pytest.raises(CallRefused):
        perform(db, intent(stored), pay_and_lose_the_reply, seen=locked_out)
    assert journal.calls(db, stored.id)[0].state == "open"
    assert perform(db, intent(stored), pay_and_lose_the_reply, seen=lambda: {"paid": 150}) == {"paid": 150}
    assert paid == [150]


def test_what_the_provider_refused_can_be_tried_again(db: Database, stored: Any) -> None:
    with pytest.raises(CallRefused):
        perform(db, intent(stored), lambda: (_ for _ in ()).throw(CallRefused("no funds.")))
    assert [(call.state, call.note) for call in journal.calls(db, stored.id)] == [("refused", "no funds.")]
    assert perform(db, intent(stored), lambda: {"done": True}) == {"done": True}


def test_the_budget_holds_for_the_sum_of_all_calls(db: Database, stored: Any) -> None:
    perform(db, intent(stored, "a", amount=600, budget=1000), dict)
    said = r"costs \$5.00, but only \$4.00 of the budget of \$10.00 is left"
    with pytest.raises(BudgetExceeded, match=said):
        perform(db, intent(stored, "b", amount=500, budget=1000), lambda: pytest.fail("it was called"))
    perform(db, intent(stored, "c", amount=400, budget=1000), dict)
    assert journal.committed(db, stored.id) == 1000


def test_money_of_unknown_end_counts_and_refused_money_does_not(db: Database, stored: Any) -> None:
    with pytest.raises(CallUnsure):
        perform(db, intent(stored, "a", amount=600), lambda: (_ for _ in ()).throw(CallUnsure("cut.")))
    with pytest.raises(CallRefused):
        perform(db, intent(stored, "b", amount=70), lambda: (_ for _ in ()).throw(CallRefused("no.")))
    assert journal.committed(db, stored.id) == 600


KILLED = """
import os, signal, sys
from pathlib import Path
from captious.campaigns.store.database import Database
from captious.crowd.journal import Intent, perform

def pay():
    Path(sys.argv[2]).open("a").write("paid\\n")
    {end}
    return {{}}

perform(Database.open(sys.argv[1]), Intent(1, "bonus", "k1", {{}}), pay)
"""


def test_a_process_that_is_killed_after_paying_does_not_pay_twice(stored_on_disk: Any, tmp_path: Any) -> None:
    ledger = tmp_path / "ledger"
    script = KILLED.format(end="os.kill(os.getpid(), signal.SIGKILL)")
    run = [sys.executable, "-c", script, str(stored_on_disk), str(ledger)]
    assert subprocess.run(run, check=False, env=os.environ).returncode == -signal.SIGKILL
    with Database.open(stored_on_disk) as db:
        found = perform(
            db,
            Intent(1, "bonus", "k1", {}),
            lambda: pytest.fail("it was paid twice"),
            seen=lambda: {"paid": ledger.read_text().count("paid")},
        )
    assert found == {"paid": 1}


def test_a_call_that_another_process_is_at_is_left_alone(db: Database, stored: Any) -> None:
    def meanwhile() -> dict[str, Any]:
        with pytest.raises(InputError, match="another process is doing this"):
            perform(db, intent(stored), lambda: pytest.fail("called in parallel"))
        return {}

    perform(db, intent(stored), meanwhile)


def test_an_action_that_may_be_wanted_again_gets_a_new_key_once_it_is_done(db: Database, stored: Any) -> None:
    first = journal.next_key(db, stored.id, "s", "bonus")
    with pytest.raises(CallUnsure):
        perform(db, intent(stored, first), lambda: (_ for _ in ()).throw(CallUnsure("cut.")))
    assert journal.next_key(db, stored.id, "s", "bonus") == first
    perform(db, intent(stored, first), dict)
    assert journal.next_key(db, stored.id, "s", "bonus") != first
