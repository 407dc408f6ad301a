"""Trying a draft as a rater would meet it: the real pages and checks, and nothing is stored.

What was last answered waits in the draft's own folder, so that the next stage can be shown with it.
"""

from __future__ import annotations

from typing import Annotated, Any

import orjson
from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import name_of
from captious.protocols import HumanProtocol, Item, Problem
from captious.protocols.base import Response as Answered
from captious.web import forms, pages
from captious.web.admin.access import PAGE, WRITE, Db, Manager, Written, show, words
from captious.web.admin.setup.wizard.drafts import Built, Plan, Token, drafts_of, plan_of
from captious.web.admin.setup.wizard.previews import draft_image
from captious.web.forms import answers_to
from captious.web.openapi import form_body
from captious.web.rater.task_page import Links, task_values
from captious.web.refusals import Refusal

router = APIRouter()
TRIED = "tried.json"
SOMEONE, SOMEONE_ELSE = "r001", "r002"
Place = Annotated[int, Path(ge=1, le=10_000_000)]
Later = Annotated[bool, Query(description="The next stage, with the answers just given.")]


@router.get("/admin/drafts/{token}/try/{place}", **PAGE)
def try_item(
    request: Request, account: Manager, db: Db, token: Token, place: Place, later: Later = False
) -> Response:
    """An item as a rater sees it."""
    plan = plan_of(db, token, account)
    built = drafts_of(db).build(token, plan)
    item = _item(db, token, built, place, later)
    _note(db, token, {"place": place, "later": later, "shown": db.now()})
    return _task(request, plan, built, token, item, place, later)


@router.post(
    "/admin/drafts/{token}/try/{place}",
    **WRITE,
    openapi_extra=form_body({"key": "Ignored"}, required=["csrf"], open_ended=True),
)
def answer_item(
    request: Request,
    account: Manager,
    db: Db,
    token: Token,
    place: Place,
    form: Written,
    later: Later = False,
) -> Response:
    """Check answers as they would be checked, and show what would become of them."""
    plan = plan_of(db, token, account)
    built = drafts_of(db).build(token, plan)
    item = _item(db, token, built, place, later)
    answers = answers_to(item, form, name_of)
    checked = built.draft.rules().validate(item, answers, rater=SOMEONE, time=db.now())
    if isinstance(checked, list):
        return _task(request, plan, built, token, item, place, later, answers, checked)
    before = _tried(db, token)
    here = before.get("place") == place
    seconds = db.now() - before["shown"] if here and "shown" in before else None
    kept = {"place": place, "later": later, "answers": checked.answers, "seconds": seconds}
    _note(db, token, (before if here else {}) | kept)
    address = f"/admin/drafts/{token}/tried/{place}" + ("?later=true" if later else "")
    return pages.redirect(request, address)


@router.get("/admin/drafts/{token}/tried/{place}", **PAGE)
def tried(
    request: Request, account: Manager, db: Db, token: Token, place: Place, later: Later = False
) -> Response:
    """What the answers would have become, and where to go from here."""
    plan = plan_of(db, token, account)
    built = drafts_of(db).build(token, plan)
    note = _tried(db, token)
    if note.get("place") != place or "answers" not in note:
        return pages.redirect(request, f"/admin/drafts/{token}/try/{place}")
    rules = built.draft.rules()
    item = _item(db, token, built, place, later)
    t = words(request)
    return show(
        request,
        "tried.html",
        account,
        plan=plan,
        token=token,
        place=place,
        count=len(built.draft.items),
        seconds=note.get("seconds"),
        answers=[
            (field, forms.described(field, note["answers"][field.name], t))
            for field in item.form.fields
            if field.name in note["answers"]
        ],
        has_later=not later and bool(_follow_up(rules, item, note["answers"])),
    )


def _item(db: Database, token: str, built: Built, place: int, later: bool) -> Item:
    if place > len(built.draft.items):
        raise Refusal(404, "error.404")
    item = built.draft.items[place - 1]
    if not later:
        return item
    note = _tried(db, token)
    given = note.get("first") or note.get("answers") if note.get("place") == place else None
    following = _follow_up(built.draft.rules(), item, given or {})
    if given is None or not following:
        raise Refusal(404, "error.404")
    return following[0]


def _follow_up(rules: HumanProtocol, item: Item, answers: dict[str, Any]) -> list[Item]:
    return rules.follow_ups(item, Answered(item.key, answers, SOMEONE_ELSE, 0.0))


def _tried(db: Database, token: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = orjson.loads(drafts_of(db).place(token, TRIED).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return found


def _note(db: Database, token: str, note: dict[str, Any]) -> None:
    """Keep the last try; the first stage's answers stay while the second is tried."""
    before = _tried(db, token)
    if note.get("later") and before.get("place") == note["place"]:
        note = {"first": before.get("first") or before.get("answers")} | note
    place = drafts_of(db).place(token, TRIED)
    fresh = place.with_suffix(".part")
    fresh.write_bytes(orjson.dumps(note))
    fresh.replace(place)


def _task(
    request: Request,
    plan: Plan,
    built: Built,
    token: str,
    item: Item,
    place: int,
    later: bool,
    answers: dict[str, object] | None = None,
    problems: list[Problem] | None = None,
) -> Response:
    draft = built.draft
    query = "?later=true" if later else ""
    links = Links(
        submit=f"/admin/drafts/{token}/try/{place}{query}",
        work=f"/admin/drafts/{token}",
        image=draft_image(token, built, item.image),
    )
    values = task_values(
        item,
        draft.rules(),
        words(request),
        links,
        title=plan.title,
        answers=answers,
        problems=problems or [],
        preview=True,
    )
    return pages.render(
        request, "rater/task.html", status_code=422 if problems else 200, at=None, slug="", store="", **values
    )
