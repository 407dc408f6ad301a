"""A campaign with a planned study."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.corpus import Corpus
from captious.crowd import studies


def humanr_campaign(db: Database, *, images: int = 20, target: int = 1) -> Any:
    """An open head-to-head campaign: a human caption against one of a model for each image."""
    corpus = Corpus.from_lists(
        [f"A dog at place {image}." for image in range(images)],
        [[f"Dog {image} runs.", f"The dog at {image}."] for image in range(images)],
        image_ids=[f"i{image}" for image in range(images)],
        systems=["m1"] * images,
    )
    draft = create.draft("humanr", corpus, title="Dogs", options={"target": target})
    return lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")


def planned(db: Database, campaign: Any, provider: str = "panel", /, **given: Any) -> studies.Stored:
    """A study of the campaign, stored and not yet published; `options` are the provider's."""
    options = given.pop("options", {})
    plan = {"places": 3, "answers": 10, "reward": 150, "currency": "USD", "minutes": 6.0} | given
    study = studies.new_study(campaign, "https://rate.example.org", **plan)
    return studies.create(db, campaign, study, provider, options, actor="lea")


@pytest.fixture
def campaign(db: Database) -> Any:
    return humanr_campaign(db)


@pytest.fixture
def stored(db: Database, campaign: Any) -> studies.Stored:
    return planned(db, campaign)


@pytest.fixture
def stored_on_disk(tmp_path: Path) -> Path:
    path = tmp_path / "crowd.db"
    with Database.open(path) as db:
        planned(db, humanr_campaign(db))
    return path


@pytest.fixture
def contents() -> Callable[[Path], dict[str, bytes]]:
    """What stands in a folder: every file, and what is in archives."""

    def read(folder: Path) -> dict[str, bytes]:
        found = {}
        for path in folder.rglob("*"):
            if zipfile.is_zipfile(path):
                with zipfile.ZipFile(path) as archive:
                    found |= {f"{path}:{name}": archive.read(name) for name in archive.namelist()}
            elif path.is_file():
                found[str(path)] = path.read_bytes()
        return found

    return read
