"""What must not go wrong when people are hasty, offline or lost: once is once, nothing is lost."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from captious.campaigns.people import links, raters
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import responses
from captious.corpus.load import load_corpus
from captious.data import demo_files

pytestmark = pytest.mark.browser
SECRET = b"s" * 32


def begin(studio: Any, protocol: str, **options: Any) -> tuple[Campaign, Any]:
    """A campaign on the sample, and the link of a rater."""
    sample = demo_files()
    corpus = load_corpus(sample.systems, [sample.references], images=sample.images)
    drafted = create.draft(protocol, corpus, title=f"Care {protocol}", options=options)
    taken = {one.slug for one in lifecycle.listed(studio.db)}
    if drafted.slug not in taken:
        made = create.create(studio.db, drafted, actor="test")
        lifecycle.open_campaign(studio.db, made, actor="test")
    campaign = lifecycle.find(studio.db, drafted.slug)
    (rater,) = raters.add(studio.db, campaign, [NewRater("Ada")], actor="test")
    link = links.make_link(studio.db, rater, secret=SECRET)
    return campaign, f"{studio.address}/join/{link}"


def stored(studio: Any, campaign: Campaign) -> list[Any]:
    return list(responses.stored(studio.db, campaign))


def test_a_double_click_is_one_answer_one_start_and_one_campaign(studio, office, cut_sample, start) -> None:
    campaign, link = begin(studio, "tagging")
    hand = studio.visitor()
    hand.open(link)
    with hand.page.expect_navigation():
        hand.page.get_by_role("button", name="Start").dblclick()
    hand.page.locator("[data-answers]").wait_for()
    before = len(stored(studio, campaign))
    hand.answer({"verdict": "minor"})
    with hand.page.expect_navigation():
        hand.page.locator("[data-submit]").dblclick()
    hand.page.get_by_text(re.compile(r"^1 of \d+ answered$")).wait_for()
    assert len(stored(studio, campaign)) == before + 1

    sample = cut_sample(2, "heron")
    owner = studio.owner()
    owner.open("/admin/new/tagging")
    owner.write("title", "Once only")
    owner.give("candidates", sample.candidates)
    owner.give("images", sample.images)
    owner.push("Preview")
    with owner.page.expect_navigation():
        owner.page.get_by_role("button", name="Create campaign").dblclick()
    owner.page.get_by_role("heading", name="Once only").wait_for()
    assert [one.title for one in lifecycle.listed(studio.db)].count("Once only") == 1


def test_going_back_without_script_shows_no_old_form(studio, start) -> None:
    campaign, link = begin(studio, "tagging")
    hand = start(studio.visitor("plain"), link)
    before = len(stored(studio, campaign))
    address = hand.page.locator("[data-answers]").get_attribute("action")
    hand.answer({"verdict": "serious"})
    hand.submit()
    hand.page.go_back()
    assert hand.page.get_by_text(re.compile(r"^1 of \d+ answered$")).count() == 1
    assert hand.page.locator("[data-answers]").get_attribute("action") != address
    assert hand.page.get_by_role("radio", checked=True).count() == 0
    assert len(stored(studio, campaign)) == before + 1


def test_a_whole_thumb_page_survives_a_lost_connection_and_a_reload(studio, start) -> None:
    """Half is a draft, the rest is answered offline, and the answer arrives once."""
    campaign, link = begin(studio, "thumb")
    hand = start(studio.visitor(), link)
    letters = list(hand.captions())
    whole = {"precision": "5", "recall": "4", "conciseness": "0", "inclusive_language": "0"}
    hand.answer({f"{letters[0]}.{name}": value for name, value in whole.items()})
    hand.page.get_by_text("Draft saved.").wait_for()
    hand.page.reload()
    presets = 2 * (len(letters) - 1)  # of the captions that nobody has begun
    assert hand.page.get_by_role("radio", checked=True).count() == len(whole) + presets
    hand.page.context.set_offline(True)
    for letter in letters[1:]:
        hand.answer({f"{letter}.{name}": value for name, value in whole.items()})
    hand.page.locator("[data-submit]").click()
    hand.page.get_by_text("is not saved yet").wait_for()
    assert stored(studio, campaign) == []
    with hand.page.expect_navigation():
        hand.page.context.set_offline(False)
    (row,) = stored(studio, campaign)
    assert {row.answers[f"{letter}.precision"] for letter in letters} == {5.0}


def test_keys_keep_the_place_and_submit_from_a_fold(studio, start) -> None:
    campaign, link = begin(studio, "thumb")
    hand = start(studio.visitor("keyboard"), link)
    first, *others = hand.captions()
    hand.answer(
        {
            f"{first}.precision": "3",
            f"{first}.errors": {"wrong": 0},
            f"{first}.corrected": "Something else, 1 of g.",
        }
    )
    hand.press("ArrowUp")  # Escape left the text box, not the place
    assert hand.here() == f"{first}.errors"
    hand.press("ArrowDown", "Escape", "ArrowDown")
    assert hand.here() == f"{first}.recall"
    whole = {"precision": "5", "recall": "4", "conciseness": "0", "inclusive_language": "0"}
    hand.answer({f"{first}.{name}": whole[name] for name in list(whole)[1:]})
    for letter in others:
        hand.answer({f"{letter}.{name}": value for name, value in whole.items()})
    hand.press("ArrowUp", "ArrowUp", "ArrowUp")  # from the button over two questions
    assert hand.here() == f"{others[-1]}.fluency"
    assert hand.on_fold()
    before = len(stored(studio, campaign))
    hand.submit()
    assert len(stored(studio, campaign)) == before + 1


def test_zoom_and_guide_by_key(studio, start) -> None:
    _, link = begin(studio, "tagging")
    hand = start(studio.visitor("keyboard"), link)
    hand.press("z")
    view = hand.page.locator(".zoom-view")
    hand.page.locator(".zoom-view[data-size]").wait_for()
    assert [(hand.press(key), view.get_attribute("data-size"))[1] for key in "++-"] == ["2", "3", "2"]
    hand.press("z")
    assert not hand.page.locator("#zoom-dialog").is_visible()
    hand.press("g")
    assert "The five verdicts" in hand.page.locator("#guide-dialog").inner_text()
    hand.press("Escape")
    assert not hand.page.locator("#guide-dialog").is_visible()


@pytest.mark.parametrize("way", ["mouse", "plain"])
def test_an_undo_is_a_correction_that_the_export_tells(
    studio, start, office, tmp_path: Path, way: str
) -> None:
    campaign, link = begin(studio, "tagging")
    hand = start(studio.visitor(way), link)
    hand.answer({"verdict": "serious"})
    hand.submit()
    hand.follow("Undo")
    assert hand.page.locator('input[value="serious"]').is_checked()
    hand.answer({"verdict": "minor"})
    hand.push("Replace my answer")
    first, second = stored(studio, campaign)[-2:]
    assert [(one.kind, one.answers, one.standing) for one in (first, second)] == [
        ("answer", {"verdict": "serious"}, False),
        ("correction", {"verdict": "minor"}, True),
    ]
    assert second.replaces == first.id
