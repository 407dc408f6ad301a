"""Guides with pictures: a level each, of photographs that may be shown, with words for who cannot see."""

from __future__ import annotations

import pytest

from captious.campaigns.simulate.demo import LIKERT
from captious.data import demo_files, free_photographs
from captious.errors import InputError
from captious.protocols import Guide, protocol
from captious.protocols.game.guide import TABLE_2, Level, guides
from captious.protocols.generic.file import parse_protocol


def pictured(name: str) -> list[Guide]:
    rules = {"generic": lambda: parse_protocol(LIKERT), "game": lambda: protocol(str(demo_files().game))}.get(
        name, lambda: protocol(name)
    )()
    return [one for one in rules.guide() if one.pictures]


def test_photographs_whose_licence_asks_for_a_name_are_not_free_to_show() -> None:
    every = {path.name for path in demo_files().images.glob("*.jpg")}
    attributed = {"pavilion.jpg", "dahlia.jpg", "dogs.jpg", "room.jpg", "trail.jpg"}
    assert {*free_photographs()} == every - attributed


@pytest.mark.parametrize("name", ["thumb", "humanr", "tagging", "audit", "generic", "game"])
def test_every_picture_is_there_and_described(name: str) -> None:
    found = pictured(name)
    assert found
    for picture in (one for guide in found for one in guide.pictures):
        assert (demo_files().images / picture.file).is_file()
        assert picture.file in free_photographs()
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


def test_the_game_shows_each_level_of_the_paper_and_none_of_another_scale() -> None:
    shown = pictured("game")
    assert [one.title for one in shown] == [f"{one.rating:g}: {one.name}" for one in reversed(TABLE_2)]
    assert len({one.pictures[0].file for one in shown}) == 1  # the same image: only the caption differs
    own = guides((Level(1, "Bad", "It is bad."), Level(2, "Good", "It is good.")))
    assert not any(one.pictures for one in own)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("image: tabby.jpg", "image: unicorn.jpg"),
        ("image: tabby.jpg", "image: dahlia.jpg"),
        ("        caption: cat cat image of animal\n", ""),
    ],
)
def test_a_pictured_example_that_cannot_be_shown_is_refused(wrong: str, said: str) -> None:
    with pytest.raises(InputError, match=r"protocol: line \d+: .*(photograph of the sample|missing)"):
        parse_protocol(LIKERT.replace(wrong, said))
