"""Marks by mouse, touch, keyboard and without scripts, in short, long and right-to-left captions."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import responses
from captious.corpus import Corpus, Finding, Findings
from captious.corpus.finding_files import read_findings
from captious.data import demo_files

axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
pytestmark = pytest.mark.browser
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
LAPTOP = {"viewport": {"width": 1366, "height": 768}}
TEXT = (
    "The image shows a giraffe that stands on a green meadow between three tall trees, and behind it a "
    "blue lake with two white boats lies under a cloudy sky. In the foreground, a small wooden fence runs "
    "from the left to the right, and a man in a red jacket leans on it and looks at the animal through his "
    "binoculars. "
)
ARABIC = "صورة زرافة تقف على مرج أخضر بين ثلاث أشجار عالية، وخلفها بحيرة زرقاء فيها قاربان أبيضان."


def long(words: int) -> str:
    return " ".join((TEXT * 10).split()[:words])


def made(
    studio: Any, captions: list[str], title: str, findings: Findings | None = None, **options: Any
) -> Campaign:
    """An open campaign with a caption an image."""
    photo = str(sorted(Path(demo_files().images).glob("*.jpg"))[0])
    ids = [f"{at:03d}" for at in range(len(captions))]
    corpus = Corpus.from_lists(
        captions, image_ids=ids, systems=["m"] * len(ids), image_paths=dict.fromkeys(ids, photo)
    )
    drafted = create.draft("spans", corpus, title=title, options=options, findings=findings)
    return lifecycle.open_campaign(studio.db, create.create(studio.db, drafted, actor="test"), actor="test")


def enter(studio: Any, campaign: Campaign, way: str = "mouse", **options: Any) -> Page:
    """The work of a new rater."""
    (rater,) = raters.add(studio.db, campaign, [NewRater("Ada")], actor="test")
    token, _ = accounts.start_session(studio.db, rater, hours=1)
    hand = studio.visitor(way, **options)
    name = f"captious_session_{campaign.slug}"
    hand.page.context.add_cookies([{"name": name, "value": token, "url": studio.address}])
    hand.open(f"/work/{campaign.slug}")
    found: Page = hand.page
    return found


def word(page: Page, text: str, nth: int = 0) -> Locator:
    return page.locator(".markable .w").filter(has_text=re.compile(rf"^{re.escape(text)}$")).nth(nth)


def centre(target: Locator) -> tuple[float, float]:
    box = target.bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, first: Locator, last: Locator) -> None:
    page.mouse.move(*centre(first))
    page.mouse.down()
    page.mouse.move(*centre(last))
    page.mouse.up()


def kept(page: Page) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(page.locator("[data-marks]").input_value())
    return found


def seen(page: Page) -> list[tuple[str, str, str]]:
    return [(one.get("text") or one["note"], one["kind"], one["severity"]) for one in kept(page)]


def answered(studio: Any, campaign: Campaign) -> list[dict[str, Any]]:
    return [dict(one.answers) for one in responses.stored(studio.db, campaign)]


def send(page: Page, score: int = 60) -> None:
    page.locator('[name="score"]').fill(str(score))
    page.locator("[data-submit]").click()


THREE = [("giraffe", "object", "major"), ("cloudy", "attribute", "minor"), ("binoculars", "object", "major")]


def test_three_places_in_a_caption_of_120_words_take_twelve_keys(studio: Any) -> None:
    campaign = made(studio, [long(120)], "By keyboard")
    page = enter(studio, campaign, "keyboard", **LAPTOP)
    keys = ["ArrowDown", *"g12", *"c21", *"b12"]
    for key in keys:
        page.keyboard.press(key)
    assert len(keys) <= 12
    assert seen(page) == THREE
    # On to the score and away, still without the mouse.
    page.keyboard.press("Escape")
    page.keyboard.press("ArrowDown")
    page.keyboard.type("45")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_contain_text("done")
    (stored,) = answered(studio, campaign)
    assert stored["score"] == 45
    assert [(one["text"], one["kind"], one["severity"]) for one in stored["marks"]] == THREE
    assert all(long(120)[one["start"] : one["end"]] == one["text"] for one in stored["marks"])


def test_three_places_take_three_drags_and_six_clicks(studio: Any) -> None:
    page = enter(studio, made(studio, [long(120)], "By mouse"), **LAPTOP)
    wanted = [
        ("three tall trees", "count", "minor"),
        ("two white boats", "object", "major"),
        ("red", "attribute", "minor"),
    ]
    actions = 0
    for text, kind, severity in wanted:
        first, last = word(page, text.split()[0]), word(page, text.split()[-1])
        if first.inner_text() == last.inner_text():
            first.click()
        else:
            drag(page, first, last)
        page.locator(f'[data-error="{kind}"]').click()
        page.locator(f'[data-severity="{severity}"]').click()
        actions += 3
    assert actions == 3 + 6
    assert seen(page) == wanted
    assert page.locator(".markable").text_content() == long(120)


def test_taps_on_the_first_and_the_last_word(studio: Any) -> None:
    campaign = made(studio, [long(120)], "By touch")
    page = enter(studio, campaign, **PHONE)
    for text in ("three", "trees"):
        page.touchscreen.tap(*centre(word(page, text)))
    expect(page.locator("[data-quote]")).to_have_text("“three tall trees”")
    page.locator('[data-error="count"]').tap()
    page.locator('[data-severity="major"]').tap()
    assert seen(page) == [("three tall trees", "count", "major")]
    page.get_by_role("button", name="Something is missing").tap()
    page.get_by_label("What does the caption not mention?").fill("the zoo")
    page.locator('[data-error="object"]').tap()
    page.locator('[data-severity="minor"]').tap()
    assert seen(page)[1] == ("the zoo", "object", "minor")
    send(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("done")
    assert [one.get("text") for one in answered(studio, campaign)[0]["marks"]] == ["three tall trees", None]


def test_marks_are_changed_removed_and_taken_back(studio: Any) -> None:
    page = enter(studio, made(studio, [long(20)], "Changing"), **LAPTOP)
    word(page, "giraffe").click()
    page.keyboard.press("1")
    page.keyboard.press("1")
    page.keyboard.press("3")  # the mark that has the focus
    page.keyboard.press("2")
    assert seen(page) == [("giraffe", "count", "major")]
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowRight")
    page.keyboard.press("4")
    page.keyboard.press("1")
    assert seen(page)[1] == ("that stands", "relation", "minor")
    word(page, "giraffe").click()  # opens it
    page.get_by_label("Note (optional)").fill("a horse")
    page.keyboard.press("Enter")
    assert kept(page)[0]["note"] == "a horse"
    page.get_by_role("button", name="Remove “giraffe”").click()
    assert seen(page) == [("that stands", "relation", "minor")]
    page.get_by_role("button", name="Undo").click()
    assert len(kept(page)) == 2
    word(page, "that").click()
    page.keyboard.press("Delete")
    assert [one["text"] for one in kept(page)] == ["giraffe"]
    word(page, "image").click()
    page.keyboard.press("1")
    send(page)  # a mark without severity is not sent, and not lost
    expect(page.locator("[data-quote]")).to_contain_text("Choose kind and severity")
    page.keyboard.press("Escape")
    assert [one["text"] for one in kept(page)] == ["giraffe"]


def test_a_screen_reader_hears_words_and_their_marks(studio: Any) -> None:
    page = enter(studio, made(studio, [long(20)], "Heard"), **LAPTOP)
    words = page.get_by_role("listbox", name="The caption, word by word")
    expect(words.get_by_role("option")).to_have_count(21)  # and a comma
    giraffe = words.get_by_role("option", name="giraffe")
    expect(giraffe).to_have_attribute("aria-selected", "false")
    assert page.locator(".markable [tabindex='0']").count() == 1
    giraffe.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Object")).to_be_focused()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Major").press("Enter")
    expect(giraffe).to_be_focused()
    expect(giraffe).to_have_attribute("aria-selected", "true")
    expect(giraffe).to_have_accessible_name("giraffe: marked, Object, major")
    expect(page.locator("[data-said]")).to_have_text("giraffe: Object, major")


def test_arrows_follow_the_direction_of_the_script(studio: Any) -> None:
    page = enter(studio, made(studio, [ARABIC], "Right to left"), **LAPTOP)
    words = ARABIC.split()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("2")
    page.keyboard.press("1")
    assert seen(page) == [(f"{words[1]} {words[2]}", "attribute", "minor")]
    assert page.locator(".markable").evaluate("one => getComputedStyle(one).direction") == "rtl"


def test_offsets_count_code_points_whatever_the_caption_holds(studio: Any) -> None:
    """Emoji, joined and with skin tones, combining marks, flags, returns: the server reads the same words."""
    rng = random.Random(7)
    parts = [
        "dog", "e\u0301te\u0301", "👩‍👩‍👧‍👦", "👍🏽", "🇩🇪", "\u0928\u092e\u0938\u094d\u0924\u0947", "狗在跑",
        "𝔘nicode", "a\u0323\u0307", "\r\n", "\r", "=x", "ﷺ", "&amp;", "…", "🐕\u200d🦺.",
    ]  # fmt: skip
    captions = [" ".join(rng.choices(parts, k=9)).strip() + f" {at}" for at in range(12)]
    campaign = made(studio, captions, "Offsets", overall=False)
    page = enter(studio, campaign, **LAPTOP)
    for _ in captions:
        token = page.locator(".answers").get_attribute("data-task")
        words = page.locator(".markable .w")
        for at in rng.sample(range(words.count()), 3):
            words.nth(at).focus()
            for key in ("Escape", "Shift+ArrowRight", "1", "2"):
                page.keyboard.press(key)
                if key == "Escape":
                    words.nth(at).focus()
        assert kept(page)
        page.locator("[data-submit]").click()
        page.wait_for_function(
            "token => document.querySelector('.answers')?.dataset.task !== token", arg=token
        )
    stored = list(responses.stored(studio.db, campaign))
    assert len(stored) == len(captions)
    by_image = {f"{at:03d}": text for at, text in enumerate(captions)}
    for one in stored:
        for mark in one.answers["marks"]:  # type: ignore[union-attr]
            assert by_image[one.image][mark["start"] : mark["end"]] == mark["text"]  # type: ignore[index]


def test_marks_survive_a_reload_and_the_loss_of_the_network(studio: Any) -> None:
    campaign = made(studio, [long(120)], "Kept")
    page = enter(studio, campaign, **LAPTOP)
    word(page, "giraffe").click()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(page.locator("#state")).to_contain_text("Draft saved")
    page.reload()
    assert seen(page) == [("giraffe", "object", "major")]
    expect(word(page, "giraffe")).to_have_class(re.compile("flagged"))
    page.context.set_offline(True)
    send(page)
    expect(page.locator("#net")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_role("heading", level=1)).to_contain_text("done")
    assert len(answered(studio, campaign)) == 1


def test_two_tabs_ask_which_marks_are_to_stand(studio: Any) -> None:
    campaign = made(studio, [long(20)], "Twice")
    page = enter(studio, campaign, **LAPTOP)
    address = studio.address + (page.locator(".answers").get_attribute("data-task") or "")
    other = page.context.new_page()
    other.goto(address)
    for tab, text in ((page, "giraffe"), (other, "image")):
        word(tab, text).click()
        tab.keyboard.press("1")
        tab.keyboard.press("1")
    send(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("done")
    send(other)
    expect(other.locator("main")).to_contain_text("“giraffe” Object, minor")
    expect(other.locator("main")).to_contain_text("“image” Object, minor")


def test_without_scripts_words_are_copied_into_a_table(studio: Any) -> None:
    campaign = made(studio, [long(20)], "Plain")
    page = enter(studio, campaign, "plain", **LAPTOP)
    rows = page.locator(".plain-mark")
    rows.nth(0).locator("input").first.fill("giraffes")
    rows.nth(1).locator("input").first.fill("the zoo")
    rows.nth(1).get_by_label("Wrong or missing").select_option("missing")
    page.locator('[name="score"]').fill("30")
    page.locator("[data-submit]").click()
    expect(page.locator(".error-summary")).to_contain_text("is not in the caption")
    rows.nth(0).locator("input").first.fill("giraffe")
    rows.nth(0).get_by_label("Severity").select_option("major")
    page.locator("[data-submit]").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("done")
    marks = answered(studio, campaign)[0]["marks"]
    assert [(one.get("text"), one.get("note"), one["severity"]) for one in marks] == [
        ("giraffe", None, "major"), (None, "the zoo", "minor"),
    ]  # fmt: skip


def test_suggestions_are_confirmed_or_changed_in_the_page(studio: Any) -> None:
    caption = long(20)
    places = [caption.index(text) for text in ("giraffe", "green", "three")]
    rows = [Finding("000", "m", caption, at, at + 5, "object", source="chair") for at in places]
    campaign = made(studio, [caption], "Helped", Findings.from_rows(rows))
    page = enter(studio, campaign, **LAPTOP)
    assert "Another rater" not in page.locator("main").inner_text()
    assert len(kept(page)) == 3
    page.locator(".marks li").nth(0).get_by_role("button", name="It is right").click()
    page.locator(".marks li").nth(1).get_by_role("button", name="Remove").click()
    assert [(one.get("of"), one.get("kept")) for one in kept(page)] == [(0, True), (2, None)]
    assert axe_faults(page) == []


def axe_faults(page: Page) -> list[str]:
    found = axe.Axe().run(page, options={"runOnly": RULES})
    return [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in found.response["violations"]]


COVERED = """() => {
  const controls = 'button, select, input:not([type=hidden]), .markable .picked';
  const shown = [...document.querySelector('main').querySelectorAll(controls)]
    .filter((one) => one.checkVisibility() && !one.closest('dialog, .leave, .visually-hidden'));
  return shown.filter((one) => {
    one.scrollIntoView({ block: 'nearest', behavior: 'instant' });
    if (one.focus) one.focus();
    const box = one.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return !(hit && (one.contains(hit) || hit.closest('label')?.htmlFor === one.id));
  }).map((one) => one.outerHTML.slice(0, 120));
}"""


@pytest.mark.parametrize("size", [PHONE, LAPTOP], ids=["phone", "laptop"])
@pytest.mark.parametrize("words", [20, 120, 500])
def test_nothing_covers_a_control_and_axe_finds_no_fault(
    studio: Any, size: dict[str, Any], words: int
) -> None:
    campaign = made(studio, [long(words)], f"Room {words} {size['viewport']['width']}")
    page = enter(studio, campaign, **size, reduced_motion="reduce")
    last = page.locator(".markable .w").nth(-2)
    for target in (word(page, "giraffe"), last):
        target.scroll_into_view_if_needed()
        target.click()
        assert page.evaluate(COVERED) == []
        page.locator('[data-error="object"]').click()
        page.locator('[data-severity="minor"]').click()
    assert page.evaluate(COVERED) == []
    last.click()  # the mark is open again
    assert axe_faults(page) == []
    room, needed = page.evaluate(
        "[document.documentElement.clientWidth, document.documentElement.scrollWidth]"
    )
    assert needed <= room
    pane = page.locator(".markable").bounding_box()
    assert pane is not None and pane["height"] <= 0.45 * size["viewport"]["height"]


def test_dark_and_right_to_left_have_no_fault(studio: Any) -> None:
    page = enter(studio, made(studio, [ARABIC], "Dark"), **LAPTOP, color_scheme="dark")
    page.locator(".markable .w").nth(2).click()
    page.keyboard.press("3")
    page.keyboard.press("2")
    page.locator(".markable .w").nth(4).click()
    assert axe_faults(page) == []


def test_a_study_from_the_wizard_to_the_findings(
    studio: Any, office: Any, cut_sample: Any, start: Callable[..., Any], tmp_path: Path
) -> None:
    sample = cut_sample(2, "heron")
    desk = office(studio.owner())
    desk.create("spans", "Where it is wrong", sample)
    links = desk.invite("Ann", "Bo")
    for way, link, first in (("mouse", links[0], 0), ("keyboard", links[1], 1)):
        page = start(studio.visitor(way), link).page
        for _ in range(2):
            token = page.locator(".answers").get_attribute("data-task")
            target = page.locator(".markable .w").nth(first)
            if way == "mouse":
                target.click()
                page.locator('[data-error="object"]').click()
                page.locator('[data-severity="major"]').click()
            else:
                for key in ("ArrowDown", "ArrowRight", "1", "1"):
                    page.keyboard.press(key)
            assert len(kept(page)) == 1
            send(page, 50)
            page.wait_for_function(
                "token => document.querySelector('.answers')?.dataset.task !== token", arg=token
            )
    assert "not yet" in desk.tab("Disagreements")
    desk.hand.activate(desk.hand.page.locator("main tbody tr").first.get_by_role("link"))
    page = desk.hand.page
    assert page.locator(".answers-table").inner_text().count("“") >= 2
    assert page.locator("figure.marked mark").count() == 2  # a caption with the marks of each rater
    assert axe_faults(page) == []
    desk.hand.unfold("Give a different answer")
    place = page.locator(".markable .w").nth(2)
    place.click()
    page.locator('[data-error="text"]').click()
    page.locator('[data-severity="minor"]').click()
    page.locator('.decide [name="score"]').fill("70")
    desk.hand.push("Save this decision")

    results = desk.tab("Results")
    assert "Errors by kind and severity" in results and "Score by system" in results
    assert "Agreement on places" in desk.tab("Agreement")
    folder = desk.export(tmp_path)
    found = read_findings(folder / "findings.jsonl")
    assert found.sources == ["r001", "r002"] and len(found) == 4
    final = read_findings(folder / "final_findings.jsonl")
    assert final.kinds.count("text") == 1 and len(final) == 3
