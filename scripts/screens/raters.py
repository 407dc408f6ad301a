"""The way in and the pages of raters."""

from __future__ import annotations

from playwright.sync_api import Page

from captious.campaigns.entry import surveys, training
from captious.campaigns.people import links, raters
from captious.campaigns.records import Campaign, NewRater
from captious.crowd import arrivals, visits
from captious.web import entrance
from captious.web.guard import tickets
from screens.site import SECRET, Site, game, trained
from screens.stops import Stop, press, public, then, work


def _join(page: Page, site: Site) -> None:
    token = links.make_link(site.db, site.guest("humanr"), secret=SECRET)
    page.goto(f"{site.address}/join/{token}")


def _setup(page: Page, site: Site) -> None:
    now = site.empty.now()
    ticket = tickets.issue(SECRET, entrance.SETUP, "owner", now=now, hours=1)
    page.goto(f"{site.empty_address}/setup/{ticket}")


def _demo(page: Page, site: Site) -> None:
    ticket = tickets.issue(SECRET, entrance.DEMO, site.owner.name, now=site.db.now(), hours=1)
    page.goto(f"{site.address}/demo/{ticket}")


def _second(page: Page, site: Site) -> None:
    site.enter(page.context, "thumb", site.reader(second=True))
    page.goto(f"{site.address}/work/{site.slug('thumb')}")


def _changed(page: Page, site: Site) -> None:
    """A score that the second reader changes."""
    recall = page.locator('[data-question="A.recall"] input[type="radio"]')
    kept = [box.is_checked() for box in recall.all()]
    recall.nth((kept.index(True) + 1) % len(kept)).check()


def _penalised(page: Page, site: Site) -> None:
    """A caption that is half judged."""
    page.locator('[data-question="A.precision"] input[value="4"]').check()
    page.locator('[data-question="A.errors"] input').first.check()


def _marking(page: Page, site: Site) -> None:
    """A word that is marked, and two that are being marked."""
    words = page.locator(".markable .w")
    words.nth(1).click()
    page.keyboard.press("1")
    page.keyboard.press("2")
    words.nth(3).click()
    words.nth(4).click()


def _idle(page: Page, site: Site) -> None:
    protocol, rater = site.idle()
    site.enter(page.context, protocol, rater)
    page.goto(f"{site.address}/work/{site.slug(protocol)}")


def _correcting(page: Page, site: Site) -> None:
    site.enter(page.context, "tagging", site.someone("tagging"))
    page.goto(f"{site.address}/work/{site.slug('tagging')}")
    page.get_by_label("Minor errors").check()
    with page.expect_navigation():
        page.get_by_role("button", name="Submit").click()
    page.get_by_role("link", name="Undo").click()


def _answers(page: Page, site: Site) -> None:
    """Some answers of one's own."""
    site.enter(page.context, "humanr", site.someone("humanr"))
    page.goto(f"{site.address}/work/{site.slug('humanr')}")
    for key in "258":
        page.keyboard.press(key)
        with page.expect_navigation():
            page.keyboard.press("Enter")
    page.goto(f"{site.address}/answers/{site.slug('humanr')}")


def _asked(page: Page, site: Site) -> None:
    """Another tab has answered meanwhile."""
    site.enter(page.context, "humanr", site.someone("humanr"))
    page.goto(f"{site.address}/work/{site.slug('humanr')}")
    other = page.context.new_page()
    other.goto(page.url)
    for tab, key in ((other, "3"), (page, "6")):
        tab.keyboard.press(key)
        with tab.expect_navigation():
            tab.keyboard.press("Enter")


def _offline(page: Page, site: Site) -> None:
    page.locator("[data-question] input").nth(1).check()
    page.context.set_offline(True)
    page.get_by_role("button", name="Submit").click()
    page.locator("#net").wait_for()


def _unanswered(page: Page, site: Site) -> None:
    """An empty form as a browser without script sends it."""
    page.locator("[data-answers]").evaluate("form => form.submit()")
    page.locator(".error-summary").wait_for()


def _guide(page: Page, site: Site, campaign: Campaign) -> None:
    """The guide as a page of its own, where its pictures are."""
    (rater,) = raters.add(site.db, campaign, [NewRater("Guest")], actor="script")
    site.let_in(page.context, campaign, rater)
    page.goto(f"{site.address}/guide/{campaign.slug}")
    page.locator(".pictured").first.scroll_into_view_if_needed()
    for picture in page.locator(".pictured img").all():
        picture.scroll_into_view_if_needed()  # they are loaded when they come into sight
    page.evaluate("window.scrollTo(0, 0)")


