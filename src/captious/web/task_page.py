"""The page of a task, mostly made before: what differs between two tasks of a form is filled in.

A page has three hundred places to fill, and nearly all are the same for every task of a form in a
campaign. So the template is rendered once with marks in the few places that differ (the captions,
the addresses, the token, how far the rater is), cut at the marks, and joined with the values.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import fields, replace
from typing import Any, NamedTuple

from fastapi import Request
from markupsafe import escape
from starlette.responses import Response

from captious.campaigns.records import RaterProgress, Task
from captious.protocols import Caption
from captious.web import pages, security
from captious.web.rater_view import Counted, Links, counted, task_values
from captious.web.security import AtWork
from captious.web.texts import Texts

MOST_KEPT = 256
_LINKS = tuple(one.name for one in fields(Links))
# Nobody who writes a guide or a question can know the mark.
_MARK = f"\ue000{secrets.token_hex(8)}"
_CUT = re.compile(f"{_MARK}(\\w+)\ue001")


class _Frame(NamedTuple):
    parts: tuple[bytes, ...]
    names: tuple[str, ...]
    # Keeps the rules alive whose identity is part of the key.
    rules: object


_frames: OrderedDict[tuple[Any, ...], _Frame] = OrderedDict()


def task_page(
    request: Request,
    at: AtWork,
    task: Task,
    t: Texts,
    links: Links,
    progress: RaterProgress,
    feedback: Sequence[str],
) -> Response:
    """The page of a task that nobody has begun to answer."""
    item, rules = task.item, at.campaign.rules()
    words = counted(progress, t)
    values = {name: getattr(links, name) for name in _LINKS}
    values |= words._asdict()
    values |= {f"caption{place}": caption.text for place, caption in enumerate(item.captions)}
    values["csrf"] = security.csrf_token(request)
    values["key"] = secrets.token_urlsafe(16)
    values["store"] = f"{at.campaign.slug}.{at.rater.pseudonym}"
    record = at.rater.record or {}
    around = pages.surroundings(request, t)
    key = (
        t.language,
        around["theme"],
        around["path"],
        around["flash"],
        around["demo"],
        at.campaign.title,
        id(rules),
        item.stage,
        item.form,
        item.hints,
        tuple(caption.key for caption in item.captions),
        tuple(name for name in _LINKS if values[name]),
        bool(words.group),
        bool(words.time),
        at.campaign.settings.submit_on_choice,
        tuple(feedback),
        rules.record_lines(record),
        rules.minimum_seconds(item),
    )
    frame = _frames.get(key)
    if frame is None:
        frame = _keep(key, _frame(around, at, task, links, progress, feedback))
    else:
        _frames.move_to_end(key)
    return pages.finished(request, _filled(frame, values))


def _filled(frame: _Frame, values: dict[str, str]) -> bytes:
    out = [frame.parts[0]]
    for name, part in zip(frame.names, frame.parts[1:], strict=True):
        out += (escape(values[name]).encode(), part)
    return b"".join(out)


def _keep(key: tuple[Any, ...], frame: _Frame) -> _Frame:
    while len(_frames) >= MOST_KEPT:
        _frames.popitem(last=False)
    _frames[key] = frame
    return frame


def _mark(name: str) -> str:
    return f"{_MARK}{name}\ue001"


def _frame(
    around: dict[str, Any],
    at: AtWork,
    task: Task,
    links: Links,
    progress: RaterProgress,
    feedback: Sequence[str],
) -> _Frame:
    t = around["t"]
    captions = tuple(
        Caption(caption.key, _mark(f"caption{place}")) for place, caption in enumerate(task.item.captions)
    )
    marked = Links(**{name: _mark(name) if getattr(links, name) else "" for name in _LINKS})
    values = task_values(
        replace(task.item, captions=captions),
        at.campaign.rules(),
        t,
        marked,
        title=at.campaign.title,
        progress=progress,
        feedback=feedback,
        record=at.rater.record,
        on_choice=at.campaign.settings.submit_on_choice,
    )
    shown: Counted = values["counted"]
    values["counted"] = Counted(**{name: _mark(name) if one else "" for name, one in shown._asdict().items()})
    values |= {"key": _mark("key"), "csrf": _mark("csrf"), "store": _mark("store")}
    text = pages.html("rater/task.html", around | {"at": at, "slug": at.campaign.slug} | values)
    cut = _CUT.split(text)
    return _Frame(tuple(part.encode() for part in cut[::2]), tuple(cut[1::2]), at.campaign.rules())
