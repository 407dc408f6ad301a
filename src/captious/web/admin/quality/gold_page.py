"""Gold items: a lead marks items whose right answers are known, or uploads a file of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from captious.campaigns.quality import gold
from captious.campaigns.quality.gold import GoldItem
from captious.campaigns.records import Account, Campaign
from captious.campaigns.store import images
from captious.campaigns.store.database import Database
from captious.campaigns.work import reading
from captious.errors import InputError, UnknownNameError
from captious.protocols import Field, Item, Problem
from captious.protocols.item import as_number
from captious.protocols.known import best_answer
from captious.web import forms, pages
from captious.web.admin.access import PAGE, TWIN, WRITE, Db, Manager, Run, Written, head, show, words
from captious.web.admin.form_fields import files_of, texts_of
from captious.web.admin.formatting import Offset, links_around
from captious.web.admin.models import CampaignHead
from captious.web.admin.uploads import read_protocol_text, shown_name
from captious.web.forms import answers_to
from captious.web.openapi import form_body
from captious.web.pages import Texts
from captious.web.rater.entry.training_page import expected_words
from captious.web.rater.task_page import picture
from captious.web.refusals import Refusal

router = APIRouter()
ROWS = 50
Key = Annotated[str, Query(max_length=500)]


@dataclass(frozen=True)
class GoldRow:
    """An item whose answers are known."""

    item: str
    image: str
    captions: list[str]
    known: dict[str, Any]


@dataclass(frozen=True)
class GoldPage:
    """The items of a campaign whose answers are known."""

    campaign: CampaignHead
    gold: list[GoldRow]


@router.get("/api/admin/c/{slug}/gold", **TWIN)
def gold_page(_: Manager, campaign: Run, db: Db) -> GoldPage:
    """The known answers of a campaign."""
    return GoldPage(
        campaign=head(campaign),
        gold=[
            GoldRow(
                item=one.item.key,
                image=one.item.image,
                captions=[caption.text for caption in one.item.captions],
                known=dict(one.known),
            )
            for one in gold.listed(db, campaign)
        ],
    )


@router.get("/admin/c/{slug}/gold", **PAGE)
def gold_view(request: Request, account: Manager, campaign: Run, db: Db, offset: Offset = 0) -> Response:
    """The known answers, a form to upload more, and the items that could be marked."""
    return _page(request, account, campaign, db, offset)


@router.post(
    "/admin/c/{slug}/gold", **WRITE, openapi_extra=form_body({"gold_file": "JSON"}, required=["csrf"])
)
def upload(request: Request, account: Manager, campaign: Run, db: Db, form: Written) -> Response:
    """Keep the known answers of a file, read as the command line reads it."""
    sent = files_of(form, "gold_file")
    try:
        if not sent:
            raise InputError(words(request)("admin.gold.no_file"))
        text = read_protocol_text(sent[0])
        known = gold.parse_gold(text.encode(), reading.items(db, campaign), shown_name(sent[0]))
        gold.set_gold(db, campaign, known, actor=account.name)
    except InputError as error:
        return _page(request, account, campaign, db, 0, [Problem("gold_file", str(error))])
    return pages.redirect(request, f"/admin/c/{campaign.slug}/gold", flash="admin.gold.saved")


@router.get("/admin/c/{slug}/gold/item", **PAGE)
def mark_view(request: Request, account: Manager, campaign: Run, db: Db, key: Key) -> Response:
    """An item on the form of the work, to give the right answers."""
    item = _item(db, campaign, key)
    known = next((one.known for one in gold.listed(db, campaign) if one.item.key == key), {})
    return _mark_page(request, account, campaign, db, item, known)


@router.post(
    "/admin/c/{slug}/gold/item",
    **WRITE,
    openapi_extra=form_body({".tolerance": "May differ by"}, required=["csrf"], open_ended=True),
)
def mark(request: Request, account: Manager, campaign: Run, db: Db, key: Key, form: Written) -> Response:
    """Keep what was answered as the right answers; nothing answered takes the mark away."""
    item = _item(db, campaign, key)
    said = answers_to(item, form)
    tolerance = as_number(texts_of(form).get(".tolerance", "0")) or 0.0
    known = {
        field.name: _known(field, said[field.name], tolerance)
        for field in item.form.fields
        if said.get(field.name) and field.rules.known
    }
    known = {name: answer for name, answer in known.items() if answer != []}
    try:
        gold.set_gold(db, campaign, {key: {} if texts_of(form).get(".clear") else known}, actor=account.name)
    except InputError as error:
        return _mark_page(request, account, campaign, db, item, known, [Problem("", str(error))])
    return pages.redirect(request, f"/admin/c/{campaign.slug}/gold", flash="admin.gold.saved")


def _known(field: Field, said: object, tolerance: float) -> Any:
    checked = field.rules.check(field, said)
    if isinstance(checked, list):
        return checked
    if not isinstance(checked, float):
        return said
    return {"value": checked, "tolerance": tolerance} if tolerance > 0 else checked


def _item(db: Database, campaign: Campaign, key: str) -> Item:
    try:
        return reading.item(db, campaign, key)
    except UnknownNameError:
        raise Refusal(404, "error.404") from None


def _mark_page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    item: Item,
    known: Mapping[str, Any],
    problems: Sequence[Problem] = (),
) -> Response:
    return show(
        request,
        "gold_item.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="gold",
        key=item.key,
        image=picture(campaign.slug, images.digest_of(db, campaign, item.image)),
        form=forms.view(
            item,
            words(request),
            answers={name: best_answer(one, item.form.field(name)) for name, one in known.items()},
        ),
        tolerance=max((_tolerance(one) for one in known.values()), default=0.0),
        marked=bool(known),
    )


def _tolerance(known: Any) -> float:
    return float(known.get("tolerance", 0.0)) if isinstance(known, dict) and "value" in known else 0.0


def _said(one: GoldItem, t: Texts) -> list[tuple[Field, str]]:
    """The known answers of an item in words."""
    asked = [field for field in one.item.form.fields if field.name in one.known]
    return [(field, expected_words(field, one.known[field.name], t)) for field in asked]


def _page(
    request: Request,
    account: Account,
    campaign: Campaign,
    db: Database,
    offset: int,
    problems: Sequence[Problem] = (),
) -> Response:
    t = words(request)
    found = gold.listed(db, campaign)
    others, total = gold.candidates(db, campaign, offset, ROWS)
    here = f"/admin/c/{campaign.slug}/gold"
    return show(
        request,
        "gold.html",
        account,
        problems=problems,
        campaign=head(campaign),
        here="gold",
        found=[(one.item, _said(one, t)) for one in found],
        others=others,
        marked={one.item.key for one in found},
        total=total,
        offset=offset,
        **links_around(here, offset, ROWS, more=offset + ROWS < total),
    )