def _game_guide(page: Page, site: Site) -> None:
    _guide(page, site, game(site))


def _own_guide(page: Page, site: Site) -> None:
    _guide(page, site, site.campaigns["generic"])


def _newcomer(page: Page, site: Site, *, answered: bool) -> Campaign:
    """A new rater of that campaign at their first page, the survey answered or not."""
    campaign = trained(site)
    (rater,) = raters.add(site.db, campaign, [NewRater("Guest")], actor="script")
    if answered:
        surveys.answer(site.db, campaign, rater, "before", {"english": 4, "colours": "no"})
    site.let_in(page.context, campaign, rater)
    page.goto(f"{site.address}/work/{campaign.slug}")
    return campaign


def _survey(page: Page, site: Site) -> None:
    _newcomer(page, site, answered=False)


def _training(page: Page, site: Site) -> None:
    _newcomer(page, site, answered=True)


def _training_example(page: Page, site: Site) -> None:
    _newcomer(page, site, answered=True)
    page.get_by_role("link", name="Start the training").click()


def _training_told(page: Page, site: Site) -> None:
    """What was expected, of an example that was answered half right."""
    campaign = _newcomer(page, site, answered=True)
    rater = raters.listed(site.db, campaign)[-1]
    first, second, third = training.examples(site.db, campaign)[:3]
    fine = {"A.conciseness": "0", "A.inclusive_language": "0"}
    for kept in (first, second):
        said = {**fine, "A.precision": 5, "A.recall": 5}
        training.answer(site.db, campaign, rater, kept, 1, said)
    wrong = {**fine, "A.precision": 1, "A.errors": {"wrong": None}, "A.corrected": "A cat.", "A.recall": 4}
    training.answer(site.db, campaign, rater, third, 1, wrong)
    page.goto(f"{site.address}/begin/{campaign.slug}/training/1/3")


def _arrive(page: Page, site: Site) -> None:
    page.goto(f"{site.address}/go/{site.study().study.key}?pid=ada-7")


def _completed(page: Page, site: Site) -> None:
    stored = site.study()
    campaign = site.campaigns["humanr"]
    visit = site.visit(stored, f"done-{len(visits.of_study(site.db, stored.id))}", 100.0)
    rater = arrivals.admit(site.db, stored, campaign, visit)
    arrivals.end(site.db, stored, visit, "completed")
    site.enter(page.context, "humanr", rater)
    page.goto(f"{site.address}/go/{stored.study.key}/done")


STOPS = (
    Stop("home", public("/")),
    Stop("not-found", public("/nowhere")),
    Stop("setup", _setup),
    Stop("demo", _demo),
    Stop("rater-join", _join, photo=True),
    Stop("rater-link-refused", public("/join/cut-short")),
    Stop("rater-arrive", _arrive),
    Stop("rater-completed", _completed),
    Stop("rater-thumb", then(work("thumb"), _penalised), photo=True),
    Stop("rater-thumb-second", then(_second, _changed), photo=True),
    Stop("rater-humanr", work("humanr"), photo=True),
    Stop("rater-tagging", work("tagging"), photo=True),
    Stop("rater-audit", work("audit"), photo=True),
    Stop("rater-spans", then(work("spans"), _marking), photo=True),
    Stop("rater-generic", work("generic"), photo=True),
    Stop("rater-guide", then(work("thumb"), press("g")), photo=True),
    Stop("rater-keys", then(work("humanr"), press("k")), photo=True),
    Stop("rater-zoom", then(work("humanr"), press("z")), photo=True),
    Stop("rater-offline", then(work("humanr"), _offline), photo=True),
    Stop("rater-error-plain", then(work("audit"), _unanswered), photo=True, script=False),
    Stop("rater-correcting", _correcting, photo=True),
    Stop("rater-problem", then(work("tagging"), press("p")), photo=True),
    Stop("rater-answers", _answers, photo=True),
    Stop("rater-asked", _asked),
    Stop("rater-nothing", _idle),
    Stop("rater-survey", _survey),
    Stop("rater-training", _training),
    Stop("rater-training-example", _training_example, photo=True),
    Stop("rater-training-told", _training_told, photo=True),
    Stop(
        "rater-guide-page",
        lambda page, site: (
            work("thumb")(page, site),
            page.goto(f"{site.address}/guide/{site.slug('thumb')}"),
        )[0],
    ),
    Stop("rater-guide-generic", _own_guide, photo=True),
    Stop("rater-guide-game", _game_guide, photo=True),
)
