"""Values that several admin pages show; a page and its JSON twin show the same dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

from captious.campaigns.records import Campaign, State
from captious.campaigns.store.snapshots import Snapshot


@dataclass(frozen=True)
class CampaignHead:
    """Which campaign a page is about."""

    slug: str
    title: str
    protocol: str
    state: State
    created: float
    opened: float | None
    closed: float | None

    @classmethod
    def of(cls, campaign: Campaign) -> Self:
        """The campaign as every page and twin names it."""
        return cls(
            campaign.slug,
            campaign.title,
            campaign.protocol,
            campaign.state,
            campaign.created,
            campaign.opened,
            campaign.closed,
        )


@dataclass(frozen=True)
class Computed:
    """Figures that are computed in the background.

    `computed_at` is null until they have been once; `computing` says that newer ones are coming.
    """

    campaign: CampaignHead
    computed_at: float | None
    computing: bool

    @classmethod
    def of(cls, campaign: Campaign, kept: Snapshot, **values: Any) -> Self:
        """The page of what is kept."""
        return cls(CampaignHead.of(campaign), kept.time, kept.pending, **values)


@dataclass(frozen=True)
class ShownCaption:
    """A caption as raters saw it, and the systems that wrote it."""

    key: str
    text: str
    systems: list[str]
