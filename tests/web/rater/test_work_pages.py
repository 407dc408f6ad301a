from __future__ import annotations

import re

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.work import responses

PROTOCOLS = ["thumb", "humanr", "tagging", "audit", "generic"]
SCRIPT = "<script>alert('x')</script>"


def stored(site, campaign):
    return list(responses.stored(site.db, campaign))


def send(visitor, page, pairs, **changed):
    own = {
        one["name"]: one["value"] for one in page.inputs if one.get("name") in ("csrf", "key", ".replaces")
    }
    data = {**own, **pairs, **changed}
    return visitor.post(page.action(), data=data)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_task_is_shown_answered_and_followed_by_the_next(site, answer_pairs, protocol) -> None:
    campaign = site.campaign(protocol)
    visitor, rater = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    page = visitor.page(address)
    task = site.task(campaign, rater)
    for caption in task.item.captions:
        assert caption.text in page.text
    for field in task.item.form.fields:
        asked = [one for tag, one in page.tags if one.get("data-question") == field.name]
        assert len(asked) == 1, field.name
    for hidden in ("heron", "dodo", "human", " reference", task.item.key):
        assert hidden not in page.text
    answer = send(visitor, page, answer_pairs(task))
    assert (answer.status_code, answer.headers["location"]) == (303, address)
    assert [row.rater for row in stored(site, campaign)] == [rater.pseudonym]
    following = visitor.page(address)
    assert "Your answer is saved." in following.text
    assert following.action() != page.action()
    assert re.search(r"1 of \d+ answered", following.text)
    assert "Your answer is saved." not in visitor.page(address).text


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_page_is_well_formed_for_assistive_technology(site, protocol) -> None:
    campaign = site.campaign(protocol)
    visitor, _ = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    assert len(page.ids) == len(set(page.ids))
    tags = [tag for tag, _ in page.tags]
    assert tags.count("h1") == tags.count("main") == 1
    labelled = {one["for"] for tag, one in page.tags if tag == "label" and "for" in one}
    asked = [
        one
        for tag, one in page.tags
        if tag in ("input", "textarea", "select") and one.get("type") != "hidden"
    ]
    unlabelled = [one for one in asked if one.get("id") not in labelled]
    assert [one["id"] for one in unlabelled] == ["keys-on"]  # inside its label
    described = " ".join(one["aria-describedby"] for _, one in page.tags if "aria-describedby" in one)
    assert set(described.split()) <= set(page.ids)
    for _, one in page.tags:
        if one.get("href", "").startswith("#"):
            assert one["href"][1:] in page.ids


def test_what_is_missing_is_said_with_links_and_the_rest_is_kept(site, answer_pairs) -> None:
    campaign = site.campaign("thumb")
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    pairs = answer_pairs(site.task(campaign, rater))
    del pairs["A.recall"]
    pairs |= {"B.precision": "3", "B.fluency": "casing", "B.fluency.broken": "9"}
    answer = send(visitor, page, pairs)
    assert answer.status_code == 422
    again = type(page)(answer.text)
    assert again.checked()["A.precision"] == ["5"]
    assert again.checked()["B.precision"] == ["3"]
    assert again.checked()["B.fluency"] == ["casing", "broken"]
    assert 'value="9"' in answer.text
    linked = [one["href"][1:] for one in again.links if one.get("href", "").startswith("#q")]
    # Recall of A; what costs B its precision; the amount of B's broken sentence.
    assert len(linked) == 3
    assert set(linked) <= set(again.ids)
    assert "Caption A, Recall: No answer. Give a whole number from 1 to 5." in answer.text
    assert "Error:" in answer.text.split("</title>")[0]
    assert stored(site, campaign) == []


def test_without_script_conditional_questions_say_when_they_count(site) -> None:
    campaign = site.campaign("thumb")
    visitor, _ = site.rater(campaign)
    text = visitor.page(f"/work/{campaign.slug}").text
    assert "Answer this only if “Precision” is below 5." in text
    said = (
        "Answer this only if “Something in the image is described wrongly” is chosen under “What is wrong?”"
    )
    assert said in text


