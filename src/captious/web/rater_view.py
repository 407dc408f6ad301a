"""What a rater's page shows of a task, from the item's public part only."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from captious.campaigns.records import RaterProgress
from captious.protocols import HumanProtocol, Item, Problem
from captious.web import forms
from captious.web.texts import Texts


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
) -> dict[str, Any]:
    """Everything that `rater/task.html` needs; also for a dry run, which stores nothing."""
    form = forms.view(item, t, answers=answers, problems=problems)
    return {
        "texts_of": t,
        "campaign_title": title,
        "form": form,
        "links": links,
        "guide": rules.guide(item.stage),
        "hints": item.hints,
        "second_look": bool(item.prior) and not item.recording,
        "key": secrets.token_urlsafe(16),
        "counted": counted(progress, t),
        "correcting": replaces is not None,
        "replaces": replaces,
        "preview": preview,
        "feedback": list(feedback),
        "record_lines": rules.record_lines(record or {}),
        "wait": rules.minimum_seconds(item),
        "has_files": any(field.kind == "audio" for field in item.form.fields),
    }


class Counted(NamedTuple):
    """How far a rater is, in words; "" where the page does not say."""

    number: str = "1"
    share: str = ""
    answered: str = ""
    group: str = ""


def counted(progress: RaterProgress | None, t: Texts) -> Counted:
    """What a page says of a rater's progress."""
    if progress is None:
        return Counted()
    grouped = progress.group_size > 1
    return Counted(
        number=str(progress.answered + 1),
        share=f"{share(progress):.4f}",
        answered=t("work.answered", count=progress.answered),
        group=t("work.group", done=progress.group_done, size=progress.group_size) if grouped else "",
    )


def share(progress: RaterProgress | None) -> float:
    """How much of the rater's work is done, 0 to 1.

    >>> share(RaterProgress(3, 9, 0, 1, False, None))
    0.25
    """
    if progress is None or not progress.answered + progress.left:
        return 0.0
    return progress.answered / (progress.answered + progress.left)
