"""Captions with what raters marked in them: where they agree, and where only one marks something."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Depends
from markupsafe import Markup

from captious.campaigns.quality import adjudication
from captious.campaigns.quality.adjudication import Disagreement
from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis
from captious.campaigns.store import images
from captious.campaigns.store.database import Database
from captious.charts.marked_text import marked_html, shared_html
from captious.corpus.findings import Place
from captious.protocols.findings import caption_of
from captious.web.admin.access import Db, Seen, page
from captious.web.admin.figures.background import figures
from captious.web.admin.formatting import Offset, links_around
from captious.web.admin.models import Computed
from captious.web.rater.task_page import picture

router = APIRouter()
ROWS = 20


@dataclass(frozen=True)
class MarkedCaption:
    """A caption with the marks of each rater who read it; `decision` has those of the lead, if any."""

    item: str
    image: str
    image_url: str | None
    systems: list[str]
    caption: str
    raters: dict[str, list[dict[str, Any]]]
    decision: list[dict[str, Any]] | None


@dataclass(frozen=True)
class MarkedPage(Computed):
    """Captions in which something is marked, those with the most agreement first."""

    total: int
    offset: int
    captions: list[MarkedCaption]


def marked_page(campaign: Seen, db: Db, offset: Offset = 0) -> MarkedPage:
    """Captions in which something is marked, as of when the results were last computed."""
    kept = figures(db, campaign, analysis.RESULTS)
    keys = kept.content.get("marked", [])
    shown = keys[offset : offset + ROWS]
    found = adjudication.gathered(db, campaign, shown)
    captions = [one for key in shown if key in found for one in _captions(db, campaign, found[key])]
    return MarkedPage.of(campaign, kept, total=len(keys), offset=offset, captions=captions)


def _captions(db: Database, campaign: Campaign, one: Disagreement) -> list[MarkedCaption]:
    """A caption for each question about places in the item."""
    found = []
    for field in one.item.form.fields:
        by_rater = {
            response.rater: _rows(places)
            for response in one.responses
            if (answer := response.answers.get(field.name)) is not None
            and (places := field.rules.places(field, answer)) is not None
        }
        if not by_rater:
            continue
        decided = (one.decided or {}).get(field.name)
        places = None if decided is None else field.rules.places(field, decided)
        caption = caption_of(one.item, field)
        found.append(
            MarkedCaption(
                item=one.item.key,
                image=one.item.image,
                image_url=picture(campaign.slug, images.digest_of(db, campaign, one.item.image)) or None,
                systems=list(one.item.sources[caption.key]),
                caption=caption.text,
                raters=by_rater,
                decision=None if places is None else _rows(places),
            )
        )
    return found


def _rows(places: Sequence[Place]) -> list[dict[str, Any]]:
    """Places without a confidence, which raters do not give."""
    return [{name: value for name, value in one._asdict().items() if name != "confidence"} for one in places]


def _places(rows: Sequence[Mapping[str, Any]]) -> list[Place]:
    return [Place(**row) for row in rows]


def coloured(campaign: Seen, page: Annotated[MarkedPage, Depends(marked_page)]) -> dict[str, Any]:
    """The captions as HTML, and the addresses of the pages before and after."""
    shown = []
    for one in page.captions:
        by_rater = {rater: _places(rows) for rater, rows in one.raters.items()}
        decision = {} if one.decision is None else {"": _places(one.decision)}
        shown.append(
            (
                Markup(shared_html(one.caption, by_rater)),
                Markup(marked_html(one.caption, by_rater)),
                Markup(marked_html(one.caption, decision)),
            )
        )
    more = page.offset + ROWS < page.total
    links = links_around(f"/admin/c/{campaign.slug}/marked", page.offset, ROWS, more=more)
    return {"here": "results", "shown": shown, **links}


page(router, "/admin/c/{slug}/marked", "marked.html", beside=coloured)(marked_page)
