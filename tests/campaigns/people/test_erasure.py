"""After an erasure no byte of the rater is left, and the results count what they counted."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar
from zipfile import ZipFile

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from captious.campaigns.entry import surveys
from captious.campaigns.exchange.export import export_zip
from captious.campaigns.people import accounts, erasure, links, raters
from captious.campaigns.people.erasure import erase, erase_due, stored_of
from captious.campaigns.records import Campaign, LinkRefused, NewRater, Rater, Settings
from captious.campaigns.results import analysis
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store import log, recordings, schema
from captious.campaigns.store.backup import backup
from captious.campaigns.store.database import Database
from captious.campaigns.store.erasing import finish
from captious.campaigns.work import aside, assignment, responses
from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import (
    Caption,
    Field,
    Form,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Row,
    Table,
    register,
    registry,
)
from captious.protocols.base import captions_of

SECRET = b"sixteen bytes and more"
ADA = ("Adalberta", "quimby@lovelace.example", "Zanzibarian", "fathom nine", "gave up Adalberta")
SAY = Form((Field("truth", "scale", "True", low=1, high=5), Field("said", "audio", "Say why")))
SURVEY = 'questions: [{aspect: origin, kind: text, ask: "Where are you from?"}]'


@dataclass(frozen=True)
class Aloud(HumanProtocol):
    """How true a caption is, and why, spoken; another rater may hear it."""

    title: ClassVar[str] = "Aloud"

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        found = captions_of(corpus).items()
        return [
            Item(f"i{n}", n, (Caption("A", next(iter(own))),), SAY, {"A": ()}, target=2) for n, own in found
        ]

    def guide(self, stage: str = "first") -> tuple[Guide, ...]:
        return ()

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        if item.recording:
            return []
        said = str(response.answers["said"])
        apart = frozenset({response.rater})
        return [replace(item, key=f"heard/{said[:30]}", recording=said, stage="heard", not_for=apart)]

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        return ()

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        rows = sorted([one.item, float(str(one.answers["truth"]))] for one in responses)
        return [Table("truth", ["item", "truth"], rows)]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry.PROTOCOLS, "known", dict(registry.known_protocols()))
    register("heard-by-none")(Aloud)


def sound(loud: int) -> bytes:
    """A tenth of a second, another for each loudness."""
    kept = io.BytesIO()
    with wave.open(kept, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16000)
        file.writeframes(bytes([loud, 0]) * 1600)
    return kept.getvalue()


@pytest.fixture
def worked_on(db: Database) -> tuple[Campaign, Rater, Rater]:
    """A campaign in which two raters did all that leaves a trace."""
    corpus = Corpus.from_lists([f"A dog at {n}." for n in range(3)], systems=["m1"] * 3)
    settings = Settings(survey_before=SURVEY, consent="You may stop.", identities_in_export=True)
    made = create.draft("heard-by-none", corpus, title="Aloud", settings=settings)
    campaign = lifecycle.open_campaign(db, create.create(db, made, actor="lea"), actor="lea")
    new = [NewRater("Adalberta Quux", ADA[1]), NewRater("Bob Byrd", "bob@byrd.example")]
    ada, bob = raters.add(db, campaign, new, actor="lea")
    for at, rater in enumerate((ada, bob)):
        token = links.make_link(db, rater, secret=SECRET)
        links.open_link(db, token, secret=SECRET, consent=settings.consent_version)
        accounts.start_session(db, rater, hours=5)
        assert not surveys.answer(db, campaign, rater, "before", {"origin": (ADA[2], "Tasmanian")[at]})
        for place in range(2):
            task = assignment.next_tasks(db, campaign, rater)[0]
            name = recordings.keep(db, campaign, sound(10 * at + place + 1))
            given = {"truth": 2.0 + at, "said": name}
            responses.respond(db, rater, task.token, given, key=f"{rater.name}-{place}")
    held = assignment.next_tasks(db, campaign, ada)[0]
    aside.tell(db, ada, held.token, ADA[3])
    raters.remove(db, ada, reason=ADA[4], actor="lea")
    raters.reinstate(db, raters.find(db, campaign, ada.id), actor="lea")
    return campaign, raters.find(db, campaign, ada.id), bob


def every_byte(db: Database, campaign: Campaign, folder: Path) -> bytes:
    """The database, its files, an export and a new backup, with nothing compressed."""
    found = [path.read_bytes() for path in sorted(db.files.rglob("*")) if path.is_file()]
    found += [str(path.relative_to(db.files)).encode() for path in db.files.rglob("*")]
    if db.kind == "sqlite":
        beside = Path(str(db.engine.url.database))
        found += [path.read_bytes() for path in beside.parent.glob(f"{beside.name}*") if path.is_file()]
    with db.read() as connection:
        for table in schema.metadata.sorted_tables:
            found.append(repr(connection.execute(sa.select(table)).all()).encode())
    for path in (folder / "export.zip", folder / "backup.zip"):
        path.unlink(missing_ok=True)
    export_zip(db, campaign, folder / "export.zip", identities=True)
    backup(db, folder / "backup.zip")
    for path in (folder / "export.zip", folder / "backup.zip"):
        with ZipFile(path) as archive:
            found += [archive.read(name) for name in archive.namelist()]
            found += [name.encode() for name in archive.namelist()]
    return b"\n".join(found)


def bytes_of(ada: Rater) -> list[bytes]:
    """What of a rater must not be anywhere; the second of her recordings too."""
    spoken = [recordings.name_of(sound(loud)).split(".")[0] for loud in (1, 2)]
    words = [*ADA, "Quux", ada.pseudonym, *spoken]
    return [*(word.encode() for word in words), sound(1)[44:], sound(2)[44:]]


def test_no_byte_of_an_erased_rater_is_left_and_the_counts_are_the_same(
    db: Database, worked_on: tuple[Campaign, Rater, Rater], tmp_path: Path
) -> None:
    campaign, ada, bob = worked_on
    before = every_byte(db, campaign, tmp_path)
    assert [mark for mark in bytes_of(ada) if mark not in before] == []  # the scan sees each of them
    tables, counts = analysis.result_tables(db, campaign), analysis.overview(db, campaign)
    assert erase(db, ada, actor="lea").pseudonym == "erased-1"
    after = every_byte(db, campaign, tmp_path)
    assert [mark for mark in bytes_of(ada) if mark in after] == []
    kept = (b"Bob Byrd", b"bob@byrd.example", sound(11)[44:], b"Tasmanian")
    assert [mark for mark in kept if mark not in after] == []
    assert analysis.result_tables(db, campaign) == tables
    now = analysis.overview(db, campaign)
    assert (now.responses, now.done) == (counts.responses, counts.done)
    assert b"erased-1" in after
    said = {(one.actor, one.action, one.subject) for one in log.entries(db, campaign)}
    assert ("lea", "erase rater", "erased-1") in said
    assert stored_of(db, raters.find(db, campaign, ada.id)) == (2, 0, 0, 0, 1, 0)
    assert stored_of(db, bob).recordings == 2


def test_an_erased_rater_is_shut_out_and_stays_erased(
    db: Database, worked_on: tuple[Campaign, Rater, Rater]
) -> None:
    campaign, ada, _ = worked_on
    token = links.make_link(db, ada, secret=SECRET)
    cookie, _ = accounts.start_session(db, ada, hours=5)
    erase(db, ada)
    with pytest.raises(LinkRefused):
        links.open_link(db, token, secret=SECRET)
    assert accounts.session(db, cookie) is None
    gone = raters.find(db, campaign, ada.id)
    assert (gone.state, gone.works) == ("active", False)
    with pytest.raises(InputError, match="was erased"):
        links.make_link(db, gone, secret=SECRET)
    entries = len(log.entries(db, campaign))
    assert erase(db, gone) == gone
    assert len(log.entries(db, campaign)) == entries
    assert log.entries(db, campaign)[0].actor == "erased-1"


def test_only_the_rows_of_who_is_erased_may_be_touched(
    db: Database, worked_on: tuple[Campaign, Rater, Rater]
) -> None:
    from captious.campaigns.store.erasing import erasing

    campaign, ada, bob = worked_on
    table = schema.response

    def other(connection: sa.Connection) -> None:
        connection.execute(sa.delete(table).where(table.c.rater_id == bob.id))

    with pytest.raises(DBAPIError, match="append-only"):
        erasing(db, other, campaign.id, ada.id)
    with pytest.raises(DBAPIError, match="append-only"), db.write() as connection:
        other(connection)


def test_what_a_kill_leaves_is_found_at_the_next_start(
    db: Database, worked_on: tuple[Campaign, Rater, Rater], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    campaign, ada, _ = worked_on
    monkeypatch.setattr(erasure, "finish", lambda _: 0)  # killed between the commit and the files
    erase(db, ada)
    left = db.files / "recordings"
    assert len([path for path in left.rglob("*") if path.is_file()]) == 4
    assert finish(db) == 2
    assert finish(db) == 0
    after = every_byte(db, campaign, tmp_path)
    assert [mark for mark in bytes_of(ada) if mark in after] == []


def test_raters_are_erased_so_many_days_after_closing(
    db: Database, worked_on: tuple[Campaign, Rater, Rater], clock: Any
) -> None:
    campaign, ada, _ = worked_on
    settings = replace(campaign.settings, retention_days=30)
    campaign = lifecycle.change_settings(db, campaign, settings, actor="lea")
    assert erase_due(db) == 0  # it is open
    lifecycle.close(db, campaign, actor="lea")
    clock.move(29 * 24 * 3600.0)
    assert erase_due(db) == 0
    clock.move(2 * 24 * 3600.0)
    assert (erase_due(db), erase_due(db)) == (2, 0)
    assert [one.pseudonym for one in raters.listed(db, campaign)] == ["erased-1", "erased-2"]
    assert not raters.find(db, campaign, ada.id).name
