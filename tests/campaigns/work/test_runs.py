"""A search that remembers finds what a search that walks finds, whatever happens between two searches."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NotOpen, NotYours, Rater
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, pool, pool_queries, responses, runs
from captious.campaigns.work.claims import release_expired
from captious.corpus import Corpus

CAMPAIGNS: dict[str, dict[str, Any]] = {
    "tagging": {"protocol": "tagging", "images": 9, "raters": 2, "two_rounds": True},  # a second stage
    "humanr": {"protocol": "humanr", "images": 12},  # labels, checks, tens, no image twice
    "generic": {"protocol": "generic", "images": 9},
}
DAY = 86_400.0
OFTEN = 10**6
STEPS = (
    *("answer", "answer", "answer", "hold", "let go", "wait"),
    *("remove", "take back", "correct", "more images", "more raters"),
)
_numbers = itertools.count()


class Story:
    """A campaign in which things happen."""

    def __init__(
        self, db: Database, clock: Any, open_one: tuple[Campaign, list[Rater]], answers: Any
    ) -> None:
        self.db, self.clock, self.answers = db, clock, answers
        self.campaign, self.people = open_one
        self.target = 2

    def happen(self, what: str, who: int) -> None:
        """One thing that raters, time or a manager do."""
        rater = self.people[who % len(self.people)]
        if what == "answer":
            for task in assignment.next_tasks(self.db, self.campaign, rater)[:3]:
                self.respond(rater, task)
        elif what == "hold":
            assignment.next_tasks(self.db, self.campaign, rater)
        elif what == "let go":
            self.clock.move(DAY)
            release_expired(self.db, self.campaign)
        elif what == "wait":
            self.clock.move(DAY * 20)  # items that may be given later only
        elif what == "remove":
            raters.remove(self.db, rater, reason="a test", actor="lea")
        elif what == "take back":
            raters.reinstate(self.db, rater, actor="lea")
        elif what == "correct":
            last = assignment.previous_task(self.db, rater)
            if last is not None:
                self.respond(rater, last)
        elif what == "more images":
            new = Corpus.from_lists(
                ["A cat.", "A cow."],
                [["Cat.", "The cat."], ["Cow.", "The cow."]],
                image_ids=[f"new {next(_numbers)}", f"new {next(_numbers)}"],
                systems=["m1", "m1"],
            )
            lifecycle.extend(self.db, self.campaign, corpus=new, actor="lea")
        elif self.campaign.protocol == "tagging":
            self.target += 1
            lifecycle.extend(self.db, self.campaign, target=self.target, actor="lea")

    def respond(self, rater: Rater, task: Any) -> None:
        """Answer, with a new key each time."""
        key = f"k{next(_numbers)}"
        try:
            responses.respond(self.db, rater, task.token, self.answers(task.item), key=key)
        except (NotOpen, NotYours):
            return

    def compare(self) -> None:
        """For every rater: the same items in the same order, and as many left."""
        for rater in self.people:
            with self.db.write() as connection:
                found_rater = assignment.working_rater(connection, rater, self.db.now())[1]
                found = [
                    (
                        [one.id for one in pool.search(self.db, connection, self.campaign, own)[1]],
                        pool.count_left(connection, self.campaign, own, 0),
                    )
                    for own in (found_rater._replace(answered=0), found_rater._replace(answered=OFTEN))
                ]
            assert found[0] == found[1], rater.pseudonym


@pytest.fixture
def short_sighted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small campaigns meet what large ones do: samples of two items, runs of two in steps of four."""
    monkeypatch.setattr(runs, "STRETCH", 4)
    monkeypatch.setattr(runs, "SHORTEST", 2)
    monkeypatch.setattr(pool_queries, "SAMPLE", 2)
    monkeypatch.setattr(pool_queries, "SAMPLE_LEFT", 3)
    small = {once: pool_queries.search_queries(once) for once in pool_queries.SEARCH}
    monkeypatch.setattr(pool_queries, "SEARCH", small)


@pytest.mark.usefixtures("short_sighted")
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_what_is_remembered_changes_nothing(
    db: Database, clock: Any, make_campaign: Any, answers: Any, name: str
) -> None:
    kept = 0

    @settings(
        max_examples=5,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture],
        derandomize=True,
    )
    @given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 3)), min_size=4, max_size=14))
    def story(steps: list[tuple[str, int]]) -> None:
        nonlocal kept
        title = f"{name} {next(_numbers)}"
        told = Story(db, clock, make_campaign(title=title, people=4, **CAMPAIGNS[name]), answers)
        told.compare()
        for what, who in steps:
            told.happen(what, who)
            told.compare()
        with db.read() as connection:
            kept += connection.execute(sa.select(sa.func.count()).select_from(schema.searched)).scalar_one()

    story()
    assert kept  # or nothing was put to the test