def test_a_double_submit_is_stored_once(site, answer_pairs) -> None:
    campaign = site.campaign()
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    pairs = answer_pairs(site.task(campaign, rater))
    assert send(visitor, page, pairs).status_code == 303
    assert send(visitor, page, pairs).status_code == 303
    assert send(visitor, page, {"verdict": "serious"}).status_code == 303
    assert [row.answers for row in stored(site, campaign)] == [{"verdict": "complete"}]
    assert "was already saved" in visitor.page(f"/work/{campaign.slug}").text


def test_the_last_answer_is_undone_by_answering_again(site) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    first = visitor.page(address)
    send(visitor, first, {"verdict": "minor"})
    page = visitor.page(address)
    undo = next(one["href"] for one in page.links if "data-undo" in one)
    reopened = visitor.page(undo)
    assert reopened.checked() == {"verdict": ["minor"]}
    assert "Submitting replaces it." in reopened.text
    send(visitor, reopened, {"verdict": "serious"})
    rows = stored(site, campaign)
    assert [(row.answers["verdict"], row.kind, row.standing) for row in rows] == [
        ("minor", "answer", False),
        ("serious", "correction", True),
    ]
    assert "Your answer has been replaced." in visitor.page(address).text


def test_a_correction_s_time_runs_from_when_it_was_opened(site, clock) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    first = visitor.page(f"/work/{campaign.slug}")
    clock.now += 30
    send(visitor, first, {"verdict": "minor"})
    clock.now += 600
    reopened = visitor.page(first.action())
    clock.now += 9
    send(visitor, reopened, {"verdict": "serious"})
    assert [row.seconds for row in stored(site, campaign)] == [30, 9]


def test_a_skip_is_counted_and_the_total_stays(site) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    page = visitor.page(address)
    total = re.search(r"0 of (\d+) answered", page.text)[1]
    for at, said in enumerate(("1 skipped", "2 skipped"), 1):
        visitor.post(f"{page.action()}/aside", data={"csrf": page.hidden("csrf"), ".aside": "skip"})
        page = visitor.page(address)
        assert f"0 of {total} answered · {said}" in page.text, at
    send(visitor, page, {"verdict": "minor"})
    assert f"1 of {total} answered · 2 skipped" in visitor.page(address).text


def test_an_answer_that_others_build_on_stays(site, answer_pairs) -> None:
    campaign = site.campaign("thumb", images=1)
    first, one = site.rater(campaign)
    page = first.page(f"/work/{campaign.slug}")
    send(first, page, answer_pairs(site.task(campaign, one)))
    second, _ = site.rater(campaign, "Ben")
    shown = second.page(f"/work/{campaign.slug}")
    assert "Earlier answer:" in shown.text
    assert shown.checked()["A.precision"] == ["5"]
    answer = first.get(page.action())
    assert answer.status_code == 409
    assert "can no longer be changed" in answer.text


def test_a_draft_is_kept_with_and_without_script(site) -> None:
    campaign = site.campaign("thumb")
    visitor, _ = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    page = visitor.page(address)
    draft = {
        "csrf": page.hidden("csrf"),
        "key": "k",
        "A.precision": "2",
        "A.errors": "wrong",
        "A.corrected": "Half a sen",
        "B.fluency.awkward": "0.3",
        "A.conciseness": "0",
        ".untouched": "A.conciseness",
    }
    answer = visitor.post(f"{page.action()}/draft", data=draft)
    assert (answer.status_code, answer.headers["location"]) == (303, address)
    again = visitor.page(address)
    assert "is kept" in again.text
    presets = {f"{key}.{name}": ["0"] for key in "AB" for name in ("conciseness", "inclusive_language")}
    given = {"A.precision": ["2"], "A.errors": ["wrong"], "B.fluency": ["awkward"]}
    assert again.checked() == given | presets
    assert sorted(one["value"] for one in again.inputs if one.get("name") == ".untouched") == sorted(presets)
    assert "Half a sen" in again.text
    assert 'value="0.3"' in again.text
    by_script = {"Accept": "application/json", "X-CSRF-Token": page.hidden("csrf")}
    data = {"A.precision": "4"}
    kept = visitor.post(f"{page.action()}/draft", data=data, headers=by_script)
    assert kept.status_code == 204
    assert visitor.page(address).checked() == {"A.precision": ["4"]} | presets
    assert stored(site, campaign) == []


