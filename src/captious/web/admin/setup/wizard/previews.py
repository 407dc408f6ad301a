"""What a draft would make: counts, cost, the first items, their images; and making it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request
from fastapi.responses import FileResponse
from starlette.responses import Response

from captious.campaigns.entry.training_files import SAMPLE, has_sample, load_training
from captious.campaigns.records import Account, Draft, Settings
from captious.campaigns.setup import cost as costs
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.setup.cost import Precision, expected
from captious.errors import InputError
from captious.protocols import Item, Problem
from captious.protocols.item import as_number
from captious.web import pages
from captious.web.admin.access import PAGE, TWIN, WRITE, Db, Manager, Written, show, words
from captious.web.admin.form_fields import texts_of
from captious.web.admin.models import ShownCaption
from captious.web.admin.setup.wizard.drafts import Built, Plan, Token, drafts_of, plan_of
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()
SHOWN_ITEMS = 6
Typed = Annotated[str, Query(max_length=20)]
# ObjectNet Captions, 4.2: raters earned over 15 dollars an hour. Prefilled, to be changed.
USUAL_WAGE = "15"
TYPES = {
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".png": "image/png",
    ".webp": "image/webp",
    ".gif": "image/gif",
}


@dataclass(frozen=True)
class PreviewCost:
    """What the work comes to at a pace and a wage."""

    seconds_each: float
    hours: float
    wage: float
    pay: float


@dataclass(frozen=True)
class PreviewItem:
    """One of the first items of a draft."""

    place: int
    image: str
    image_url: str | None
    captions: list[ShownCaption]
    check: bool
    questions: int


@dataclass(frozen=True)
class PreviewPage:
    """What creating a draft would make."""

    title: str
    protocol: str
    images: int
    systems: list[str]
    items: int
    first: int
    later: int
    checks: int
    responses: int
    raters: int
    without_image: int
    notes: list[str]
    cost: PreviewCost | None
    precision: list[Precision]
    first_items: list[PreviewItem]


def preview_page(token: str, plan: Plan, built: Built, cost: PreviewCost | None) -> PreviewPage:
    """A draft in numbers, with its first items."""
    draft = built.draft
    rules = draft.rules()
    asked = rules.asked(costs.first_stage(draft.items))
    places = {item.key: place for place, item in enumerate(draft.items, start=1)}
    first = create.preview(draft, SHOWN_ITEMS)
    return PreviewPage(
        title=plan.title,
        protocol=plan.protocol,
        images=built.images,
        systems=built.systems,
        items=draft.counted_items,
        first=asked.first,
        later=asked.later,
        checks=asked.checks,
        responses=asked.responses,
        raters=rules.raters_needed(draft.items),
        without_image=0 if draft.images else built.images,
        notes=list(built.notes),
        cost=cost,
        precision=expected(rules, draft.items),
        first_items=[_item(token, built, item, places[item.key]) for item in first],
    )


def _item(token: str, built: Built, item: Item, place: int) -> PreviewItem:
    return PreviewItem(
        place=place,
        image=item.image,
        image_url=draft_image(token, built, item.image) or None,
        captions=[
            ShownCaption(key=caption.key, text=caption.text, systems=list(item.sources[caption.key]))
            for caption in item.captions
        ],
        check=bool(item.check),
        questions=len(item.form.fields),
    )


def draft_image(token: str, built: Built, image: str) -> str:
    """The address of an image of a draft: by number, never by a name."""
    if image not in built.draft.images:
        return ""
    return f"/admin/drafts/{token}/images/{list(built.draft.images).index(image)}"


def _cost(built: Built, seconds: str, wage: str) -> tuple[PreviewCost | None, list[str]]:
    """The cost at what was typed, and the names of the fields that are no numbers."""
    pace, pay = as_number(seconds), as_number(wage)
    wrong = [
        name
        for name, typed, number in (("seconds", seconds, pace), ("wage", wage, pay))
        if typed.strip() and (number is None or number < 0)
    ]
    if wrong or pace is None or pay is None:
        return None, wrong
    draft = built.draft
    first = costs.first_stage(draft.items)
    found = costs.estimate(draft.rules(), first, Settings(hourly_wage=pay), pace)
    return PreviewCost(seconds_each=pace, hours=found.hours or 0.0, wage=pay, pay=found.pay or 0.0), []


def _usual(built: Built, seconds: str | None) -> str:
    usual = built.draft.rules().usual_seconds
    return seconds if seconds is not None else f"{usual:g}" if usual is not None else ""


@router.get("/api/admin/drafts/{token}", **TWIN)
def preview_twin(
    account: Manager, db: Db, token: Token, seconds: Typed | None = None, wage: Typed = USUAL_WAGE
) -> PreviewPage:
    """What a draft would make."""
    plan = plan_of(db, token, account)
    built = drafts_of(db).build(token, plan)
    cost, _ = _cost(built, _usual(built, seconds), wage)
    return preview_page(token, plan, built, cost)


@router.get("/admin/drafts/{token}", **PAGE)
def preview(
    request: Request,
    account: Manager,
    db: Db,
    token: Token,
    seconds: Typed | None = None,
    wage: Typed = USUAL_WAGE,
) -> Response:
    """What a draft would make, and the buttons that go on from there; the form while files are missing."""
    try:
        drafts_of(db).build(token, plan_of(db, token, account))
    except InputError:
        return pages.redirect(request, f"/admin/drafts/{token}/edit")
    return _page(request, account, db, token, seconds, wage)


@router.get("/admin/drafts/{token}/images/{number}", **{**PAGE, "response_class": FileResponse})
def image(
    account: Manager, db: Db, token: Token, number: Annotated[int, Path(ge=0, le=10_000_000)]
) -> Response:
    """An image of one's own draft."""
    plan = plan_of(db, token, account)
    paths = list(drafts_of(db).build(token, plan).draft.images.values())
    if number >= len(paths) or not paths[number].is_file():
        raise Refusal(404, "error.404")
    path = paths[number]
    return FileResponse(path, media_type=TYPES.get(path.suffix.lower(), "image/jpeg"))


