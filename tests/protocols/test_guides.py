"""Guides with pictures: a level each, of photographs that may be shown, with words for who cannot see."""

from __future__ import annotations

import pytest

from captious.data import demo_files
from captious.protocols import Guide, protocol

# Photographs whose licence asks for a name beside them.
ATTRIBUTED = {"pavilion.jpg", "dahlia.jpg", "dogs.jpg", "room.jpg", "trail.jpg"}


def pictured(name: str) -> list[Guide]:
    return [one for one in protocol(name).guide() if one.pictures]


@pytest.mark.parametrize("name", ["thumb", "humanr", "tagging", "audit"])
def test_every_picture_is_there_and_described(name: str) -> None:
    found = pictured(name)
    assert found
    for picture in (one for guide in found for one in guide.pictures):
        assert (demo_files().images / picture.file).is_file()
        assert picture.file not in ATTRIBUTED
        assert len(picture.alt) > 10
        assert picture.caption
        assert picture.verdict


def test_thumb_shows_each_level_of_both_scales_and_every_penalty() -> None:
    precision, recall, fluency, conciseness, inclusive = pictured("thumb")
    fields = {one.name: one for one in protocol("thumb").example_item("a.jpg", ["A."]).form.fields}
    for guide, plain in ((precision, "Is everything it says true?"), (recall, "Does it say what matters?")):
        assert guide.asks == plain
        field = fields[f"A.{guide.title.lower()}"]
        labels = [f"{option.value}: {option.label}" for option in field.options]
        assert [one.verdict for one in guide.pictures] == sorted(labels, reverse=True)  # the form's own words
    assert [one.verdict.split(":")[0] for one in fluency.pictures] == ["0.1", "0.5", "0.5 or more"]
    assert [one.verdict.split(":")[0] for one in conciseness.pictures] == ["0", "0.5"]
    assert "0.5" in inclusive.pictures[1].verdict


def test_tagging_shows_each_verdict_under_its_own_name() -> None:
    (guide,) = pictured("tagging")
    (field,) = protocol("tagging").example_item("a.jpg", ["A."]).form.fields
    assert [one.verdict for one in guide.pictures] == [option.label for option in field.options]


def test_audit_shows_one_error_a_question() -> None:
    (guide,) = pictured("audit")
    questions = protocol("audit").example_item("a.jpg", ["A."]).form.fields
    assert len(guide.pictures) == len(questions) + 1  # and one where all is fine
