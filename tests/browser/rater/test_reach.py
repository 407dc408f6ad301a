"""Captions of 20 to 500 words: every control can be pressed, and is seen when it has the focus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from playwright import sync_api as playwright

from captious.campaigns.people import accounts, raters
from captious.campaigns.records import Campaign, NewRater, Rater
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus
from captious.data import demo_files

pytestmark = pytest.mark.browser

TEXT = (
    "The image shows a giraffe that stands on a green meadow between three tall trees, and behind it a "
    "blue lake with two white boats lies under a cloudy sky. In the foreground, a small wooden fence runs "
    "from the left to the right, and a man in a red jacket leans on it and looks at the animal through his "
    "binoculars. "
)
LENGTHS = (20, 120, 300, 500)
# A laptop, and the same at 200% zoom; two phones.
DESK = ({"width": 1366, "height": 768}, {"width": 683, "height": 384})
PHONES = ({"width": 390, "height": 844}, {"width": 320, "height": 640})
RANKED = """
name: ranked
raters: 3
questions:
  - {aspect: best, kind: rank, ask: "Which caption is best?"}
"""
OWN = """
name: own
raters: 3
questions:
  - {aspect: good, kind: scale, ask: "How good is it?", labels: {1: Useless, 5: Very useful}}
  - {aspect: fits, kind: choice, ask: "Does it fit?", options: [Fully, Partly, Not at all]}
  - {aspect: faults, kind: multi, ask: "What is wrong?", options: [Name, Look, Places, Counts, Text, Tone]}
  - {aspect: things, kind: number, ask: "How many things does it name?", low: 0, high: 100}
  - {aspect: why, kind: text, ask: "Why?"}
  - {aspect: sure, kind: yes_no, ask: "Are you sure?"}
"""


class Case(NamedTuple):
    """A campaign whose page is looked at."""

    protocol: str
    systems: int = 3
    file: str | None = None
    options: Mapping[str, Any] = {}
    second: bool = False
    images: int = 1


CASES = {
    "thumb": Case("thumb"),
    "thumb-second": Case("thumb", second=True),
    "humanr": Case("humanr", options={"baseline": False}, images=2),
    "tagging": Case("tagging"),
    "audit": Case("audit"),
    "spans": Case("spans"),
    "own": Case("generic", file=OWN),
    "ranked": Case("generic", file=RANKED),
}


def long(words: int, system: int) -> str:
    """A caption of so many words, another for each system."""
    return " ".join([f"Version{system}", *(TEXT * 10).split()[: words - 1]])


class Pages:
    """Open campaigns of one image, each with captions of one length."""

    def __init__(self, studio: Any) -> None:
        self.studio = studio
        self.made: dict[str, tuple[Campaign, Rater]] = {}
        self.photo = str(sorted(Path(demo_files().images).glob("*.jpg"))[0])

    def enter(self, page: playwright.Page, name: str, words: int) -> None:
        """The work of a new rater in a new campaign."""
        title = f"{name} {words}"
        if title not in self.made:
            made = self._made(CASES[name], title)
            if CASES[name].second:
                self._first_stage(made)
            self.made[title] = made, self.rater(made)
        self.visit(page, *self.made[title])

    def visit(self, page: playwright.Page, campaign: Campaign, rater: Rater) -> None:
        """A rater's next task."""
        token, _ = accounts.start_session(self.studio.db, rater, hours=1)
        cookie = {"name": f"captious_session_{campaign.slug}", "value": token, "url": self.studio.address}
        page.context.add_cookies([cookie])  # type: ignore[list-item]
        page.goto(f"{self.studio.address}/work/{campaign.slug}")

    def _made(self, case: Case, title: str) -> Campaign:
        words = int(title.split()[-1])
        rows = [(image, at) for image in range(case.images) for at in range(case.systems)]
        corpus = Corpus.from_lists(
            [long(words, 10 * image + at) for image, at in rows],
            [[long(words, 100 + image), long(words, 200 + image)] for image, _ in rows],
            image_ids=[str(image) for image, _ in rows],
            systems=[f"m{at}" for _, at in rows],
            image_paths={str(image): self.photo for image, _ in rows},
        )
        drafted = create.draft(
            case.protocol, corpus, title=title, options=dict(case.options), protocol_file=case.file
        )
        created = create.create(self.studio.db, drafted, actor="test")
        return lifecycle.open_campaign(self.studio.db, created, actor="test")

    def rater(self, campaign: Campaign) -> Rater:
        (rater,) = raters.add(self.studio.db, campaign, [NewRater("Ada")], actor="test")
        return rater

    def _first_stage(self, campaign: Campaign) -> None:
        rater = self.rater(campaign)
        (task,) = assignment.next_tasks(self.studio.db, campaign, rater)
        said: dict[str, object] = {}
        for field in task.item.form.fields:
            if field.name.endswith(("precision", "recall")):
                said[field.name] = 5
            elif field.preset:
                said[field.name] = field.fine
        responses.respond(self.studio.db, rater, task.token, said, key="first")


