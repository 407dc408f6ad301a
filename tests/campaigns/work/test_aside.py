"""Items that raters do not answer: who meets them again, when they are set aside, what the lead reads."""

from __future__ import annotations

from typing import Any

import pytest

from captious.campaigns.people import raters
from captious.campaigns.records import NewRater, Settings
from captious.campaigns.setup import create, lifecycle
from captious.campaigns.work import aside, assignment, responses
from captious.campaigns.work.aside import notes
from captious.campaigns.work.assignment import desk
from captious.corpus import Corpus
from captious.errors import InputError


@pytest.fixture
def tagged(db, make_campaign):
    """A tagging campaign that wants two verdicts a caption, and three raters."""
    return make_campaign("tagging", people=3, raters=2, two_rounds=False)


def waiting(db: Any, campaign: Any) -> int:
    """How many notes wait for the lead; what was merely skipped does not."""
    return sum(one.settled_at is None and one.kind != "skip" for one in notes(db, campaign))


def in_hand(db, campaign, rater):
    found = assignment.next_tasks(db, campaign, rater)
    return found[0] if found else None


def test_a_skipped_item_goes_to_others_and_comes_back_when_asked_for(db, tagged) -> None:
    campaign, (ada, bob, _) = tagged
    first = in_hand(db, campaign, ada)
    aside.put_aside(db, ada, first.token, "skip", draft={"verdict": "minor"})
    seen = []
    while (task := in_hand(db, campaign, ada)) is not None:
        seen.append(task.item.key)
        responses.respond(db, ada, task.token, {"verdict": "complete"}, key=task.token)
    assert first.item.key not in seen
    assert aside.skipped(db, ada) == 1
    others = set()
    while (task := in_hand(db, campaign, bob)) is not None:
        others.add(task.item.key)
        responses.respond(db, bob, task.token, {"verdict": "complete"}, key=task.token)
    assert others == {*seen, first.item.key}
    assert aside.bring_back(db, ada) == 1
    again = in_hand(db, campaign, ada)
    assert (again.item.key, again.draft) == (first.item.key, {"verdict": "minor"})
    assert [(one.kind, one.rater) for one in notes(db, campaign)] == [("skip", ada.pseudonym)]
    assert waiting(db, campaign) == 0


def test_an_item_for_one_rater_alone_waits_for_them(db, make_campaign, clock) -> None:
    """The second round of tagging: nobody else may answer what is skipped."""
    campaign, (ada, _) = make_campaign("tagging", images=1, raters=2, interval=0.0)
    while (task := in_hand(db, campaign, ada)).item.stage == "first":
        responses.respond(db, ada, task.token, {"verdict": "complete"}, key=task.token)
        clock.now += 1
    while in_hand(db, campaign, ada) is not None:
        aside.put_aside(db, ada, in_hand(db, campaign, ada).token, "skip")
    assert aside.skipped(db, ada) == 2
    aside.bring_back(db, ada)
    again = in_hand(db, campaign, ada)
    assert again.item.stage == "second"
    assert isinstance(
        responses.respond(db, ada, again.token, {"verdict": "complete"}, key="k"), responses.Receipt
    )


def test_an_item_that_two_cannot_judge_is_set_aside_until_it_is_put_back(db, tagged) -> None:
    campaign, (ada, bob, cyd) = tagged
    key = in_hand(db, campaign, ada).item.key
    for rater, kind in ((ada, "cannot"), (bob, "image")):
        while (task := in_hand(db, campaign, rater)).item.key != key:
            aside.put_aside(db, rater, task.token, "skip")
        aside.put_aside(db, rater, task.token, kind, text=" Too dark. ")
    met = set()
    while (task := in_hand(db, campaign, cyd)) is not None:
        met.add(task.item.key)
        responses.respond(db, cyd, task.token, {"verdict": "complete"}, key=task.token)
    assert met
    assert key not in met
    told = [one for one in notes(db, campaign) if one.kind != "skip"]
    assert [(one.kind, one.text, one.item, one.set_aside) for one in told] == [
        ("image", "Too dark.", key, True),
        ("cannot", "Too dark.", key, True),
    ]
    assert waiting(db, campaign) == 2
    aside.settle(db, campaign, told[0].id, put_back=True, actor="lea")
    assert waiting(db, campaign) == 0
    assert in_hand(db, campaign, cyd).item.key == key
    # Who could not judge it is not asked again.
    aside.bring_back(db, ada)
    mine = set()
    while (task := in_hand(db, campaign, ada)) is not None:
        mine.add(task.item.key)
        responses.respond(db, ada, task.token, {"verdict": "complete"}, key=task.token)
    assert key not in mine


