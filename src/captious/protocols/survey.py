"""A survey before or after the work, from a YAML file: scales, choices and texts."""

from __future__ import annotations

from captious.protocols.form import Field, Form, Option
from captious.protocols.questions import ASKED, read_question, refuse_twice, scale_field
from captious.protocols.yaml_file import At, YamlFile

TOP = ("questions", "name")
BESIDE = ("options", "text", "optional")
MOST_QUESTIONS = 100


def parse_survey(text: str, source: str = "survey") -> Form:
    """The questions of a survey; what is wrong is one line with its line number.

    A question has `options` (a choice), `text: true`, or the `low`, `high` and `labels` of a scale;
    `optional: true` lets it be passed over.

    >>> form = parse_survey('''
    ... questions:
    ...   - {aspect: age, ask: "How old are you?", options: [under 30, 30 to 59, 60 or more]}
    ...   - {aspect: sight, ask: "How well do you see colours?", low: 1, high: 5, labels: {1: Not at all}}
    ...   - {aspect: remarks, ask: "Anything else?", text: true, optional: true}
    ... ''')
    >>> [(field.name, field.kind, field.required) for field in form.fields]
    [('age', 'choice', True), ('sight', 'number', True), ('remarks', 'text', False)]
    """
    reader = YamlFile(text, source)
    top = reader.mapping((), reader.data, TOP)
    asked = reader.sequence((), top, "questions")
    if not 1 <= len(asked) <= MOST_QUESTIONS:
        raise reader.error(("questions",), f"{len(asked)} questions. Give 1 to {MOST_QUESTIONS}.")
    fields = tuple(_field(reader, at, raw) for at, raw in enumerate(asked))
    refuse_twice(reader, [field.name for field in fields])
    return Form(fields)


def _field(reader: YamlFile, at: int, raw: object) -> Field:
    where: At = ("questions", at)
    own = reader.mapping(where, raw, (*ASKED["likert"], *BESIDE))
    question = read_question(reader, "likert", at, {key: own[key] for key in own if key not in BESIDE})
    required = not reader.flag(where, own, "optional", False)
    if "options" in own:
        options = _options(reader, where, own)
        return Field(question.aspect, "choice", question.ask, question.help, required, options=options)
    if reader.flag(where, own, "text", False):
        return Field(question.aspect, "text", question.ask, question.help, required)
    return scale_field(question, required=required)


def _options(reader: YamlFile, where: At, own: dict[str, object]) -> tuple[Option, ...]:
    listed = reader.sequence(where, own, "options")
    if len(listed) < 2 or len({str(one) for one in listed}) != len(listed):
        raise reader.error((*where, "options"), '"options" must be two or more, each of them once.')
    return tuple(_option(reader, (*where, "options", row), one) for row, one in enumerate(listed))


def _option(reader: YamlFile, where: At, raw: object) -> Option:
    """An option is its text; YAML reads yes and no as true and false."""
    if isinstance(raw, bool):
        raw = "Yes" if raw else "No"
    text = str(raw).strip() if isinstance(raw, (str, int)) else ""
    if not text:
        raise reader.error(where, f"option {raw!r} is not a text. Quote it.")
    return Option(text, text)
