"""A database that fails for a while: raters are told to come back, and can once it is well again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import sqlalchemy as sa

from captious.campaigns.setup import create
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses
from captious.corpus import Corpus
from captious.errors import InputError


@contextmanager
def no_writes(db: Database) -> Iterator[None]:
    """A disk without room (SQLite), a database that is read-only for every new session (PostgreSQL)."""
    if db.kind == "sqlite":

        def limit(connection: Any, _record: object) -> None:
            pages = connection.execute("PRAGMA page_count").fetchone()[0]
            connection.execute(f"PRAGMA max_page_count={pages}")

        sa.event.listen(db.engine, "connect", limit)
        db.engine.dispose()
        yield
        sa.event.remove(db.engine, "connect", limit)
        db.engine.dispose()
        return
    name, engine = db.engine.url.database, sa.create_engine(db.engine.url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        db.engine.dispose()
        yield
        connection.exec_driver_sql(f'ALTER DATABASE "{name}" RESET default_transaction_read_only')
    # The pool still has the sessions that were opened while it was read-only.
    engine.dispose()


def send(visitor: Any, campaign: Any, task: Any, csrf: str, key: str) -> Any:
    data = {"csrf": csrf, "key": key, "verdict": "minor"}
    headers = {"Accept": "application/json"}
    return visitor.post(f"/work/{campaign.slug}/{task.token}", data=data, headers=headers)


def test_an_answer_that_cannot_be_stored_is_asked_for_again_and_stored_once(
    db: Database, make_site: Any
) -> None:
    site = make_site(db)
    campaign = site.campaign("tagging", images=40)
    visitor, rater = site.rater(campaign)
    task = site.task(campaign, rater)
    csrf = visitor.page(f"/work/{campaign.slug}").hidden("csrf")
    with no_writes(db):
        # A page of SQLite may have room for a few rows yet.
        for at in range(60):
            answer = send(visitor, campaign, task, csrf, f"early{at}")
            if answer.status_code != 200:
                break
            task = site.task(campaign, rater)
        assert answer.status_code == 503
        assert int(answer.headers["retry-after"]) > 0
        assert "try again" in answer.json()["error"]
        assert visitor.get("/health").status_code == 200
        told = sum(1 for _ in responses.stored(db, campaign))
        assert told == at
    answer = send(visitor, campaign, task, csrf, "again")
    assert answer.status_code == 200
    assert send(visitor, campaign, task, csrf, "again").json()["duplicate"] is True
    assert sum(1 for _ in responses.stored(db, campaign)) == told + 1


def test_ready_says_whether_a_write_goes_through(db: Database, make_site: Any) -> None:
    visitor = make_site(db).visitor()
    assert visitor.get("/ready").json() == {"status": "ready", "reason": ""}
    assert visitor.client.head("/ready").status_code == 200
    assert visitor.client.head("/health").status_code == 200
    for address in ("/ready", "/health"):
        asked, headed = visitor.get(address), visitor.client.head(address)
        for name in ("content-length", "content-type", "retry-after"):
            assert headed.headers.get(name) == asked.headers.get(name), address
    if db.kind == "sqlite":
        with db.write():  # Someone keeps the file locked.
            answer = visitor.get("/ready")
        assert "locked" in answer.json()["reason"]
    else:
        with no_writes(db):
            answer = visitor.get("/ready")
            assert visitor.client.head("/ready").status_code == 503
        assert "read-only" in answer.json()["reason"]
    assert answer.status_code == 503
    assert int(answer.headers["retry-after"]) > 0
    assert visitor.get("/ready").status_code == 200
    with db.read() as connection:
        assert connection.exec_driver_sql("SELECT count(*) FROM sign_in_try").scalar() == 0


@pytest.mark.parametrize(
    ("image", "says"), [("a\x00b", "cannot be stored"), ("dog" * 1000, "3,000 characters are too many")]
)
def test_ids_that_no_index_holds_are_refused_on_both_engines(db: Database, image: str, says: str) -> None:
    corpus = Corpus.from_lists(["A dog."], [["Dog."]], image_ids=[image], systems=["m"])
    with pytest.raises(InputError, match=says):
        create.create(db, create.draft("tagging", corpus, title="Long"), actor="lea")
