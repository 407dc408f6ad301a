"""From files to a draft: what is typed and uploaded is checked, and what is good is kept."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from captious.campaigns.exchange.references import references_of
from captious.campaigns.setup import lifecycle
from captious.campaigns.work import responses
from captious.web.admin.setup.wizard.drafts import drafts_of

PROTOCOLS = ("thumb", "humanr", "tagging", "audit", "generic")
ELSEWHERE = {"no_images": "yes"}
MANY = b'[{"image_id": 0, "caption": "A dog."}, {"image_id": 1, "caption": "A cat."}]'
FEW = b'[{"image_id": 0, "caption": "A bird."}]'


def form_of(answer: Any) -> str:
    """Where the form of an answer is sent to."""
    found = re.search(r'action="(/admin/drafts/[^"]+)"', answer.text)
    assert found
    return found[1]


def test_every_protocol_is_explained(manager: Any) -> None:
    text = manager.text("/admin/new")
    for name in PROTOCOLS:
        assert f'href="/admin/new/{name}"' in text
        assert 'enctype="multipart/form-data"' in manager.text(f"/admin/new/{name}")
    assert manager.get("/admin/new/nonsense").status_code == 404


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_each_protocol_from_files_to_campaign(
    site: Any, manager: Any, pictures: Any, protocol: str, files: Any, options: Any
) -> None:
    answer = manager.post(f"/admin/new/{protocol}", files(pictures), title="My dogs", **options[protocol])
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
    manager: Any, change: dict[str, str], field: str, says: str, files: Any, options: Any
) -> None:
    given = {"title": "Dogs", **options["tagging"], **ELSEWHERE, **change}
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
        ([("candidates", ("m.json", MANY)), ("references", ("r.json", b"[]"))], "r.json"),
        ([("candidates", ("m.json", MANY)), ("images", ("7.png", b"no"))], "7.png"),
        (
            [("candidates", ("m.json", MANY)), ("candidates", ("n.json", FEW))],
            "keep only images that every system describes (tick the box below).",
        ),
    ],
)
def test_files_that_are_wrong_are_told_in_one_line(
    site: Any, manager: Any, sent: Any, says: str, options: Any
) -> None:
    answer = manager.post("/admin/new/tagging", sent or None, title="Dogs", **options["tagging"], **ELSEWHERE)
    assert answer.status_code in (415, 422)
    assert says in answer.text.replace("&#34;", '"')
    assert str(site.db.files) not in answer.text
    good = [name for part, (name, content) in sent if part == "candidates" and content.startswith(b"[")]
    for name in good:  # what was good need not be sent again
        assert f'value="candidates/{name}"' in answer.text
    assert len(list(drafts_of(site.db).folder.glob("*"))) == bool(good)


def test_a_second_caption_is_told_without_arguments_of_python(
    manager: Any, captions: Any, options: Any
) -> None:
    twice = captions("m").replace(b'"image_id": 1', b'"image_id": 0')
    sent = [("candidates", ("m.json", twice))]
    answer = manager.post("/admin/new/tagging", sent, title="Dogs", **options["tagging"], **ELSEWHERE)
    assert "(the first is at entry 1). Keep one for each image.<" in answer.text
    assert "duplicates=" not in answer.text


def test_images_must_be_complete(manager: Any, make_picture: Any, files: Any, options: Any) -> None:
    answer = manager.post(
        "/admin/new/tagging", files(("0.png", make_picture())), title="D", **options["tagging"]
    )
    assert answer.status_code == 422
    assert "3 of 4 have no file" in answer.text


def test_paths_in_uploaded_files_open_nothing_on_this_machine(
    manager: Any, tmp_path: Any, make_picture: Any, files: Any, options: Any
) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(make_picture())
    rows = [{"image_id": 1, "caption": "A dog.", "image_path": str(secret)}]
    sent = [("candidates", ("m.json", json.dumps(rows).encode()))]
    answer = manager.post("/admin/new/tagging", sent, title="D", **options["tagging"], **ELSEWHERE)
    found = manager.twin(answer.headers["location"])
    assert (found["without_image"], found["first_items"][0]["image_url"]) == (1, None)
    # Nor does a protocol's text that is a path.
    protocol = tmp_path / "protocol.yaml"
    protocol.write_text(options["generic"]["protocol_text"])
    refused = manager.post("/admin/new/generic", files(), title="D", protocol_text=str(protocol))
    assert refused.status_code == 422


def test_an_oversized_upload_is_refused(make_site: Any, site: Any, captions: Any) -> None:
    small = make_site(site.db, upload_bytes=2000)
    visitor = small.account("manager")
    csrf = visitor.page("/admin").hidden("csrf")
    sent = [("candidates", ("m.json", captions("m", 500)))]
    answer = visitor.post("/admin/new/tagging", data={"csrf": csrf, "title": "D"}, files=sent)
    assert answer.status_code == 413


def test_a_yaml_that_is_wrong_says_the_line(manager: Any, files: Any, options: Any) -> None:
    bad = options["generic"]["protocol_text"].replace("kind: likert", "kind: stars")
    answer = manager.post("/admin/new/generic", files(), title="D", protocol_text=bad)
    assert answer.status_code == 422
    assert "line 3" in answer.text
    by_file = [*files(), ("protocol_file", ("mine.yaml", bad.encode()))]
    answer = manager.post("/admin/new/generic", by_file, title="D", protocol_text="")
    assert "mine.yaml: line 3" in answer.text
    assert 'href="#f-protocol-file"' in answer.text


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


def test_a_change_that_is_wrong_keeps_the_draft(manager: Any, draft: str, options: Any) -> None:
    bad = [("candidates", ("m.json", b"{"))]
    answer = manager.post(f"{draft}/edit", bad, title="Cats", **options["tagging"])
    assert answer.status_code == 422
    assert manager.twin(draft)["title"] == "Dogs"


def test_one_bad_file_does_not_drop_the_others(
    manager: Any, pictures: Any, files: Any, captions: Any, options: Any
) -> None:
    sent = [*files(pictures), ("candidates", ("magpie.json", b"{not json"))]
    answer = manager.post("/admin/new/tagging", sent, title="Dogs", **options["tagging"])
    assert answer.status_code == 422
    assert "magpie.json" in answer.text
    action = form_of(answer)
    assert "Candidates: heron.json" in answer.text
    mended = [("candidates", ("magpie.json", captions("magpie")))]
    done = manager.post(action, mended, title="Dogs", **options["tagging"])
    assert done.status_code == 303, done.text
    found = manager.twin(done.headers["location"])
    assert (found["systems"], found["images"]) == (["dodo", "heron", "magpie"], 4)
    assert found["first_items"][0]["image_url"]


def test_files_of_a_draft_are_replaced_by_name_and_left_out_by_a_tick(
    manager: Any, draft: str, captions: Any, options: Any
) -> None:
    longer = [("candidates", ("heron.json", captions("tall heron")))]
    answer = manager.post(
        f"{draft}/edit", longer, title="D", drop="candidates/dodo.json", **options["tagging"]
    )
    found = manager.twin(answer.headers["location"])
    assert found["systems"] == ["heron"]
    assert found["first_items"][0]["captions"][0]["text"].startswith("A tall heron")


def test_images_are_demanded_where_the_protocol_asks_about_them(
    manager: Any, pictures: Any, files: Any, options: Any
) -> None:
    answer = manager.post("/admin/new/tagging", files(), title="D", **options["tagging"])
    assert answer.status_code == 422
    assert "raters would see none" in answer.text
    action = form_of(answer)
    unfinished = action.removesuffix("/edit")
    assert manager.get(unfinished).headers["location"] == action
    done = manager.post(action, [("images", pictures)], title="D", **options["tagging"])
    assert done.status_code == 303, done.text


def test_raters_start_from_uploaded_findings(site: Any, manager: Any, pictures: Any, files: Any) -> None:
    assert 'name="findings"' in manager.text("/admin/new/spans")
    assert 'name="findings"' not in manager.text("/admin/new/tagging")

    def sent(image: int, kind: str) -> Any:
        row = {"image": str(image), "system": "heron", "caption": f"A heron dog, number {image}."}
        row |= {"start": 2, "end": 7, "kind": kind, "source": "chair"}
        given = [*files(pictures), ("findings", ("chair.jsonl", json.dumps(row).encode()))]
        rules = {"raters": "2", "kinds": "object, text", "severities": "minor=1, major=5"}
        typed = {f"option__{name}": value for name, value in rules.items()}
        return manager.post("/admin/new/spans", given, title=f"Marked {kind}", **typed)

    refused = sent(1, "colour")
    assert refused.status_code == 422
    assert "is not one of those that raters choose from" in refused.text
    assert "none is about a caption of this campaign" in sent(9, "object").text
    made = sent(1, "object")
    assert made.status_code == 303, made.text
    manager.post(f"{made.headers['location']}/create")
    items = responses.items(site.db, lifecycle.find(site.db, "marked-object"))
    assert [one.prior["marks"][0]["text"] for one in items if one.prior] == ["heron"]
