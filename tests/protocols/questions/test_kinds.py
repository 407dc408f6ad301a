"""What every question kind promises: what it takes back, says in numbers, simulates, and shows a model."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Response, rules_of
from captious.protocols.questions import offered_kinds
from captious.protocols.simulation import SimulatedRater, Someone

# What a file must or may say of a kind.
EACH = {
    "scale": "  low: 1\n  high: 7\n  labels: {1: Bad, 7: Good}\n",
    "number": "  low: 2.5\n  step: 0.5\n",
    "choice": "  options: [red, green, blue]\n",
    "multi": "  options: [red, green, blue]\n",
    "text": "- aspect: other\n  ask: How good?\n",  # texts alone have no result
    "pair": "  ties: true\n",
}
CORPUS = Corpus.from_lists(["A dog.", "A cat."] * 2, image_ids=["1", "1", "2", "2"], systems=["m", "n"] * 2)


def rules(name: str) -> Any:
    question = f"- aspect: asked\n  kind: {name}\n  ask: What is it?\n{EACH.get(name, '')}"
    return rules_of("generic", {}, f"name: x\nraters: 2\nquestions:\n{question}")


@pytest.mark.parametrize("name", offered_kinds())
def test_a_simulated_answer_is_an_answer_with_words_numbers_and_judgments(name: str) -> None:
    made = rules(name)
    items = made.items(CORPUS, seed=1)
    someone = Someone(SimulatedRater("Ada", {"m": 0.9, "n": 0.2}), np.random.default_rng(1))
    responses = []
    for item in items:
        for rater in ("ann", "bob"):
            response = made.validate(item, made.simulated(item, someone), rater=rater, time=0.0)
            assert isinstance(response, Response), response
            responses.append(response)
            field, answer = item.form.fields[0], response.answers[item.form.fields[0].name]
            assert field.rules.words(field, answer) or answer == {}
            assert field.rules.right(answer, answer)
            ends = field.rules.ends(field)
            for one in field.rules.numbers(field, answer):
                assert ends is None or ends[0] <= one.value <= ends[1]
            range_ = field.rules.judged_range(field)
            for one in field.rules.judged(field, answer):
                if one.part in range_:
                    assert range_[one.part][0] <= one.value <= range_[one.part][1]
    judged = made.judgments(items, responses)
    assert {system for _, system in judged.keys} == {"m", "n"}
    assert made.tables(items, responses)[0].rows


@pytest.mark.parametrize("name", offered_kinds())
def test_an_answer_by_the_schema_is_an_answer(name: str) -> None:
    """Whoever answers by the JSON schema alone is understood."""
    item = rules(name).items(CORPUS, seed=1)[0]
    field = item.form.fields[0]
    schema = field.rules.schema(field)
    assert field.rules.prompt(field)
    given: Any = {
        "string": lambda: schema["enum"][0],
        "integer": lambda: schema["enum"][-1],
        "number": lambda: schema.get("minimum", 0),
        "array": lambda: schema["items"].get("enum", []),
    }.get(str(schema["type"]), lambda: "A few words.")()
    checked = field.rules.check(field, field.rules.from_json(field, given))
    assert not isinstance(checked, tuple), checked


@pytest.mark.parametrize("name", offered_kinds())
@pytest.mark.parametrize(
    "answer", [[], {}, "", None, "no such", -7, {"no": "such"}, ["no such"], float("nan")]
)
def test_nonsense_is_one_line_or_an_answer(name: str, answer: Any) -> None:
    item = rules(name).items(CORPUS, seed=1)[0]
    found = item.form.check({item.form.fields[0].name: answer})
    if isinstance(found, list):
        assert all(len(problem.message.splitlines()) == 1 for problem in found)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("{aspect: a, kind: number, ask: b, low: 3, high: 1}", "from 3 to 1: give a high above the low"),
        ("{aspect: a, kind: number, ask: b, step: 0}", '"step" is 0. Give a number above 0.'),
        ("{aspect: a, kind: number, ask: b, low: x}", "\"low\" must be a number; found 'x'."),
        ("{aspect: a, kind: choice, ask: b}", '"options" must be two or more, each of them once.'),
        ("{aspect: a, kind: choice, ask: b, options: [x, x]}", '"options" must be two or more'),
        ("{aspect: a, kind: choice, ask: b, options: [x, [y]]}", "option ['y'] is not a text. Quote it."),
        ("{aspect: a, kind: text, ask: b}", "texts alone have no result."),
        ("{aspect: a, kind: audio, ask: b}", 'unknown question kind "audio".'),
        ("{aspect: a, kind: yes_no, ask: b, only_if: {z: yes}}", 'unknown earlier question "z".'),
        ("{aspect: a, kind: yes_no, ask: b, only_if: 3}", '"only_if" must be one question with its answer'),
    ],
)
def test_what_is_wrong_with_a_question_is_one_line(question: str, said: str) -> None:
    with pytest.raises(InputError, match=r"line \d") as wrong:
        rules_of("generic", {}, f"name: x\nquestions:\n  - {question}\n", source="my.yaml")
    assert said in str(wrong.value)


def test_a_pair_and_a_ranking_need_two_protocols() -> None:
    text = "name: x\nquestions:\n- {aspect: a, kind: rank, ask: b}\n- {aspect: c, kind: pair, ask: d}\n"
    with pytest.raises(InputError, match="line 4: pair: a choice between two captions and a ranking"):
        rules_of("generic", {}, text)


def test_questions_beside_a_comparison_are_asked_of_each_caption_under_its_own_condition() -> None:
    text = """
