"""Values that several admin pages show and their JSON twins send; those of one page stand with the page."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict


class Shown(BaseModel):
    """Made from a record of the same fields: `model_validate(record)`."""

    model_config = ConfigDict(from_attributes=True)


class CampaignHead(Shown):
    """Which campaign a page is about."""

    slug: str
    title: str
    protocol: str
    state: Literal["draft", "open", "paused", "closed"]
    created: float
    opened: float | None
    closed: float | None


class Computed(BaseModel):
    """Figures that are worked out beside the pages.

    `computed_at` is null until they have been once; `computing` says that newer ones are coming.
    """

    campaign: CampaignHead
    computed_at: float | None
    computing: bool


class ShownCaption(BaseModel):
    """A caption as raters saw it, and the systems that wrote it."""

    key: str
    text: str
    systems: list[str]
