"""A campaign of each protocol on the bundled sample, part of the work done by simulated raters.

Some raters are careless, so that flags, removals and disagreements have something to show, and some
work is left open, so that anyone can try to rate. The opinions come from the sample's judgments.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sqlalchemy import event

from captious.campaigns.quality.adjudication import adjudicate, disagreements
from captious.campaigns.quality.control import run_quality
from captious.campaigns.records import Campaign, Settings
from captious.campaigns.setup.create import create, draft
from captious.campaigns.setup.lifecycle import find, open_campaign
from captious.campaigns.simulate.run import Clock, simulate
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from captious.corpus.judged import read_judgments
from captious.corpus.load import load_corpus
from captious.data import demo_files
from captious.protocols.simulation import SimulatedRater

ACTOR = "demo"
DAY = 24 * 3600.0
WEEK = 7 * DAY
SIX_WEEKS = 6 * WEEK  # by then the second round of tagging may begin
LIKERT = """\
name: helpfulness
raters: 3
comment: true
questions:
  - aspect: helpful
    ask: Would the caption help someone who cannot see the image?
    labels: {1: Not at all, 5: Very much}
  - aspect: natural
    ask: Does it read like something a person would write?
    labels: {1: Not at all, 5: Very much}
guide:
  - title: What you do
    text: Read the caption aloud first. Then look at the image.
    examples: ["It names the main thing and where it is: helpful."]
    pictures:
      - image: tabby.jpg
        shows: The face of a tabby cat with green eyes.
        caption: A tabby cat with green eyes, close up.
        verdict: "Helpful 5, natural 5"
      - image: tabby.jpg
        shows: The face of a tabby cat with green eyes.
        caption: cat cat image of animal
        verdict: "Helpful 2, natural 1"
        why: It names the animal, and nobody would say it so.
