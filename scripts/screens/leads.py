"""The pages of those who run campaigns."""

from __future__ import annotations

from playwright.sync_api import Page

from captious.campaigns.quality import adjudication, gold
from captious.campaigns.work import aside, assignment, reading
from captious.campaigns.work.aside import notes
from captious.data import demo_files
from screens.site import Site, trained
from screens.stops import Stop, Visit, admin, public, then


def _lead(path: str) -> Visit:
    """A page of the lead about the campaign with a training."""

    def visit(page: Page, site: Site) -> None:
        campaign = trained(site)
        keys = [item.key for item in reading.items(site.db, campaign)[:2]]
        known = {key: {"A.precision": 5, "B.recall": {"value": 3, "tolerance": 1}} for key in keys}
        gold.set_gold(site.db, campaign, known, actor="script")
        site.sign_in(page.context)
        page.goto(f"{site.address}/admin/c/{campaign.slug}/{path}")

    return visit


def _notes(page: Page, site: Site) -> None:
    """What raters told of items that they could not answer."""
    campaign = site.campaigns["audit"]
    told = (("image", ""), ("cannot", "The caption is in a language that I cannot read."), ("skip", ""))
    if len(notes(site.db, campaign)) < len(told) + 1:
        rater = site.someone("audit")
        for kind, text in told:
            (task, *_) = assignment.next_tasks(site.db, campaign, rater)
            aside.put_aside(site.db, rater, task.token, kind, text=text)
        (task, *_) = assignment.next_tasks(site.db, campaign, rater)
        aside.tell(site.db, rater, task.token, "Is the man in the back to be named too?")
    admin("/notes", "audit")(page, site)


def _marking(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Change").first.click()


def _draft(page: Page, site: Site, protocol: str = "tagging") -> None:
    """A draft from the sample's own files."""
    admin(f"/new/{protocol}")(page, site)
    sample = demo_files()
    page.locator('[name="title"]').fill("Captions of autumn")
    page.locator('[name="candidates"]').set_input_files(sample.systems)
    page.locator('[name="references"]').set_input_files(sample.references)
    page.locator('[name="images"]').set_input_files(sorted(sample.images.glob("*.jpg")))
    page.get_by_role("button", name="Preview").click()
    page.locator(".previews").wait_for()


def _preview(page: Page, site: Site) -> None:
    _draft(page, site, "humanr")


def _try(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Try it as a rater").click()


def _tried(page: Page, site: Site) -> None:
    page.get_by_label("Minor errors").check()
    page.get_by_role("button", name="Submit").click()
    page.get_by_role("heading", level=1).wait_for()


def _edit(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Change files or rules").click()


def _links(page: Page, site: Site) -> None:
    page.locator('[name="lines"]').fill("Ann Lee, ann@example.org, native\nBo Carlsen")
    page.get_by_role("button", name="Add raters", exact=True).click()
    page.locator(".links").wait_for()


def _remove(page: Page, site: Site) -> None:
    page.get_by_role("link", name="Remove").first.click()


def _disagreement(page: Page, site: Site) -> None:
    (one,) = adjudication.disagreements(site.db, site.campaigns["thumb"], limit=1)
    site.sign_in(page.context)
    page.goto(f"{site.address}/admin/c/{site.slug('thumb')}/disagreements/{one.item.key}")


def _crowd(page: Page, site: Site) -> None:
    site.study()
    admin("/crowd", "humanr")(page, site)


def _crowd_estimate(page: Page, site: Site) -> None:
    page.locator('[name="places"]').fill("20")
    page.locator('[name="reward"]').fill("0.20")
    page.locator('[name="options"]').fill("parameter=pid")
    page.get_by_role("button", name="Estimate the cost").click()


STOPS = (
    Stop("admin-sign-in", public("/admin/sign-in")),
    Stop("admin-campaigns", admin("")),
    Stop("admin-new", admin("/new")),
    Stop("admin-files", admin("/new/thumb")),
    Stop("admin-files-own", admin("/new/generic")),
    Stop("admin-preview", _preview, photo=True),
    Stop("admin-edit", then(_draft, _edit)),
    Stop("admin-dry-run", then(_draft, _try), photo=True),
    Stop("admin-tried", then(then(_draft, _try), _tried)),
    Stop("admin-overview", admin("", "thumb")),
    Stop("admin-confirm", admin("/do/audit", "thumb")),
    Stop("admin-raters", admin("/raters", "humanr")),
    Stop("admin-links", then(admin("/raters", "humanr"), _links)),
    Stop("admin-remove", then(admin("/raters", "humanr"), _remove)),
    Stop("admin-agreement", admin("/agreement", "thumb")),
    Stop("admin-results", admin("/results", "humanr")),
    Stop("admin-results-thumb", admin("/results", "thumb")),
    Stop("admin-results-audit", admin("/results", "audit")),
    Stop("admin-quality", admin("/quality", "generic")),
    Stop("admin-disagreements", admin("/disagreements", "thumb")),
    Stop("admin-adjudicate", _disagreement, photo=True),
    Stop("admin-crowd", _crowd),
    Stop("admin-crowd-estimate", then(_crowd, _crowd_estimate)),
    Stop("admin-notes", _notes),
    Stop("admin-exports", admin("/exports", "thumb")),
    Stop("admin-settings", admin("/settings", "thumb")),
    Stop("admin-training", _lead("training")),
    Stop("admin-gold", _lead("gold")),
    Stop("admin-gold-item", then(_lead("gold"), _marking), photo=True),
    Stop("admin-log", admin("/log", "thumb")),
    Stop("admin-whole-log", admin("/log")),
    Stop("admin-accounts", admin("/accounts")),
    Stop("admin-account", admin("/account")),
)
