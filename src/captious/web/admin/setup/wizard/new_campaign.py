"""Making a campaign: choose a protocol, give files and rules, look at what would be made."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from pathlib import Path as FilePath
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from captious.campaigns.records import Account
from captious.campaigns.setup.create import DEFAULT_SEED, checked_title
from captious.campaigns.store.database import Database
from captious.errors import FieldError, InputError
from captious.protocols import HumanProtocol, Problem, known_protocols
from captious.protocols.form import as_number
from captious.protocols.options import ProtocolOption, options_of, read_options
from captious.protocols.registry import notes
from captious.web import pages
from captious.web.admin.access import PAGE, WRITE, Db, Manager, Written, files_of, show, texts_of, words
from captious.web.admin.setup.wizard.drafts import Drafts, Plan
from captious.web.admin.setup.wizard.received import DROP, PARTS, build_or_explain, kept_files, receive
from captious.web.admin.uploads import image_files as uploads
from captious.web.guard import security
from captious.web.refusals import Refusal

router = APIRouter()
Protocol = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,60}$")]
Token = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]
LONGEST = {"instructions": 20_000, "consent": 20_000, "contact": 300}
HIGHEST_SEED = 2**53
UPLOADS = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["csrf", "title"],
                    "properties": {
                        "csrf": {"type": "string"},
                        "title": {"type": "string"},
                        **{
                            part: {"type": "array", "items": {"type": "string", "format": "binary"}}
                            for part in PARTS
                        },
                    },
                    "additionalProperties": {"type": "string"},
                }
            }
        },
    }
}


@lru_cache(maxsize=8)
def _drafts(folder: FilePath) -> Drafts:
    return Drafts(folder)


def drafts_of(db: Database) -> Drafts:
    """The campaigns being made beside a database."""
    return _drafts(db.files / "drafts")


def plan_of(db: Database, token: str, account: Account) -> Plan:
    """One's own draft, or 404."""
    try:
        return drafts_of(db).plan(token, account.id)
    except InputError:
        raise Refusal(404, "admin.errors.no_draft") from None


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
        left_out=notes(),
        drafts=drafts.own(account.id),
    )


@router.get("/admin/new/{protocol}", **PAGE)
def files_page(request: Request, account: Manager, protocol: Protocol) -> Response:
    """The form for files and rules."""
    return _form_page(request, account, protocol, _blank(protocol))


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


def read_plan(
    request: Request, account: Account, db: Database, protocol: str, given: dict[str, str], form: FormData
) -> tuple[Plan, list[Problem]]:
    """What was typed, and what is wrong with it: a line for each field."""
    problems: list[Problem] = []
    title = given.get("title", "")
    try:
        title = checked_title(title)
    except InputError as error:
        problems.append(Problem("title", str(error)))
    kind = kind_named(protocol)
    options: dict[str, Any] = {}
    read = read_options(kind, given) if not kind.suffixes else {}
    if isinstance(read, list):
        problems += read
    else:
        options, wrong = read, _unfit(kind, read)
        problems += wrong
    seed = as_number(given.get("seed", "") or str(DEFAULT_SEED))
    if seed is None or seed != int(seed) or not 0 <= seed <= HIGHEST_SEED:
        problems.append(Problem("seed", words(request)("admin.new.wrong_seed")))
        seed = 0
    for name, most in LONGEST.items():
        if len(given.get(name, "")) > most:
            message = words(request)("admin.errors.too_long", most=f"{most:,}")
            problems.append(Problem(name, message))
    text = ""
    if kind.suffixes:
        text, wrong = _protocol_text(kind, given, form)
        problems += wrong
    plan = Plan(
        account_id=account.id,
        created=db.now(),
        protocol=protocol,
        title=title,
        options=options,
        protocol_text=text,
        seed=int(seed),
        instructions=given.get("instructions", ""),
        consent=given.get("consent", "").strip(),
        contact=given.get("contact", ""),
        common=given.get("common") == "yes",
        no_images=given.get("no_images") == "yes",
    )
    return plan, problems


def _protocol_text(
    kind: type[HumanProtocol], given: dict[str, str], form: FormData
) -> tuple[str, list[Problem]]:
    sent = files_of(form, "protocol_file")
    try:
        text = uploads.read_protocol_text(sent[0]) if sent else given.get("protocol_text", "")
        if not text.strip() and kind.builds:
            text = kind.built_text(given)
            if not text:
                raise FieldError("build.1.ask", "question 1: it is empty. Write one, or give a file.")
        if "\x00" in text:
            raise InputError("protocol: holds a NUL character. Save it as plain text.")
        kind.from_text(text, uploads.shown_name(sent[0]) if sent else "protocol")
    except FieldError as error:
        return "", [Problem(error.field, str(error))]
    except InputError as error:
        return "", [Problem("protocol_file" if sent else "protocol_text", str(error))]
    return text, []


def kind_named(protocol: str) -> type[HumanProtocol]:
    """A protocol by its name, or 404."""
    known = known_protocols()
    if protocol not in known:
        raise Refusal(404, "error.404")
    return known[protocol]


def _fields(protocol: str) -> list[ProtocolOption]:
    """The options that the page asks for; those of a file stand in the file."""
    kind = kind_named(protocol)
    return [] if kind.suffixes else [one for one in options_of(kind) if one.shown]


def _unfit(kind: type[HumanProtocol], options: dict[str, Any]) -> list[Problem]:
    """What the protocol itself says against options that are each in their range."""
    if kind.suffixes:
        return []
    try:
        kind(**options)
    except InputError as error:
        return [Problem("title", str(error))]
    return []


def _blank(protocol: str) -> dict[str, str]:
    return {
        "title": "",
        "instructions": "",
        "consent": "",
        "contact": "",
        "common": "",
        "no_images": "",
        "protocol_text": "",
        "seed": str(DEFAULT_SEED),
        **{field.field: field.typed(field.default) for field in _fields(protocol)},
    }


def typed(plan: Plan) -> dict[str, str]:
    """A plan as it was typed."""
    return {
        "title": plan.title,
        "instructions": plan.instructions,
        "consent": plan.consent,
        "contact": plan.contact,
        "common": "yes" if plan.common else "",
        "no_images": "yes" if plan.no_images else "",
        "protocol_text": plan.protocol_text,
        "seed": str(plan.seed),
        **{
            field.field: field.typed(plan.options.get(field.name, field.default))
            for field in _fields(plan.protocol)
        },
    }


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
    most = security.settings_of(request).upload_bytes // uploads.MEGABYTE
    unticked = dict.fromkeys(_blank(protocol), "")
    return show(
        request,
        "new_files.html",
        account,
        problems=problems or [],
        protocol=protocol,
        fields=_fields(protocol),
        suffixes=kind_named(protocol).suffixes,
        builds=kind_named(protocol).builds,
        form=unticked | form,
        needs=kind_named(protocol).needs,
        drop=DROP,
        most_upload=f"{most:,}",
        action=f"/admin/drafts/{token}/edit" if token else f"/admin/new/{protocol}",
        kept=kept_files(drafts_of(db), token) if token and db is not None else None,
    )
