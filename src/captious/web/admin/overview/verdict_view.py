"""The verdict on a campaign as the JSON twin of its overview sends it."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel


class LineView(BaseModel):
    """One sentence, what it is about, and whether someone should look."""

    kind: str
    tone: Literal["good", "plain", "look", "bad"]
    text: str


class ReachView(BaseModel):
    """What is missing, what the raters there are can give, and how many more are needed."""

    missing: int
    reachable: int
    more_raters: int
    orphaned: int


class StuckView(BaseModel):
    """A rater from whom nothing is to be expected now, and why."""

    rater: str
    why: str
    room: int
    held: int
    since: float | None
    until: float | None


class MoneyView(BaseModel):
    """What has been earned so far, and what that is an hour of work."""

    spent: float | None
    hourly: float | None
    wanted_hourly: float | None
    currency: str
    hours: float


class AgreedView(BaseModel):
    """Agreement on one aspect with its 95% interval, over `n` questions or captions."""

    aspect: str
    coefficient: str
    value: float | None
    low: float | None
    high: float | None
    n: int


class VerdictView(BaseModel):
    """Sentences, the most pressing first, and the values behind them.

    `separation` has by aspect the means by system and each pair: whether it is separated at
    `level`, an error rate for all aspects, pairs and looks together, and about how many more
    responses would separate it. `pending`: some figures are being worked out.
    """

    lines: list[LineView]
    can_finish: bool
    able: int
    reach: ReachView
    hours_left: float | None
    unknown: str
    waits_until: float | None
    stuck: list[StuckView]
    money: MoneyView
    agreement: list[AgreedView]
    separation: dict[str, Any]
    open_flags: int
    pending: bool
