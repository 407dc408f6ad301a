"""Places in the caption: what is wrong and where, of which kind and how severe, and what is missing."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from captious.corpus.findings import Place
from captious.errors import one_line
from captious.protocols.questions.base import (
    Answer,
    Field,
    Mark,
    Option,
    Problem,
    QuestionKind,
    Said,
    Say,
    overall,
    register,
    shown,
)

if TYPE_CHECKING:
    from captious.protocols.yaml_file import At, YamlFile

KINDS = (
    Option("object", "Object", "It is not there, or is something else"),
    Option("attribute", "Attribute", "A wrong colour, size, material, state or action"),
    Option("count", "Count", "A wrong number"),
    Option("relation", "Relation", "A wrong position, or the wrong one does it"),
    Option("text", "Language", "Spelling, grammar, repetition, or writing in the image that is misread"),
    Option("inference", "Inference", "The image does not show whether it is true"),
)
# The error audit asks of objects whether they are misnamed or invented, and of language in two ways.
FINER: Mapping[str, tuple[Option, ...]] = {
    "object": (
        Option("object", "Object", "It is called something else"),
        Option("main object", "Main object", "What the image is mostly about is called something else"),
        Option("hallucinated", "Invented", "An object that is not in the image"),
    ),
    "text": (
        Option("text", "Grammar", "Spelling or grammar is wrong"),
        Option("awkward", "Awkward", "Correct, but nobody would say it like this"),
    ),
}
# What THumB takes points off for beside facts and language.
STYLE = (
    Option("conciseness", "Too detailed", "Repetitive, or details that hide what matters"),
    Option("inclusive_language", "Offensive", "A comment on someone's looks (minor), or demeaning (major)"),
)
_KNOWN = (*KINDS, *(one for finer in FINER.values() for one in finer[1:]), *STYLE)
# A severity has a weight: MQM as WMT counts it since Freitag et al. (2021), minor 1 and major 5.
SEVERITIES = (
    Option("minor", "Minor", "Most readers would not mind", amount=1.0),
    Option("major", "Major", "It misleads", amount=5.0),
)
MOST_MARKS = 50
MOST_KINDS = 20
LONGEST_NOTE = 300
PLAIN_ROWS = 6  # for marks on a page without scripts
_KEYS = ("start", "end", "text", "words", "kind", "severity", "note", "of", "kept", "source")


@register("spans")
class Spans(QuestionKind):
    """A list of marks: `{"start", "end", "text", "kind", "severity"}`, and `note` where one was written.

    An empty list says that nothing is wrong.

    `start` and `end` count code points of the caption; of what is missing they are None, and `note`
    names it. A mark may come with the `words` of the caption in the place of its offsets: they stand
    for their first occurrence that no mark before it has taken. Of marks that were suggested, `of` is the
    number of the suggestion and `kept` says that the rater confirmed it. The field's options are the
    kinds, and with an amount (their weight) the severities.
    """

    title: ClassVar[str] = "Wrong places in the caption"
    note: ClassVar[str] = (
        "of a kind of error: the share of answers that mark one; errors: marks in a caption; severity: "
        "the sum of their weights"
    )
    keys: ClassVar[tuple[str, ...]] = ("kinds", "severities", "most")
    lists: ClassVar[bool] = True

    def read(self, file: YamlFile, where: At, own: Mapping[str, object], field: Field) -> Field:
        """Its `kinds` and `severities`, each optional, and the `most` marks."""
        most = file.whole(where, own, "most", MOST_MARKS, 1, 1000)
        kinds, severities = _read_kinds(file, where, own), _read_severities(file, where, own)
        return replace(field, options=(*kinds, *severities), high=most)

    def inputs(self, field: Field) -> tuple[str, ...]:
        """All marks as JSON from a script, else the columns of a table with a row a mark."""
        return (field.name, *(f"{field.name}.{column}" for column in _COLUMNS))

    def gather(self, field: Field, sent: Sequence[tuple[str, str]]) -> object:
        """The script's marks, or the rows in which something was written."""
        columns: dict[str, list[str]] = {}
        for name, value in sent:
            if name == field.name:
                return value
            columns.setdefault(name.removeprefix(f"{field.name}."), []).append(value)
        kept = set(columns.pop("kept", []))
        rows = zip(*(columns.get(name, []) for name in _COLUMNS[:-1]), strict=False)
        return [
            _plain_mark(*cells, kept=str(at) in kept) for at, cells in enumerate(rows) if cells[0].strip()
        ]

    def check(self, field: Field, answer: object) -> Answer | Problem:
        """Marks of known kinds and severities, none of them twice."""
        if isinstance(answer, str):
            try:
                answer = json.loads(answer)
            except ValueError:
                answer = None
        if isinstance(answer, Mapping) and not answer:
            answer = []
        if not isinstance(answer, (list, tuple)):
            return field.problem("The marks did not arrive. Mark the places again.")
        most = int(field.high or MOST_MARKS)
        if len(answer) > most:
            return field.problem(f"{len(answer)} marks are too many. Mark {most} at most.")
        found: list[Mark] = []
        for given in answer:
            mark = _checked(field, given)
            if isinstance(mark, str):
                return field.problem(mark)
            found.append(mark)
        return found

    def on_captions(self, field: Field, answer: Answer, captions: Mapping[str, str]) -> Answer | Problem:
        """Every mark with its place and its words, which must be in the caption."""
        caption = captions.get(field.caption) if field.caption else next(iter(captions.values()), None)
        if caption is None:
            return answer
        found: list[Mark] = []
        for mark in marks_of(answer):
            placed = _placed(mark, caption, found)
            if isinstance(placed, str):
                return field.problem(placed)
            found.append(placed)
        return _ordered(field, found)

    def wanted(self, field: Field) -> str:
        """Mark something."""
        return "Mark what is wrong."

    def nothing(self) -> Answer:
        """Nothing marked is an answer."""
        return []

    def words(self, field: Field, answer: Answer, say: Say = str) -> str:
        """“giraffe”: Object, major; missing: a frisbee."""
        return "; ".join(_said(field, mark, say) for mark in marks_of(answer)) or say("nothing")

    def right(self, wanted: object, given: object, tolerance: float = 0.0) -> bool:
        """Every known mark is touched by one of its kind, and there is no other; severities may differ."""
        open_, known = list(marks_of(given)), list(marks_of(wanted))
        for mark in known:
            hit = next((one for one in open_ if _same_thing(mark, one)), None)
            if hit is None:
                return False
            open_.remove(hit)
        return not open_

    def numbers(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """Of each kind whether it was marked."""
        present = {mark["kind"] for mark in marks_of(answer)}
        return tuple(Said(float(one.value in present), one.value) for one in kinds_of(field))

    def judged(self, field: Field, answer: Answer) -> tuple[Said, ...]:
        """That, the number of marks, and the sum of their weights."""
        marks = list(marks_of(answer))
        sums = (Said(float(len(marks)), "errors"), Said(weight_of(field, answer), "severity"))
        return (*self.numbers(field, answer), *sums)

    def levels(self, field: Field) -> Mapping[str, Sequence[float]]:
        """Marked or not."""
        return {one.value: (0.0, 1.0) for one in kinds_of(field)}

    def apart(self, field: Field, one: Answer, other: Answer) -> float:
        """1 minus the F1 of the characters that two raters marked, whatever the kind; 0 where neither did."""
        first, second = _covered(one), _covered(other)
        both = len(first) + len(second)
        return 1 - 2 * len(first & second) / both if both else 0.0

    def common(self, field: Field, answers: Sequence[Answer]) -> Answer | None:
        """The marks that every rater made: of the same kind in the same place."""
        first, *others = ({_identity(mark): mark for mark in marks_of(one)} for one in answers)
        kept = [mark for key, mark in first.items() if all(key in one for one in others)]
        return [{key: value for key, value in mark.items() if key not in ("of", "kept")} for mark in kept]

    def places(self, field: Field, answer: Answer) -> tuple[Place, ...]:
        """The marks as places of a caption."""
        return tuple(place_of(mark) for mark in marks_of(answer))

    def simulated(self, field: Field, opinions: Mapping[str, float]) -> list[Mark]:
        """Something missing where the caption is not good: who has not read it can mark no words."""
        if overall(opinions) >= 0.5:
            return []
        kind, severity = kinds_of(field)[0], severities_of(field)[0]
        return [{"kind": kind.value, "severity": severity.value, "note": "Something that the image shows."}]

    def prompt(self, field: Field) -> str:
        """A list."""
        return (
            'A list, empty if nothing is wrong, of {"words": …, "kind": …, "severity": …}, the words copied '
            'from the caption; "words": null and a "note" for what is missing. The kinds and severities:'
        )

    def schema(self, field: Field) -> dict[str, Any]:
        """A list of words with kind and severity."""
        entry = {
            "type": "object",
            "properties": {
                "words": {"type": ["string", "null"]},
                "kind": {"type": "string", "enum": [one.value for one in kinds_of(field)]},
                "severity": {"type": "string", "enum": [one.value for one in severities_of(field)]},
                "note": {"type": ["string", "null"]},
            },
            "required": ["words", "kind", "severity", "note"],
            "additionalProperties": False,
        }
        return {"type": "array", "items": entry}


_COLUMNS = ("words", "place", "kind", "severity", "at", "of", "kept")


def kinds_of(field: Field) -> tuple[Option, ...]:
    """The kinds of error that a field knows."""
    return tuple(option for option in field.options if option.amount is None)


def severities_of(field: Field) -> tuple[Option, ...]:
    """Its severities, which have a weight."""
    return tuple(option for option in field.options if option.amount is not None)


def marks_of(answer: object) -> Iterator[Mark]:
    """The marks of an answer; none where it is none."""
    for mark in answer if isinstance(answer, (list, tuple)) else ():
        if isinstance(mark, Mapping):
            yield dict(mark)


def weight_of(field: Field, answer: Answer) -> float:
    """The sum of the weights of an answer's marks."""
    weights = {one.value: one.amount or 0.0 for one in severities_of(field)}
    return float(sum(weights.get(mark["severity"], 0.0) for mark in marks_of(answer)))


def place_of(mark: Mark) -> Place:
    """A mark as a place of the caption."""
    return Place(
        mark.get("start"), mark.get("end"), mark["kind"], mark["severity"], note=mark.get("note", "")
    )


def _covered(answer: object) -> set[int]:
    """The characters that are marked."""
    return {
        at
        for mark in marks_of(answer)
        if mark.get("start") is not None
        for at in range(mark["start"], mark["end"])
    }


def _checked(field: Field, given: object) -> Mark | str:
    """A mark of known kind and severity, still without its text; what is wrong with it in words."""
    if not isinstance(given, Mapping) or any(key not in _KEYS for key in given):
        return f"{shown(given)} is not a mark: give start, end, kind, severity and note."
    mark: Mark = {"start": given.get("start"), "end": given.get("end")}
    for what, options in (("kind", kinds_of(field)), ("severity", severities_of(field))):
        names = [one.value for one in options]
        mark[what] = given.get(what, names[0] if what == "severity" else None)
        if mark[what] not in names:
            return f'"{shown(mark[what])}" is not a {what}. Choose {", ".join(names)}.'
    for what in ("words", "text", "note"):
        text = given.get(what) or ""
        if not isinstance(text, str):
            return f"{shown(text)} is not a text."
        if text.strip():
            mark[what] = " ".join(text.split()) if what == "note" else text
    if len(mark.get("note", "")) > LONGEST_NOTE:
        return f"A note of {len(mark['note'])} characters is too long. Use {LONGEST_NOTE} at most."
    wrong = _no_place(mark)
    of = given.get("of")
    if isinstance(of, int) and of >= 0:
        mark |= {"of": of, "kept": True} if given.get("kept") is True else {"of": of}
    return wrong or mark


def _no_place(mark: Mark) -> str:
    """What is wrong with the numbers of a mark, "" where nothing."""
    place = [mark["start"], mark["end"]]
    if place == [None, None]:
        named = "words" in mark or "note" in mark
        return "" if named else "Say in a few words what is missing."
    if all(type(one) is int for one in place):
        return ""
    return f"The place {shown(place[0])} to {shown(place[1])} is not two whole numbers."


def _placed(mark: Mark, caption: str, before: Sequence[Mark]) -> Mark | str:
    """A mark with offsets and text; what is wrong with it in words."""
    words = mark.pop("words", "")
    start, end = mark["start"], mark["end"]
    if words and (start is None or caption[start : start + len(words)] == words):
        start = _found(words.strip(), caption, before) if start is None else start
        if start is None:
            return f'"{one_line(words, 40)}" is not in the caption. Copy the words as they stand there.'
        end = start + len(words.strip())
    elif words:  # a row whose words were changed after they had been found
        return _placed({**mark, "start": None, "end": None, "words": words}, caption, before)
    if start is None or end is None:
        mark.pop("text", None)
        return {**mark, "start": None, "end": None}
    if not 0 <= start < end <= len(caption) or not caption[start:end].strip():
        return (
            f"The place {start} to {end} holds no words of the caption. Count its characters from 0 to "
            f"{len(caption)}."
        )
    if mark.get("text", caption[start:end]) != caption[start:end]:
        return f'"{one_line(str(mark["text"]), 40)}" is not what stands there. Mark the place again.'
    return {**mark, "start": start, "end": end, "text": caption[start:end]}


def _found(words: str, caption: str, before: Sequence[Mark]) -> int | None:
    """Where words stand that no mark has taken yet."""
    taken = {mark["start"] for mark in before if mark.get("text") == words}
    start = caption.find(words)
    while start in taken:
        start = caption.find(words, start + 1)
    return start if start >= 0 else None


def _ordered(field: Field, marks: Sequence[Mark]) -> Answer | Problem:
    """In the order of the caption, what is missing last; a problem where one is there twice."""
    seen = set()
    for mark in marks:
        same = _identity(mark)
        if same in seen:
            said = one_line(mark.get("text") or mark.get("note", ""), 40)
            return field.problem(f'"{said}" is marked twice as {mark["kind"]}. Remove one mark.')
        seen.add(same)
    last = math.inf
    return sorted(
        marks, key=lambda mark: (last if mark["start"] is None else mark["start"], mark["end"] or 0)
    )


def _identity(mark: Mark) -> tuple[object, ...]:
    """What a mark says, whatever its severity."""
    note = mark.get("note", "").casefold() if mark["start"] is None else ""
    return mark["start"], mark["end"], mark["kind"], note


def _same_thing(wanted: Mark, given: Mark) -> bool:
    """Whether a mark is of the kind of a known one and touches it."""
    if wanted.get("kind") != given.get("kind"):
        return False
    if wanted.get("start") is not None and given.get("start") is not None:
        return bool(wanted["start"] < given["end"] and given["start"] < wanted["end"])
    if wanted.get("words"):
        text = str(given.get("text") or "")
        return bool(text) and (text in wanted["words"] or wanted["words"] in text)
    return wanted.get("start") is None and given.get("start") is None


def _said(field: Field, mark: Mark, say: Say) -> str:
    """A mark as a person would say it."""
    kind, severity = field.option(mark["kind"]), field.option(mark["severity"])
    named = [say(one.label) for one in (kind, severity) if one is not None]
    what = ", ".join([*named[:1], *(word.lower() for word in named[1:])])
    text, note = mark.get("text") or mark.get("words") or "", mark.get("note", "")
    if not text:
        return f"{say('missing')}: {note} ({what})"
    return f"“{text}” {what}" + (f" ({note})" if note else "")


def _plain_mark(
    words: str, place: str, kind: str, severity: str, at: str, of: str, *, kept: bool
) -> dict[str, object]:
    """A row of a page without scripts."""
    mark: dict[str, object] = {"kind": kind, "severity": severity}
    if place == "missing":
        mark["note"] = words
    else:
        mark["words"] = words.strip()
        if at.isascii() and at.isdigit() and len(at) < 9:
            mark["start"] = int(at)
            mark["end"] = int(at) + len(words.strip())
    if of.isascii() and of.isdigit() and len(of) < 9:
        mark |= {"of": int(of), "kept": kept}
    return mark


def _read_kinds(file: YamlFile, where: At, own: Mapping[str, object]) -> tuple[Option, ...]:
    """`kinds: [object, attribute]`; ours keep their labels and help."""
    listed = file.sequence(where, own, "kinds")
    if not listed:
        return KINDS
    names = [" ".join(str(one).split()) if isinstance(one, (str, int)) else "" for one in listed]
    if len(set(names)) != len(names) or not all(names) or len(names) > MOST_KINDS:
        raise file.error((*where, "kinds"), f'"kinds" must be 1 to {MOST_KINDS} names, each of them once.')
    return tuple(kind_option(name) for name in names)


def _read_severities(file: YamlFile, where: At, own: Mapping[str, object]) -> tuple[Option, ...]:
    """`severities: {minor: 1, major: 5}`."""
    raw = own.get("severities")
    if raw is None:
        return SEVERITIES
    place: At = (*where, "severities")
    if not isinstance(raw, dict) or not 1 <= len(raw) <= 9:
        raise file.error(place, '"severities" must be 1 to 9 names with a weight each: {minor: 1, major: 5}.')
    found = []
    for name in raw:
        weight = file.number(place, raw, name)
        if weight is None or weight < 0 or not str(name).strip():
            raise file.error((*place, str(name)), "a weight must be 0 or more.")
        found.append(severity_option(str(name), weight))
    return tuple(found)


def kind_option(name: str) -> Option:
    """A kind of ours, or one of someone's own."""
    return next((one for one in _KNOWN if one.value == name), Option(name, name[:1].upper() + name[1:]))


def severity_option(name: str, weight: float) -> Option:
    """A severity of ours with another weight, or one of someone's own."""
    known = next((one for one in SEVERITIES if one.value == name), Option(name, name[:1].upper() + name[1:]))
    return replace(known, amount=float(weight))
