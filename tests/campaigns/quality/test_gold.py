"""Gold items: by key or by caption, set later or taken away, and found again by quality control."""

from __future__ import annotations

import json
from typing import Any

import pytest

from captious.campaigns.quality import gold
from captious.campaigns.quality.control import rater_quality
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, reading, responses
from captious.errors import InputError


def test_known_answers_are_set_later_and_judged(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign("tagging", images=1, raters=1, two_rounds=False)
    items = reading.items(db, campaign)
    rows = [
        {"image": one.image, "caption": one.captions[0].text, "answers": {"verdict": "minor"}}
        for one in items
    ]
    parsed = gold.parse_gold(json.dumps(rows).encode(), items)
    assert set(parsed) == {one.key for one in items}
    assert gold.set_gold(db, campaign, parsed, actor="lea") == 2
    for verdict in ("minor", "serious"):
        (task,) = assignment.next_tasks(db, campaign, ada)
        responses.respond(db, ada, task.token, {"verdict": verdict}, key=verdict)
    (found, _) = rater_quality(db, campaign)
    assert (found.gold, found.gold_right) == (2, 1)
    gold.set_gold(db, campaign, {items[0].key: {}}, actor="lea")
    assert [one.item.key for one in gold.listed(db, campaign)] == [items[1].key]


def test_items_to_mark_are_those_of_the_first_stage(db: Database, make_campaign: Any) -> None:
    campaign, (ada, _) = make_campaign("thumb", images=1)
    (task,) = assignment.next_tasks(db, campaign, ada)
    marks = {"precision": 5, "recall": 5, "conciseness": "0", "inclusive_language": "0"}
    answers = {f"{one.key}.{name}": mark for one in task.item.captions for name, mark in marks.items()}
    responses.respond(db, ada, task.token, answers, key="first")
    assert {one.stage for one in reading.items(db, campaign)} == {"first", "second"}
    items, total = gold.candidates(db, campaign, 0, 50)
    assert ([one.stage for one in items], total) == (["first"], 1)


def test_the_letter_of_a_caption_may_be_left_out(db: Database, make_campaign: Any) -> None:
    campaign, _ = make_campaign("thumb", images=1)
    (item,) = reading.items(db, campaign)
    second = item.captions[1]
    row = {"image": item.image, "caption": second.text, "answers": {"precision": 5}}
    parsed = gold.parse_gold(json.dumps([row]).encode(), [item])
    assert parsed == {item.key: {f"{second.key}.precision": 5}}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"{", "is not JSON"),
        (b"3", "Give {item"),
        (b"{}", "holds no known answers"),
        (b"[]", "holds no known answers"),
        (b'{"nobody": {"verdict": "minor"}}', "nobody"),
        (b'[{"image": "1"}]', "entry 1: is not a known answer"),
        (b'[{"image": "1", "caption": "None.", "answers": {"verdict": "minor"}}]', 'no item shows "None."'),
    ],
)
def test_what_is_wrong_with_a_file_is_one_line(
    db: Database, make_campaign: Any, content: bytes, said: str
) -> None:
    if db.kind != "sqlite":
        pytest.skip("reads no database")
    campaign, _ = make_campaign("tagging", images=1)
    with pytest.raises(InputError, match=said) as error:
        gold.parse_gold(content, reading.items(db, campaign), "known.json")
    assert "\n" not in str(error.value)
