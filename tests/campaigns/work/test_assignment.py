from __future__ import annotations

from collections import Counter

import pytest
import sqlalchemy as sa

from captious.campaigns.people import raters
from captious.campaigns.records import Settings
from captious.campaigns.setup import lifecycle
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.campaigns.work.assignment import NotYours, next_tasks, rater_progress
from captious.errors import InputError
from captious.protocols.tagging import SIX_WEEKS


def answer_all(db, rater, tasks, answers, prefix="") -> None:
    for task in tasks:
        receipt = responses.respond(db, rater, task.token, answers(task.item), key=f"{prefix}{task.token}")
        assert not isinstance(receipt, list), receipt


def work_off(db, campaign, rater, answers, most=1000) -> int:
    """Answer until nothing is left; how many groups."""
    for groups in range(most):
        tasks = next_tasks(db, campaign, rater)
        if not tasks:
            return groups
        answer_all(db, rater, tasks, answers)
    return most


def test_a_group_is_handed_out_once_and_again_in_order(db: Database, make_campaign) -> None:
    campaign, (rater, _) = make_campaign("humanr", images=30)
    first = next_tasks(db, campaign, rater)
    assert len(first) == 10 == first[0].group_size
    assert [task.position for task in first] == list(range(10))
    assert [task.number for task in first] == list(range(1, 11))
    assert len({task.item.image for task in first}) == 10
    assert sum(bool(task.item.check) for task in first) == 1
    again = next_tasks(db, campaign, rater)
    assert [task.token for task in again] == [task.token for task in first]


def test_the_rest_of_a_group_comes_before_a_new_one(db: Database, make_campaign, answers) -> None:
    campaign, (rater, _) = make_campaign("humanr", images=30)
    first = next_tasks(db, campaign, rater)
    answer_all(db, rater, first[:4], answers)
    rest = next_tasks(db, campaign, rater)
    assert [task.token for task in rest] == [task.token for task in first[4:]]
    assert rest[0].number == 5
    assert rest[0].group_size == 10
    progress = rater_progress(db, rater)
    assert (progress.answered, progress.group_done, progress.group_size) == (4, 4, 10)


