from __future__ import annotations

import io
import json
import shutil
import zipfile
from pathlib import Path

import pytest
import sqlalchemy as sa
from PIL import Image

from captious.campaigns.people import accounts, raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import images
from captious.campaigns.store.backup import TABLES, backup, restore
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.errors import InputError


def fill(db: Database, make_campaign, answers) -> None:
    """A campaign with all that may be: images, answers, corrections, a removal, an account."""
    campaign, (one, two) = make_campaign("thumb", images=3)
    picture = io.BytesIO()
    Image.new("RGB", (9, 7), "teal").save(picture, "PNG")
    images.store_image(db, campaign, "i0", picture.getvalue())
    for rater in (one, two):
        for task in assignment.next_tasks(db, campaign, rater):
            responses.respond(db, rater, task.token, answers(task.item), key="ä ' \" \n key")
            responses.respond(db, rater, task.token, answers(task.item), key="again")
    raters.remove(db, two, reason="größer als 🐕", actor="lea")
    accounts.create_account(db, "lea", "a good password", "owner", actor="setup")


def _kept(table: sa.Table) -> list[sa.Column[object]]:
    """Every column; but changes to items are numbered anew where they are restored."""
    return [column for column in table.columns if column.name != "moved"]


def everything(db: Database) -> dict[str, list[tuple[object, ...]]]:
    with db.read() as connection:
        return {
            table.name: [
                tuple(row)
                for row in connection.execute(sa.select(*_kept(table)).order_by(*table.primary_key.columns))
            ]
            for table in TABLES
        }


