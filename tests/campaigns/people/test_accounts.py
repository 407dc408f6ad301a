from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from argon2 import PasswordHasher

from captious.campaigns.people import accounts
from captious.campaigns.people.accounts import SignInRefused, TooManyTries, create_account, sign_in
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.errors import InputError, UnknownNameError

GOOD = "correct horse battery"


def test_name_and_password_open_an_account(db: Database) -> None:
    made = create_account(db, "  Lea  M. ", GOOD, "owner", actor="setup")
    assert (made.name, made.role) == ("Lea M.", "owner")
    assert sign_in(db, "Lea M.", GOOD, source="1.2.3.4").id == made.id
    with db.read() as connection:
        stored = connection.execute(sa.select(schema.account.c.password)).scalar()
    assert stored.startswith("$argon2id$")
    assert GOOD not in stored
    assert [entry.action for entry in log.entries(db)] == ["sign in", "create account"]


def test_wrong_name_and_wrong_password_look_the_same(db: Database) -> None:
    create_account(db, "lea", GOOD, "owner", actor="setup")
    shown = set()
    for name, password in (
        ("lea", "wrong password"),
        ("mia", GOOD),
        ("' OR 1=1 --", GOOD),
        ("\x00", GOOD),
        ("lea", "\ud800" * 10),
        ("lea", ""),
        ("lea", "x" * 5000),
    ):
        with pytest.raises(SignInRefused) as error:
            sign_in(db, name, password, source=f"place {name!r} {len(password)}")
        shown.add(str(error.value))
    assert len(shown) == 1


def test_guessing_is_slowed_down(db: Database, clock) -> None:
    create_account(db, "lea", GOOD, "owner", actor="setup")
    for _ in range(accounts.MOST_TOGETHER):
        with pytest.raises(SignInRefused):
            sign_in(db, "lea", "wrong password", source="1.2.3.4")
    with pytest.raises(TooManyTries) as error:
        sign_in(db, "lea", GOOD, source="1.2.3.4")  # the right password does not help now
    assert error.value.wait_seconds == accounts.WINDOW
    assert sign_in(db, "lea", GOOD, source="5.6.7.8").name == "lea"  # she herself gets in
    clock.move(accounts.WINDOW + 1)
    assert sign_in(db, "lea", GOOD, source="1.2.3.4").name == "lea"


def test_many_names_from_one_place_are_slowed_down(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accounts, "MOST_FROM_PLACE", 3)
    for name in ("a", "b", "c"):
        with pytest.raises(SignInRefused):
            sign_in(db, name, "wrong password", source="1.2.3.4")
    with pytest.raises(TooManyTries):
        sign_in(db, "d", "wrong password", source="1.2.3.4")


def test_a_burst_of_guesses_is_counted_one_by_one(db: Database) -> None:
    create_account(db, "lea", GOOD, "owner", actor="setup")

    def guess(at: int) -> str:
        try:
            sign_in(db, "lea", f"wrong password {at}", source="1.2.3.4")
        except (SignInRefused, TooManyTries) as error:
            return type(error).__name__
        return "in"

    with ThreadPoolExecutor(16) as threads:
        found = Counter(threads.map(guess, range(16)))
    assert found["SignInRefused"] <= accounts.MOST_TOGETHER
    assert found["in"] == 0


class Watched(PasswordHasher):
    """A hasher that knows how often it was at work at the same time."""

    lock, now, most = threading.Lock(), 0, 0

    def hash(self, password, *, salt=None):
        with self.lock:
            Watched.now += 1
            Watched.most = max(Watched.most, Watched.now)
        try:
            return super().hash(password, salt=salt)
        finally:
            with self.lock:
                Watched.now -= 1