def test_targets_are_met_and_not_exceeded(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("tagging", images=3, people=4, raters=3, two_rounds=False)
    for rater in people:
        work_off(db, campaign, rater, answers)
    items, found = responses.latest_responses(db, campaign)
    # Three images with two captions each, three verdicts wanted for each.
    assert Counter(response.item for response in found) == {item.key: 3 for item in items}
    assert rater_progress(db, people[-1]).done


def test_no_rater_meets_an_image_twice_where_it_is_forbidden(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("humanr", images=25, people=3)
    for rater in people:
        work_off(db, campaign, rater, answers)
    items, found = responses.latest_responses(db, campaign)
    image_of = {item.key: item.image for item in items}
    seen = Counter((response.rater, image_of[response.item]) for response in found)
    assert max(seen.values()) == 1
    # A rater has an image for each answer: 25 images are 25 answers at most.
    assert max(Counter(response.rater for response in found).values()) <= 25


def test_kinds_of_comparison_are_collected_evenly(db: Database, make_campaign, answers) -> None:
    campaign, people = make_campaign("humanr", images=40, people=4)
    for rater in people[:2]:
        for _ in range(2):
            answer_all(db, rater, next_tasks(db, campaign, rater), answers)
    items, found = responses.latest_responses(db, campaign)
    kind_of = {item.key: item.balance for item in items if not item.check}
    counts = Counter(kind_of[response.item] for response in found if response.item in kind_of)
    # Four groups of nine comparisons over three kinds: twelve each.
    assert counts == {"m1": 12, "m2": 12, "human-human": 12}


def test_an_item_nearest_to_its_target_comes_first(db: Database, make_campaign, answers) -> None:
    campaign, (one, two) = make_campaign("tagging", images=30, raters=2, two_rounds=False)
    (task,) = next_tasks(db, campaign, one)
    answer_all(db, one, [task], answers)
    (other,) = next_tasks(db, campaign, two)
    assert other.item.key == task.item.key


def test_the_second_stage_is_for_another_rater(db: Database, make_campaign, answers) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1)
    (first,) = next_tasks(db, campaign, one)
    assert next_tasks(db, campaign, two) == []
    answer_all(db, one, [first], answers)
    assert next_tasks(db, campaign, one) == []
    (second,) = next_tasks(db, campaign, two)
    assert second.item.stage == "second"
    assert second.item.prior["A.precision"] == 5.0
    assert second.item.not_for == {"r001"}
    answer_all(db, two, [second], answers)
    assert next_tasks(db, campaign, two) == []


def test_the_second_round_waits_for_its_time(db: Database, make_campaign, answers, clock) -> None:
    campaign, (rater, other) = make_campaign("tagging", images=1, raters=1)
    assert work_off(db, campaign, rater, answers) == 2
    progress = rater_progress(db, rater)
    assert not progress.done
    assert progress.wait_until == clock.now + SIX_WEEKS
    clock.move(SIX_WEEKS + 1)
    assert next_tasks(db, campaign, other) == []
    assert work_off(db, campaign, rater, answers) == 2
    assert rater_progress(db, rater).done


def test_an_abandoned_slot_comes_back(db: Database, make_campaign, clock) -> None:
    settings = Settings(hold_seconds=60)
    campaign, (one, two) = make_campaign("audit", images=1, settings=settings)
    own = [next_tasks(db, campaign, one), next_tasks(db, campaign, two)]
    assert len({task.item.key for (task,) in own}) == 2  # both captions are held
    (third,) = raters.add(db, campaign, [raters.NewRater("Third")], actor="lea")
    assert next_tasks(db, campaign, third) == []
    clock.move(61)
    (returned,) = next_tasks(db, campaign, third)
    assert returned.item.key in {task.item.key for (task,) in own}
    with db.read() as connection:
        states = Counter(connection.execute(sa.select(schema.assignment.c.state)).scalars())
    assert states == {"expired": 2, "held": 1}


def test_whoever_comes_back_in_time_keeps_the_slot(db: Database, make_campaign, clock) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1, settings=Settings(hold_seconds=60))
    (task,) = next_tasks(db, campaign, one)
    clock.move(40)
    (again,) = next_tasks(db, campaign, one)
    assert again.token == task.token
    assert again.held_until == clock.now + 60
    clock.move(40)
    assert next_tasks(db, campaign, two) == []


def test_a_rater_may_get_back_what_they_let_go(db: Database, make_campaign, clock) -> None:
    campaign, (one, _) = make_campaign("thumb", images=1, settings=Settings(hold_seconds=60))
    (task,) = next_tasks(db, campaign, one)
    assignment.save_draft(db, one, task.token, {"A.precision": 3})
    clock.move(61)
    assert assignment.release_expired(db, campaign) == 1
    (again,) = next_tasks(db, campaign, one)
    assert (again.token, again.draft) == (task.token, {"A.precision": 3})


def test_release_expired_covers_every_campaign(db: Database, make_campaign, clock) -> None:
    for title in ("One", "Two"):
        campaign, (rater, _) = make_campaign("humanr", images=12, title=title)
        next_tasks(db, campaign, rater)
    clock.move(3601)
    assert assignment.release_expired(db) == 20
    assert assignment.release_expired(db) == 0
    with db.read() as connection:
        assert connection.execute(sa.select(sa.func.sum(schema.item.c.taken))).scalar() == 0
        assert connection.execute(sa.select(sa.func.sum(schema.label.c.taken))).scalar() == 0


