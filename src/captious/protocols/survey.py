"""A survey before or after the work, from a YAML file."""

from __future__ import annotations

from captious.protocols.form import Form
from captious.protocols.questions.file import read_questions
from captious.protocols.yaml_file import YamlFile

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