def test_unknown_names_hash_no_more_passwords_at_once_than_others(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes 64 MiB; the first visitors after a start all made one, outside of every limit."""
    monkeypatch.setattr(accounts, "_HASHER", Watched())
    monkeypatch.setattr(accounts, "_VERIFICATIONS", threading.BoundedSemaphore(1))
    accounts._nobody.cache_clear()

    def guess(at: int) -> None:
        with pytest.raises((SignInRefused, TooManyTries)):
            sign_in(db, f"nobody {at}", "wrong password", source=f"1.2.3.{at}")

    with ThreadPoolExecutor(6) as pool:
        list(pool.map(guess, range(6)))
    assert Watched.most == 1


def test_one_network_is_one_place_and_others_still_come_in(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "MOST_FROM_PLACE", 3)
    monkeypatch.setattr(accounts, "MOST_FOR_NAME", 10)
    create_account(db, "lea", GOOD, "owner", actor="setup")
    for at in range(3):
        with pytest.raises(SignInRefused):
            sign_in(db, f"name {at}", "wrong password", source=f"2001:db8:1:2::{at + 1}")
    # Refused without a look, these are no tries: the wait does not grow, for nobody.
    for at in range(15):
        with pytest.raises(TooManyTries):
            sign_in(db, "lea", "wrong password", source=f"2001:db8:1:2:ffff::{at}")
    assert sign_in(db, "lea", GOOD, source="2001:db8:1:3::1").name == "lea"


def test_a_success_forgets_the_slips_before_it(db: Database) -> None:
    create_account(db, "lea", GOOD, "owner", actor="setup")
    for _ in range(2):
        for _ in range(accounts.MOST_TOGETHER - 1):
            with pytest.raises(SignInRefused):
                sign_in(db, "lea", "wrong password", source="1.2.3.4")
        assert sign_in(db, "lea", GOOD, source="1.2.3.4").name == "lea"


def test_bad_accounts_are_one_line(db: Database) -> None:
    create_account(db, "lea", GOOD, "owner", actor="setup")
    for name, password, role, message in (
        ("lea", GOOD, "viewer", "another account"),
        ("", GOOD, "viewer", "name"),
        ("<<>>", GOOD, "viewer", "at least one letter or digit"),
        ("x" * 101, GOOD, "viewer", "name"),
        ("mia", "short", "viewer", "password"),
        ("mia", "x" * 1001, "viewer", "password"),
    ):
        with pytest.raises(InputError, match=message):
            create_account(db, name, password, role, actor="setup")
    with pytest.raises(UnknownNameError, match="role"):
        create_account(db, "mia", GOOD, "admin", actor="setup")


def test_sessions_begin_and_end(db: Database, make_campaign, clock) -> None:
    lea = create_account(db, "lea", GOOD, "manager", actor="setup")
    _, (rater, _) = make_campaign()
    token, session = accounts.start_session(db, lea, hours=8)
    other, theirs = accounts.start_session(db, rater, hours=8)
    assert (session.kind, session.account, session.rater) == ("account", lea, None)
    assert (theirs.kind, theirs.account, theirs.rater) == ("rater", None, rater)
    assert accounts.session(db, token) == session
    assert token != other
    assert session.csrf != theirs.csrf
    with db.read() as connection:
        stored = connection.execute(sa.select(schema.session.c.digest)).scalars().all()
    assert token not in stored
    assert accounts.session(db, "guess") is None
    assert accounts.session(db, "\ud800\x00") is None
    accounts.end_session(db, token)
    assert accounts.session(db, token) is None
    clock.move(8 * 3600 + 1)
    assert accounts.session(db, other) is None


def test_a_session_notes_its_last_visit_now_and_then(db: Database, clock) -> None:
    lea = create_account(db, "lea", GOOD, "manager", actor="setup")
    token, _ = accounts.start_session(db, lea, hours=8)
    seen = []
    for seconds in (10, 400):
        clock.move(seconds)
        accounts.session(db, token)
        with db.read() as connection:
            seen.append(connection.execute(sa.select(schema.session.c.last_seen)).scalar())
    assert seen == [clock.now - 410, clock.now]


def test_a_new_password_and_disabling_end_sessions(db: Database) -> None:
    lea = create_account(db, "lea", GOOD, "owner", actor="setup")
    mia = create_account(db, "mia", GOOD, "viewer", actor="lea")
    token, _ = accounts.start_session(db, mia, hours=8)
    accounts.change_password(db, mia, "another good one", actor="lea")
    assert accounts.session(db, token) is None
    assert sign_in(db, "mia", "another good one", source="here") == mia
    token, _ = accounts.start_session(db, mia, hours=8)
    accounts.disable_account(db, mia, actor="lea")
    assert accounts.session(db, token) is None
    with pytest.raises(SignInRefused):
        sign_in(db, "mia", "another good one", source="here")
    assert [(one.name, one.disabled) for one in accounts.accounts(db)] == [("lea", False), ("mia", True)]
    accounts.enable_account(db, mia, actor="lea")
    assert sign_in(db, "mia", "another good one", source="here").id == mia.id
    with pytest.raises(InputError, match="last owner"):
        accounts.disable_account(db, lea, actor="lea")