"""
Quality = Mapping[str | tuple[str, str], float]


@dataclass(frozen=True)
class _Plan:
    """One campaign of the demo: what is judged, by whom, and how much of it is done."""

    protocol: str
    title: str
    people: Callable[[Quality], list[SimulatedRater]]
    images: int
    until: int | None
    options: Mapping[str, Any] = field(default_factory=dict)
    protocol_file: str | None = None
    settings: Settings = field(default_factory=Settings)
    second_round: int = 0


def _pair(quality: Quality) -> list[SimulatedRater]:
    return [
        SimulatedRater("Ada Ahmed", quality, noise=0.06, seconds=55, native=True),
        SimulatedRater("Boris Brandt", quality, noise=0.10, seconds=48),
        SimulatedRater("Chen Cao", quality, noise=0.12, seconds=62),
    ]


def _crowd(quality: Quality) -> list[SimulatedRater]:
    names = ("Dana", "Eli", "Fatou", "Goro", "Hana")
    careful = [SimulatedRater(name, quality, noise=0.1, seconds=7) for name in names]
    hasty = SimulatedRater("Ivo", quality, noise=0.4, attentive=False, seconds=3)
    return [*careful, hasty]


def _taggers(quality: Quality) -> list[SimulatedRater]:
    return [
        SimulatedRater("Jo", quality, noise=0.08, seconds=6),
        SimulatedRater("Kim", quality, noise=0.12, seconds=8),
        SimulatedRater("Lou", quality, noise=0.15, seconds=5),
    ]


def _auditors(quality: Quality) -> list[SimulatedRater]:
    return [
        SimulatedRater("Mia", quality, noise=0.12, seconds=30),
        SimulatedRater("Nils", quality, noise=0.15, seconds=34),
    ]


def _careless(quality: Quality) -> list[SimulatedRater]:
    return [
        SimulatedRater("Ola", quality, noise=0.08, seconds=9),
        SimulatedRater("Pia", quality, noise=0.10, seconds=11),
        SimulatedRater("Quinn", quality, habit="same", seconds=0.9),
        SimulatedRater("Rui", quality, habit="random", seconds=7),
    ]


def _players(quality: Quality) -> list[SimulatedRater]:
    names = ("Sam", "Tara", "Uli", "Vera")
    careful = [SimulatedRater(name, quality, noise=0.05, seconds=10) for name in names]
    return [*careful, SimulatedRater("Wim", quality, habit="random", seconds=6)]


def _nobody(_: Quality) -> list[SimulatedRater]:
    return []


PAID = Settings(payment_per_response=0.025, currency="USD", hourly_wage=15.0)
PLANS = (
    _Plan("thumb", "Demo: THumB rubric", _pair, 18, 26, {"development_images": 2}),
    _Plan("humanr", "Demo: HUMANr", _crowd, 24, 80, settings=PAID),
    _Plan("tagging", "Demo: tagging", _taggers, 6, 60, {"raters": 3}, second_round=36),
    _Plan("audit", "Demo: error audit", _auditors, 6, 38, {"target": 2}),
    _Plan("spans", "Demo: error spans", _auditors, 6, 40),
    _Plan(
        "generic",
        "Demo: helpfulness",
        _careless,
        8,
        88,
        protocol_file=LIKERT,
        settings=Settings(minimum_seconds=2.0),
    ),
    # A simulated rater has no voice.
    _Plan("spoken", "Demo: spoken captions", _nobody, 12, 0),
    _Plan(
        "game",
        "Demo: rating game",
        _players,
        24,
        190,
        protocol_file=demo_files().game.read_text(encoding="utf-8"),
    ),
)


WHOLE_SAMPLE = _Plan("tagging", "Demo: the loop", _taggers, 24, None, {"raters": 3, "two_rounds": False})


def finished_campaign(db: Database, *, seed: int = 7) -> Campaign:
    """A tagging campaign of every caption of the sample, finished by three simulated raters."""
    sample = demo_files()
    corpus = load_corpus(sample.systems, [sample.references], images=sample.images)
    return _make(db, WHOLE_SAMPLE, corpus, demo_quality(), Clock(db.now()), seed)


def make_demo(db: Database, *, seed: int = 7) -> list[Campaign]:
    """Create the campaigns of the demo in an empty database, opened and partly done.

    The responses lie in the weeks before now: for that a second clock writes to the same database.
    """
    sample = demo_files()
    corpus = load_corpus(sample.systems, [sample.references], images=sample.images)
    quality = demo_quality()
    start = db.now() - SIX_WEEKS - WEEK
    clock = Clock(start)
    made = []
    with in_the_past(db, clock) as past:
        for plan in PLANS:
            clock.time = start
            made.append(_make(past, plan, corpus, quality, clock, seed).slug)
    return [find(db, slug) for slug in made]


def in_the_past(db: Database, clock: Clock) -> Database:
    """The same database with a clock of its own, for answers that are made up."""
    past = Database.open(db.engine.url.render_as_string(hide_password=False), files=db.files, clock=clock)
    if past.kind == "sqlite":
        # Nobody misses simulated data after a power cut, and a demo should start at once.
        event.listen(past.engine, "connect", _do_not_wait_for_the_disk)
        past.engine.dispose()
    return past


def _do_not_wait_for_the_disk(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA synchronous=OFF")


def _make(db: Database, plan: _Plan, corpus: Corpus, quality: Quality, clock: Clock, seed: int) -> Campaign:
    chosen = corpus.select(np.flatnonzero(corpus.image_of < plan.images))
    made = draft(
        plan.protocol,
        chosen,
        title=plan.title,
        options=plan.options,
        protocol_file=plan.protocol_file,
        seed=seed,
        settings=plan.settings,
    )
    campaign = open_campaign(db, create(db, made, actor=ACTOR), actor=ACTOR)
    people = plan.people(quality)
    simulate(db, campaign, people, seed=seed, until=plan.until, clock=clock)
    if plan.second_round:
        clock.move(SIX_WEEKS)
        simulate(db, campaign, people, seed=seed + 1, until=plan.second_round, clock=clock)
    run_quality(db, campaign)
    _settle_one(db, campaign)
    return campaign


def _settle_one(db: Database, campaign: Campaign) -> None:
    """Decide the widest disagreement as its second rater saw it."""
    for one in disagreements(db, campaign, limit=1):
        answers = {
            name: answer
            for name, answer in one.responses[-1].answers.items()
            if one.item.form.field(name) is not None
        }
        adjudicate(db, campaign, one.item.key, answers, actor=ACTOR, key="demo-decision")


def demo_quality() -> dict[str | tuple[str, str], float]:
    """How good each caption of the sample is, 0 to 1, by its THumB judgments.

    >>> quality = demo_quality()
    >>> quality["1", "heron"] > quality["1", "dodo"]
    True
    """
    judged = read_judgments(demo_files().judgments).judgments
    scores = (judged.means("precision") + judged.means("recall")) / 2
    penalties = [np.abs(judged.means(aspect)) for aspect in ("fluency", "conciseness", "inclusive_language")]
    totals = scores - np.sum(penalties, axis=0)
    return {
        key: float(np.clip((total - 1) / 4, 0, 1))
        for key, total in zip(judged.keys, totals.tolist(), strict=True)
    }