@router.post(
    "/admin/drafts/{token}/create",
    **WRITE,
    openapi_extra=form_body({"training": "none, or sample: the package's examples"}, required=["csrf"]),
)
def make(request: Request, account: Manager, db: Db, token: Token, form: Written) -> Response:
    """Create the campaign. It stays closed to raters until it is opened."""
    drafts = drafts_of(db)
    plan = plan_of(db, token, account)
    try:
        built = drafts.build(token, plan)
        sample = texts_of(form).get("training") == SAMPLE
        training = load_training(SAMPLE, built.draft.rules()) if sample else None
        draft = replace(_free_slug(db, built), training=training)
        campaign = create.create(db, draft, actor=account.name, owner=account.id)
    except InputError as error:
        return _page(request, account, db, token, None, USUAL_WAGE, Problem("", str(error)))
    drafts.discard(token)
    return pages.redirect(request, f"/admin/c/{campaign.slug}", flash="admin.flash.created")


@router.post("/admin/drafts/{token}/discard", **WRITE, openapi_extra=form_body({}, required=["csrf"]))
def discard(request: Request, account: Manager, db: Db, token: Token, form: Written) -> Response:
    """Throw a draft away."""
    plan_of(db, token, account)
    drafts_of(db).discard(token)
    return pages.redirect(request, "/admin/new", flash="admin.flash.discarded")


def _free_slug(db: Db, built: Built) -> Draft:
    """The draft under a slug that no other campaign has: two may well have the same title."""
    taken = {campaign.slug for campaign in lifecycle.listed(db)}
    slug, number = built.draft.slug, 2
    while slug in taken:
        ending = f"-{number}"
        slug = built.draft.slug[: create.LONGEST_SLUG - len(ending)].rstrip("-") + ending
        number += 1
    return replace(built.draft, slug=slug)


def _page(
    request: Request, account: Account, db: Db, token: str, seconds: str | None, wage: str, *problems: Problem
) -> Response:
    plan = plan_of(db, token, account)
    built = drafts_of(db).build(token, plan)
    pace = _usual(built, seconds)
    cost, wrong = _cost(built, pace, wage)
    message = words(request)("admin.preview.no_number")
    found = [*problems, *(Problem(name, message) for name in wrong)]
    return show(
        request,
        "preview.html",
        account,
        problems=found,
        plan=plan,
        token=token,
        preview=preview_page(token, plan, built, cost),
        seconds=pace,
        wage=wage,
        paper_pace=built.draft.rules().usual_seconds is not None,
        has_sample=has_sample(plan.protocol),
    )
