"""The page of a task, mostly made before: what differs between two tasks of a form is filled in.

A page has three hundred places to fill, and nearly all are the same for every task of a form in a
campaign. So the template is rendered once with marks in the few places that differ (the captions,
the names in addresses, the token, how far the rater is), cut at the marks, and joined with the
values. The parts are kept twice: as they stand in a page, and as they stand in a page that is a
string of JSON.
"""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import orjson
from markupsafe import escape

from captious.campaigns.records import Campaign, RaterProgress, Task
from captious.campaigns.work.desk import Desk
from captious.protocols import Caption, Item
from captious.web import pages
from captious.web.random_names import random_name
from captious.web.rater.task_view import Counted, Links, Named, counted, task_links, task_values
from captious.web.texts import texts

MOST_KEPT = 256
# Nobody who writes a guide or a question can know the mark.
_MARK = f"\ue000{secrets.token_hex(8)}"
_CUT = re.compile(f"{_MARK}(\\w+)\ue001")
# What HTML or JSON writes differently. Values are looked through together, a line each.
_SPECIAL = re.compile(r"[&<>'\"\\\x00-\x09\x0b-\x1f]")


class Shown(NamedTuple):
    """A task, and what its page says beside it."""

    campaign: Campaign
    pseudonym: str
    record: Mapping[str, Any]
    task: Task
    progress: RaterProgress
    last: Task | None = None
    following: Task | None = None
    feedback: Sequence[str] = ()

    @property
    def fresh(self) -> bool:
        """Whether nobody has begun to answer it, and nothing of an earlier answer is shown."""
        task = self.task
        return task.draft is None and task.answered is None and not task.item.prior

    def links(self) -> Links:
        """Where the page leads."""
        named = Named.of(self.task, self.last, self.following)
        correcting = self.task.answered is not None
        any_answer = self.progress.answered > 0
        return task_links(self.campaign, self.task.item, named, any_answer=any_answer, correcting=correcting)


def on_desk(found: Desk, pseudonym: str, record: Mapping[str, Any]) -> Shown:
    """The first of the tasks that a rater has in hand."""
    first, *rest = found.tasks
    return Shown(
        found.campaign,
        pseudonym,
        record,
        first,
        found.progress,
        found.previous,
        rest[0] if rest else None,
        () if found.campaign.rules().pauses else found.feedback,
    )


class _Frame(NamedTuple):
    parts: tuple[bytes, ...]
    parts_in_json: tuple[bytes, ...]
    names: tuple[str, ...]
    # Keeps the rules alive whose identity is part of the key.
    rules: object


class TaskPage(NamedTuple):
    """A page before its values are put in."""

    frame: _Frame
    values: dict[str, str]

    def html(self) -> bytes:
        """The page."""
        return self._filled(self.frame.parts, _in_html)

    def in_json(self) -> bytes:
        """The page as it stands within the quotes of a JSON string."""
        return self._filled(self.frame.parts_in_json, _in_json)

    def _filled(self, parts: tuple[bytes, ...], write: Callable[[str], bytes]) -> bytes:
        values = dict(zip(self.values, _written(self.values.values(), write), strict=True))
        out = [b""] * (2 * len(parts) - 1)
        out[::2] = parts
        out[1::2] = [values[name] for name in self.frame.names]
        return b"".join(out)


def _written(values: Collection[str], write: Callable[[str], bytes]) -> list[bytes]:
    together = "\n".join(values)
    if together.count("\n") == len(values) - 1 and _SPECIAL.search(together) is None:
        return together.encode().split(b"\n")
    return [write(text) for text in values]


def _in_html(text: str) -> bytes:
    return str(escape(text)).encode()


def _in_json(text: str) -> bytes:
    r"""A text of a page within the quotes of a JSON string.

    >>> _in_json('say "a\\b" <i>\n\U0001f415').decode()
    'say &#34;a\\\\b&#34; &lt;i&gt;\\n🐕'
    """
    return orjson.dumps(escape(text))[1:-1]


_frames: OrderedDict[tuple[Any, ...], _Frame] = OrderedDict()


def fresh_page(view: pages.View, shown: Shown) -> TaskPage:
    """The page of a task that is fresh."""
    campaign, task = shown.campaign, shown.task
    item, rules, settings = task.item, campaign.rules(), campaign.settings
    t = texts(settings.language)
    words = counted(shown.progress, t)
    named = Named.of(task, shown.last, shown.following)
    key = (
        campaign.slug,
        campaign.title,
        t.language,
        id(rules),
        settings.submit_on_choice,
        view.theme,
        view.flash,
        view.demo,
        item.stage,
        item.form,
        item.hints,
        tuple([caption.key for caption in item.captions]),
        tuple(map(bool, named)),
        shown.progress.answered > 0,
        bool(words.group),
        bool(words.time),
        tuple(shown.feedback),
        rules.record_lines(shown.record),
        rules.minimum_seconds(item),
        rules.may_correct(item),
    )
    frame = _frames.get(key)
    if frame is None:
        frame = _keep(key, _frame(view, shown))
    else:
        _frames.move_to_end(key)
    return TaskPage(frame, _values(view, shown, item, named, words))


def _values(view: pages.View, shown: Shown, item: Item, named: Named, words: Counted) -> dict[str, str]:
    values = {
        "task": named.task,
        "last": named.last,
        "image": named.image,
        "next_image": named.next_image,
        "recording": named.recording,
        "number": words.number,
        "share": words.share,
        "answered": words.answered,
        "group": words.group,
        "time": words.time,
        "csrf": view.csrf,
        "key": random_name(),
        "pseudonym": shown.pseudonym,
        "page_address": view.address,
    }
    for place, caption in enumerate(item.captions):
        values[f"caption{place}"] = caption.text
    return values


def _keep(key: tuple[Any, ...], frame: _Frame) -> _Frame:
    while len(_frames) >= MOST_KEPT:
        _frames.popitem(last=False)
    _frames[key] = frame
    return frame


def _mark(name: str) -> str:
    return f"{_MARK}{name}\ue001"


def _marked(values: Mapping[str, str]) -> dict[str, str]:
    return {name: _mark(name) if value else "" for name, value in values.items()}


def _frame(view: pages.View, shown: Shown) -> _Frame:
    campaign, task = shown.campaign, shown.task
    slug, rules, t = campaign.slug, campaign.rules(), texts(campaign.settings.language)
    named = Named(**_marked(Named.of(task, shown.last, shown.following)._asdict()))
    captions = tuple(
        Caption(caption.key, _mark(f"caption{place}")) for place, caption in enumerate(task.item.captions)
    )
    values = task_values(
        replace(task.item, captions=captions),
        rules,
        t,
        task_links(campaign, task.item, named, any_answer=shown.progress.answered > 0),
        title=campaign.title,
        progress=shown.progress,
        feedback=shown.feedback,
        record=shown.record,
        on_choice=campaign.settings.submit_on_choice,
    )
    values["counted"] = Counted(**_marked(values["counted"]._asdict()))
    values |= {name: _mark(name) for name in ("key", "csrf", "page_address")}
    values |= {"slug": slug, "store": f"{slug}.{_mark('pseudonym')}"}
    text = pages.html("rater/task.html", pages.around(view, t) | values)
    cut = _CUT.split(text)
    return _Frame(
        tuple(part.encode() for part in cut[::2]),
        tuple(orjson.dumps(part)[1:-1] for part in cut[::2]),
        tuple(cut[1::2]),
        rules,
    )
