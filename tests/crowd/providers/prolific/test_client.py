"""Each request is one that the documented API takes, and what it refuses is refused here too."""

from __future__ import annotations

from typing import Any

import pytest

from captious.crowd.providers.prolific.client import Client
from captious.crowd.providers.prolific.wire import SaidNo
from captious.errors import InputError

LONG = "You were asked to compare two captions for each photo, and gave the same answer to all of them. " * 2


def published(client: Client, fields: dict[str, Any]) -> str:
    study = client.create_study(fields)
    assert study.status == "UNPUBLISHED"
    assert client.transition(study.id, "PUBLISH").status == "ACTIVE"
    return study.id


def test_a_study_from_draft_to_end(client: Client, prolific: Any, fields: dict[str, Any]) -> None:
    study = published(client, fields)
    assert client.study(study).places == 3
    # 3 places at 1.50 and a fee of 33.3 %: 450 + 149.85, rounded up.
    assert client.cost(150, 3) == client.study(study).total_cost == 600
    assert client.transition(study, "PAUSE").status == "PAUSED"
    assert client.transition(study, "START").status == "ACTIVE"
    assert client.update_study(study, {"total_available_places": 5}).places == 5
    assert client.transition(study, "STOP").status == "COMPLETED"
    assert [one.id for one in client.studies_named("key-1")] == [study]
    assert client.balance(prolific.world.workspace) == (1_000_000, "USD")
    assert [one["id"] for one in client.projects(prolific.world.workspace)] == [prolific.world.project]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"reward": 0}, "reward: Input should be greater than 0"),
        ({"total_available_places": 2.5}, "total_available_places: Input should be a valid integer"),
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"external_study_url": "rate.example.org"}, "external_study_url: .*valid URL"),
        ({"completion_codes": [{"code": "A", "code_type": "COMPLETED"}]}, "actions: Field required"),
        ({"maximum_allowed_time": 18}, "maximum_allowed_time: the min value is 18.9"),  # 2 + 12 + 2 sqrt 6
        ({"description": ""}, "description"),
    ],
)
def test_the_service_here_is_strict(
    change: dict[str, Any], said: str, client: Client, fields: dict[str, Any]
) -> None:
    with pytest.raises(SaidNo, match=said):
        client.create_study(fields | change)


def test_states_change_only_as_documented(client: Client, fields: dict[str, Any]) -> None:
    study = client.create_study(fields).id
    for action in ("PAUSE", "START", "STOP"):
        with pytest.raises(SaidNo, match=f"can not perform {action} in status UNPUBLISHED"):
            client.transition(study, action)
    client.transition(study, "PUBLISH")
    with pytest.raises(SaidNo, match="can not perform PUBLISH in status ACTIVE"):
        client.transition(study, "PUBLISH")
    with pytest.raises(SaidNo, match="Only increasing is allowed"):
        client.update_study(study, {"total_available_places": 2})
    with pytest.raises(SaidNo, match="reward: cannot be changed once published"):
        client.update_study(study, {"reward": 100})


def test_submissions_are_reviewed_and_paid(client: Client, prolific: Any, fields: dict[str, Any]) -> None:
    study, world = published(client, fields), prolific.world
    people = [world.new() for _ in range(3)]
    for person in people:
        world.arrive(study, person)
    one, two, three = client.submissions(study)
    assert [found.participant for found in (one, two, three)] == people
    for place in (one, two, three):
        world.finish(place.id, "C0FFEE42")
    assert client.approve(one.id).status == "APPROVED"
    assert client.approve(one.id).status == "APPROVED"
    assert client.reject(two.id, "LOW_EFFORT", LONG).status == "REJECTED"
    with pytest.raises(SaidNo, match="message: String should have at least 100 characters"):
        client.reject(three.id, "OTHER", "Too fast.")
    assert client.approve(three.id).status == "APPROVED"
    assert world.paid("reward") == {one.id: [150], three.id: [150]}
    assert client.counts(study)["APPROVED"] == 2
    found = client.submission(one.id)
    assert found is not None and (found.code, found.study) == ("C0FFEE42", study)
    assert found.completed is not None and found.started is not None and found.completed >= found.started
    assert client.submission("f" * 24) is None
    assert client.submission("../users/me") is None


def test_a_bonus_is_set_up_and_then_paid(client: Client, prolific: Any, fields: dict[str, Any]) -> None:
    study, world = published(client, fields), prolific.world
    world.arrive(study, world.new())
    (place,) = client.submissions(study)
    payment, total = client.set_up_bonuses(study, {place.id: "1.05"})
    assert (total, world.ledger) == (105 + 35, [])  # 33.3 % of 105 is 34.97
    client.pay_bonuses(payment)
    world.settle()
    found = client.submission(place.id)
    assert found is not None and found.bonuses == (105,)
    assert client.spent(study) == 140
    with pytest.raises(SaidNo, match="did not take part in the study"):
        client.set_up_bonuses(study, {"f" * 24: "1.05"})
    with pytest.raises(InputError, match=r"bonuses: 201 in one request to Prolific. Allowed: 1 to 200"):
        client.set_up_bonuses(study, {str(number): "1" for number in range(201)})


def test_groups_messages_and_hooks(client: Client, prolific: Any, fields: dict[str, Any]) -> None:
    world = prolific.world
    ann, bob = world.new(), world.new()
    group = client.create_group(world.workspace, "had it", "")
    client.add_members(group, [ann, bob])
    client.add_members(group, [bob])
    assert client.members(group) == [ann, bob]
    assert [one["name"] for one in client.groups(world.workspace)] == ["had it"]
    study = published(client, fields)
    client.send_message(study, ann, "Thank you!")
    assert [one["body"] for one in client.messages(ann)] == ["Thank you!"]
    assert client.messages(bob) == []
    with pytest.raises(SaidNo, match="Create a secret"):
        client.subscribe(world.workspace, "submission.status.change", "https://rate.example.org/x")
    client.create_hook_secret(world.workspace)
    with pytest.raises(SaidNo, match="must use https"):
        client.subscribe(world.workspace, "submission.status.change", "http://rate.example.org/x")
    hook = client.subscribe(world.workspace, "submission.status.change", "https://rate.example.org/x")
    assert [one["id"] for one in client.hooks(world.workspace)] == [hook]
    client.unsubscribe(hook)
    assert client.hooks(world.workspace) == []
