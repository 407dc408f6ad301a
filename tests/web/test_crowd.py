"""Participants come by the shared link of a study, and leave with its code."""

from __future__ import annotations

import hashlib
import hmac
from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle
from captious.crowd import calls, studies, visits
from captious.crowd.providers.panel import SECRET as PANEL_SECRET
from captious.crowd.values import Question
from captious.errors import InputError

TEXT = "I agree to take part."
BACK = "https://panel.example/back?who={participant}&code={code}"


class Study:
    """A published study of the panel provider on a site."""

    def __init__(self, site: Any, *, settings: Settings | None = None, **given: Any) -> None:
        self.site = site
        self.campaign = site.campaign("humanr", images=30, settings=settings)
        options = given.pop("options", {})
        plan = {"places": 2, "answers": 10, "reward": 150, "currency": "USD", "minutes": 5.0} | given
        study = studies.new_study(self.campaign, "http://testserver", **plan)
        stored = studies.create(site.db, self.campaign, study, "panel", options, actor="lea")
        self.stored = calls.publish(site.db, stored, actor="lea")
        self.codes = study.codes
        self.path = f"/go/{study.key}"

    def visits(self) -> dict[str, str]:
        return {one.participant: one.outcome for one in visits.of_study(self.site.db, self.stored.id)}

    def starts(self, address: str, **fields: str) -> tuple[Any, Any]:
        visitor = self.site.visitor()
        csrf = visitor.page(address).hidden("csrf")
        return visitor, visitor.post(address, data={"csrf": csrf, **fields})

    def works(self, visitor: Any, name: str, *, answers: int = 10, wrong: bool = False) -> None:
        (rater,) = [one for one in raters.listed(self.site.db, self.campaign) if one.name == name]
        for _ in range(answers):
            page = visitor.page(f"/work/{self.campaign.slug}")
            item = self.site.task(self.campaign, rater).item
            value = "9" if item.check and (item.check == "right") == wrong else "1"
            sent = {"csrf": page.hidden("csrf"), "key": page.hidden("key"), "preference": value}
            assert visitor.post(page.action(), data=sent).status_code == 303


def test_from_the_panels_link_through_the_work_to_its_completion_address(site: Any) -> None:
    study = Study(site, options={"parameter": "pid", "completed": BACK})
    address = f"{study.path}?pid=a%26b"
    visitor, answer = study.starts(address)
    assert (answer.status_code, answer.headers["location"]) == (303, f"/work/{study.campaign.slug}")
    study.works(visitor, "a&b", answers=3)
    assert visitor.get(f"{study.path}/done").headers["location"] == f"/work/{study.campaign.slug}"
    study.works(visitor, "a&b", answers=7)
    moved = visitor.get(f"/work/{study.campaign.slug}")
    assert moved.headers["location"] == f"{study.path}/done"
    page = visitor.page(f"{study.path}/done")
    code = study.codes["completed"]
    assert f"https://panel.example/back?who=a%26b&code={code}" in [one.get("href") for one in page.links]
    assert code in page.text
    assert study.visits() == {"a&b": "completed"}
    # The same browser sees its code again; another one with the same id does not.
    assert code in visitor.page(address).text
    stranger = site.visitor().get(address)
    assert stranger.status_code == 410 and code not in stranger.text


def test_looking_takes_no_place(site: Any) -> None:
    study = Study(site)
    for name in "abcdef":
        site.visitor().page(f"{study.path}?participant={name}")
    assert study.visits() == {}


def test_choosing_a_theme_without_a_script_keeps_the_participants_id(site: Any) -> None:
    study = Study(site, options={"parameter": "pid"})
    address = f"{study.path}?pid=a%26b&from=x"
    visitor = site.visitor()
    back = visitor.page(address).hidden("back")
    assert back == address
    answer = visitor.post("/theme", data={"theme": "dark", "back": back})
    assert (answer.status_code, answer.headers["location"]) == (303, address)


def test_the_third_of_two_places_is_told_that_it_is_full(site: Any) -> None:
    study = Study(site, options={"full": "https://panel.example/full?c={code}"})
    study.starts(f"{study.path}?participant=ada")
    study.starts(f"{study.path}?participant=bo")
    page = site.visitor().page(f"{study.path}?participant=cy")
    assert "All places are taken" in page.text
    assert f"https://panel.example/full?c={study.codes['full']}" in [one.get("href") for one in page.links]
    assert len(raters.listed(site.db, study.campaign)) == 2


def test_a_closed_study_is_not_called_full(site: Any) -> None:
    study = Study(site, options={"full": "https://panel.example/full?c={code}"})
    ada, _ = study.starts(f"{study.path}?participant=ada")
    calls.close(site.db, study.stored, actor="lea")
    page = site.visitor().page(f"{study.path}?participant=bo")
    assert "This study is closed" in page.text and "All places are taken" not in page.text
    assert f"https://panel.example/full?c={study.codes['full']}" in [one.get("href") for one in page.links]
    # Ada has a place and no task yet; once the campaign is closed as well, she hears the same.
    lifecycle.close(site.db, study.campaign, actor="lea")
    for address in (f"{study.path}/done", f"{study.path}?participant=ada"):
        text = ada.page(address).text
        assert "This study is closed" in text and "All places are taken" not in text


def test_no_id_and_an_unknown_study_are_refused(site: Any) -> None:
    study = Study(site)
    assert site.visitor().get(study.path).status_code == 400
    assert site.visitor().get(f"{study.path}?participant=%00").status_code == 404
    assert site.visitor().get("/go/" + "0" * 32).status_code == 404


