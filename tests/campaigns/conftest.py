"""Small campaigns to work with, and answers that their forms take."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest
from sqlalchemy import Connection

from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater, Settings, Task
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.store.writer import Work
from captious.corpus import Corpus
from captious.protocols import Item

MakeCampaign = Callable[..., tuple[Campaign, list[Rater]]]
LIKERT = """
name: helpfulness
kind: likert
raters: 2
questions:
  - aspect: helpful
    ask: Would it help someone who cannot see the image?
"""


def corpus_of(images: int, systems: tuple[str, ...] = ("m1", "m2")) -> Corpus:
    """Images with a caption of each system and two human ones."""
    rows = [(image, system) for image in range(images) for system in systems]
    return Corpus.from_lists(
        [f"A dog of {system} at place {image}." for image, system in rows],
        [[f"Dog {image} runs.", f"The dog at {image}."] for image, _ in rows],
        image_ids=[f"i{image}" for image, _ in rows],
        systems=[system for _, system in rows],
    )


def answers_to(item: Item) -> dict[str, Any]:
    """Answers that are valid for any form, and that pass any attention check."""
    found: dict[str, Any] = {}
    for field in item.form.fields:
        if field.kind in ("number", "scale"):
            found[field.name] = field.high
            if item.check:
                found[field.name] = field.low if item.check == "right" else field.high
        elif field.kind in ("choice", "pair", "yes_no"):
            found[field.name] = field.options[0].value
    return found


def wrong_answers_to(check: Item) -> dict[str, Any]:
    """Answers that fall for the planted caption of a check."""
    (field,) = check.form.fields
    return {field.name: field.high if check.check == "right" else field.low}


@pytest.fixture
def make_campaign(db: Database) -> MakeCampaign:
    """Make an open campaign with raters."""

    def make(
        protocol: str = "tagging",
        *,
        images: int = 4,
        people: int = 2,
        title: str = "Dogs",
        settings: Settings | None = None,
        native: bool = False,
        **options: Any,
    ) -> tuple[Campaign, list[Rater]]:
        draft = create.draft(
            protocol,
            corpus_of(images),
            title=title,
            options=options,
            settings=settings,
            protocol_file=LIKERT if protocol == "generic" else None,
        )
        campaign = lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
        new = [NewRater(f"Person {at}", native=native) for at in range(people)]
        return campaign, raters.add(db, campaign, new, actor="lea")

    return make


@pytest.fixture
def answers() -> Callable[[Item], dict[str, Any]]:
    """`answers_to`."""
    return answers_to


@pytest.fixture
def failing_answers() -> Callable[[Item], dict[str, Any]]:
    """`wrong_answers_to`."""
    return wrong_answers_to


@pytest.fixture
def write_together(db: Database) -> Callable[..., list[Future[Any]]]:
    """Have works written as one group: one before them keeps the writer busy until all wait."""

    def write(*works: Work[Any]) -> list[Future[Any]]:
        begun, go_on = threading.Event(), threading.Event()

        def busy(_: Connection) -> None:
            begun.set()
            go_on.wait(10)

        first = db.writer.submit(busy)
        assert begun.wait(10)
        futures = [db.writer.submit(work) for work in works]
        go_on.set()
        first.result()
        return futures

    return write


def tokens(tasks: list[Task]) -> list[str]:
    """The tokens of some tasks."""
    return [task.token for task in tasks]
