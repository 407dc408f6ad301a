"""Questions of one's own, as a file describes them: those of a protocol, and those of a survey."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from captious.errors import UnknownNameError, one_line
from captious.protocols.item import Form
from captious.protocols.questions.base import Field, QuestionKind, When, as_number, offered_kinds
from captious.protocols.yaml_file import At, YamlFile

TOP = ("questions", "name")
MOST_QUESTIONS = 100


def parse_survey(text: str, source: str = "survey") -> Form:
    """The questions of a survey; what is wrong is one line with its line number.

    >>> form = parse_survey('''
    ... questions:
    ...   - {aspect: age, ask: "How old are you?", options: [under 30, 30 to 59, 60 or more]}
    ...   - {aspect: sight, ask: "How well do you see colours?", low: 1, high: 5, labels: {1: Not at all}}
    ...   - {aspect: remarks, ask: "Anything else?", kind: text, optional: true}
    ... ''')
    >>> [(field.name, field.kind, field.required) for field in form.fields]
    [('age', 'choice', True), ('sight', 'scale', True), ('remarks', 'text', False)]
    """
    reader = YamlFile(text, source)
    questions = read_questions(reader, reader.mapping((), reader.data, TOP), MOST_QUESTIONS)
    compared = next((at for at, one in enumerate(questions) if one.rules.compares), None)
    if compared is not None:
        message = f"{questions[compared].kind}: a survey has no captions to compare. Choose another kind."
        raise reader.error(("questions", compared, "kind"), message)
    return Form(questions)


ASKED = ("aspect", "ask", "kind", "help", "optional", "only_if")
COMMENT = "comment"


def read_questions(
    file: YamlFile, top: Mapping[str, object], most: int, usual: str = "scale"
) -> tuple[Field, ...]:
    """The `questions` of a file; one without a kind is a choice if it has options, else `usual`."""
    asked = file.sequence((), top, "questions")
    if not asked:
        at: At = ("questions",) if "questions" in top else ()
        raise file.error(at, '"questions" is empty or missing. Give at least one question.')
    if len(asked) > most:
        raise file.error(("questions",), f"{len(asked)} questions. Give {most} at most.")
    found: list[Field] = []
    for row, raw in enumerate(asked):
        found.append(_question(file, ("questions", row), raw, usual, found))
    return tuple(found)


def _question(file: YamlFile, where: At, raw: object, usual: str, before: Sequence[Field]) -> Field:
    if isinstance(raw, dict) and raw.get("text") is True:  # surveys were written so before there were kinds
        raw = {"kind": "text"} | {key: value for key, value in raw.items() if key != "text"}
    told = raw if isinstance(raw, dict) else {}
    kinds = offered_kinds()
    name = file.text(where, told, "kind", "", required=False) or ("choice" if "options" in told else usual)
    if name not in kinds:
        raise file.error((*where, "kind"), str(UnknownNameError("question kind", name, kinds)))
    own = file.mapping(where, raw, (*ASKED, *kinds[name].keys))
    aspect = file.text(where, own, "aspect", "Give a short name, such as helpful.")
    if not aspect.replace("_", "").replace("-", "").isalnum() or aspect == COMMENT:
        raise file.error(
            (*where, "aspect"),
            f'aspect "{one_line(aspect)}": use letters, digits, _ and - (comment is taken).',
        )
    if any(one.name == aspect for one in before):
        raise file.error((*where, "aspect"), f'aspect "{aspect}" is asked twice. Name each once.')
    field = Field(
        aspect,
        name,
        file.text(where, own, "ask", "Write the question that raters read."),
        file.text(where, own, "help", "", required=False),
        not file.flag(where, own, "optional", False),
        when=_condition(file, where, own, [one for one in before if _together(one, kinds[name])]),
    )
    return kinds[name].read(file, where, own, field)


def _condition(file: YamlFile, where: At, own: Mapping[str, object], before: Sequence[Field]) -> When | None:
    """`only_if: {aspect: answer}` or `only_if: {aspect: {below: 3}}`, about a question before this one."""
    raw = own.get("only_if")
    if raw is None:
        return None
    place: At = (*where, "only_if")
    if not isinstance(raw, dict) or len(raw) != 1:
        raise file.error(place, '"only_if" must be one question with its answer: {clear: yes}.')
    ((name, wanted),) = raw.items()
    earlier = next((one for one in before if one.name == name), None)
    if earlier is None:
        names = [one.name for one in before]
        raise file.error(place, str(UnknownNameError("earlier question", str(name), names)))
    if earlier.rules.condition == "below":
        below = as_number(wanted.get("below")) if isinstance(wanted, dict) else None
        if below is None:
            raise file.error(place, f"{name} is a number. Write {{{name}: {{below: 3}}}}.")
        return When(str(name), below=below)
    has = {True: "yes", False: "no"}.get(wanted) if isinstance(wanted, bool) else str(wanted)
    option = next((one for one in earlier.options if str(has).casefold() == one.value.casefold()), None)
    if option is None:
        known = [one.value for one in earlier.options]
        raise file.error(place, str(UnknownNameError(f"answer of {name}", str(has), known)))
    return When(str(name), has=option.value)


def _together(earlier: Field, kind: QuestionKind) -> bool:
    """Whether another question can depend on the answer: it must be about the same captions."""
    return bool(earlier.rules.condition) and earlier.rules.compares == kind.compares


def fields_about(questions: Sequence[Field], captions: Sequence[str]) -> tuple[Field, ...]:
    """The questions of a page with captions of these keys.

    Of several captions each is asked about on its own, and then what compares them.
    """
    asked = {question.name: question.rules.about(question, captions) for question in questions}
    found = [_about_the_same(field, asked) for own in asked.values() for field in own]
    single = [field for field in found if field.caption]
    return (
        *sorted(single, key=lambda field: captions.index(field.caption)),
        *(field for field in found if not field.caption),
    )


def _about_the_same(field: Field, asked: Mapping[str, Sequence[Field]]) -> Field:
    """The field, whose condition names the question about the same caption."""
    if field.when is None:
        return field
    earlier = next(one for one in asked[field.when.field] if one.caption == field.caption)
    return replace(field, when=replace(field.when, field=earlier.name))