def test_a_forged_signature_is_turned_away(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PANEL_SECRET, "shared with the panel")
    study = Study(site, options={"signature": "h"})
    sign = hmac.new(b"shared with the panel", b"ada", hashlib.sha256).hexdigest()
    assert site.visitor().get(f"{study.path}?participant=ada&h={sign}").status_code == 200
    for address in (
        f"participant=eve&h={sign}",
        "participant=ada&h=00",
        "participant=ada",
        "h=é&participant=a",
    ):
        answer = site.visitor().get(f"{study.path}?{address}")
        assert (answer.status_code, "do not belong" in answer.text) == (403, True)
    assert "shared with the panel" not in site.visitor().get(f"{study.path}?participant=ada").text


SCREENING = (Question("Do you read English?", ("Yes", "No"), ("Yes",)),)
UNDERSTOOD = (Question("What does 9 mean?", ("Only right", "Only left"), ("Only right",)),)


def test_screening_ends_with_a_code_of_its_own(site: Any) -> None:
    study = Study(site, screening=SCREENING, options={"screened_out": "https://panel.example/out"})
    _, answer = study.starts(f"{study.path}?participant=ada", s0="No")
    assert answer.status_code == 200
    assert study.codes["screened_out"] in answer.text and "https://panel.example/out" in answer.text
    assert study.codes["completed"] not in answer.text
    assert study.visits() == {"ada": "screened_out"}
    assert site.visitor().get(f"{study.path}?participant=ada").status_code == 410


def test_comprehension_questions_can_be_tried_twice(site: Any) -> None:
    study = Study(site, comprehension=UNDERSTOOD)
    address = f"{study.path}?participant=ada"
    visitor, first = study.starts(address, c0="Only left")
    assert (first.status_code, "one try left" in first.text) == (422, True)
    csrf = visitor.page(address).hidden("csrf")
    second = visitor.post(address, data={"csrf": csrf, "c0": "Only left"})
    assert (second.status_code, study.codes["failed"] in second.text) == (200, True)
    _, good = study.starts(f"{study.path}?participant=bo", c0="Only right")
    assert good.status_code == 303


def test_nobody_begins_without_consent_or_with_a_question_open(site: Any) -> None:
    study = Study(site, settings=Settings(consent=TEXT), screening=SCREENING)
    version = study.campaign.settings.consent_version
    for fields in ({}, {"consent": version}, {"s0": "Yes"}, {"consent": "no", "s0": "Yes"}):
        _, answer = study.starts(f"{study.path}?participant=ada", **fields)
        assert answer.status_code == 422
    assert study.visits() == {}
    _, answer = study.starts(f"{study.path}?participant=ada", consent=version, s0="Yes")
    assert answer.status_code == 303
    (rater,) = raters.listed(site.db, study.campaign)
    assert rater.consent_version == version


def test_a_failed_attention_check_ends_the_visit_with_the_code_for_it(site: Any) -> None:
    study = Study(site)
    visitor, _ = study.starts(f"{study.path}?participant=eve")
    while not study.visits()["eve"]:
        found = visitor.get(f"/work/{study.campaign.slug}")
        if found.status_code == 303:
            page = visitor.page(found.headers["location"])
            break
        study.works(visitor, "eve", answers=1, wrong=True)
    assert study.codes["failed"] in page.text and study.codes["completed"] not in page.text
    assert study.visits() == {"eve": "failed"}


def test_a_sign_up_page_takes_each_name_once(site: Any) -> None:
    study = Study(site, options={"sign_up": True})
    _, missing = study.starts(study.path)
    _, punctuation = study.starts(study.path, name="<<>>")
    assert (missing.status_code, punctuation.status_code) == (422, 422)
    _, answer = study.starts(study.path, name="Ada  Lovelace")
    assert answer.status_code == 303
    _, again = study.starts(study.path, name="ada lovelace")
    assert (again.status_code, "with this name" in again.text) == (410, True)
    # An id in the address proves nothing here, and opens nobody's work.
    assert "Your name" in site.visitor().page(f"{study.path}?participant=ada lovelace").text


def test_a_post_without_the_token_takes_no_place(site: Any) -> None:
    study = Study(site)
    assert site.visitor().post(f"{study.path}?participant=ada", data={"csrf": "x"}).status_code == 403
    assert study.visits() == {}


def test_publishing_opens_the_campaign_and_the_verdict_counts_its_places(site: Any) -> None:
    campaign = site.campaign("humanr", images=30, opened=False)
    plan = {"places": 5, "answers": 10, "reward": 150, "currency": "USD", "minutes": 5.0}
    study = studies.new_study(campaign, "http://testserver", **plan)
    planned = studies.create(site.db, campaign, study, "panel", {}, actor="lea")
    calls.publish(site.db, planned, actor="lea")
    assert lifecycle.find(site.db, campaign.slug).state == "open"
    assert site.visitor().get(f"/go/{study.key}?participant=p1").status_code == 200
    owner = site.account("owner")
    (first, *_) = owner.get(f"/api/admin/c/{campaign.slug}").json()["verdict"]["lines"]
    assert first["text"].startswith("Waiting for participants: ")
    assert "5 published places are not taken yet" in first["text"]
    other = studies.new_study(campaign, "http://testserver", **plan)
    again = studies.create(site.db, lifecycle.find(site.db, campaign.slug), other, "panel", {}, actor="lea")
    lifecycle.close(site.db, lifecycle.find(site.db, campaign.slug), actor="lea")
    with pytest.raises(InputError, match="Resume it before you publish"):
        calls.publish(site.db, again, actor="lea")