def test_counters_hold_whatever_is_put_aside(db, make_campaign) -> None:
    campaign, (ada, bob, _) = make_campaign("humanr", images=12, people=3)
    for rater in (ada, bob):
        for kind in ("skip", "cannot", "image"):
            aside.put_aside(db, rater, in_hand(db, campaign, rater).token, kind)
        task = in_hand(db, campaign, rater)
        assert isinstance(
            responses.respond(db, rater, task.token, {"preference": 5}, key="k"), responses.Receipt
        )
    with db.read() as connection:
        rows = connection.exec_driver_sql(
            "SELECT item.taken, (SELECT count(*) FROM assignment WHERE item_id = item.id"
            " AND state IN ('held', 'answered')) FROM item"
        ).all()
    assert all(taken == slots for taken, slots in rows)


def test_notes_are_kept_and_bad_ones_refused_in_a_line(db, tagged) -> None:
    campaign, (ada, bob, _) = tagged
    task = in_hand(db, campaign, ada)
    aside.tell(db, ada, task.token, "The caption is in French.")
    assert in_hand(db, campaign, ada).token == task.token
    (note,) = notes(db, campaign)
    assert (note.kind, note.text, note.image) == ("note", "The caption is in French.", task.item.image)
    for bad in ("  ", "x" * 2001):
        with pytest.raises(InputError, match="note: "):
            aside.tell(db, ada, task.token, bad)
    with pytest.raises(InputError, match="do not have this task"):
        aside.put_aside(db, bob, task.token, "skip")
    responses.respond(db, ada, task.token, {"verdict": "minor"}, key="k")
    with pytest.raises(InputError, match="no longer assigned to you"):
        aside.put_aside(db, ada, task.token, "skip")
    with pytest.raises(InputError, match="note 99: "):
        aside.settle(db, campaign, 99, put_back=False, actor="lea")
    with pytest.raises(InputError, match="set_aside_after"):
        Settings(set_aside_after=-1)


def test_what_is_skipped_stays_in_the_total(db, tagged, clock) -> None:
    campaign, (ada, *_) = tagged

    def counts() -> tuple[int, int, int]:
        progress = desk(db, ada).progress
        same = assignment.rater_progress(db, ada)
        assert (same.left, same.skipped) == (progress.left, progress.skipped)
        return progress.answered, progress.left, progress.skipped

    # 4 images x 2 systems
    assert counts() == (0, 8, 0)
    aside.put_aside(db, ada, in_hand(db, campaign, ada).token, "skip")
    assert counts() == (0, 7, 1)
    task = in_hand(db, campaign, ada)
    responses.respond(db, ada, task.token, {"verdict": "minor"}, key="k")
    clock.now += 60
    assert counts() == (1, 6, 1)
    # Who cannot judge a caption is not asked for it again: that is one less to do.
    aside.put_aside(db, ada, in_hand(db, campaign, ada).token, "cannot")
    assert counts() == (1, 5, 1)
    aside.bring_back(db, ada)
    assert counts() == (1, 6, 0)


ONCE = """
name: once
kind: likert
raters: 2
once_per_image: true
questions:
  - aspect: helpful
    ask: Does it help?
"""


def test_where_an_image_is_met_once_the_total_is_that_of_images(db) -> None:
    """Another caption of a skipped image takes its place until that is skipped too."""
    corpus = Corpus.from_lists(
        [f"A dog of {system} at {image}." for image in "123" for system in ("m1", "m2")],
        image_ids=[*"112233"],
        systems=["m1", "m2"] * 3,
    )
    drafted = create.draft("generic", corpus, title="Once", protocol_file=ONCE)
    campaign = lifecycle.open_campaign(db, create.create(db, drafted, actor="lea"), actor="lea")
    (ada,) = raters.add(db, campaign, [NewRater("Ada")], actor="lea")
    assert len(responses.items(db, campaign)) == 6
    progress = assignment.rater_progress(db, ada)
    totals = []
    while (task := in_hand(db, campaign, ada)) is not None:
        aside.put_aside(db, ada, task.token, "skip")
        progress = assignment.rater_progress(db, ada)
        totals.append(progress.left + progress.skipped)
    assert totals == [3] * 6
    assert (progress.left, progress.skipped) == (0, 3)


def test_a_quota_is_not_made_larger_by_what_is_skipped(db, tagged) -> None:
    campaign, _ = tagged
    with db.write() as connection:
        (ola,) = raters.add_within(
            connection, campaign, [NewRater("Ola")], actor="lea", now=db.now(), quota=3
        )
    aside.put_aside(db, ola, in_hand(db, campaign, ola).token, "skip")
    progress = desk(db, ola).progress
    assert (progress.left, progress.skipped) == (3, 0)


def test_the_time_left_follows_the_rater_s_own_pace(db, tagged, clock) -> None:
    campaign, (ada, *_) = tagged
    for at, seconds in enumerate((8, 600, 10, 12)):  # one break among answers of about ten seconds
        task = in_hand(db, campaign, ada)
        assert desk(db, ada).progress.seconds_left is None or at >= 3
        clock.now += 60
        responses.respond(db, ada, task.token, {"verdict": "minor"}, key=f"k{at}", seconds=seconds)
    clock.now += 60
    progress = desk(db, ada).progress
    # The median of 8, 10, 12 and 600 is 11.
    assert progress.seconds_left == 11 * progress.left
