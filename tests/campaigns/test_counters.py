"""Whatever happens in whatever order, counters equal what they count (hypothesis)."""

from __future__ import annotations

import itertools
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater, NotOpen, Receipt, Settings, Task
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus

HOLD = 100.0
PEOPLE = 4
numbers = itertools.count()


def corpus(images: int = 4) -> Corpus:
    return Corpus.from_lists(
        [f"A dog {image}." for image in range(images)],
        [[f"Dog {image}.", f"The dog {image}."] for image in range(images)],
        image_ids=[str(image) for image in range(images)],
    )


class Working(RuleBasedStateMachine):
    """Raters take, answer, correct and let go; others remove and reinstate them; time passes."""

    address: str
    files: Path

    @initialize(protocol=st.sampled_from(["thumb", "tagging", "humanr", "audit"]), seed=st.integers(0, 50))
    def open(self, protocol: str, seed: int) -> None:
        self.time = 1_000_000.0
        self.db = Database.open(self.address, files=self.files, clock=lambda: self.time)
        options: dict[str, Any] = {"tagging": {"raters": 2, "interval": 150.0}}.get(protocol, {})
        draft = create.draft(
            protocol,
            corpus(),
            title=f"Campaign {next(numbers)}",
            options=options,
            seed=seed,
            settings=Settings(hold_seconds=HOLD),
        )
        made = create.create(self.db, draft, actor="lea")
        self.campaign = lifecycle.open_campaign(self.db, made, actor="lea")
        people = [NewRater(f"P{at}") for at in range(PEOPLE)]
        self.people = raters.add(self.db, self.campaign, people, actor="lea")
        self.known: list[tuple[int, Task]] = []
        self.keys: dict[tuple[int, str], int] = {}

    def teardown(self) -> None:
        if hasattr(self, "db"):
            self.db.close()

    @rule(who=st.integers(0, PEOPLE - 1))
    def take(self, who: int) -> None:
        for task in assignment.next_tasks(self.db, self.campaign, self.people[who]):
            if (who, task.token) not in {(w, t.token) for w, t in self.known}:
                self.known.append((who, task))

    @precondition(lambda self: self.known)
    @rule(at=st.integers(0, 10**6), good=st.booleans(), same_key=st.booleans())
    def answer(self, at: int, good: bool, same_key: bool) -> None:
        who, task = self.known[at % len(self.known)]
        key = f"key {task.token}" if same_key else f"key {next(numbers)}"
        given: dict[str, Any] = {}
        for field in task.item.form.fields:
            if field.kind in ("choice", "pair", "yes_no"):
                given[field.name] = field.options[0].value
            elif field.kind in ("number", "scale"):
                right = not task.item.check or (good == (task.item.check == "left"))
                given[field.name] = field.high if right else field.low
        try:
            found = responses.respond(self.db, self.people[who], task.token, given, key=key)
        except NotOpen:
            return
        if isinstance(found, Receipt):
            known = self.keys.setdefault((who, key), found.response_id)
            assert known == found.response_id

    @rule(seconds=st.sampled_from([10.0, HOLD / 2, HOLD + 1, 200.0]))
    def wait(self, seconds: float) -> None:
        self.time += seconds

    @rule()
    def release(self) -> None:
        assignment.release_expired(self.db, self.campaign)

    @rule(who=st.integers(0, PEOPLE - 1))
    def remove(self, who: int) -> None:
        raters.remove(self.db, self.people[who], reason="a test", actor="lea")

    @rule(who=st.integers(0, PEOPLE - 1))
    def reinstate(self, who: int) -> None:
        raters.reinstate(self.db, self.people[who], actor="lea")

    @rule()
    def pause_and_resume(self) -> None:
        state = lifecycle.by_id(self.db, self.campaign.id).state
        step = lifecycle.pause if state == "open" else lifecycle.resume
        step(self.db, self.campaign, actor="lea")

    @invariant()
    def counters_equal_counts(self) -> None:
        if not hasattr(self, "db"):
            return
        item, own, rater = schema.item.c, schema.assignment.c, schema.rater.c
        here = self.campaign.id
        with self.db.read() as connection:
            slots = connection.execute(
                sa.select(own.item_id, own.rater_id, own.state, own.response_id, rater.state)
                .join(schema.rater, rater.id == own.rater_id)
                .where(own.campaign_id == here)
            ).all()
            items = connection.execute(sa.select(schema.item).where(item.campaign_id == here)).all()
            labels = connection.execute(
                sa.select(schema.label).where(schema.label.c.campaign_id == here)
            ).all()
            people = connection.execute(sa.select(schema.rater).where(rater.campaign_id == here)).all()
            stored = connection.execute(
                sa.select(schema.response).where(schema.response.c.campaign_id == here)
            ).all()
        active = [slot for slot in slots if slot[4] == "active"]
        taken = Counter(slot[0] for slot in active if slot[2] in ("held", "answered"))
        done = Counter(slot[0] for slot in active if slot[2] == "answered")
        for one in items:
            assert (one.taken, one.done) == (taken[one.id], done[one.id])
            assert one.done <= one.taken
        for label in labels:
            assert label.taken == sum(
                one.taken for one in items if one.balance == label.name and not one.is_check
            )
        answered = Counter(slot[1] for slot in slots if slot[2] == "answered")
        assert {one.id: one.answered for one in people} == {one.id: answered[one.id] for one in people}
        # Each answered slot points at the newest of its rows, and no row is lost.
        newest = {(row.item_id, row.rater_id): row.id for row in sorted(stored, key=lambda r: r.id)}
        assert {(s[0], s[1]): s[3] for s in slots if s[2] == "answered"} == newest
        assert {row.id for row in stored} == {*self.keys.values()}


# Few and short by default: each step commits to a real disk. `make test-all` runs many.
FEW = {"max_examples": 6, "stateful_step_count": 25}
MANY = {"max_examples": 60, "stateful_step_count": 60}


def explore(address: str, files: Path, size: dict[str, int]) -> None:
    from hypothesis.stateful import run_state_machine_as_test

    machine = type("Here", (Working,), {"address": address, "files": files})
    run_state_machine_as_test(
        machine, settings=settings(deadline=None, suppress_health_check=[*HealthCheck], **size)
    )


def test_counters_always_equal_counts(database_url: str, tmp_path: Path) -> None:
    explore(database_url, tmp_path, FEW)


@pytest.mark.long
def test_counters_always_equal_counts_at_length(database_url: str, tmp_path: Path) -> None:
    explore(database_url, tmp_path, MANY)
