from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError

from captious.campaigns.people import accounts
from captious.campaigns.store import database as database_module
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database, LostRaceError, database_url, distrust
from captious.errors import InputError


def test_sqlite_is_set_up_so_that_no_committed_write_is_lost(sqlite_url: str) -> None:
    with Database.open(sqlite_url) as db, db.read() as connection:

        def pragma(name: str) -> object:
            return connection.exec_driver_sql(f"PRAGMA {name}").scalar()

        assert pragma("journal_mode") == "wal"
        assert pragma("synchronous") == 2  # FULL
        assert pragma("foreign_keys") == 1
        assert pragma("busy_timeout") == 30_000


def test_postgresql_commits_to_disk(postgresql_url: str) -> None:
    with Database.open(postgresql_url) as db, db.read() as connection:
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
        shown = connection.exec_driver_sql("SHOW transaction_isolation").scalar()
        assert shown == "read committed"


def test_foreign_keys_are_enforced(db: Database) -> None:
    with pytest.raises(IntegrityError), db.write() as connection:
        connection.execute(schema.label.insert().values(campaign_id=999, name="nobody's", taken=0))


def test_a_failed_transaction_leaves_nothing(db: Database) -> None:
    with pytest.raises(RuntimeError), db.write() as connection:
        connection.execute(schema.log.insert().values(time=1, actor="a", action="b", detail={}))
        raise RuntimeError
    with db.read() as connection:
        assert connection.execute(sa.select(sa.func.count(schema.log.c.id))).scalar() == 0


@pytest.mark.parametrize("statement", ["UPDATE {} SET id = 7", "DELETE FROM {}"])
@pytest.mark.parametrize("table", schema.APPEND_ONLY)
def test_responses_and_log_are_append_only(
    db: Database, make_campaign, answers, table: str, statement: str
) -> None:
    from captious.campaigns.work import assignment, responses

    campaign, (rater, *_) = make_campaign()
    (task,) = assignment.next_tasks(db, campaign, rater)
    responses.respond(db, rater, task.token, answers(task.item), key="k")
    own = {"campaign_id": campaign.id, "rater_id": rater.id, "answers": {}, "time": 1.0}
    with db.write() as connection:
        example = schema.training_example.insert().values(
            campaign_id=campaign.id, version="v", place=1, content={}
        )
        (at,) = connection.execute(example).inserted_primary_key or ()
        tried = {"training_example_id": at, "attempt": 1, "correct": 1, "asked": 1}
        connection.execute(schema.training_answer.insert().values(**own, **tried))
        connection.execute(schema.survey_answer.insert().values(**own, moment="before", version="v"))
    with pytest.raises(DBAPIError, match="append-only"), db.write() as connection:
        connection.execute(sa.text(statement.format(table)))


def test_postgresql_cannot_truncate_responses(postgresql_url: str) -> None:
    with (
        Database.open(postgresql_url) as db,
        pytest.raises(DBAPIError, match="append-only"),
        db.write() as connection,
    ):
        connection.execute(sa.text("TRUNCATE response CASCADE"))


def test_a_lost_race_is_run_again(db: Database) -> None:
    tries = []

    def work(connection: sa.Connection) -> str:
        tries.append(1)
        connection.execute(schema.log.insert().values(time=1, actor="a", action="b", detail={}))
        if len(tries) < 3:
            raise LostRaceError
        return "done"

    assert db.transact(work) == "done"
    with db.read() as connection:
        assert connection.execute(sa.select(sa.func.count(schema.log.c.id))).scalar() == 1


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (":memory:", "give a file"),
        ("mysql://me@host/x", '"mysql" is not known'),
        ("http://", "is no address|is not known"),
        ("sqlite://", "give a file"),
    ],
)
def test_bad_addresses_are_one_line(given: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as error:
        database_url(given)
    assert "\n" not in str(error.value)


def test_a_missing_folder_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="the folder does not exist"):
        Database.open(tmp_path / "no" / "such.db")


def test_a_file_that_is_no_database_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "captions.json"
    path.write_text("{}" * 1000)
    with pytest.raises(InputError, match="cannot be opened") as error:
        Database.open(path)
    assert "\n" not in str(error.value)
    assert str(error.value).endswith("file is not a database. Give another with --database.")


def test_an_unreachable_server_is_one_line_without_the_password() -> None:
    with pytest.raises(InputError, match="cannot be opened") as error:
        Database.open("postgresql://me:hushhush@127.0.0.1:1/none")
    assert "\n" not in str(error.value)
    assert "hushhush" not in str(error.value)


def test_files_lie_beside_an_sqlite_database(sqlite_url: str) -> None:
    with Database.open(sqlite_url) as db:
        assert db.files == Path(sqlite_url + ".files")
        assert db.kind == "sqlite"


def test_postgresql_needs_a_folder_for_images(postgresql_url: str) -> None:
    with Database.open(postgresql_url) as db:
        assert db.kind == "postgresql"
        with pytest.raises(InputError, match="no folder"):
            _ = db.files


def test_a_restarted_postgresql_is_found_again(postgresql_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_module, "IDLE_SECONDS", -1.0)
    with Database.open(postgresql_url) as db, Database.open(postgresql_url) as other:
        with db.read() as connection:
            mine = connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one()
        with other.read() as connection:
            connection.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": mine})
        with db.write() as connection:
            assert connection.execute(sa.text("SELECT pg_backend_pid()")).scalar_one() != mine


def test_connections_that_are_not_trusted_any_more_are_closed_not_left(postgresql_url: str) -> None:
    pid, own = sa.text("SELECT pg_backend_pid()"), sa.text("datname = current_database()")
    count = sa.select(sa.func.count()).select_from(sa.text("pg_stat_activity")).where(own)
    with Database.open(postgresql_url) as db:
        with db.read() as connection:
            before = connection.execute(count).scalar_one()
        seen = set()
        for _ in range(10):
            with db.read() as connection:
                seen.add(connection.execute(pid).scalar_one())
                distrust(db.engine)  # one of them is in use meanwhile
        with db.read() as connection:
            assert connection.execute(count).scalar_one() <= before + 1  # one may be on its way out
        assert len(seen) == 10


def test_a_snapshot_stays_as_it_was(database_url: str) -> None:
    count = sa.text("SELECT count(*) FROM account")
    with Database.open(database_url) as db:
        with db.snapshot() as connection:
            assert connection.execute(count).scalar() == 0
            accounts.create_account(db, "lea", "correct horse", "owner", actor="test")
            assert connection.execute(count).scalar() == 0
        with db.read() as connection:
            assert connection.execute(count).scalar() == 1


def test_what_was_stored_stays_out_of_error_messages(database_url: str) -> None:
    with Database.open(database_url) as db, db.read() as connection, pytest.raises(DBAPIError) as error:
        connection.execute(sa.text("SELECT * FROM nowhere WHERE a = :a"), {"a": "hushhush"})
    assert "hushhush" not in str(error.value)
