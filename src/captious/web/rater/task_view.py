"""What a rater's page shows of a task, from the item's public part only."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from captious.campaigns.records import Campaign, RaterProgress, Task
from captious.campaigns.work.pool_queries import COUNTED
from captious.protocols import HumanProtocol, Item, Problem
from captious.web.forms import form_view
from captious.web.random_names import random_name
from captious.web.texts import Texts

MOST_MINUTES = 90


@dataclass(frozen=True)
class Links:
    """Where a task's page sends what it holds, and where it leads; "" where there is nothing."""

    submit: str
    draft: str = ""
    guide: str = ""
    work: str = ""
    undo: str = ""
    image: str = ""
    next_image: str = ""
    recording: str = ""
    board: str = ""
    aside: str = ""
    answers: str = ""


class Named(NamedTuple):
    """What the addresses on a task's page name; "" where there is nothing to point at."""

    task: str
    last: str = ""
    image: str = ""
    next_image: str = ""
    recording: str = ""

    @classmethod
    def of(cls, task: Task, last: Task | None = None, following: Task | None = None) -> Named:
        """The names of a task, of the one answered before it and of the one that comes after it."""
        return cls(
            task.token,
            last.token if last else "",
            task.digest or "",
            (following.digest or "") if following else "",
            task.item.recording,
        )


def task_links(
    campaign: Campaign, item: Item, named: Named, *, any_answer: bool, correcting: bool = False
) -> Links:
    """Where the page of a task leads; one that corrects an answer keeps no draft of it."""
    slug, rules = campaign.slug, campaign.rules()
    address = f"/work/{slug}/{named.task}"
    return Links(
        submit=address,
        draft="" if correcting else f"{address}/draft",
        guide=f"/guide/{slug}?stage={item.stage}",
        work=f"/work/{slug}",
        undo=f"/work/{slug}/{named.last}" if named.last and not correcting else "",
        image=picture(slug, named.image),
        next_image=picture(slug, named.next_image),
        recording=f"/recordings/{slug}/{named.recording}" if named.recording else "",
        board=board_address(campaign),
        aside="" if correcting else f"{address}/aside",
        answers=f"/answers/{slug}" if any_answer and rules.may_correct(item) else "",
    )


def picture(slug: str, digest: str | None) -> str:
    """Where a picture of a campaign is served, "" where there is none."""
    return f"/images/{slug}/{digest}" if digest else ""


def board_address(campaign: Campaign) -> str:
    """Where the leaderboard is; "" where the protocol gives no points."""
    return f"/board/{campaign.slug}" if campaign.rules().score_of({}) is not None else ""


def task_values(
    item: Item,
    rules: HumanProtocol,
    t: Texts,
    links: Links,
    *,
    title: str,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
    progress: RaterProgress | None = None,
    replaces: int | None = None,
    preview: bool = False,
    feedback: Sequence[str] = (),
    record: Mapping[str, Any] | None = None,
    on_choice: bool = False,
) -> dict[str, Any]:
    """Everything that `rater/task.html` needs; also for a dry run, which stores nothing."""
    form = form_view.view(item, t, answers=answers, problems=problems)
    return {
        "texts_of": t,
        "campaign_title": title,
        "form": form,
        "links": links,
        "guide": rules.guide(item.stage),
        "hints": item.hints,
        "second_look": bool(item.prior) and not item.recording,
        "key": random_name(),
        "counted": counted(progress, t),
        "correcting": replaces is not None,
        "replaces": replaces,
        "preview": preview,
        "feedback": list(feedback),
        "record_lines": rules.record_lines(record or {}),
        "on_choice": on_choice and replaces is None and is_one_choice(form),
        "wait": rules.minimum_seconds(item),
        "has_files": bool(item.form.recorded),
    }


def is_one_choice(form: form_view.FormView) -> bool:
    """Whether one press is the whole answer: a single question, by radio buttons."""
    asked = [*form.questions, *(one for caption in form.captions for one in caption.questions)]
    return len(asked) == 1 and asked[0].one_press


class Counted(NamedTuple):
    """How far a rater is, in words; "" where the page does not say."""

    number: str = "1"
    share: str = ""
    answered: str = ""
    group: str = ""
    time: str = ""


def counted(progress: RaterProgress | None, t: Texts) -> Counted:
    """What a page says of a rater's progress."""
    if progress is None:
        return Counted()
    grouped = progress.group_size > 1
    return Counted(
        number=str(progress.answered + 1),
        share=f"{share(progress):.4f}",
        answered=_answered(progress, t),
        time=time_left(progress.seconds_left, t),
        group=t("work.group", done=progress.group_done, size=progress.group_size) if grouped else "",
    )


def _answered(progress: RaterProgress, t: Texts) -> str:
    if progress.left >= COUNTED:
        return t("work.answered", count=progress.answered)
    said = t("work.answered_of", done=progress.answered, total=_all(progress))
    return f"{said} · {t('work.skipped', count=progress.skipped)}" if progress.skipped else said


def _all(progress: RaterProgress) -> int:
    """What the rater is asked for in all: what they skipped waits for them."""
    return progress.answered + progress.left + progress.skipped


def time_left(seconds: float | None, t: Texts) -> str:
    """How long the rest will take at the rater's own pace, in words; "" where it is not known.

    >>> from captious.web.texts import texts
    >>> [time_left(seconds, texts()) for seconds in (20, 60, 340, 9000)]
    ['less than a minute left', 'about 1 minute left', 'about 6 minutes left', 'about 3 hours left']
    """
    if seconds is None:
        return ""
    if seconds < 45:
        return t("work.time.seconds")
    minutes = math.ceil(seconds / 60 - 0.25)
    if minutes <= MOST_MINUTES:
        return t("work.time.minutes", count=minutes)
    return t("work.time.hours", count=math.ceil(seconds / 3600 - 0.25))


def share(progress: RaterProgress | None) -> float:
    """How much of the rater's work is done, 0 to 1.

    >>> share(RaterProgress(3, 9, 0, 1, False, None))
    0.25
    """
    if progress is None or not _all(progress):
        return 0.0
    return progress.answered / _all(progress)
