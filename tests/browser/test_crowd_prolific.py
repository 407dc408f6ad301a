"""A participant comes from Prolific, works, and goes back with the right code; forgers stay outside."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

pytest.importorskip("playwright", reason="playwright is not installed")
pytest.importorskip("httpx", reason="Prolific needs captious[crowd]")

from captious.campaigns.setup import create, lifecycle
from captious.corpus.load import load_corpus
from captious.crowd import calls, studies
from captious.crowd.reconcile import reconcile
from captious.crowd.values import Question

pytestmark = pytest.mark.browser
TOKEN = "prolific-token-7c1f0e5a9b"
COMPLETE = "https://app.prolific.com/submissions/complete?cc="
CHECK = Question("What do you compare?", ("Two captions", "Two photos"), ("Two captions",))
PUBLIC = "https://rate.example.org"


class Bureau:
    """A study at Prolific whose participants come to the studio's server."""

    def __init__(self, studio: Any, service: Any, sample: Any) -> None:
        self.studio, self.service, self.world = studio, service, service.world
        corpus = load_corpus(sample.candidates, [sample.references])
        options = {"target": 3, "baseline": False, "group_size": 2}
        title = f"Which caption is better? {uuid4().hex[:6]}"
        draft = create.draft("humanr", corpus, title=title, options=options)
        made = create.create(studio.db, draft, actor="lea")
        self.campaign = lifecycle.open_campaign(studio.db, made, actor="lea")
        plan = {"places": 3, "answers": 2, "reward": 50, "currency": "USD", "minutes": 2.0}
        study = studies.new_study(self.campaign, PUBLIC, comprehension=(CHECK,), **plan)
        planned = studies.create(studio.db, self.campaign, study, "prolific", {}, actor="lea")
        self.stored = calls.publish(studio.db, planned, actor="lea")
        self.codes = study.codes

    def arrive(self) -> dict[str, str]:
        """Someone takes a place at Prolific: what their address says."""
        address = self.world.arrive(self.stored.published_at().id, self.world.new())
        return {name: values[0] for name, values in parse_qs(urlsplit(address).query).items()}

    def open(self, ids: dict[str, str], way: str = "mouse") -> Any:
        """Someone opens the address at Prolific, or one that they made up."""
        hand = self.studio.visitor(way)
        hand.page.route(re.compile(r"^https://app\.prolific\.com/"), lambda route: self.returned(route, ids))
        query = "&".join(f"{name}={value}" for name, value in ids.items())
        hand.open(f"/go/{self.stored.study.key}?{query}")
        return hand

    def returned(self, route: Any, ids: dict[str, str]) -> None:
        """Prolific's own page takes the code."""
        self.world.finish(ids["SESSION_ID"], parse_qs(urlsplit(route.request.url).query)["cc"][0])
        self.studio.problems.remove(route.request.url)
        route.fulfill(body="<h1>Thank you</h1>", content_type="text/html")

    def there(self, ids: dict[str, str]) -> Any:
        return self.world.submissions[ids["SESSION_ID"]]


@pytest.fixture
def bureau(
    studio: Any, cut_sample: Any, prolific_service: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Bureau]:
    with prolific_service.Service(TOKEN).running() as service:
        monkeypatch.setenv("PROLIFIC_URL", service.address)
        monkeypatch.setenv("PROLIFIC_TOKEN", TOKEN)
        yield Bureau(studio, service, cut_sample(4, "heron"))


def say(hand: Any, choice: str) -> None:
    hand.page.get_by_label(choice).check()
    hand.push("Start")


def work(hand: Any) -> int:
    done = 0
    while hand.page.locator("[data-answers]").count():
        hand.answer({"preference": "5"})
        hand.submit()
        done += 1
    return done


@pytest.mark.parametrize("way", ["mouse", "plain"])
def test_from_prolific_through_the_work_and_back(way: str, bureau: Bureau) -> None:
    ids = bureau.arrive()
    hand = bureau.open(ids, way)
    text = hand.page.locator("main").inner_text()
    assert "$0.50" in text and "Which caption is better?" in text
    say(hand, "Two photos")  # the first of two attempts
    assert "one try left" in hand.page.get_by_role("alert").inner_text()
    say(hand, "Two captions")
    assert work(hand) == 2
    assert hand.page.locator("#code").inner_text() == bureau.codes["completed"]
    hand.activate(hand.page.locator("main a.button"))
    assert hand.page.url == COMPLETE + bureau.codes["completed"]
    assert bureau.there(ids).status == "AWAITING REVIEW"
    (due,) = reconcile(bureau.studio.db, bureau.stored).due
    calls.approve(bureau.studio.db, bureau.stored, due)
    assert bureau.world.paid("reward") == {ids["SESSION_ID"]: [50]}


def test_who_does_not_understand_twice_is_asked_to_return(bureau: Bureau) -> None:
    ids = bureau.arrive()
    hand = bureau.open(ids)
    say(hand, "Two photos")
    say(hand, "Two photos")
    assert hand.page.locator("#code").inner_text() == bureau.codes["failed"]
    hand.activate(hand.page.locator("main a.button"))
    assert hand.page.url == COMPLETE + bureau.codes["failed"]
    assert bureau.there(ids).return_requested is not None
    assert reconcile(bureau.studio.db, bureau.stored).due == ()


def test_ids_that_are_made_up_or_used_before_let_nobody_in(bureau: Bureau) -> None:
    own, other = bureau.arrive(), bureau.arrive()
    made_up = [
        {**own, "SESSION_ID": "f" * 24},
        {**own, "SESSION_ID": other["SESSION_ID"]},
        {**own, "PROLIFIC_PID": other["PROLIFIC_PID"]},
        {**own, "STUDY_ID": "f" * 24},
        {"PROLIFIC_PID": own["PROLIFIC_PID"]},
    ]
    for ids in made_up:
        hand = bureau.open(ids)
        assert hand.page.get_by_role("button", name="Start").count() == 0, ids
        assert not hand.page.locator("#code").count()
    hand = bureau.open(own)
    say(hand, "Two captions")
    assert work(hand) == 2
    hand.activate(hand.page.locator("main a.button"))
    # The address is opened again, by them or by whoever they gave it to.
    again = bureau.open(own)
    assert again.page.get_by_role("button", name="Start").count() == 0
    assert again.page.locator("[data-answers]").count() == 0
    assert not again.page.locator("#code").count()