name: x
questions:
- {aspect: best, kind: pair, ask: Which}
- {aspect: clear, kind: yes_no, ask: Is it clear}
- {aspect: why, kind: multi, ask: Why not, options: [long, vague], only_if: {clear: no}}
- {aspect: score, kind: scale, ask: How good}
- {aspect: note, kind: number, ask: How many words are wrong, only_if: {score: {below: 3}}}
"""
    (item, _) = rules_of("generic", {}, text).items(CORPUS, seed=1)
    names = ["clear", "why", "score", "note"]
    asked = [f"{side}.{name}" for side in ("left", "right") for name in names]
    assert [field.name for field in item.form.fields] == [*asked, "best"]
    good = {
        f"{side}.{name}": value
        for side in ("left", "right")
        for name, value in (("clear", "yes"), ("score", 5))
    }
    assert item.form.check(good | {"best": "left"}) == good | {"best": "left"}
    wanting = item.form.check(good | {"best": "left", "left.clear": "no", "right.score": 2})
    assert isinstance(wanting, list)
    assert [problem.field for problem in wanting] == ["left.why", "right.note"]
    with pytest.raises(InputError, match='unknown earlier question "clear"'):
        rules_of("generic", {}, text + "- {aspect: z, kind: pair, ask: Again, only_if: {clear: no}}\n")


def test_a_choice_is_judged_by_the_share_of_each_option_and_compared_as_a_whole() -> None:
    made = rules("choice")
    items = made.items(CORPUS, seed=1)
    chosen = ["red", "red", "red", "blue"]
    responses = [
        Response(items[0].key, {"asked": value}, rater) for value, rater in zip(chosen, "abcd", strict=True)
    ]
    rows = {row[0]: row[2] for row in made.tables(items, responses)[0].rows}
    assert rows == {"asked: red": 0.75, "asked: green": 0.0, "asked: blue": 0.25}
    (agreed,) = made.agreement(items, responses, resamples=100)
    assert [row[:2] for row in agreed.rows][-1] == ("asked", "alpha, nominal")


def test_files_of_one_kind_for_all_questions_are_still_read() -> None:
    old = "name: x\nkind: {kind}\nquestions: [{aspect: a, ask: b}]\n"
    for kind, today in (("likert", "scale"), ("pairwise", "pair")):
        (question,) = rules_of("generic", {}, old.replace("{kind}", kind)).questions  # type: ignore[attr-defined]
        assert question.kind == today
