"""The figures of a rater's pages: weight, work of the machine, contrast, targets; every page, every way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from captious.campaigns.people import accounts, links, raters
from captious.campaigns.records import NewRater
from captious.campaigns.setup import lifecycle

pytestmark = pytest.mark.browser
PHONE = {"width": 390, "height": 844}
DESK = {"width": 1280, "height": 800}
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
MOST_BYTES = 100_000
MOST_SECONDS = 20.0
SMALLEST_TARGET = 24
SMALL = """() => [...document.querySelectorAll('a, button, summary, input, select, textarea')]
    .filter(one => one.checkVisibility() && !one.closest('.visually-hidden, .skip, dialog:not([open])'))
    .filter(one => getComputedStyle(one).display !== 'inline')
    .map(one => [one, one.matches('input[type=radio], input[type=checkbox]')
        ? [one, ...(one.labels ?? [])].map(part => part.getBoundingClientRect())
            .reduce((a, b) => (a.width * a.height > b.width * b.height ? a : b))
        : one.getBoundingClientRect()])
    .filter(([, box]) => box.width > 1 && (box.height < %d || box.width < %d))
    .map(([one, box]) => `${one.tagName} ${one.textContent.trim()} ${box.width}x${box.height}`)"""


class Walk:
    """A rater's way through every kind of page, one step a page."""

    def __init__(self, page: Any, served: Any) -> None:
        self.page, self.served = page, served

    def go(self, path: str) -> None:
        self.page.goto(self.served.address + path)

    def pages(self) -> Iterator[str]:
        """Show one page after the other; yields the name of each."""
        steps: list[Callable[[], str]] = [
            self.invitation,
            self.refused,
            *(lambda name=name: self.task(name) for name in ("thumb", "humanr", "audit", "labelled")),
            self.missing,
            self.problem,
            self.guide,
            self.asked,
            self.answers,
            self.correcting,
            self.nothing,
        ]
        for step in steps:
            yield step()

    def link(self, name: str) -> str:
        campaign = self.served.campaigns[name]
        (rater,) = raters.add(self.served.db, campaign, [NewRater("Ida")], actor="test")
        return f"/join/{links.make_link(self.served.db, rater, secret=b's' * 32)}"

    def invitation(self) -> str:
        self.go(self.link("tagging"))
        return "invitation"

    def refused(self) -> str:
        self.go("/join/cut-short")
        return "refused"

    def task(self, name: str) -> str:
        self.served.enter(self.page.context, name).close()
        self.go(f"/work/{name}")
        return name

    def missing(self) -> str:
        self.page.get_by_role("button", name="Submit").click()
        self.page.locator("#state a").wait_for()
        return "missing"

    def problem(self) -> str:
        self.page.get_by_role("link", name="Report", exact=True).click()
        return "problem"

    def guide(self) -> str:
        self.go("/guide/thumb")
        return "guide"

    def answer(self, page: Any, value: str) -> None:
        page.locator(f'input[name="good"][value="{value}"]').check()
        with page.expect_navigation():
            page.get_by_role("button", name="Submit").click()

    def asked(self) -> str:
        """Another tab has answered meanwhile."""
        self.go("/work/labelled")
        other = self.page.context.new_page()
        other.goto(self.page.url)
        self.answer(other, "2")
        other.close()
        self.answer(self.page, "4")
        assert self.page.get_by_role("heading", name="You have already answered this item").is_visible()
        return "asked"

    def answers(self) -> str:
        self.go("/answers/labelled")
        return "answers"

    def correcting(self) -> str:
        self.page.get_by_role("link", name="Change").first.click()
        return "correcting"

    def nothing(self) -> str:
        campaign = lifecycle.pause(self.served.db, self.served.campaigns["ten"], actor="test")
        (rater,) = raters.add(self.served.db, campaign, [NewRater("Ida")], actor="test")
        token, _ = accounts.start_session(self.served.db, rater, hours=1)
        cookie = {"name": "captious_session_ten", "value": token, "url": self.served.address}
        self.page.context.add_cookies([cookie])
        self.go("/work/ten")
        lifecycle.resume(self.served.db, campaign, actor="test")
        return "nothing"


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.long)])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["desk", "phone"])
def test_every_page_is_for_everyone(chromium, served, size, scheme) -> None:
    """All rules in light colours; in the dark ones, what colours can change."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    context = chromium.new_context(
        viewport=size, color_scheme=scheme, has_touch=size is PHONE, reduced_motion="reduce"
    )
    walk = Walk(context.new_page(), served)
    for name in walk.pages():
        rules = RULES if scheme == "light" else ["color-contrast"]
        found = axe.Axe().run(walk.page, options={"runOnly": rules, "resultTypes": ["violations"]})
        broken = found.response["violations"]
        assert [(one["id"], [node["html"] for node in one["nodes"]][:3]) for one in broken] == [], name
        assert walk.page.evaluate(SMALL % (SMALLEST_TARGET, SMALLEST_TARGET)) == [], name
        room, needed = walk.page.evaluate(
            "[document.documentElement.clientWidth, document.documentElement.scrollWidth]"
        )
        assert needed <= room, name
    context.close()


def test_from_the_link_to_the_first_answer_on_a_phone(chromium, served) -> None:
    """Bytes without the image, and the processor's seconds of the page and of our server."""
    context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True, device_scale_factor=2)
    page = context.new_page()
    asked: list[Any] = []
    watch = context.new_cdp_session(page)
    watch.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.on("requestfinished", lambda request: asked.append(request))  # noqa: PLW0108
    before = time.process_time()
    page.goto(served.address + Walk(page, served).link("thumb"))
    page.get_by_role("button", name="Start").tap()
    page.locator("[data-submit]").wait_for()
    page.wait_for_load_state("networkidle")
    sent = [one.sizes()["responseBodySize"] for one in asked if "/images/" not in one.url]
    assert 20_000 < sum(sent) < MOST_BYTES, "the invitation and the first task, with styles and scripts"
    for question in page.locator("[data-question$='.precision'], [data-question$='.recall']").all():
        question.locator("input[value='5']").tap()
    with page.expect_navigation():
        page.locator("[data-submit]").tap()
    assert page.get_by_text("1 of ").first.is_visible()
    metrics = watch.send("Performance.getMetrics")["metrics"]
    page_seconds = next(one["value"] for one in metrics if one["name"] == "TaskDuration")
    spent = page_seconds + time.process_time() - before
    assert 0 < spent < MOST_SECONDS
    context.close()
