"""From files to a campaign: upload, preview, dry run, create."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from captious.campaigns.entry import training
from captious.campaigns.exchange.references import references_of
from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.work import responses
from captious.web.admin.setup.wizard.new_campaign import drafts_of

LIKERT = """
name: helpfulness
kind: likert
questions:
  - aspect: helpful
    ask: Would it help someone who cannot see the image?
"""
OPTIONS = {
    "thumb": {"option__two_stages": "yes", "option__development_images": "0"},
    "humanr": {"option__target": "1", "option__baseline": "yes", "option__group_size": "3"},
    "tagging": {"option__raters": "2", "option__two_rounds": "yes", "option__interval": "6"},
    "audit": {"option__target": "1"},
    "generic": {"protocol_text": LIKERT},
}
ELSEWHERE = {"no_images": "yes"}


def captions(system: str, images: int = 4) -> bytes:
    rows = [{"image_id": n, "caption": f"A {system} dog, number {n}."} for n in range(images)]
    return json.dumps(rows).encode()


def references(images: int = 4) -> bytes:
    return json.dumps({str(n): [f"Dog {n}.", f"The dog {n}."] for n in range(images)}).encode()


def files(*pictures: tuple[str, bytes]) -> list[tuple[str, tuple[str, bytes]]]:
    return [
        ("candidates", ("heron.json", captions("heron"))),
        ("candidates", ("dodo.json", captions("dodo"))),
        ("references", ("references.json", references())),
        *(("images", picture) for picture in pictures),
    ]


def form_of(answer: Any) -> str:
    """Where the form of an answer is sent to."""
    found = re.search(r'action="(/admin/drafts/[^"]+)"', answer.text)
    assert found
    return found[1]


@pytest.fixture
def pictures(make_picture: Any, make_archive: Any) -> tuple[str, bytes]:
    return "photos.zip", make_archive({f"p/{n}.png": make_picture(n) for n in range(4)})


@pytest.fixture
def draft(manager: Any, pictures: Any) -> str:
    """The address of a tagging draft."""
    answer = manager.post("/admin/new/tagging", files(pictures), title="Dogs", **OPTIONS["tagging"])
    assert answer.status_code == 303, answer.text
    address: str = answer.headers["location"]
    return address


def test_every_protocol_is_explained(manager: Any) -> None:
    text = manager.text("/admin/new")
    for name in OPTIONS:
        assert f'href="/admin/new/{name}"' in text
        assert 'enctype="multipart/form-data"' in manager.text(f"/admin/new/{name}")
    assert manager.get("/admin/new/nonsense").status_code == 404


@pytest.mark.parametrize("protocol", list(OPTIONS))
def test_each_protocol_from_files_to_campaign(site: Any, manager: Any, pictures: Any, protocol: str) -> None:
    answer = manager.post(f"/admin/new/{protocol}", files(pictures), title="My dogs", **OPTIONS[protocol])
    assert answer.status_code == 303, answer.text
    address = answer.headers["location"]
    assert lifecycle.listed(site.db) == []
    found = manager.twin(address)
    assert (found["images"], found["systems"], found["without_image"]) == (4, ["dodo", "heron"], 0)
    assert found["first_items"][0]["image_url"]
    image = manager.get(found["first_items"][0]["image_url"])
    assert image.headers["content-type"] == "image/png"
    made = manager.post(f"{address}/create")
    assert made.headers["location"] == "/admin/c/my-dogs"
    campaign = lifecycle.find(site.db, "my-dogs")
    assert (campaign.state, campaign.protocol) == ("draft", protocol)
    assert sum(item.counts for item in responses.items(site.db, campaign)) == found["items"]
    assert references_of(site.db, campaign)["0"] == ["Dog 0.", "The dog 0."]
    assert manager.get(address).status_code == 404  # the draft has gone


# Items, first-stage responses, later ones and checks, derived by hand for 4 images and 2 systems.
@pytest.mark.parametrize(
    ("protocol", "items", "first", "later", "checks"),
    [
        ("thumb", 4, 4, 4, 0),
        # 4 x (2 systems + baseline) comparisons; groups of 3 hold 2 of them and a check.
        ("humanr", 12, 12, 0, 6),
        ("tagging", 8, 16, 16, 0),
        ("audit", 8, 8, 0, 0),
        ("generic", 8, 8, 0, 0),
    ],
)
def test_the_preview_counts_the_work(
    manager: Any, protocol: str, items: int, first: int, later: int, checks: int
) -> None:
    answer = manager.post(f"/admin/new/{protocol}", files(), title="D", **OPTIONS[protocol], **ELSEWHERE)
    address = answer.headers["location"]
    found = manager.twin(f"{address}?seconds=30&wage=12")
    assert (found["items"], found["first"], found["later"], found["checks"]) == (items, first, later, checks)
    assert found["responses"] == first + later + checks
    hours = (first + later + checks) * 30 / 3600
    assert found["cost"] == {"seconds_each": 30.0, "hours": hours, "wage": 12.0, "pay": hours * 12}
    assert found["without_image"] == 4
    assert "raters will see captions only" in manager.text(address)


def test_a_pace_that_is_no_number_is_said(manager: Any, draft: str) -> None:
    answer = manager.get(f"{draft}?seconds=soon")
    assert answer.status_code == 422
    assert 'href="#f-seconds"' in answer.text


@pytest.mark.parametrize(
    ("change", "field", "says"),
    [
        ({"title": ""}, "title", "title: give 1 to 200"),
        (
            {"option__raters": "none"},
            "option-raters",
            "Verdicts for each caption: give a whole number from 1 to 10,000",
        ),
        ({"option__raters": "2.5"}, "option-raters", "whole number"),
        ({"option__interval": "-1"}, "option-interval", "from 0 to 521"),
        ({"seed": "x"}, "seed", "whole number"),
        ({"instructions": "x" * 20_001}, "instructions", "too long"),
        ({"consent": "x" * 20_001}, "consent", "too long"),
    ],
)
def test_what_is_typed_wrong_stands_at_its_field(
    manager: Any, change: dict[str, str], field: str, says: str
) -> None:
    given = {"title": "Dogs", **OPTIONS["tagging"], **ELSEWHERE, **change}
    answer = manager.post("/admin/new/tagging", files(), **given)
    assert answer.status_code == 422
    assert f'href="#f-{field}"' in answer.text
    assert says in answer.text


@pytest.mark.parametrize(
    ("sent", "says"),
    [
        ([], "Choose at least one file"),
        ([("candidates", ("m.json", b"{not json"))], "m.json"),
        ([("candidates", ("m.json", b""))], "m.json: the file is empty"),
        ([("candidates", ("m.exe", b"MZ\x90\x00\x03\x00\x00\x00"))], "m.exe"),
        ([("candidates", ("m.json", b"PK\x03\x04 and so on"))], "workbook or zip archive"),
        ([("candidates", ("m.json", captions("m"))), ("references", ("r.json", b"[]"))], "r.json"),
        ([("candidates", ("m.json", captions("m"))), ("images", ("7.png", b"no"))], "7.png"),
        (
            [("candidates", ("m.json", captions("m"))), ("candidates", ("n.json", captions("n", 3)))],
            "keep only images that every system describes (tick the box below).",
        ),
    ],
)
def test_files_that_are_wrong_are_told_in_one_line(site: Any, manager: Any, sent: Any, says: str) -> None:
    answer = manager.post("/admin/new/tagging", sent or None, title="Dogs", **OPTIONS["tagging"], **ELSEWHERE)
    assert answer.status_code in (415, 422)
    assert says in answer.text.replace("&#34;", '"')
    assert str(site.db.files) not in answer.text
    good = [name for part, (name, content) in sent if part == "candidates" and content.startswith(b"[")]
    for name in good:  # what was good need not be sent again
        assert f'value="candidates/{name}"' in answer.text
    assert len(list(drafts_of(site.db).folder.glob("*"))) == bool(good)


def test_a_second_caption_is_told_without_arguments_of_python(manager: Any) -> None:
    twice = captions("m").replace(b'"image_id": 1', b'"image_id": 0')
    sent = [("candidates", ("m.json", twice))]
    answer = manager.post("/admin/new/tagging", sent, title="Dogs", **OPTIONS["tagging"], **ELSEWHERE)
    assert "(the first is at entry 1). Keep one for each image.<" in answer.text
    assert "duplicates=" not in answer.text


def test_images_must_be_complete(manager: Any, make_picture: Any) -> None:
    answer = manager.post(
        "/admin/new/tagging", files(("0.png", make_picture())), title="D", **OPTIONS["tagging"]
    )
    assert answer.status_code == 422
    assert "3 of 4 have no file" in answer.text


def test_paths_in_uploaded_files_open_nothing_on_this_machine(
    manager: Any, tmp_path: Any, make_picture: Any
) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(make_picture())
    rows = [{"image_id": 1, "caption": "A dog.", "image_path": str(secret)}]
    sent = [("candidates", ("m.json", json.dumps(rows).encode()))]
    answer = manager.post("/admin/new/tagging", sent, title="D", **OPTIONS["tagging"], **ELSEWHERE)
    found = manager.twin(answer.headers["location"])
    assert (found["without_image"], found["first_items"][0]["image_url"]) == (1, None)
    # Nor does a protocol's text that is a path.
    protocol = tmp_path / "protocol.yaml"
    protocol.write_text(LIKERT)
    refused = manager.post("/admin/new/generic", files(), title="D", protocol_text=str(protocol))
    assert refused.status_code == 422


def test_an_oversized_upload_is_refused(make_site: Any, site: Any) -> None:
    small = make_site(site.db, upload_bytes=2000)
    visitor = small.account("manager")
    csrf = visitor.page("/admin").hidden("csrf")
    sent = [("candidates", ("m.json", captions("m", 500)))]
    answer = visitor.post("/admin/new/tagging", data={"csrf": csrf, "title": "D"}, files=sent)
    assert answer.status_code == 413


def test_a_yaml_that_is_wrong_says_the_line(manager: Any) -> None:
    bad = LIKERT.replace("kind: likert", "kind: stars")
    answer = manager.post("/admin/new/generic", files(), title="D", protocol_text=bad)
    assert answer.status_code == 422
    assert "line 3" in answer.text
    by_file = [*files(), ("protocol_file", ("mine.yaml", bad.encode()))]
    answer = manager.post("/admin/new/generic", by_file, title="D", protocol_text="")
    assert "mine.yaml: line 3" in answer.text
    assert 'href="#f-protocol-file"' in answer.text


BUILT = {
    "build__kind": "likert",
    "build__1__ask": "Is it <true>?",
    "build__1__high": "3",
    "build__raters": "2",
}


def test_questions_of_ones_own_by_a_form(manager: Any) -> None:
    assert "data-builder" in manager.text("/admin/new/generic")
    assert "data-builder" not in manager.text("/admin/new/thumb")
    shown = manager.post("/admin/new/generic/questions", **BUILT)
    assert shown.status_code == 200
    assert "Is it &lt;true&gt;?" in shown.text
    assert shown.text.count('type="radio"') == 3
    wrong = manager.post("/admin/new/generic/questions", **{**BUILT, "build__1__low": "3"})
    assert "question 1, &#34;Is it &lt;true&gt;?&#34;: a scale from 3 to 3" in wrong.text
    assert "line 7" not in wrong.text
    refused = manager.post(
        "/admin/new/generic", files(), title="Mine", **{**BUILT, "build__1__aspect": "a b"}
    )
    assert refused.status_code == 422
    assert 'href="#f-build-1-aspect"' in refused.text
    nothing = manager.post("/admin/new/generic", files(), title="Mine", build__kind="likert")
    assert "question 1: it is empty" in nothing.text
    pairs = manager.post("/admin/new/generic/questions", **{**BUILT, "build__kind": "pairwise"})
    assert pairs.text.count('type="radio"') == 3  # left, right, alike
    assert manager.post("/admin/new/thumb/questions").status_code == 404
    made = manager.post("/admin/new/generic", files(), title="Mine", **BUILT)
    assert made.status_code == 303, made.text
    assert manager.twin(made.headers["location"])["first"] == 16  # 8 captions, two raters each


def test_a_draft_is_its_makers_own(site: Any, manager: Any, owner: Any, draft: str) -> None:
    assert manager.get(draft).status_code == 200
    assert draft in manager.text("/admin/new")
    assert draft not in owner.text("/admin/new")
    for address in (
        draft,
        f"/api{draft}",
        f"{draft}/edit",
        f"{draft}/try/1",
        f"{draft}/images/0",
        f"{draft}/tried/1",
    ):
        assert owner.get(address).status_code == 404
    for address in (f"{draft}/create", f"{draft}/discard", f"{draft}/try/1"):
        assert owner.post(address).status_code == 404
    assert lifecycle.listed(site.db) == []


def test_a_draft_can_be_changed_without_its_files(manager: Any, draft: str) -> None:
    page = manager.page(f"{draft}/edit")
    shown = {one.get("name"): one.get("value") for one in page.inputs}
    assert (shown["title"], shown["option.raters"], shown["option.interval"]) == ("Dogs", "2", "6")
    assert "Candidates: dodo.json" in page.text
    assert "4 images" in page.text
    answer = manager.post(f"{draft}/edit", title="Cats", option__raters="5", option__interval="0")
    fresh = answer.headers["location"]
    found = manager.twin(fresh)
    assert (found["title"], found["first"], found["later"]) == ("Cats", 40, 0)
    assert found["without_image"] == 0
    assert manager.get(draft).status_code == 404


def test_a_change_that_is_wrong_keeps_the_draft(manager: Any, draft: str) -> None:
    bad = [("candidates", ("m.json", b"{"))]
    answer = manager.post(f"{draft}/edit", bad, title="Cats", **OPTIONS["tagging"])
    assert answer.status_code == 422
    assert manager.twin(draft)["title"] == "Dogs"


def test_one_bad_file_does_not_drop_the_others(manager: Any, pictures: Any) -> None:
    sent = [*files(pictures), ("candidates", ("magpie.json", b"{not json"))]
    answer = manager.post("/admin/new/tagging", sent, title="Dogs", **OPTIONS["tagging"])
    assert answer.status_code == 422
    assert "magpie.json" in answer.text
    action = form_of(answer)
    assert "Candidates: heron.json" in answer.text
    mended = [("candidates", ("magpie.json", captions("magpie")))]
    done = manager.post(action, mended, title="Dogs", **OPTIONS["tagging"])
    assert done.status_code == 303, done.text
    found = manager.twin(done.headers["location"])
    assert (found["systems"], found["images"]) == (["dodo", "heron", "magpie"], 4)
    assert found["first_items"][0]["image_url"]


def test_files_of_a_draft_are_replaced_by_name_and_left_out_by_a_tick(manager: Any, draft: str) -> None:
    longer = [("candidates", ("heron.json", captions("tall heron")))]
    answer = manager.post(
        f"{draft}/edit", longer, title="D", drop="candidates/dodo.json", **OPTIONS["tagging"]
    )
    found = manager.twin(answer.headers["location"])
    assert found["systems"] == ["heron"]
    assert found["first_items"][0]["captions"][0]["text"].startswith("A tall heron")


def test_images_are_demanded_where_the_protocol_asks_about_them(manager: Any, pictures: Any) -> None:
    answer = manager.post("/admin/new/tagging", files(), title="D", **OPTIONS["tagging"])
    assert answer.status_code == 422
    assert "raters would see none" in answer.text
    action = form_of(answer)
    unfinished = action.removesuffix("/edit")
    assert manager.get(unfinished).headers["location"] == action
    done = manager.post(action, [("images", pictures)], title="D", **OPTIONS["tagging"])
    assert done.status_code == 303, done.text


def test_drafts_are_thrown_away_and_forgotten(site: Any, manager: Any, draft: str) -> None:
    assert manager.post(f"{draft}/discard").status_code == 303
    assert manager.get(draft).status_code == 404
    drafts = drafts_of(site.db)
    token = drafts.begin()
    assert drafts.sweep(drafts.place(token).stat().st_mtime + 8 * 24 * 3600) == 1
    assert not drafts.place(token).exists()


def test_two_campaigns_may_have_one_title(site: Any, manager: Any, draft: str) -> None:
    site.campaign(title="Dogs")
    made = manager.post(f"{draft}/create")
    assert made.headers["location"] == "/admin/c/dogs-2"


def test_the_dry_run_checks_like_the_real_thing_and_stores_nothing(
    site: Any, manager: Any, draft: str, clock: Any
) -> None:
    page = manager.page(f"{draft}/try/1")
    assert page.action() == f"{draft}/try/1"
    assert "data-store" not in page.text
    empty = manager.post(f"{draft}/try/1")
    assert empty.status_code == 422
    assert "No answer" in empty.text
    clock.move(21)
    answer = manager.post(f"{draft}/try/1", verdict="minor")
    assert answer.headers["location"] == f"{draft}/tried/1"
    text = manager.text(f"{draft}/tried/1")
    assert "Minor errors" in text
    assert "It took 21 s" in text
    assert f'href="{draft}/try/2"' in text
    assert manager.get(f"{draft}/try/9").status_code == 404
    assert manager.get(f"{draft}/tried/3").status_code == 303
    assert lifecycle.listed(site.db) == []


def test_the_dry_run_shows_the_second_stage_with_the_first_answers(manager: Any, pictures: Any) -> None:
    sent = manager.post("/admin/new/thumb", files(pictures), title="S", **OPTIONS["thumb"])
    draft = sent.headers["location"]
    marks = {"precision": "4", "recall": "3", "conciseness": "0", "inclusive_language": "0"}
    fields = {f"{key}__{name}": mark for key in "AB" for name, mark in marks.items()}
    fields |= {f"{key}__errors": "unsure" for key in "AB"}
    answer = manager.post(f"{draft}/try/1", **fields)
    assert answer.status_code == 303, answer.text
    assert f"{draft}/try/1?later=true" in manager.text(f"{draft}/tried/1")
    second = manager.page(f"{draft}/try/1?later=true")
    assert second.checked()["A.precision"] == ["4"]
    confirmed = manager.post(f"{draft}/try/1?later=true", **fields)
    assert confirmed.headers["location"] == f"{draft}/tried/1?later=true"
    assert "/try/1?later=true" not in manager.text(f"{draft}/tried/1?later=true")
    assert manager.get(f"{draft}/try/2?later=true").status_code == 404


def test_the_wizard_ends_with_the_training(site: Any, manager: Any, pictures: Any, draft: str) -> None:
    """It is offered before the campaign is made, and named among what comes before raters begin."""
    assert 'value="sample"' in manager.text(draft)
    address = manager.post(f"{draft}/create", training="sample").headers["location"]
    campaign = lifecycle.find(site.db, address.rpartition("/")[2])
    assert training.examples(site.db, campaign)
    text = manager.text(address)
    assert "Before raters begin" in text
    assert f'href="{address}/training"' in text
    assert text.count('<span class="badge">done</span>') == 1
    lifecycle.open_campaign(site.db, campaign, actor="lea")
    assert "Before raters begin" not in manager.text(address)
    # The package has no examples for questions of one's own.
    own = manager.post("/admin/new/generic", files(pictures), title="Own", **OPTIONS["generic"])
    page = manager.text(own.headers["location"])
    assert 'value="none"' in page
    assert 'value="sample"' not in page
    refused = manager.post(f"{own.headers['location']}/create", training="sample")
    assert refused.status_code == 422
    assert [one.title for one in lifecycle.listed(site.db)] == ["Dogs"]


def test_a_created_campaign_can_be_rated(site: Any, manager: Any, draft: str) -> None:
    address = manager.post(f"{draft}/create").headers["location"]
    assert manager.post(f"{address}/do/open").status_code == 303
    campaign = lifecycle.find(site.db, "dogs")
    visitor, _ = site.rater(campaign)
    page = visitor.page("/work/dogs")
    assert any(tag == "img" and one["src"].startswith("/images/dogs/") for tag, one in page.tags)
    assert raters.listed(site.db, campaign)[0].answered == 0
