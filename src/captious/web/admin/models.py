"""What admin pages show, as values that their JSON twins send: one description for both."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from captious.tables.values import PageTable
from captious.web.admin.verdict_view import VerdictView


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


class CampaignRow(CampaignHead):
    """A campaign in the list, with how far it is."""

    done: int
    wanted: int
    raters: int
    last_activity: float | None


class CampaignsPage(BaseModel):
    """All campaigns, the newest first."""

    campaigns: list[CampaignRow]


class StageProgress(BaseModel):
    """How far one stage is: items, finished items, responses that stand and that are wanted."""

    stage: str
    items: int
    finished: int
    done: int
    wanted: int


class Pace(BaseModel):
    """The latest responses, counted over equal spans of the time from `since` to `until`."""

    since: float
    until: float
    counts: list[int]


class OverviewPage(BaseModel):
    """How far a campaign is. Times are seconds since 1970.

    `wanted` counts `to_come` responses of later stages whose items are made as answers come in.
    `rate_per_hour` (an hour of work, breaks left out) is null where too few responses tell; so is
    `recent`. `seconds_left` follows from the pace of those who can still rate, and is null where
    nobody can or no pace is known; the verdict says why.
    """

    campaign: CampaignHead
    as_of: float
    done: int
    wanted: int
    responses: int
    raters_active: int
    raters_removed: int
    rate_per_hour: float | None
    seconds_left: float | None
    last_activity: float | None
    open_flags: int
    recent: Pace | None
    stages: list[StageProgress]
    to_come: int
    verdict: VerdictView


class RaterRow(BaseModel):
    """A rater. Name and address are for those who run the campaign; a viewer gets null."""

    id: int
    pseudonym: str
    name: str | None
    email: str | None
    native: bool
    state: Literal["active", "removed", "withdrawn"]
    reason: str
    answered: int
    seconds: float
    seconds_each: float | None
    created: float
    last_seen: float | None


class RatersPage(BaseModel):
    """Raters of a campaign, a page of them."""

    campaign: CampaignHead
    total: int
    offset: int
    raters: list[RaterRow]


class Computed(BaseModel):
    """Figures that are worked out beside the pages.

    `computed_at` is null until they have been once; `computing` says that newer ones are coming.
    """

    campaign: CampaignHead
    computed_at: float | None
    computing: bool


class TablesPage(Computed):
    """Tables with the number of responses that they were made from."""

    responses: int
    tables: list[PageTable]


class ShownChart(BaseModel):
    """A chart: how it is read, what it shows, its table; `drawn` where the page has its picture."""

    title: str
    how: str
    finding: str
    table: PageTable
    drawn: bool


class ChartsPage(Computed):
    """The charts of a page."""

    charts: list[ShownChart]


class FlagRow(Shown):
    """Something that a rule saw in a rater's work, and what was decided about it."""

    id: int
    rater: str
    rule: str
    explanation: str
    evidence: dict[str, Any]
    created: float
    decision: str
    decided_by: str
    decided_at: float | None


class RaterQualityRow(BaseModel):
    """How one rater works: pace, checks, known answers, and how they go with the others."""

    rater: str
    state: str
    answers: int
    median_seconds: float | None
    fast_share: float | None
    checks: int
    checks_failed: int
    gold: int
    gold_right: int
    consensus: float | None
    shared: int
    longest_run: int


class QualityPage(Computed):
    """Flags, and a row for each rater."""

    flags: list[FlagRow]
    raters: list[RaterQualityRow]


class DisagreementRow(BaseModel):
    """An item on which raters differ."""

    item: str
    image: str
    stage: str
    spread: float | None
    why: str
    responses: int
    adjudicated: bool


class DisagreementsPage(Computed):
    """Items on which raters differ, the widest first."""

    total: int
    offset: int
    rows: list[DisagreementRow]
    place: QueuePlace


class ShownCaption(BaseModel):
    """A caption as raters saw it, and the systems that wrote it."""

    key: str
    text: str
    systems: list[str]


class ShownAnswer(BaseModel):
    """One rater's answer to one question, as stored and in words."""

    value: str | float | dict[str, float] | None
    words: str


class QuestionRow(BaseModel):
    """A question with everyone's answers, in the order of the columns."""

    field: str
    caption: str
    label: str
    differs: bool
    answers: list[ShownAnswer]


class AnswerColumn(BaseModel):
    """Whose answers a column holds, and of which stage."""

    rater: str
    stage: str
    time: float | None


class QueuePlace(Shown):
    """Where an item stands among the disagreements: `at` of `total`, `decided` of them; its neighbours."""

    at: int
    total: int
    decided: int
    before: str
    after: str
    open_after: str


class DisagreementPage(BaseModel):
    """One item with every answer side by side."""

    campaign: CampaignHead
    item: str
    image: str
    image_url: str | None
    stage: str
    why: str
    spread: float | None
    captions: list[ShownCaption]
    columns: list[AnswerColumn]
    questions: list[QuestionRow]
    decided: dict[str, Any] | None
    place: QueuePlace


class ExportsPage(BaseModel):
    """What can be downloaded."""

    campaign: CampaignHead
    responses: int
    formats: list[str]
    contents: list[str]
    identities: bool


class SettingsPage(BaseModel):
    """The settings that may change while a campaign runs, and the rules that may not."""

    campaign: CampaignHead
    settings: dict[str, Any]
    options: dict[str, Any]
    seed: int
    protocol_file: str | None


class LogRow(BaseModel):
    """One entry of the audit log."""

    id: int
    time: float
    actor: str
    action: str
    campaign: str | None
    subject: str
    detail: dict[str, Any]


class LogPage(BaseModel):
    """A page of the audit log, the newest first; `older` is the `before` of the next page."""

    entries: list[LogRow]
    older: int | None


class AccountRow(Shown):
    """Someone who may sign in."""

    id: int
    name: str
    role: Literal["owner", "manager", "viewer"]
    created: float
    disabled: bool


class AccountsPage(BaseModel):
    """Everyone who may sign in."""

    accounts: list[AccountRow]


class PreviewCost(BaseModel):
    """What the work comes to at a pace and a wage."""

    seconds_each: float
    hours: float
    wage: float
    pay: float


class PreviewItem(BaseModel):
    """One of the first items of a draft."""

    place: int
    image: str
    image_url: str | None
    captions: list[ShownCaption]
    check: bool
    questions: int


class PreviewPrecision(BaseModel):
    """How narrow a difference of two systems will be known, and which is found in 80% of studies."""

    aspect: str
    low: float
    high: float
    images: int
    answers: int
    half_width: float
    detectable: float
    basis: str


class PreviewPage(BaseModel):
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
    precision: list[PreviewPrecision]
    first_items: list[PreviewItem]
