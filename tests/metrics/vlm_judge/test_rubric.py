from __future__ import annotations

import json
from typing import Any

import pytest

from captious.metrics.vlm_judge import rubric
from captious.models.chat import UnreadableError
from captious.protocols.thumb.fluency import RUBRIC


def answer(**changes: Any) -> dict[str, Any]:
    plain = {"precision": 5, "errors": [], "corrected": None, "recall": 4, "fluency": []}
    return {**plain, "conciseness": "0", "inclusive_language": "0"} | changes


def scores(**changes: Any) -> dict[str, float]:
    return rubric.read_answer(json.dumps(answer(**changes))).scores


def test_the_prompt_holds_the_whole_rubric() -> None:
    told = rubric.instructions()
    for words in ("Precision", "Recall", "Fluency", "Conciseness", "Inclusive language"):
        assert words in told
    for rule in range(1, 5):
        assert f"Rule {rule}" in told
    for kind in RUBRIC:
        assert f'"{kind.value}"' in told


def test_the_schema_is_strict() -> None:
    def walk(part: dict[str, Any]) -> None:
        if part["type"] == "object":
            assert part["additionalProperties"] is False
            assert part["required"] == list(part["properties"])
            for inside in part["properties"].values():
                walk(inside)
        if part["type"] == "array":
            walk(part["items"])

    walk(rubric.schema())
    assert rubric.schema()["properties"]["precision"]["enum"] == [1, 2, 3, 4, 5]


# Table 1 of the paper: precision, recall, fluency penalty, total.
@pytest.mark.parametrize(
    ("precision", "recall", "fluency", "total"),
    [
        (3, 4, [], 3.5),
        (5, 4, [{"kind": "grammar", "amount": 0.1}], 4.4),
        (4, 3, [], 3.5),
        (5, 5, [{"kind": "hyphenation", "amount": 0.1}], 4.9),
        (5, 5, [{"kind": "grammar", "amount": 0.1}, {"kind": "punctuation", "amount": 0.2}], 4.7),
    ],
)
def test_totals_are_those_of_the_paper(precision: int, recall: int, fluency: list[Any], total: float) -> None:
    assert scores(precision=precision, recall=recall, fluency=fluency)["total"] == pytest.approx(total)


def test_penalties_are_negative_and_add_up() -> None:
    found = scores(
        fluency=[{"kind": "broken", "amount": 0.7}, {"kind": "casing", "amount": 9}],
        conciseness="0.5",
        inclusive_language="2",
    )
    # The amount of casing is the rubric's 0.1, whatever the model says.
    assert found["fluency"] == pytest.approx(-0.8)
    assert (found["conciseness"], found["inclusive_language"]) == (-0.5, -2.0)
    assert found["total"] == pytest.approx(4.5 - 0.8 - 0.5 - 2.0)


@pytest.mark.parametrize(
    "text",
    [
        "```json\n" + json.dumps(answer()) + "\n```",
        "  " + json.dumps(answer()) + "\n",
        json.dumps({k: v for k, v in answer().items() if k not in ("errors", "corrected", "fluency")}),
    ],
)
def test_what_models_wrap_or_leave_out(text: str) -> None:
    assert rubric.read_answer(text).scores["total"] == 4.5


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Precision is 5.", "not JSON"),
        ("[5, 4]", "not a JSON object"),
        (json.dumps(answer(precision=6)), "6 is not a whole number from 1 to 5"),
        (json.dumps(answer(recall=None)), "Recall: No answer"),
        (json.dumps(answer(precision=True)), "True is not a whole number"),
        (json.dumps(answer(fluency=[{"kind": "style", "amount": 1}])), '"style" is not an option'),
        (json.dumps(answer(fluency=[{"kind": "broken", "amount": 0.1}])), "needs a number from 0.5 to 5"),
        (json.dumps(answer(conciseness="3")), '"3" is not an option'),
        (json.dumps(answer(mood="fine")), "is not a question"),
        ("", "not JSON"),
    ],
)
def test_answers_outside_the_rubric_are_refused(text: str, reason: str) -> None:
    with pytest.raises(UnreadableError, match=reason):
        rubric.read_answer(text)
