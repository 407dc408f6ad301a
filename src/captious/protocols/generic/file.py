"""Read a generic protocol from YAML; what is wrong is one line with the line number."""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np

from captious.corpus import Judgments
from captious.data import free_photographs
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.base import MOST_IN_GROUP, MOST_RESPONSES, Guide
from captious.protocols.generic.rules import Generic
from captious.protocols.item import Field, Picture
from captious.protocols.questions.file import read_questions
from captious.protocols.questions.number import MOST_LEVELS
from captious.protocols.yaml_file import At, Told, YamlFile

# Files had one kind for all questions; "" is a file of today.
OLDER = {"likert": "scale", "pairwise": "pair", "": "scale"}
MOST_QUESTIONS = 100
TOP = ("name", "questions", "kind", "guide", "raters", "once_per_image", "group_size", "comment")
ADVICE = ("title", "text", "examples", "pictures")
PICTURE = ("image", "shows", "caption", "verdict", "why")


def parse_protocol(text: str, source: str = "protocol", told: Told | None = None) -> Generic:
    """Return the protocol that a YAML text describes; `told` makes the error of a text that nobody wrote.

    >>> mine = parse_protocol('''
    ... name: helpfulness
    ... questions:
    ...   - aspect: helpful
    ...     kind: scale
    ...     ask: Would it help someone who cannot see the image?
    ...     labels: {1: Not at all, 5: Very much}
    ... ''')
    >>> [option.label for option in mine.questions[0].options]
    ['Not at all', 'Very much']
    >>> parse_protocol("raters: 3")
    Traceback (most recent call last):
    captious.errors.InputError: protocol: line 1: "name" is missing. Give the protocol a name.
    """
    reader = YamlFile(text, source, told)
    top = reader.mapping((), reader.data, TOP)
    label = reader.text((), top, "name", "Give the protocol a name.")
    older = reader.text((), top, "kind", "", required=False)
    if older not in OLDER:
        message = f'kind "{one_line(older)}" of a whole file. Give each question its own kind.'
        raise reader.error(("kind",), message)
    questions = read_questions(reader, top, MOST_QUESTIONS, OLDER[older])
    _refuse_without_result(reader, questions)
    guides = tuple(_guide(reader, at, raw) for at, raw in enumerate(reader.sequence((), top, "guide")))
    return Generic(
        questions=questions,
        label=label,
        guides=guides,
        raters=reader.whole((), top, "raters", 1, 1, MOST_RESPONSES),
        once_per_image=reader.flag((), top, "once_per_image", False),
        group_size=reader.whole((), top, "group_size", 1, 1, MOST_IN_GROUP),
        comment=reader.flag((), top, "comment", False),
    )


def _refuse_without_result(reader: YamlFile, questions: Sequence[Field]) -> None:
    """A page shows two captions or all of them; and something must be said of them in numbers."""
    compared = {one.rules.compares: at for at, one in enumerate(questions)}
    if {"two", "all"} <= set(compared):
        at = max(compared["two"], compared["all"])
        message = (
            f"{questions[at].kind}: a choice between two captions and a ranking of all need two protocols."
        )
        raise reader.error(("questions", at, "kind"), message)
    if not any(one.rules.known for one in questions):
        raise reader.error(("questions",), "texts alone have no result. Add a question of another kind.")


def scales_text(judgments: Judgments, name: str) -> str:
    """A protocol with a scale for each aspect of some judgments, as its YAML text."""
    values = judgments.values
    if not np.array_equal(values, np.round(values)):
        raise InputError(
            f"values such as {values[values != np.round(values)][0]:g} are not points of a "
            "Likert scale. Import the raw responses instead: the whole export."
        )
    questions = []
    for aspect in judgments.aspects:
        own = values[judgments.rows(aspect)]
        low, high = int(own.min()), max(int(own.max()), int(own.min()) + 1)
        if high - low >= MOST_LEVELS:
            raise InputError(f"{aspect} goes from {low} to {high}: too wide for a scale.")
        questions.append({"aspect": aspect, "kind": "scale", "ask": f"{aspect}?", "low": low, "high": high})
    # JSON is YAML.
    return json.dumps({"name": name, "questions": questions}) + "\n"


def _guide(reader: YamlFile, at: int, raw: object) -> Guide:
    where: At = ("guide", at)
    own = reader.mapping(where, raw, ADVICE)
    examples = reader.sequence(where, own, "examples")
    for row, example in enumerate(examples):
        if not isinstance(example, str):
            raise reader.error((*where, "examples", row), f"example {example!r} is not a text. Quote it.")
    return Guide(
        reader.text(where, own, "title", "Give the advice a title."),
        reader.text(where, own, "text", "Write the advice."),
        tuple(examples),
        tuple(
            _picture(reader, (*where, "pictures", row), raw)
            for row, raw in enumerate(reader.sequence(where, own, "pictures"))
        ),
    )


def _picture(reader: YamlFile, where: At, raw: object) -> Picture:
    """A pictured example: a photograph of the sample, a caption of it, and what that earns."""
    own = reader.mapping(where, raw, PICTURE)
    known = free_photographs()
    image = reader.text(where, own, "image", f"Name a photograph of the sample, such as {known[0]}.")
    if image not in known:
        message = str(UnknownNameError("photograph of the sample", image, known))
        raise reader.error((*where, "image"), message)
    return Picture(
        image,
        reader.text(where, own, "shows", "Say what the photograph shows, for those who cannot see it."),
        reader.text(where, own, "caption", "Give a caption of the photograph."),
        reader.name(where, own, "verdict", "Say which rating the caption gets."),
        reader.text(where, own, "why", "", required=False),
    )
