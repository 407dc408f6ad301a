"""Question kinds from the builder or a file to export, agreement and import, in three ways to use a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from captious.campaigns.setup import lifecycle
from captious.corpus.judged import read_judgments

pytestmark = pytest.mark.browser

WAYS = ("mouse", "keyboard", "plain")
RANKING = """
name: order
raters: 3
questions:
  - {aspect: best, kind: rank, ask: "Which caption is best?"}
"""
SYSTEMS = ("dodo", "heron", "magpie")
# Who says which places the systems have, on every image.
PLACES = {
    "mouse": {"heron": 1, "magpie": 2, "dodo": 3},
    "keyboard": {"heron": 2, "magpie": 1, "dodo": 3},
    "plain": {"heron": 1, "magpie": 2, "dodo": 3},
}


def values(path: Path) -> dict[tuple[str, str, str], float]:
    """(rater, system, aspect) and the mean value, from an exported file."""
    judged = read_judgments(path).judgments
    found: dict[tuple[str, str, str], list[float]] = {}
    for row in range(len(judged)):
        rater = judged.raters[int(judged.rater_of[row])]
        system = judged.keys[int(judged.example_of[row])][1]
        aspect = judged.aspects[int(judged.aspect_of[row])]
        found.setdefault((rater, system, aspect), []).append(float(judged.values[row]))
    return {key: sum(own) / len(own) for key, own in found.items()}


def test_a_ranking_by_mouse_by_keyboard_and_without_script(
    studio: Any, office: Any, cut_sample: Any, start: Any, tmp_path: Path
) -> None:
    sample = cut_sample(2, *SYSTEMS)
    file = tmp_path / "order.yaml"
    file.write_text(RANKING)
    desk = office(studio.owner())
    desk.create("generic", "In order", sample, protocol_file=file)
    for way, link in zip(WAYS, desk.invite("Ann", "Bo", "Cem"), strict=True):
        hand = start(studio.visitor(way), link)
        for _ in range(2):
            of = {sample.source(text)[1]: key for key, text in hand.captions().items()}
            hand.answer({"best": {of[system]: place for system, place in PLACES[way].items()}})
            hand.submit()
        assert "done" in hand.page.locator("h1").inner_text().lower()

    # Raters disagree by half of the places, and one of their orders is taken.
    assert "not yet" in desk.tab("Disagreements")
    desk.hand.activate(desk.hand.page.locator("main tbody tr").first.get_by_role("link"))
    assert " > " in desk.hand.page.locator(".answers-table").inner_text()
    desk.hand.unfold("Give a different answer")
    places = desk.hand.page.locator(".decide select")
    assert places.count() == 3
    for at, place in enumerate(("3", "1", "2")):
        places.nth(at).select_option(place)
    desk.hand.push("Save this decision")

    assert "1.000" in desk.tab("Results")
    assert "alpha, ordinal" in desk.tab("Agreement")
    folder = desk.export(tmp_path)
    found = values(folder / "judgments.jsonl")
    # Of the two other captions both are beaten by the first, one by the second, none by the third.
    for at, way in enumerate(WAYS, start=1):
        for system, place in PLACES[way].items():
            assert found[f"r{at:03d}", system, "best"] == (3 - place) / 2
    stored = [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
    answers = [row["answers"]["best"] for row in stored if row.get("kind", "answer") == "answer"]
    assert all(sorted(one.values()) == [1, 2, 3] for one in answers)


def test_a_place_that_is_taken_changes_hands_and_the_last_one_follows(
    studio: Any, office: Any, cut_sample: Any, start: Any, tmp_path: Path
) -> None:
    sample = cut_sample(1, *SYSTEMS)
    file = tmp_path / "order.yaml"
    file.write_text(RANKING)
    desk = office(studio.owner())
    desk.create("generic", "Changing places", sample, protocol_file=file)
    (link,) = desk.invite("Ann")
    page = start(studio.visitor(), link).page
    lists = page.locator("select[data-own-place]")
    page.keyboard.press("2")  # the first caption without a place
    expect(lists.nth(0)).to_have_value("2")
    lists.nth(1).select_option("1")
    expect(lists.nth(2)).to_have_value("3")
    lists.nth(2).select_option("1")
    assert [one.input_value() for one in lists.all()] == ["2", "3", "1"]
    page.reload()  # what was chosen is kept as a draft
    assert page.get_by_role("combobox", name="Caption A").count() == 1


def test_a_form_of_scale_choice_and_text_from_the_builder_to_agreement(
    studio: Any, office: Any, cut_sample: Any, start: Any, tmp_path: Path
) -> None:
    sample = cut_sample(2, "heron")
    owner = studio.owner()
    owner.open("/admin/new/generic")
    page = owner.page
    seen = page.locator("[data-sample]")
    owner.write("build.raters", "3")
    owner.write("build.1.ask", "How good is it?")
    owner.write("build.1.aspect", "good")
    owner.write("build.1.low_label", "Useless")
    expect(seen).to_contain_text("Useless")
    for at, kind in ((2, "choice"), (3, "text")):
        page.get_by_role("button", name="Add a question").click()
        page.locator(f'[name="build.{at}.kind"]').select_option(kind)
    assert page.locator('[name="build.2.low"]').is_hidden()
    owner.write("build.2.ask", "What is its main fault?")
    owner.write("build.2.aspect", "fault")
    owner.write("build.2.options", "None\nWrong\nMissing")
    owner.write("build.3.ask", "What would you write?")
    owner.write("build.3.aspect", "better")
    owner.tick("build.3.optional")
    expect(seen.get_by_role("textbox")).to_have_count(1)
    owner.write("title", "Mixed")
    owner.give("candidates", sample.candidates)
    owner.give("images", sample.images)
    owner.push("Preview")
    owner.push("Create campaign")
    desk = office(owner)
    desk.slug = page.url.rpartition("/")[2]
    owner.follow("Open the campaign")
    owner.push("Open the campaign")
    said = {
        "mouse": {"good": "5", "fault": "None", "better": "A dog."},
        "keyboard": {"good": "4", "fault": "Wrong", "better": "No dog."},
        "plain": {"good": "4", "fault": "Wrong"},
    }
    for way, link in zip(WAYS, desk.invite("Ann", "Bo", "Cem"), strict=True):
        hand = start(studio.visitor(way), link)
        for _ in range(2):
            hand.answer(said[way])
            hand.submit()
        assert "done" in hand.page.locator("h1").inner_text().lower()
    assert "fault: Wrong" in desk.tab("Results")
    agreed = desk.tab("Agreement")
    assert "alpha, ordinal" in agreed and "alpha, nominal" in agreed
    folder = desk.export(tmp_path)
    found = values(folder / "judgments.jsonl")
    assert found["r001", "heron", "good"] == 5 and found["r002", "heron", "fault: Wrong"] == 1
    assert found["r001", "heron", "fault: Wrong"] == 0
    assert {aspect for _, _, aspect in found} == {"good", "fault: None", "fault: Wrong", "fault: Missing"}
    stored = (folder / "responses.jsonl").read_text()
    assert stored.count('"better"') == 4 and "No dog." in stored
    assert lifecycle.find(studio.db, desk.slug).rules().name == "generic"
