"""More captions and images for a campaign that is there already."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.campaigns.records import Account, Campaign
from captious.campaigns.setup import lifecycle
from captious.errors import InputError
from captious.protocols import Problem
from captious.web import pages
from captious.web.admin.access import PAGE, WRITE, Db, Manager, Run, Written, head, show, words
from captious.web.admin.form_fields import files_of, problem_of, texts_of
from captious.web.admin.setup.wizard.drafts import Plan, drafts_of, load
from captious.web.admin.setup.wizard.received import UPLOADS, most_upload, receive, unreadable_files

router = APIRouter()


@router.get("/admin/c/{slug}/add", **PAGE)
def add_page(request: Request, account: Manager, campaign: Run) -> Response:
    """The form for more files."""
    return _page(request, account, campaign, {})


@router.post("/admin/c/{slug}/add", **WRITE, openapi_extra=UPLOADS)
def add(request: Request, account: Manager, campaign: Run, db: Db, form: Written) -> Response:
    """Add the items that the campaign does not have yet; raters meet them from now on."""
    drafts, given = drafts_of(db), texts_of(form)
    if not files_of(form, "candidates"):
        missing = Problem("candidates", words(request)("admin.new.no_candidates"))
        return _page(request, account, campaign, given, missing)
    token = drafts.begin()
    try:
        problems = receive(drafts, token, form).problems
        if not problems:
            loaded = load(_plan(account, campaign, given), drafts.place(token), campaign.rules())
            before = lifecycle.count_items(db, campaign)
            lifecycle.extend(db, campaign, corpus=loaded.corpus, actor=account.name)
            if lifecycle.count_items(db, campaign) == before:
                problems = [Problem("candidates", words(request)("admin.add.nothing_new"))]
    except InputError as error:
        problems = unreadable_files(drafts, token) or [problem_of(error, "candidates")]
    finally:
        drafts.discard(token)
    if problems:
        return _page(request, account, campaign, given, *problems)
    return pages.redirect(request, f"/admin/c/{campaign.slug}", flash="admin.flash.added")


def _plan(account: Account, campaign: Campaign, given: dict[str, str]) -> Plan:
    return Plan(
        account_id=account.id,
        created=campaign.created,
        protocol=campaign.protocol,
        title=campaign.title,
        common=given.get("common") == "yes",
        no_images=given.get("no_images") == "yes",
    )


def _page(
    request: Request, account: Account, campaign: Campaign, form: dict[str, str], *problems: Problem
) -> Response:
    return show(
        request,
        "add_files.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="settings",
        needs=campaign.rules().needs,
        suggestible=False,  # suggestions are made with the items of a new campaign
        most_upload=most_upload(request),
        form={"common": "", "no_images": ""} | form,
    )