# Everything that a rater can open is opened: folds, and questions that follow from an answer.
OPEN = """() => {
    for (const one of document.querySelectorAll(".answers input[type=radio][value='1']")) one.click();
    for (const one of document.querySelectorAll(".answers details")) one.open = true;
    for (const one of document.querySelectorAll(".answers input[value='wrong']:not(:checked)")) one.click();
}"""
HIDDEN = """() => {
    const controls = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const seen = [...document.querySelectorAll(controls)].filter(
        (one) => one.checkVisibility() && !one.closest("dialog, .visually-hidden, .skip"));
    const whole = "body, main, form, .workbench, .answers";
    const own = (one, found) => found && (one.contains(found)
        || (found.contains(one) && !found.matches(whole))
        || [...(one.labels ?? [])].some((label) => label.contains(found)));
    const problems = [];
    const look = (one, part, what) => {
        const box = one.getBoundingClientRect();
        const found = document.elementFromPoint(box.left + box.width / 2, box.top + part * box.height);
        const name = `${one.tagName} ${one.id || one.name || one.textContent.trim().slice(0, 30)}`;
        if (!own(one, found)) problems.push(`${name} ${what} ${found?.className || found?.tagName}`);
    };
    for (const one of seen) {
        one.scrollIntoView({ block: "nearest" });
        look(one, 0.5, "is covered by");
        document.activeElement?.blur();
        one.focus();
        if (document.activeElement !== one) continue;
        for (const part of one.offsetHeight > 90 ? [0.5] : [0.1, 0.5, 0.9]) {
            look(one, part, `has the focus, and at ${part} there is`);
        }
    }
    return [seen.length, problems];
}"""


@pytest.fixture(scope="module")
def pages(server: Any) -> Iterator[Pages]:
    yield Pages(server)


SETTLED = (
    "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
)


@pytest.mark.parametrize("name", CASES)
def test_every_control_can_be_reached_and_is_seen_with_the_focus(
    studio: Any, pages: Pages, name: str
) -> None:
    found = []
    for sizes, touch in ((DESK, False), (PHONES, True)):
        context = studio.context(viewport=sizes[0], has_touch=touch, is_mobile=touch, reduced_motion="reduce")
        page = context.new_page()
        for words in LENGTHS:
            pages.enter(page, name, words)
            for opened in (False, True):
                if opened:
                    page.evaluate(OPEN)
                for size in sizes:
                    page.set_viewport_size(size)
                    page.evaluate(SETTLED)
                    count, problems = page.evaluate(HIDDEN)
                    assert count > 8
                    found += [f"{words} words, {size['width']} wide: {one}" for one in problems]
            page.set_viewport_size(sizes[0])
        context.close()
    assert found == []


def test_a_long_caption_is_read_by_sentences_and_a_pair_one_at_a_time_on_a_phone(
    studio: Any, pages: Pages
) -> None:
    page = studio.context(viewport=DESK[0], reduced_motion="reduce").new_page()
    pages.enter(page, "thumb", 300)
    first = page.locator(".caption-text").first
    assert first.get_attribute("tabindex") == "0"
    for _ in range(5):
        page.keyboard.press("j")
    page.keyboard.press("h")
    read = first.locator(".reading")
    assert first.locator(".sentence").nth(3).evaluate("(one) => one.matches('.reading')")
    pane, box = first.bounding_box(), read.bounding_box()
    assert pane and box
    assert pane["y"] <= box["y"] + 3
    assert box["y"] + box["height"] <= pane["y"] + pane["height"] + 3
    page = studio.context(viewport=PHONES[0], has_touch=True, is_mobile=True).new_page()
    pages.enter(page, "humanr", 300)
    left, right = page.locator(".side-left .caption-text"), page.locator(".side-right .caption-text")
    assert left.is_visible()
    assert not right.is_visible()
    page.get_by_role("button", name="Right").tap()
    assert right.is_visible()
    assert not left.is_visible()
    pages.enter(page, "humanr", 20)  # short ones stand beside each other
    assert left.is_visible()
    assert right.is_visible()
    assert not page.locator("[data-sides]").is_visible()


RIGHT_TO_LEFT = {
    "ar": "كلب بني يجري على الشاطئ خلف كرة حمراء.",
    "he": "כלב חום רץ על החוף אחרי כדור אדום.",
    "fa": "یک سگ قهوه‌ای روی ساحل به دنبال یک توپ قرمز می‌دود.",
    "en": "A brown dog runs along the beach after a red ball.",
}


def test_captions_run_in_the_direction_of_their_language(studio: Any, pages: Pages) -> None:
    page = studio.context(viewport=PHONES[0]).new_page()
    for code, text in RIGHT_TO_LEFT.items():
        corpus = Corpus.from_lists([text, f"{text[:-1]}!"], image_ids=["1", "1"], systems=["a", "b"])
        drafted = create.draft("thumb", corpus, title=f"in {code}", options={"clean": False})
        created = create.create(studio.db, drafted, actor="test")
        campaign = lifecycle.open_campaign(studio.db, created, actor="test")
        pages.visit(page, campaign, pages.rater(campaign))
        seen = page.locator(".caption-text").first.evaluate(
            "(one) => [getComputedStyle(one).direction, one.lang]"
        )
        assert seen == ["ltr" if code == "en" else "rtl", code]


@pytest.mark.parametrize("name", ["thumb", "thumb-second", "humanr", "ranked"])
def test_axe_finds_no_fault_with_long_captions(studio: Any, pages: Pages, name: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed")
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
    for size in (DESK[0], PHONES[0]):
        page = studio.context(viewport=size, reduced_motion="reduce").new_page()
        pages.enter(page, name, 300)
        found = axe.Axe().run(page, options={"runOnly": rules}).response["violations"]
        assert [(one["id"], [node["html"][:200] for node in one["nodes"]]) for one in found] == []