def test_without_script_a_preset_can_be_confirmed(site, answer_pairs) -> None:
    campaign = site.campaign("thumb")
    visitor, rater = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    presets = [one["value"] for one in page.inputs if one.get("name") == ".untouched"]
    boxes = [one["value"] for one in page.inputs if one.get("name") == ".confirmed"]
    assert boxes == presets
    confirmed, *left = presets
    sent = answer_pairs(site.task(campaign, rater)) | {".untouched": presets, ".confirmed": confirmed}
    # A mistake brings the page back: what was confirmed is an answer, and asked about no more.
    again = type(page)(send(visitor, page, {**sent, "A.precision": ""}).text)
    assert [one["value"] for one in again.inputs if one.get("name") == ".confirmed"] == left
    assert send(visitor, page, sent).status_code == 303
    (row,) = stored(site, campaign)
    assert sorted(row.untouched) == sorted(left)


def test_a_script_hears_in_json_what_happened(site) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    headers = {"Accept": "application/json", "X-CSRF-Token": page.hidden("csrf")}
    bad = visitor.post(page.action(), data={"key": "one"}, headers=headers)
    assert bad.status_code == 422
    assert bad.json()["problems"][0]["field"] == "verdict"
    good = visitor.post(page.action(), data={"key": "one", "verdict": "minor"}, headers=headers)
    assert good.json() == {
        "response": good.json()["response"],
        "duplicate": False,
        "correction": False,
        "next": f"/work/{campaign.slug}",
    }


def test_another_raters_task_is_not_there(site) -> None:
    campaign = site.campaign()
    ada, _ = site.rater(campaign)
    ben, _ = site.rater(campaign, "Ben")
    hers, his = (who.page(f"/work/{campaign.slug}") for who in (ada, ben))
    pairs = {"csrf": his.hidden("csrf"), "key": "mine", "verdict": "minor"}
    guessed = f"/work/{campaign.slug}/guessed"
    for address in (hers.action(), guessed):
        answers = [
            ben.get(address),
            ben.post(address, data=pairs),
            ben.post(f"{address}/draft", data=pairs),
            ben.post(
                f"/api{address}",
                json={"answers": {"verdict": "minor"}},
                headers={"Idempotency-Key": "a", "X-CSRF-Token": his.hidden("csrf")},
            ),
        ]
        assert [answer.status_code for answer in answers] == [404] * 4
    assert stored(site, campaign) == []
    assert ada.page(f"/work/{campaign.slug}").checked() == {}


def test_a_session_of_another_campaign_opens_nothing(site) -> None:
    one, two = site.campaign(title="One"), site.campaign(title="Two")
    visitor, _ = site.rater(one)
    token = visitor.client.cookies["captious_session_one"]
    other = site.visitor()
    other.client.cookies.set("captious_session_two", token)
    other.client.cookies.set("captious_session", token)
    for address in ("/work/two", "/api/work/two", "/guide/two", "/admin", "/api/admin/c/two"):
        assert other.get(address, headers={"Accept": "application/json"}).status_code in (401, 404)
    assert two.state == "open"


def test_an_outsider_sees_nothing(site) -> None:
    campaign = site.campaign()
    visitor = site.visitor()
    for address in ("", "/x"):
        assert visitor.get(f"/work/{campaign.slug}{address}").status_code == 401
    assert visitor.get("/work/no-such").status_code == 401
    assert visitor.get(f"/guide/{campaign.slug}").status_code == 401
    assert visitor.get(f"/api/work/{campaign.slug}/progress").status_code == 401
    assert visitor.post(f"/work/{campaign.slug}/x", data={"key": "a"}).status_code == 401


def test_what_people_wrote_is_shown_as_text(site) -> None:
    campaign = site.campaign(
        "thumb",
        title=f"Dogs {SCRIPT}",
        captions=lambda image, how: f"{SCRIPT} {image} {how}",
        settings=Settings(instructions=SCRIPT, contact=SCRIPT),
    )
    _, address = site.invite(campaign, SCRIPT)
    visitor, _ = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    draft = {"csrf": page.hidden("csrf"), "A.corrected": f'"></textarea>{SCRIPT}', "A.precision": SCRIPT}
    visitor.post(f"{page.action()}/draft", data=draft)
    for where in (address, f"/work/{campaign.slug}", f"/guide/{campaign.slug}", "/"):
        text = visitor.page(where).text
        assert SCRIPT not in text
        assert "<script>alert" not in text