def test_nothing_new_is_handed_out_unless_open(db: Database, make_campaign, clock) -> None:
    campaign, (one, two) = make_campaign("tagging", images=5)
    held = next_tasks(db, campaign, one)
    campaign = lifecycle.pause(db, campaign, actor="lea")
    assert next_tasks(db, campaign, two) == []
    assert [task.token for task in next_tasks(db, campaign, one)] == [held[0].token]
    campaign = lifecycle.close(db, campaign, actor="lea")
    assert [task.token for task in next_tasks(db, campaign, one)] == [held[0].token]
    clock.move(3601)
    assert next_tasks(db, campaign, one) == []


def test_a_stale_campaign_record_does_no_harm(db: Database, make_campaign) -> None:
    campaign, (one, _) = make_campaign("tagging", images=5)
    lifecycle.pause(db, campaign, actor="lea")
    assert campaign.state == "open"
    assert next_tasks(db, campaign, one) == []


def test_a_removed_rater_gets_nothing(db: Database, make_campaign) -> None:
    campaign, (one, _) = make_campaign("tagging", images=5)
    raters.remove(db, one, reason="asked to", actor="lea")
    assert next_tasks(db, campaign, one) == []


def test_anothers_task_and_no_task_look_the_same(db: Database, make_campaign) -> None:
    campaign, (one, two) = make_campaign("tagging")
    (task,) = next_tasks(db, campaign, one)
    errors = []
    for token in (task.token, "guess", "", "\x00", "\ud800", "' OR 1=1 --", "é"):
        with pytest.raises(NotYours) as error:
            assignment.task(db, two, token)
        errors.append(str(error.value))
        with pytest.raises(NotYours):
            assignment.save_draft(db, two, token, {})
        with pytest.raises(NotYours):
            responses.respond(db, two, token, {"verdict": "complete"}, key="k")
    assert len(set(errors)) == 1
    assert assignment.task(db, one, task.token).item == task.item


def test_a_draft_is_kept(db: Database, make_campaign) -> None:
    campaign, (one, _) = make_campaign("thumb")
    (task,) = next_tasks(db, campaign, one)
    assignment.save_draft(db, one, task.token, {"A.precision": "4", "A.fluency": {"casing": None}})
    (again,) = next_tasks(db, campaign, one)
    assert again.draft == {"A.precision": "4", "A.fluency": {"casing": None}}
    with pytest.raises(InputError, match="too long"):
        assignment.save_draft(db, one, task.token, {"A.corrected": "x" * 300_000})
    with pytest.raises(InputError, match="cannot be stored"):
        assignment.save_draft(db, one, task.token, {"A.corrected": "\ud800"})


def test_the_last_answer_may_be_looked_at_until_the_next_stage_begins(
    db: Database, make_campaign, answers
) -> None:
    campaign, (one, two) = make_campaign("thumb", images=1)
    assert assignment.previous_task(db, one) is None
    (task,) = next_tasks(db, campaign, one)
    answer_all(db, one, [task], answers)
    last = assignment.previous_task(db, one)
    assert last is not None
    assert last.token == task.token
    assert last.answered is not None
    assert last.number == 1
    next_tasks(db, campaign, two)
    assert assignment.previous_task(db, one) is None


def test_items_go_back_and_forth_whole(db: Database, make_campaign) -> None:
    for protocol in ("thumb", "humanr", "tagging", "audit", "generic"):
        from captious.campaigns.setup import create

        draft = create.draft(
            protocol,
            _corpus(),
            title=f"Whole {protocol}",
            protocol_file="name: one\nkind: likert\nquestions: [{aspect: fit, ask: Does it fit}]\n"
            if protocol == "generic"
            else None,
        )
        campaign = create.create(db, draft, actor="lea")
        assert responses.items(db, campaign) == draft.items
        assert responses.item(db, campaign, draft.items[0].key) == draft.items[0]


def _corpus():
    from captious.corpus import Corpus

    return Corpus.from_lists(
        ["A dog “runs”.", "A cat.", "Ein Hund 🐕.", "A cat naps."],
        [["Dog."], ["Cat."], ["Dog."], ["Cat."]],
        image_ids=["1", "2", "1", "2"],
        systems=["m", "m", "n", "n"],
    )
