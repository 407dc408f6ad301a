"""What raters marked in captions as `Findings`, and findings from elsewhere as suggestions to raters.

Any protocol whose form has a question with `places` gives findings, whatever else it asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from captious.corpus.findings import Finding, Findings, Place
from captious.corpus.judgments import example_id
from captious.errors import InputError, one_line
from captious.protocols.item import Caption, Field, Item, Response, matched
from captious.protocols.questions.spans import kinds_of, marks_of, severities_of

Status = Literal["confirmed", "changed", "removed", "untouched"]
STATUSES: tuple[Status, ...] = ("confirmed", "changed", "removed", "untouched")


class Suggestion(NamedTuple):
    """A mark that a rater was shown before answering, and what became of it.

    `untouched` was left as it was, without a word; `confirmed` was said to be right.
    """

    item: str
    image: str
    system: str
    rater: str
    status: Status
    suggested_by: str
    start: int | None
    end: int | None
    text: str
    kind: str
    severity: str
    note: str


def findings_of(items: Iterable[Item], responses: Iterable[Response]) -> Findings:
    """What each rater found wrong in each caption; a caption that several systems wrote counts for each."""
    rows: list[Finding] = []
    pairs = matched(items, responses)
    names = _example_names([item for item, _ in pairs])
    nothing = (Place(None, None, ""),)
    for item, response in pairs:
        for field in item.form.fields:
            answer = response.answers.get(field.name)
            found = None if answer is None else field.rules.places(field, answer)
            if found is None:
                continue
            caption = caption_of(item, field)
            for system in item.sources.get(caption.key, ()):
                name = names[item.image, system, caption.text]
                for one in found or nothing:
                    start, end, kind, severity, confidence, note, evidence = one
                    rows.append(
                        Finding(
                            item.image, system, caption.text, start, end, kind, severity, confidence,
                            response.rater, note, evidence, name,
                        )
                    )  # fmt: skip
    return Findings.from_rows(rows)


def caption_of(item: Item, field: Field) -> Caption:
    """The caption that a question is about."""
    return next((one for one in item.captions if one.key == field.caption), item.captions[0])


def asks_for_places(items: Iterable[Item]) -> bool:
    """Whether any item asks what is wrong where."""
    forms = {item.form for item in items}
    return any(field.rules.lists for form in forms for field in form.fields)


def marked_items(items: Iterable[Item], responses: Iterable[Response]) -> list[str]:
    """The keys of items in whose captions something is marked: where raters agree most comes first.

    By the characters that two raters marked, then by those that anybody did.
    """
    marked: dict[tuple[str, str], Counter[int]] = {}
    for item, response in matched(items, responses):
        for field in item.form.fields if item.counts else ():
            if places := field.rules.places(field, response.answers.get(field.name, [])):
                own = [range(one.start, one.end) for one in places if one.start is not None and one.end]
                marked.setdefault((item.key, field.name), Counter()).update(set().union(*own))
    found: Counter[str] = Counter()
    shared: Counter[str] = Counter()
    for (key, _), characters in marked.items():
        found[key] += len(characters)
        shared[key] += sum(raters > 1 for raters in characters.values())
    return sorted(found, key=lambda key: (-shared[key], -found[key]))


def _example_names(items: Iterable[Item]) -> dict[tuple[str, str, str], str]:
    """A name for each caption: image and system, and a number where a system wrote several of an image."""
    names: dict[tuple[str, str, str], str] = {}
    seen: Counter[str] = Counter()
    for item in items:
        for caption in item.captions:
            for system in item.sources.get(caption.key, ()):
                key = (item.image, system, caption.text)
                if key not in names:
                    name = example_id(item.image, system)
                    seen[name] += 1
                    names[key] = name if seen[name] == 1 else f"{name}|{seen[name]}"
    return names


def with_suggestions(items: Sequence[Item], findings: Findings) -> list[Item]:
    """The items with findings in their captions already marked, for raters to confirm or change.

    A finding belongs to the caption of its image with the same text, whoever wrote it.
    """
    known: dict[tuple[str, str], list[Finding]] = {}
    for row in findings.rows():
        if row.kind:
            known.setdefault((row.image, row.caption), []).append(row)
    made = [_with_marks(item, known) for item in items]
    if not any("suggested" in item.facts for item in made):
        raise InputError(
            "findings: none is about a caption of this campaign in which raters mark places. "
            "Give findings of these images and captions, and a protocol such as spans."
        )
    return made


def _with_marks(item: Item, known: Mapping[tuple[str, str], Sequence[Finding]]) -> Item:
    prior: dict[str, Any] = {}
    for field in item.form.fields:
        found = known.get((item.image, caption_of(item, field).text), ()) if field.rules.lists else ()
        marks = [_mark(field, row) for row in found]
        seen: dict[tuple[object, ...], dict[str, Any]] = {}
        for mark in marks:
            place = (
                mark["start"],
                mark["end"],
                mark["kind"],
                mark.get("note") if mark["start"] is None else "",
            )
            seen.setdefault(place, mark)
        if seen:
            prior[field.name] = [{**mark, "of": at} for at, mark in enumerate(seen.values())]
    if not prior or not item.counts:
        return item
    sources = sorted({mark["source"] for marks in prior.values() for mark in marks})
    return replace(item, prior=prior, facts={**item.facts, "suggested": sources})


def _mark(field: Field, row: Finding) -> dict[str, Any]:
    kinds = [one.value for one in kinds_of(field)]
    severities = [one.value for one in severities_of(field)]
    severity = row.severity or severities[0]
    for what, name, names in (("kind", row.kind, kinds), ("severity", severity, severities)):
        if name not in names:
            raise InputError(
                f'findings: {what} "{one_line(name, 40)}" is not one of those that raters choose from: '
                f"{', '.join(names)}."
            )
    mark: dict[str, Any] = {"start": row.start, "end": row.end, "kind": row.kind, "severity": severity}
    note = row.note or (row.evidence or row.kind if row.start is None else "")
    if row.start is not None:
        mark["text"] = row.text
    if note:
        mark["note"] = one_line(note, 300)
    return {**mark, "source": row.source}


def suggestions_of(items: Iterable[Item], responses: Iterable[Response]) -> list[Suggestion]:
    """Every suggestion that a rater saw, and what the rater did with it."""
    found = []
    for item, response in matched(items, responses):
        for field in item.form.fields:
            if not field.rules.lists or field.name not in item.prior or field.name not in response.answers:
                continue
            given = {mark.get("of"): mark for mark in marks_of(response.answers[field.name])}
            caption = caption_of(item, field)
            for mark in marks_of(item.prior[field.name]):
                status = _status(mark, given.get(mark.get("of")))
                for system in item.sources.get(caption.key, ()):
                    found.append(
                        Suggestion(
                            item.key, item.image, system, response.rater, status, mark.get("source", ""),
                            mark["start"], mark["end"], mark.get("text", ""), mark["kind"], mark["severity"],
                            mark.get("note", ""),
                        )
                    )  # fmt: skip
    return found


def _status(was: Mapping[str, Any], now: Mapping[str, Any] | None) -> Status:
    if now is None:
        return "removed"
    if any(was.get(key) != now.get(key) for key in ("start", "end", "kind", "severity")):
        return "changed"
    if was.get("note", "") != now.get("note", ""):
        return "changed"
    return "confirmed" if now.get("kept") else "untouched"
