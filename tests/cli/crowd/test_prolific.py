"""`captious crowd` with Prolific: what a first-time user meets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.setup import create, lifecycle
from captious.campaigns.store.database import Database
from captious.corpus import Corpus

TOKEN = "prolific-token-7c1f0e5a9b"
PLAN = ("--places", "4", "--answers", "5", "--reward", "0.75", "--minutes", "3")
PUBLIC = ("--base-url", "https://rate.example.org")


@pytest.fixture
def database(sqlite_url: str) -> Path:
    captions = [f"A dog at place {image}." for image in range(8)]
    references = [[f"Dog {image} runs.", f"The dog at {image}."] for image in range(8)]
    corpus = Corpus.from_lists(
        captions, references, image_ids=[f"i{at}" for at in range(8)], systems=["m1"] * 8
    )
    with Database.open(sqlite_url) as db:
        draft = create.draft("humanr", corpus, title="Dogs")
        lifecycle.open_campaign(db, create.create(db, draft, actor="lea"), actor="lea")
    return Path(sqlite_url)


@pytest.fixture
def prolific(prolific_service: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    with prolific_service.Service(TOKEN).running() as service:
        monkeypatch.setenv("PROLIFIC_URL", service.address)
        yield service


def test_from_no_token_to_a_published_study(
    run: Any, database: Path, prolific: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def publish(*more: str) -> Any:
        place = ("--provider", "prolific", "--database", str(database))
        return run("crowd", "publish", "dogs", *place, *PLAN, *PUBLIC, *more)

    monkeypatch.delenv("PROLIFIC_TOKEN", raising=False)
    found = publish("--confirm")
    assert (found.code, "PROLIFIC_TOKEN is not set" in found.err) == (2, True)
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    found = publish()
    # 4 x 0.75, and 42.8 % of it rounded up.
    assert "$3.00" in found.out and "$4.29" in found.out and "Add --confirm" in found.err
    assert prolific.world.studies == {}
    # The account pays 33.3 %: an estimate with 20 % is too low, and is mended by asking again.
    found = publish("--confirm", "--option", "fee=20")
    assert (found.code, "Prolific charges $4.00" in found.err) == (2, True)
    found = publish("--confirm", "--option", "fee=33.3")
    assert found.code == 0 and "https://app.prolific.com/researcher/" in found.err
    (study,) = prolific.world.studies.values()
    assert (study["status"], study["reward"], study["total_available_places"]) == ("ACTIVE", 75, 4)


def test_a_publish_that_was_cut_off_is_taken_up(
    run: Any, database: Path, prolific: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
    prolific.fail("lost", "POST", "/api/v1/studies/")
    asked = ("crowd", "publish", "dogs", "--provider", "prolific", "--database", str(database))
    found = run(*asked, *PLAN, *PUBLIC, "--confirm")
    assert (found.code, "It may have gone through: run the command again" in found.err) == (2, True)
    found = run(*asked, *PUBLIC, "--confirm")
    assert (found.code, "an earlier publish was interrupted" in found.err) == (0, True)
    assert [one["status"] for one in prolific.world.studies.values()] == ["ACTIVE"]
