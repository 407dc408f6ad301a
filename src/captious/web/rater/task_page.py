"""The page of a task: built once for a form in a campaign, and filled in for each task.

A page has three hundred places to fill, and nearly all are the same for every task of a form in a
campaign. So the template is rendered with marks in the few places that differ (the captions, the names
in addresses, the token, how far the rater is), cut at the marks, and joined with the values: as a page,
or as a string of JSON in which the page comes along with the receipt of an answer. What is made for
tasks that nobody has begun is kept. Only the item's public part is shown.
"""

from __future__ import annotations

import math
import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import orjson
from markupsafe import escape

from captious.campaigns.records import Campaign, RaterProgress, Task
from captious.campaigns.work.assignment import Desk
from captious.campaigns.work.pool_queries import COUNTED
from captious.protocols import Caption, HumanProtocol, Item, Problem
from captious.protocols.capabilities import Game, KnownPast
from captious.web import forms, pages
from captious.web.pages import Texts, language_of, texts

MOST_MINUTES = 90
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

    @property
    def given(self) -> Mapping[str, object] | None:
        """What the page is filled in with: the answer that is corrected, without presets, or a draft."""
        task = self.task
        if task.answered is None:
            return task.draft
        return {name: value for name, value in task.answered.items() if name not in task.untouched}


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
        () if Game.of(found.campaign.rules()).pauses else found.feedback,
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
    return _escaped(text).encode()


def _in_json(text: str) -> bytes:
    r"""A text of a page within the quotes of a JSON string.

    >>> _in_json('say "a\\b" <i>\n\U0001f415').decode()
    'say &#34;a\\\\b&#34; &lt;i&gt;\\n🐕'
    """
    return orjson.dumps(_escaped(text))[1:-1]


def _escaped(text: str) -> str:
    """A text for HTML; browsers would read a carriage return as a line feed, and count wrong."""
    return str(escape(text)).replace("\r", "&#13;")


_frames: OrderedDict[tuple[Any, ...], _Frame] = OrderedDict()


def task_page(
    view: pages.View,
    shown: Shown,
    *,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
) -> TaskPage:
    """The page of a task; `answers` with their `problems` where they were just refused."""
    named, words = Named.of(shown), counted(shown.progress, texts(shown.campaign.settings.language))
    if answers is None and not problems and shown.fresh:
        frame = _kept_frame(view, shown, named, words)
    else:
        frame = _frame(view, shown, answers=shown.given if answers is None else answers, problems=problems)
    return TaskPage(frame, _values(view, shown, named, words))


def _kept_frame(view: pages.View, shown: Shown, named: Named, words: Counted) -> _Frame:
    campaign, item = shown.campaign, shown.task.item
    rules, settings = campaign.rules(), campaign.settings
    key = (
        campaign.slug,
        campaign.title,
        settings.language,
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
        KnownPast.of(rules).record_lines(shown.record),
        Game.of(rules).minimum_seconds(item),
        KnownPast.of(rules).may_correct(item),
    )
    frame = _frames.get(key)
    if frame is not None:
        _frames.move_to_end(key)
        return frame
    while len(_frames) >= MOST_KEPT:
        _frames.popitem(last=False)
    frame = _frames[key] = _frame(view, shown)
    return frame


def _values(view: pages.View, shown: Shown, named: Named, words: Counted) -> dict[str, str]:
    values = {
        **named._asdict(),
        **words._asdict(),
        "csrf": view.csrf,
        "key": secrets.token_urlsafe(16),
        "pseudonym": shown.pseudonym,
        "page_address": view.address,
    }
    for place, caption in enumerate(shown.task.item.captions):
        values[f"caption{place}"] = caption.text
        values[f"caption{place}_lang"] = language_of(caption.text)
    return values


def _mark(name: str) -> str:
    return f"{_MARK}{name}\ue001"


def _language_mark(text: str) -> str:
    """The mark of the language of a caption that is a mark itself."""
    found = _CUT.fullmatch(text)
    return _mark(f"{found[1]}_lang") if found else language_of(text)


def _marked(values: Mapping[str, str]) -> dict[str, str]:
    return {name: _mark(name) if value else "" for name, value in values.items()}


def _frame(
    view: pages.View,
    shown: Shown,
    *,
    answers: Mapping[str, object] | None = None,
    problems: Sequence[Problem] = (),
) -> _Frame:
    campaign, task = shown.campaign, shown.task
    slug, rules, t = campaign.slug, campaign.rules(), texts(campaign.settings.language)
    captions = tuple(
        Caption(caption.key, _mark(f"caption{place}")) for place, caption in enumerate(task.item.captions)
    )
    values = task_values(
        replace(task.item, captions=captions),
        rules,
        t,
        _links(shown, Named(**_marked(Named.of(shown)._asdict()))),
        title=campaign.title,
        answers=answers,
        problems=problems,
        progress=shown.progress,
        replaces=task.response_id,
        feedback=() if task.answered is not None else shown.feedback,
        record=shown.record,
        on_choice=campaign.settings.submit_on_choice,
        language=_language_mark,
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
    def of(cls, shown: Shown) -> Named:
        """The names of a task, of the one answered before it and of the one that comes after it."""
        task, last, following = shown.task, shown.last, shown.following
        return cls(
            task.token,
            last.token if last else "",
            task.digest or "",
            (following.digest or "") if following else "",
            task.item.recording,
        )


def _links(shown: Shown, named: Named) -> Links:
    """Where the page of a task leads; one that corrects an answer keeps no draft of it."""
    slug, rules = shown.campaign.slug, shown.campaign.rules()
    item, correcting = shown.task.item, shown.task.answered is not None
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
        board=board_address(shown.campaign),
        aside="" if correcting else f"{address}/aside",
        answers=f"/answers/{slug}"
        if shown.progress.answered > 0 and KnownPast.of(rules).may_correct(item)
        else "",
    )


def picture(slug: str, digest: str | None) -> str:
    """Where a picture of a campaign is served, "" where there is none."""
    return f"/images/{slug}/{digest}" if digest else ""


def board_address(campaign: Campaign) -> str:
    """Where the leaderboard is; "" where the protocol gives no points."""
    return f"/board/{campaign.slug}" if Game.of(campaign.rules()).score_of({}) is not None else ""


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
    language: Callable[[str], str] = language_of,
) -> dict[str, Any]:
    """Everything that `rater/task.html` needs; also for a dry run, which stores nothing."""
    form = forms.view(item, t, answers=answers, problems=problems, language=language)
    return {
        "texts_of": t,
        "campaign_title": title,
        "form": form,
        "links": links,
        "guide": rules.guide(item.stage),
        "hints": item.hints,
        "second_look": bool(item.prior) and not item.recording and "suggested" not in item.facts,
        "key": secrets.token_urlsafe(16),
        "counted": counted(progress, t),
        "correcting": replaces is not None,
        "replaces": replaces,
        "preview": preview,
        "feedback": list(feedback),
        "record_lines": KnownPast.of(rules).record_lines(record or {}),
        "on_choice": on_choice and replaces is None and is_one_choice(form),
        "wait": Game.of(rules).minimum_seconds(item),
        "has_files": bool(item.form.recorded),
    }


def is_one_choice(form: forms.FormView) -> bool:
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

    >>> from captious.web.pages import texts
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