def test_the_guide_is_a_page_of_its_own(site) -> None:
    campaign = site.campaign("thumb")
    visitor, _ = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    address = next(one["href"] for one in page.links if one.get("data-open") == "guide-dialog")
    text = visitor.page(address).text
    for said in ("Rule 1: one mistake, one penalty", "Precision", "Inclusive language"):
        assert said in text
        assert said in page.text
    assert "You are the second rater" in visitor.page(f"/guide/{campaign.slug}?stage=second").text
    long = visitor.get(f"/guide/{campaign.slug}", params={"stage": "x" * 1000})
    assert long.status_code == 422


@pytest.mark.parametrize(
    ("state", "said"), [("paused", "is paused"), ("closed", "is closed"), ("removed", "Your part has ended")]
)
def test_why_there_is_no_task(site, state: str, said: str) -> None:
    campaign = site.campaign()
    visitor, rater = site.rater(campaign)
    change = {
        "paused": lambda: lifecycle.pause(site.db, campaign, actor="lea"),
        "closed": lambda: lifecycle.close(site.db, campaign, actor="lea"),
        "removed": lambda: raters.remove(site.db, rater, reason="slept", actor="lea"),
    }
    change[state]()
    text = visitor.page(f"/work/{campaign.slug}").text
    assert said in text
    assert "slept" not in text


def test_an_answer_in_hand_is_taken_while_the_campaign_is_paused(site) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    page = visitor.page(f"/work/{campaign.slug}")
    lifecycle.pause(site.db, campaign, actor="lea")
    assert send(visitor, page, {"verdict": "minor"}).status_code == 303
    assert len(stored(site, campaign)) == 1


def test_a_second_round_says_when_it_begins(site, clock) -> None:
    campaign = site.campaign("tagging", images=1, interval=7 * 24 * 3600.0)
    visitor, _ = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    for _ in range(2):
        send(visitor, visitor.page(address), {"verdict": "minor"})
    page = visitor.page(address)
    assert "Your next round begins later." in page.text
    assert any(tag == "time" and "data-local" in one for tag, one in page.tags)
    clock.move(8 * 24 * 3600)
    visitor.page(address).action()


def test_all_done_says_thank_you(site) -> None:
    campaign = site.campaign("generic", images=1)
    visitor, _ = site.rater(campaign)
    for _ in range(2):
        send(visitor, visitor.page("/work/dogs"), {"helpful": "72", "comment": "fine"})
    text = visitor.page("/work/dogs").text
    assert "All done. Thank you!" in text
    assert "You have given 2 answers." in text


def test_pictures_go_to_raters_of_the_campaign_and_accounts_only(site) -> None:
    campaign, other = site.campaign(title="One"), site.campaign(title="Two", images=4)
    visitor, _ = site.rater(campaign)
    page = visitor.page("/work/one")
    address = next(one["href"] for one in page.links if "data-zoom" in one)
    answer = visitor.get(address)
    assert (answer.status_code, answer.headers["content-type"]) == (200, "image/png")
    assert answer.headers["cache-control"].startswith("private")
    same = visitor.get(address, headers={"If-None-Match": answer.headers["etag"]})
    assert (same.status_code, same.content) == (304, b"")
    assert site.account("viewer").get(address).status_code == 200
    assert site.visitor().get(address).status_code == 401
    stranger, _ = site.rater(other)
    assert stranger.get(address).status_code == 401
    nowhere = f"/images/one/{'0' * 64}"
    assert visitor.get(nowhere).status_code == 404


@pytest.mark.parametrize(
    "name", ["..%2f..%2fcaptious.db", "../../captious.db", "%2e%2e/x", "A" * 64, "0" * 63, "i0", "0.png"]
)
def test_no_name_leads_out_of_the_pictures(site, name: str) -> None:
    campaign = site.campaign()
    visitor, _ = site.rater(campaign)
    assert visitor.get(f"/images/{campaign.slug}/{name}").status_code in (404, 422)
