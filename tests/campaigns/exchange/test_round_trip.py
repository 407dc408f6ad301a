"""An export that is imported again is an equal campaign, field by field."""

from __future__ import annotations

import shutil
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from captious.campaigns.entry import surveys, training
from captious.campaigns.entry.training_files import training_of
from captious.campaigns.exchange.export import export_zip
from captious.campaigns.exchange.importing import import_file
from captious.campaigns.exchange.references import references_of
from captious.campaigns.people import raters
from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.records import Campaign, Rater, Settings, StoredResponse
from captious.campaigns.results import analysis
from captious.campaigns.setup import lifecycle
from captious.campaigns.setup.lifecycle import set_training
from captious.campaigns.simulate.run import simulate
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.data import demo_files
from captious.errors import CaptiousWarning
from captious.protocols.simulation import SimulatedRater

OPINION = {"m1": 0.8, "m2": 0.3}
PEOPLE = [
    SimulatedRater("Ada", OPINION, noise=0.2, native=True),
    SimulatedRater("Bo", OPINION, noise=0.3),
    SimulatedRater("Cem", {"m1": 0.1, "m2": 0.9}, noise=0.1, habit="random"),
]
OTHER_DATABASE = {"id", "campaign_id", "rater_id", "replaces"}


@pytest.fixture
def other(tmp_path: Path, clock: Any) -> Any:
    with Database.open(tmp_path / "other.db", files=tmp_path / "other", clock=clock) as found:
        yield found


def plain(one: Campaign | Rater | StoredResponse) -> dict[str, Any]:
    """Every field but the numbers that a database gives out."""
    return {f.name: getattr(one, f.name) for f in fields(one) if f.name not in OTHER_DATABASE}


def beside(db: Database, campaign: Campaign) -> list[tuple[Any, ...]]:
    """What is kept with items, the response that called for each by its key."""
    item, response = schema.item, schema.response
    wanted = (
        select(item.c.key, item.c.closed, item.c.done, item.c.gold, item.c.is_check, response.c.key)
        .outerjoin(response, response.c.id == item.c.from_response)
        .where(item.c.campaign_id == campaign.id)
        .order_by(item.c.id)
    )
    with db.read() as connection:
        return [tuple(row) for row in connection.execute(wanted)]


def replaced(found: list[StoredResponse]) -> list[str | None]:
    keys = {one.id: one.key for one in found}
    return [None if one.replaces is None else keys[one.replaces] for one in found]


@pytest.mark.parametrize("formats", [["jsonl"], ["csv"], ["parquet"]], ids=lambda one: one[0])
@pytest.mark.parametrize("protocol", ["thumb", "humanr", "tagging", "audit", "generic"])
def test_an_imported_export_is_an_equal_campaign(
    db: Database, other: Database, make_campaign: Any, tmp_path: Path, protocol: str, formats: list[str]
) -> None:
    if db.kind == "postgresql" and formats != ["jsonl"]:
        pytest.skip("the format of a file has nothing to do with the database")
    settings = Settings(
        instructions="Look twice.",
        link_days=7,
        payment_per_response=0.25,
        currency="EUR",
        identities_in_export=True,
    )
    options = {"tagging": {"raters": 2, "interval": 0}, "audit": {"target": 2}}.get(protocol, {})
    campaign, _ = make_campaign(protocol, images=4, people=0, settings=settings, **options)
    simulate(db, campaign, PEOPLE, seed=3, until=14)
    first = raters.listed(db, campaign)[0]
    last = assignment.previous_task(db, first)
    if last is not None:
        responses.respond(db, first, last.token, dict(last.answered or {}), key="again")
    for one in disagreements(db, campaign, limit=1):
        given = {n: a for n, a in one.responses[0].answers.items() if one.item.form.field(n)}
        adjudicate(db, campaign, one.item.key, given, actor="lea", key="decided")
    raters.remove(db, raters.listed(db, campaign)[-1], reason="random answers", actor="lea")
    campaign = lifecycle.close(db, campaign, actor="lea")
    path = export_zip(db, campaign, tmp_path / "out.zip", formats=formats, identities=True)
    back = import_file(other, path, actor="ben")
    assert plain(back) == plain(campaign)
    assert [plain(one) for one in raters.listed(other, back)] == [
        plain(one) | {"seconds": pytest.approx(one.seconds)} for one in raters.listed(db, campaign)
    ]
    assert responses.items(other, back) == responses.items(db, campaign)
    assert beside(other, back) == beside(db, campaign)
    stored, again = list(responses.stored(db, campaign)), list(responses.stored(other, back))
    assert [plain(one) for one in again] == [plain(one) for one in stored]
    assert replaced(again) == replaced(stored)
    assert references_of(other, back) == references_of(db, campaign)
    assert analysis.counting(other, back) == analysis.counting(db, campaign)
    # Figures may be NaN, which equals nothing.
    assert repr(analysis.result_tables(other, back)) == repr(analysis.result_tables(db, campaign))


TRAINING = """
examples:
  - {image: tabby.jpg, caption: A cat., answers: {verdict: incomplete}, why: It says nothing else.}
  - {image: other/mine.png, caption: A city at night., answers: {verdict: unrelated}}
"""
SURVEY = "questions:\n  - {aspect: screen, ask: 'What do you use?', options: [phone, desk]}\n"


@pytest.mark.parametrize("formats", [["jsonl"], ["csv"], ["parquet"]], ids=lambda one: one[0])
def test_training_and_surveys_come_back_with_their_answers(
    db: Database, other: Database, make_campaign: Any, tmp_path: Path, formats: list[str]
) -> None:
    if db.kind == "postgresql" and formats != ["jsonl"]:
        pytest.skip("the format of a file has nothing to do with the database")
    pictures = tmp_path / "pictures"
    (pictures / "other").mkdir(parents=True)
    shutil.copy(demo_files().images / "dogs.jpg", pictures / "other" / "mine.png")
    campaign, (ada, ben) = make_campaign("tagging", images=2, raters=1, two_rounds=False)
    campaign = set_training(db, campaign, training_of(TRAINING, campaign.rules(), [pictures]), actor="lea")
    given = replace(campaign.settings, survey_before=SURVEY, training_tries=1, training_pass=1.0)
    campaign = lifecycle.change_settings(db, campaign, given, actor="lea")
    assert surveys.answer(db, campaign, ada, "before", {"screen": "desk"}) == []
    for kept, verdict in zip(training.examples(db, campaign), ("incomplete", "unrelated"), strict=True):
        training.answer(db, campaign, ada, kept, 1, {"verdict": verdict})
    path = export_zip(db, campaign, tmp_path / "out.zip", formats=formats)
    back = import_file(other, path, actor="ben", images=pictures)
    assert back.settings == campaign.settings  # the same version: examples and pictures are equal
    assert [one.example for one in training.examples(other, back)] == [
        one.example for one in training.examples(db, campaign)
    ]
    assert training.answers(other, back) == training.answers(db, campaign)
    assert surveys.answers(other, back) == surveys.answers(db, campaign)
    standing = {one.pseudonym: training.pending(other, back, one) for one in raters.listed(other, back)}
    assert standing == {ada.pseudonym: None, ben.pseudonym: "survey"}
    with pytest.warns(CaptiousWarning, match=r'left out: .* no picture "other/mine\.png".* --images'):
        without = import_file(other, path, actor="ben", slug="without-pictures")
    assert (without.settings.training, training.answers(other, without)) == ("", [])
    assert surveys.answers(other, without) == surveys.answers(db, campaign)
