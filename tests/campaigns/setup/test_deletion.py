"""A deleted campaign leaves nothing but a line in the log, and takes nothing of others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import sqlalchemy as sa
from PIL import Image

from captious.campaigns.people import links, raters
from captious.campaigns.quality.control import run_quality
from captious.campaigns.records import Campaign, LinkRefused, NewRater
from captious.campaigns.results import analysis
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.setup.deletion import delete_campaign
from captious.campaigns.simulate.run import SimulatedRater, simulate
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.erasing import finish
from captious.corpus import Corpus
from captious.errors import InputError, UnknownNameError

SECRET = b"sixteen bytes and more"


def filled(db: Database, title: str, folder: Path, shades: tuple[int, ...]) -> Campaign:
    """A campaign with answers, flags and pictures."""
    folder.mkdir(exist_ok=True)
    for shade in shades:
        Image.new("RGB", (8, 8), (shade, 9, 9)).save(folder / f"{shade}.png")
    corpus = Corpus.from_lists(
        [f"{title} shows a {shade}." for shade in shades],
        [[f"{title} has {shade}."] for shade in shades],
        image_ids=[str(shade) for shade in shades],
    )
    images = {str(shade): folder / f"{shade}.png" for shade in shades}
    made = create.draft("tagging", corpus, title=title, images=images, options={"raters": 2})
    campaign = lifecycle.open_campaign(db, create.create(db, made, actor="lea"), actor="lea")
    simulate(db, campaign, [SimulatedRater(f"{title} {n}", {"candidates": 1.0}) for n in "AB"], seed=1)
    run_quality(db, campaign)
    return campaign


def pictures(db: Database) -> int:
    return sum(path.is_file() for path in (db.files / "images").rglob("*"))


def test_a_deleted_campaign_is_gone_and_others_are_whole(db: Database, tmp_path: Path) -> None:
    kept = filled(db, "Keepsake", tmp_path / "a", (1, 2))
    before = analysis.result_tables(db, kept), analysis.overview(db, kept)
    campaign = filled(db, "Throwaway", tmp_path / "b", (2, 3))
    assert pictures(db) == 3  # both show one
    with pytest.raises(InputError, match='type "throwaway" to delete it; found "Throw"'):
        delete_campaign(db, campaign, typed="Throw", actor="lea")
    delete_campaign(db, campaign, typed="throwaway", actor="lea")
    with pytest.raises(UnknownNameError):
        lifecycle.find(db, "throwaway")
    assert pictures(db) == 2
    assert (analysis.result_tables(db, kept), analysis.overview(db, kept)) == before
    with db.read() as connection:
        rows = {
            table.name: repr(connection.execute(sa.select(table)).all())
            for table in schema.metadata.sorted_tables
        }
    assert [name for name, found in rows.items() if "hrowaway" in found] == []
    if db.kind == "sqlite":
        path = Path(str(db.engine.url.database))
        assert b"hrowaway" not in path.read_bytes() + path.with_name(f"{path.name}-wal").read_bytes()
    (newest, *_) = log.entries(db)
    assert (newest.action, newest.campaign_id, newest.subject) == ("delete campaign", None, "")
    assert newest.detail == {"item": 6, "rater": 2, "response": 4}


def test_a_link_of_a_deleted_campaign_opens_nothing_of_the_next(db: Database, make_campaign) -> None:
    campaign, (rater, *_) = make_campaign(title="First")
    link = links.make_link(db, rater, secret=SECRET)
    delete_campaign(db, campaign, typed="first", actor="lea")
    other, _ = make_campaign(title="First", people=0)  # numbers may be given again
    raters.add(db, other, [NewRater("Bob"), NewRater("Cyd")], actor="lea")
    with pytest.raises(LinkRefused):
        links.open_link(db, link, secret=SECRET)


def test_files_that_no_row_tells_of_go_once_they_are_old(db: Database, tmp_path: Path) -> None:
    filled(db, "Keepsake", tmp_path / "a", (1, 2))
    stray = db.files / "images" / "ab" / ("ab" + "0" * 62)
    stray.parent.mkdir(exist_ok=True)
    stray.write_bytes(b"left by a kill")
    assert finish(db) == 0  # it may belong to a campaign that is just being stored
    for path in (db.files / "images").rglob("*"):
        os.utime(path, (0, 0))
    assert finish(db) == 1
    assert (pictures(db), stray.exists()) == (2, False)
