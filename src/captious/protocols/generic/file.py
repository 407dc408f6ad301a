"""Read a generic protocol from YAML; what is wrong is one line with the line number."""

from __future__ import annotations

import json

import numpy as np

from captious.corpus import Judgments
from captious.data import free_photographs
from captious.errors import InputError, UnknownNameError, one_line
from captious.protocols.base import MOST_IN_GROUP, MOST_RESPONSES, Guide
from captious.protocols.generic.rules import Generic, GenericKind
from captious.protocols.item import Picture
from captious.protocols.questions import WIDEST_SCALE, read_question, refuse_twice
from captious.protocols.yaml_file import At, Told, YamlFile

KINDS: dict[str, GenericKind] = {"likert": "likert", "pairwise": "pairwise"}
TOP = ("name", "kind", "questions", "guide", "raters", "once_per_image", "group_size", "comment")
ADVICE = ("title", "text", "examples", "pictures")
PICTURE = ("image", "shows", "caption", "verdict", "why")


def parse_protocol(text: str, source: str = "protocol", told: Told | None = None) -> Generic:
    """Return the protocol that a YAML text describes; `told` makes the error of a text that nobody wrote.

    >>> likert = parse_protocol('''
    ... name: helpfulness
    ... kind: likert
    ... questions:
    ...   - aspect: helpful
    ...     ask: Would it help someone who cannot see the image?
    ...     labels: {1: Not at all, 5: Very much}
    ... ''')
    >>> likert.questions[0].labels
    ((1, 'Not at all'), (5, 'Very much'))
    >>> parse_protocol("kind: likert")
    Traceback (most recent call last):
    captious.errors.InputError: protocol: line 1: "name" is missing. Give the protocol a name.
    """
    reader = YamlFile(text, source, told)
    top = reader.mapping((), reader.data, TOP)
    label = reader.text((), top, "name", "Give the protocol a name.")
    kind = reader.text((), top, "kind", "Give likert or pairwise.")
    if kind not in KINDS:
        raise reader.error(("kind",), f'kind "{one_line(kind)}" is not likert or pairwise.')
    asked = reader.sequence((), top, "questions")
    if not asked:
        raise reader.error(
            ("questions",) if "questions" in top else (),
            '"questions" is empty or missing. Give at least one question.',
        )
    questions = tuple(read_question(reader, kind, at, raw) for at, raw in enumerate(asked))
    refuse_twice(reader, [question.aspect for question in questions])
    guides = tuple(_guide(reader, at, raw) for at, raw in enumerate(reader.sequence((), top, "guide")))
    return Generic(
        kind=KINDS[kind],
        questions=questions,
        label=label,
        guides=guides,
        raters=reader.whole((), top, "raters", 1, 1, MOST_RESPONSES),
        once_per_image=reader.flag((), top, "once_per_image", False),
        group_size=reader.whole((), top, "group_size", 1, 1, MOST_IN_GROUP),
        comment=reader.flag((), top, "comment", False),
    )


def likert_text(judgments: Judgments, name: str) -> str:
    """A Likert protocol with the aspects of some judgments, as its YAML text."""
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
        if high - low >= WIDEST_SCALE:
            raise InputError(f"{aspect} goes from {low} to {high}: too wide for a scale.")
        questions.append({"aspect": aspect, "ask": f"{aspect}?", "low": low, "high": high})
    # JSON is YAML.
    return json.dumps({"name": name, "kind": "likert", "questions": questions}) + "\n"


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