@pytest.fixture(params=["sqlite", "postgresql"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Where to restore to, on each engine in turn."""
    if request.param == "postgresql":
        return str(request.getfixturevalue("new_postgresql"))
    return str(tmp_path / "restored.db")


def test_a_backup_restores_on_either_engine(
    db: Database, make_campaign, answers, tmp_path: Path, target: str
) -> None:
    fill(db, make_campaign, answers)
    path = tmp_path / "all.zip"
    made = backup(db, path)
    assert (made.campaigns, made.responses, made.images) == (1, 4, 1)
    assert made.bytes == path.stat().st_size
    assert restore(path, target, tmp_path / "restored files") == made
    with Database.open(target, files=tmp_path / "restored files") as again:
        assert everything(again) == everything(db)
        campaign = lifecycle.find(again, "dogs")
        digest = images.digest_of(again, campaign, "i0")
        assert digest is not None
        content = images.image_file(again, campaign, digest)[0].read_bytes()
        assert content == images.image_file(db, campaign, digest)[0].read_bytes()
        # The work goes on where it stopped.
        one = raters.listed(again, campaign)[0]
        (task,) = assignment.next_tasks(again, campaign, one)
        assert not isinstance(responses.respond(again, one, task.token, answers(task.item), key="new"), list)


def test_sessions_are_left_out(db: Database, make_campaign, tmp_path: Path) -> None:
    _, (rater, _) = make_campaign()
    accounts.start_session(db, rater, hours=8)
    backup(db, tmp_path / "all.zip")
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        assert "tables/session.jsonl" not in archive.namelist()
        assert "tables/response.jsonl" in archive.namelist()


def test_a_filled_database_is_not_restored_over(
    db: Database, make_campaign, tmp_path: Path, database_url: str
) -> None:
    make_campaign()
    backup(db, tmp_path / "all.zip")
    with pytest.raises(InputError, match="not empty"):
        restore(tmp_path / "all.zip", database_url, tmp_path / "other files")


def test_damage_is_found_before_anything_is_written(sqlite_url: str, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with Database.open(sqlite_url) as db:
        accounts.create_account(db, "lea", "a good password", "owner", actor="setup")
        backup(db, path)
    changed = tmp_path / "changed.zip"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(b'"owner"', b'"viewer"'))
    target = tmp_path / "restored.db"
    with pytest.raises(InputError, match=r"tables/account\.jsonl is damaged"):
        restore(changed, target)
    assert not target.exists()


@pytest.mark.parametrize("name", ["../evil.txt", "images/../../evil", "tables/x.sql"])
def test_a_strange_part_is_refused(sqlite_url: str, tmp_path: Path, name: str) -> None:
    import hashlib

    path = tmp_path / "all.zip"
    with Database.open(sqlite_url) as db:
        backup(db, path)
    strange = tmp_path / "strange.zip"
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(strange, "w") as new:
        manifest = json.loads(old.read("manifest.json"))
        manifest["sha256"][name] = hashlib.sha256(b"evil").hexdigest()
        for part in old.namelist():
            if part != "manifest.json":
                new.writestr(part, old.read(part))
        new.writestr(name, b"evil")
        new.writestr("manifest.json", json.dumps(manifest))
    with pytest.raises(InputError, match="which no backup does"):
        restore(strange, tmp_path / "restored.db")
    assert not (tmp_path / "evil.txt").exists()


def test_what_is_no_backup_is_one_line(sqlite_url: str, tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("hello")
    with pytest.raises(InputError, match="cannot be read as a backup"):
        restore(text, tmp_path / "x.db")
    with pytest.raises(InputError, match="cannot be read as a backup"):
        restore(tmp_path / "none.zip", tmp_path / "x.db")
    other = tmp_path / "other.zip"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(InputError, match="not a backup made by captious"):
        restore(other, tmp_path / "x.db")
    path = tmp_path / "all.zip"
    with Database.open(sqlite_url) as db:
        backup(db, path)
    shutil.copy(path, tmp_path / "cut.zip")
    (tmp_path / "cut.zip").write_bytes(path.read_bytes()[:-200])
    with pytest.raises(InputError, match="cannot be read as a backup"):
        restore(tmp_path / "cut.zip", tmp_path / "x.db")


def changed(path: Path, to: Path, manifest: dict[str, object], parts: dict[str, bytes]) -> Path:
    """A backup with other entries in its manifest and other parts, whose digests are right."""
    import hashlib

    with zipfile.ZipFile(path) as old, zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as new:
        found = json.loads(old.read("manifest.json"))
        kept = {name: old.read(name) for name in old.namelist() if name != "manifest.json"} | parts
        found["sha256"] |= {name: hashlib.sha256(content).hexdigest() for name, content in parts.items()}
        for name, content in kept.items():
            new.writestr(name, content)
        new.writestr("manifest.json", json.dumps(found | manifest))
    return to


ACCOUNTS = "tables/account.jsonl"
HUGE = "images/aa/" + "a" * 64


@pytest.mark.parametrize(
    ("manifest", "parts", "says"),
    [
        ({"version": "x"}, {}, "its manifest is not that of a backup"),
        ({"rows": {}}, {}, "its manifest is not that of a backup"),
        ({"sha256": []}, {}, "its manifest is not that of a backup"),
        ({"revision": "r9999"}, {}, "made by another version of captious"),
        ({}, {ACCOUNTS: b"{\n"}, "line 1 is no row"),
        ({}, {ACCOUNTS: b"[1]\n"}, "line 1 is no row"),
        ({}, {ACCOUNTS: b'{"id": 1}\n'}, "its rows do not fit the table"),
        ({}, {ACCOUNTS: b'{"id": "one"}\n'}, "its rows do not fit the table"),
        ({}, {ACCOUNTS: b'{"id": 99999999999999999999}\n'}, "its rows do not fit the table"),
        ({}, {HUGE: bytes(2_000_000)}, "larger than any image"),
    ],
)
def test_a_backup_that_somebody_wrote_is_one_line(
    empty_url: str, sqlite_url: str, tmp_path: Path, monkeypatch, manifest, parts, says: str
) -> None:
    monkeypatch.setattr("captious.campaigns.store.backup.LARGEST_FILE", 1_000_000)
    path = tmp_path / "all.zip"
    with Database.open(sqlite_url, files=tmp_path / "files") as db:
        backup(db, path)
    wrong = changed(path, tmp_path / "wrong.zip", manifest, parts)
    with pytest.raises(InputError, match=says) as told:
        restore(wrong, empty_url, tmp_path / "restored")
    assert "\n" not in str(told.value)


def test_a_backup_with_a_password_is_one_line(sqlite_url: str, tmp_path: Path) -> None:
    path = tmp_path / "all.zip"
    with Database.open(sqlite_url) as db:
        backup(db, path)
    content = bytearray(path.read_bytes())
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        content[at + 8] |= 1  # says that the entry is encrypted
        at = content.find(b"PK\x01\x02", at + 4)
    path.write_bytes(content)
    with pytest.raises(InputError, match="cannot be read as a backup"):
        restore(path, tmp_path / "x.db")


def test_a_missing_image_is_named(db: Database, make_campaign, tmp_path: Path) -> None:
    campaign, _ = make_campaign()
    picture = io.BytesIO()
    Image.new("RGB", (9, 7), "teal").save(picture, "PNG")
    found = images.store_image(db, campaign, "i0", picture.getvalue())
    images.image_file(db, campaign, found.digest)[0].unlink()
    with pytest.raises(InputError, match="the file is gone"):
        backup(db, tmp_path / "all.zip")
    assert not (tmp_path / "all.zip").exists()
