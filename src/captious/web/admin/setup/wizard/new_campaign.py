"""Making a campaign: choose a protocol, give files and rules, look at what would be made."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.records import Account
from captious.campaigns.store.database import Database
from captious.protocols import Problem, known_protocols
from captious.protocols.capabilities import FromFile
from captious.protocols.questions import offered_kinds
from captious.protocols.registry import PROTOCOLS
from captious.web import pages
from captious.web.admin.access import PAGE, WRITE, Db, Manager, Written, show, words
from captious.web.admin.form_fields import files_of, texts_of
from captious.web.admin.setup.wizard.drafts import Plan, Token, drafts_of, plan_of
from captious.web.admin.setup.wizard.plan_form import Protocol, blank, fields_of, kind_named, read_plan, typed
from captious.web.admin.setup.wizard.received import (
    DROP,
    UPLOADS,
    build_or_explain,
    kept_files,
    most_upload,
    receive,
)

router = APIRouter()


@router.get("/admin/new", **PAGE)
def choose(request: Request, account: Manager, db: Db) -> Response:
    """The protocols in plain words, and drafts that were begun."""
    drafts = drafts_of(db)
    drafts.sweep(db.now())
    known = known_protocols()
    return show(
        request,
        "new.html",
        account,
        protocols=list(known),
        citations={name: kind.citation for name, kind in known.items()},
        left_out=PROTOCOLS.left_out,
        drafts=drafts.own(account.id),
    )


@router.get("/admin/new/{protocol}", **PAGE)
def files_page(request: Request, account: Manager, protocol: Protocol) -> Response:
    """The form for files and rules."""
    return _form_page(request, account, protocol, blank(protocol))


@router.post("/admin/new/{protocol}", **WRITE, openapi_extra=UPLOADS)
def upload(request: Request, account: Manager, db: Db, protocol: Protocol, form: Written) -> Response:
    """Check what was given and go on to the preview; nothing is created yet."""
    drafts = drafts_of(db)
    given = texts_of(form)
    plan, problems = read_plan(request, account, db, protocol, given, form)
    if not files_of(form, "candidates"):
        problems.append(Problem("candidates", words(request)("admin.new.no_candidates")))
    token = drafts.begin()
    return _received(request, account, db, token, plan, given, form, problems)


@router.get("/admin/drafts/{token}/edit", **PAGE)
def edit_page(request: Request, account: Manager, db: Db, token: Token) -> Response:
    """The same form again with what was given."""
    plan = plan_of(db, token, account)
    return _form_page(request, account, plan.protocol, typed(plan), token=token, db=db)


@router.post("/admin/drafts/{token}/edit", **WRITE, openapi_extra=UPLOADS)
def edit(request: Request, account: Manager, db: Db, token: Token, form: Written) -> Response:
    """Change a draft; files that are not given again stay."""
    drafts, before = drafts_of(db), plan_of(db, token, account)
    given = texts_of(form)
    plan, problems = read_plan(request, account, db, before.protocol, given, form)
    plan = replace(plan, created=before.created)
    fresh = drafts.begin()
    return _received(request, account, db, fresh, plan, given, form, problems, earlier=token)


def _received(
    request: Request,
    account: Account,
    db: Database,
    token: str,
    plan: Plan,
    given: dict[str, str],
    form: FormData,
    problems: list[Problem],
    earlier: str = "",
) -> Response:
    """Keep the files, then go on to the preview, or back to the form with what is good kept."""
    drafts = drafts_of(db)
    received = receive(drafts, token, form, earlier)
    problems = problems + received.problems
    drafts.save(token, plan)
    if not problems:
        problems = build_or_explain(drafts, token, plan)
    if not problems:
        if earlier:
            drafts.discard(earlier)
        return pages.redirect(request, f"/admin/drafts/{token}")
    if any(path.exists() for path in received.kept):
        if earlier:
            drafts.save(token, plan_of(db, earlier, account))
            drafts.discard(earlier)
    else:
        drafts.discard(token)
        token = earlier
    return _form_page(request, account, plan.protocol, given, token=token, db=db, problems=problems)


def _form_page(
    request: Request,
    account: Account,
    protocol: str,
    form: dict[str, str],
    *,
    token: str = "",
    db: Database | None = None,
    problems: list[Problem] | None = None,
) -> Response:
    unticked = dict.fromkeys(blank(protocol), "")
    return show(
        request,
        "new_files.html",
        account,
        problems=problems or [],
        protocol=protocol,
        fields=fields_of(protocol),
        suffixes=FromFile.kind(kind_named(protocol)).suffixes,
        builds=FromFile.kind(kind_named(protocol)).builds,
        kinds=offered_kinds(),
        form=unticked | form,
        needs=kind_named(protocol).needs,
        suggestible=kind_named(protocol).suggestible,
        drop=DROP,
        most_upload=most_upload(request),
        action=f"/admin/drafts/{token}/edit" if token else f"/admin/new/{protocol}",
        kept=kept_files(drafts_of(db), token) if token and db is not None else None,
    )
