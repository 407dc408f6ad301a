from __future__ import annotations

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from captious.corpus import Corpus
from captious.protocols import Field, Form, Item, Option, Problem, protocol
from captious.protocols.thumb.rules import Thumb
from captious.web import forms
from captious.web.pages import texts

CORPUS = Corpus.from_lists(
    ["A dog.", "A cat."], [["One.", "Two."]] * 2, image_ids=["1", "1"], systems=["m", "n"]
)


def item_of(name: str) -> Item:
    return protocol(name).items(CORPUS, seed=1)[0]


def alone(field: Field) -> Item:
    return Item("k", "1", (), Form((field,)), {})


@pytest.mark.parametrize(
    ("name", "layout", "about_captions", "about_all"),
    [
        ("thumb", "captions", [7, 7], 0),
        ("audit", "captions", [7, 7], 0),
        ("humanr", "pair", [0, 0], 1),
        ("tagging", "single", [0], 1),
    ],
)
def test_the_layout_follows_from_the_form(name, layout, about_captions, about_all) -> None:
    corpus = (
        CORPUS
        if name != "humanr"
        else Corpus.from_lists(
            ["A dog.", "A cat."], [["One."], ["Two."]], image_ids=["1", "2"], systems=["m", "m"]
        )
    )
    view = forms.view(protocol(name).items(corpus, seed=1)[0], texts())
    assert view.layout == layout
    assert [len(caption.questions) for caption in view.captions] == about_captions
    assert len(view.questions) == about_all


def test_a_scale_has_its_points_names_and_keys() -> None:
    stars = Field("s", "number", "Stars", low=1, high=5, step=1, options=(Option("5", "Best"),))
    (question,) = forms.view(alone(stars), texts(), answers={"s": "4"}).questions
    assert question.style == "scale"
    assert [c.value for c in question.choices] == ["1", "2", "3", "4", "5"]
    assert [c.checked for c in question.choices] == [False, False, False, True, False]
    assert (question.choices[4].label, question.choices[4].key) == ("Best", "5")


@pytest.mark.parametrize(
    ("low", "high", "step", "points"),
    [(0, 10, 1, 11), (0, 100, 1, 0), (0, 1, 0.25, 5), (0, 1, None, 0), (None, 5, 1, 0)],
)
def test_only_a_short_scale_is_a_row_of_buttons(low, high, step, points) -> None:
    field = Field("s", "number", "S", low=low, high=high, step=step)
    (question,) = forms.view(alone(field), texts(), answers={"s": 0.25}).questions
    assert (question.style == "scale", len(question.choices)) == (points > 0, points)


def test_amounts_come_back_as_they_were_given() -> None:
    view = forms.view(item_of("thumb"), texts(), answers={"A.fluency": {"casing": None, "broken": "much"}})
    fluency = view.captions[0].questions[4]
    assert [c.value for c in fluency.choices if c.checked] == ["casing", "broken"]
    assert next(c.given for c in fluency.choices if c.value == "broken") == "much"
    assert fluency.marked == 2


def test_earlier_scores_are_offered_and_said_in_words() -> None:
    thumb = Thumb()
    (item,) = thumb.items(CORPUS, seed=1)
    given = {"conciseness": "0.5", "inclusive_language": "0", "precision": 5, "recall": 4}
    answers = {f"{key}.{name}": value for key in "AB" for name, value in given.items()}
    response = thumb.validate(item, answers | {"A.fluency": {"casing": None, "awkward": 0.3}})
    second = thumb.next_stage(item, response)  # type: ignore[arg-type]
    questions = {q.name: q for q in forms.view(second, texts()).captions[0].questions}
    assert questions["A.recall"].prior == "4 (Most)"
    assert [c.value for c in questions["A.recall"].choices if c.checked] == ["4"]
    assert questions["A.conciseness"].prior == "Too detailed or repetitive"
    assert questions["A.fluency"].prior == "Casing 0.1, Awkward construction 0.3"
    assert questions["A.fluency"].prior_values == "awkward=0.3 casing=0.1"
    # A draft replaces what is offered, even an empty one; an earlier choice waits to be confirmed.
    empty = forms.view(second, texts(), answers={}).captions[0].questions
    open_ = [question for question in empty if question.confirm]
    assert [question.name.partition(".")[2] for question in open_] == [
        "precision",
        "recall",
        "conciseness",
        "inclusive_language",
    ]
    others = [question for question in empty if not question.confirm]
    assert not any(choice.checked for question in others for choice in question.choices)


def test_problems_lead_to_their_questions() -> None:
    item = item_of("tagging")
    found = item.form.check({"verdict": "so so", "other": 1})
    assert isinstance(found, list)
    view = forms.view(item, texts(), problems=found)
    lines = {line.message: line.target for line in view.problems}
    assert lines['"other" is not a question of this form.'] == ""
    assert list(lines.values()).count(view.questions[0].focus) == 1
    assert view.questions[0].problem.startswith('"so so" is not an option.')


def test_a_message_that_is_only_the_label_stays() -> None:
    field = Field("s", "text", "Comment")
    view = forms.view(alone(field), texts(), problems=[Problem("s", "Comment")])
    assert view.questions[0].problem == "Comment"
