"""The trainings that come with the package can be taken: every picture is there, every answer possible."""

from __future__ import annotations

import pytest

from captious.campaigns.entry.training_files import SAMPLE, load_training
from captious.data import demo_path, training_file
from captious.errors import InputError
from captious.protocols import Response, protocol
from captious.protocols.known import best_answer
from captious.protocols.training import mark

NAMES = ("audit", "humanr", "tagging", "thumb")
# Photographs whose licence asks for a name beside them; examples do not show one.
ATTRIBUTED = {"pavilion.jpg", "dahlia.jpg", "dogs.jpg", "room.jpg", "trail.jpg"}


@pytest.mark.parametrize("name", NAMES)
def test_the_expected_answers_pass(name: str) -> None:
    rules = protocol(name)
    training = load_training(SAMPLE, rules)
    assert len(training.examples) >= 4
    for example in training.examples:
        answers = {key: best_answer(known) for key, known in example.known.items()}
        item = example.item
        for caption in item.captions:
            if answers.get(f"{caption.key}.errors") == {"wrong": 0}:
                answers[f"{caption.key}.corrected"] = "A caption that was put right."
        answers |= {
            field.name: field.options[0].value
            for field in item.form.fields
            if field.kind in ("choice", "pair", "yes_no") and field.required and field.name not in answers
        }
        answers |= {
            field.name: field.high
            for field in item.form.fields
            if field.kind in ("number", "scale") and field.name not in answers
        }
        response = rules.validate(item, answers)
        assert isinstance(response, Response), (example.file, response)
        assert all(row.right for row in mark(example, response.answers)), example.file
        assert example.why


@pytest.mark.parametrize("name", NAMES)
def test_pictures_may_be_shown_without_a_name_beside_them(name: str) -> None:
    for file, path in load_training(SAMPLE, protocol(name)).images.items():
        assert file not in ATTRIBUTED
        assert path.parent == demo_path() / "images"


def test_a_protocol_without_one_says_which_have_one() -> None:
    with pytest.raises(InputError, match="audit, humanr, tagging, thumb"):
        training_file("spoken")
