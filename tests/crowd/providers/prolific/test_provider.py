"""A study at Prolific from the first request to the last payment."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from captious.crowd.base import CallRefused, provider
from captious.crowd.providers.prolific import Prolific
from captious.crowd.values import Arrival, Completion, Refused, Study
from captious.errors import InputError

REASON = (
    "You were asked to say of two captions which describes the photo better. All answers came within a "
    "second, before the photo was shown."
)


def test_the_estimate_holds_fee_and_tax(plan: Study) -> None:
    # 3 x 1.50 = 4.50; 42.8 % of it is 1.926, rounded up to 1.93; 20 % of that is 0.386, rounded up to 0.39.
    quote = Prolific(tax=20).quote(plan)
    assert (quote.reward, quote.fee, quote.total, quote.places) == (450, 193 + 39, 682, 3)
    assert sum(line.amount for line in quote.lines) == quote.total
    # A bonus of 0.50: 0.214, rounded up to 0.22.
    assert Prolific().bonus_quote(plan, [50]).total == 72
    # Where being screened out is paid 0.10, three more may come: 0.30 and 0.13 of fee.
    assert Prolific(screen_out=10).quote(plan).total == 450 + 193 + 30 + 13


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"currency": "EUR"}, {}, "currency: EUR cannot be used there. Give GBP or USD"),
        ({"reward": 79}, {}, r"reward: \$7.90 an hour. Prolific requires at least \$8.00"),
        ({"title": " "}, {}, "title: give one. Prolific shows it"),
        ({"codes": {"completed": "A"}}, {}, "codes: screened_out, failed, full"),
        ({}, {"filters": "US"}, "filters: not valid JSON"),
        ({}, {"filters": '{"a": 1}'}, "filters: not a list of filters"),
        ({}, {"devices": "phone"}, 'devices: "phone" is not a device. Give desktop, tablet, mobile'),
    ],
)
def test_what_prolific_would_not_take(
    change: dict[str, Any], options: dict[str, Any], said: str, plan: Study
) -> None:
    with pytest.raises(InputError, match=said):
        provider("prolific", options).check(replace(plan, **change))


def test_publish_makes_a_study_with_a_code_for_each_way_to_leave(crowd: Any) -> None:
    (study,) = crowd.world.studies.values()
    assert (study["id"], study["status"]) == (crowd.remote.id, "ACTIVE")
    assert study["internal_name"] == crowd.study.key
    assert study["external_study_url"].startswith(
        "https://rate.example.org/go/k1?PROLIFIC_PID={{%PROLIFIC_PID%}}&"
    )
    codes = {one["code_type"]: [act["action"] for act in one["actions"]] for one in study["completion_codes"]}
    assert codes == {
        "COMPLETED": ["MANUALLY_REVIEW", "ADD_TO_PARTICIPANT_GROUP"],
        "FAILED_ATTENTION_CHECK": ["REQUEST_RETURN", "ADD_TO_PARTICIPANT_GROUP"],
        "SCREENED_OUT": ["REQUEST_RETURN"],
        "OTHER": ["REQUEST_RETURN"],
    }
    assert crowd.remote.address.endswith(f"/studies/{crowd.remote.id}")


def test_who_is_screened_out_may_be_paid(prolific: Any, plan: Study, quick: None) -> None:
    paying = Prolific(screen_out=20)
    remote = paying.publish(plan)
    address = prolific.world.arrive(remote.id, prolific.world.new())
    session = address.rpartition("=")[2]
    prolific.world.finish(session, plan.codes["screened_out"])
    assert prolific.world.paid("screen out") == {session: [20]}
    assert [place.state for place in paying.places(plan, remote)] == ["screened_out"]


def test_nothing_is_published_for_more_than_was_confirmed(prolific: Any, plan: Study, quick: None) -> None:
    # The account pays 33.3 %, the estimate reckoned with 20 %.
    with pytest.raises(CallRefused, match=r"Prolific charges \$6.00, but the estimate was \$5.40"):
        Prolific(fee=20).publish(plan)
    assert prolific.world.studies == {}


def test_a_reward_is_not_paid_in_another_currency(prolific: Any, plan: Study, quick: None) -> None:
    prolific.world.currency = "GBP"
    with pytest.raises(CallRefused, match="your workspace pays in GBP, not in USD"):
        Prolific().publish(plan)
    assert prolific.world.studies == {}


def test_a_wallet_that_is_empty_leaves_a_draft_that_is_published_later(
    prolific: Any, plan: Study, quick: None
) -> None:
    prolific.world.balance = 100
    with pytest.raises(CallRefused, match="not have enough funds"):
        Prolific().publish(plan)
    prolific.world.balance = 10_000
    # Meanwhile the plan has grown: what is published is the plan of now.
    Prolific().publish(replace(plan, places=4))
    (study,) = prolific.world.studies.values()
    assert (study["status"], study["total_available_places"]) == ("ACTIVE", 4)


def test_an_account_with_one_workspace_needs_no_name(crowd: Any) -> None:
    (group,) = crowd.world.groups.values()
    assert (group["workspace_id"], group["name"]) == (crowd.world.workspace, "captious: dogs")


def test_ids_are_checked_at_prolific(crowd: Any) -> None:
    own, other = crowd.arrive(), crowd.arrive()
    verify = lambda given: crowd.provider.verify(crowd.study, crowd.remote, given)  # noqa: E731
    assert verify(own) == Arrival(own["PROLIFIC_PID"], own["SESSION_ID"])
    assert verify({}) == verify({**own, "SESSION_ID": ""}) == Refused("missing")
    assert verify({**own, "SESSION_ID": other["SESSION_ID"]}) == Refused("forged")
    assert verify({**own, "PROLIFIC_PID": other["PROLIFIC_PID"]}) == Refused("forged")
    assert verify({**own, "STUDY_ID": "f" * 24}) == Refused("forged")
    assert verify({**own, "SESSION_ID": "f" * 24}) == Refused("forged")
    assert verify({**own, "SESSION_ID": "../users/me"}) == Refused("forged")


def test_a_session_of_another_study_is_forged(crowd: Any, plan: Study) -> None:
    later = crowd.provider.publish(replace(plan, key="k2" * 16, campaign="cats"))
    address = crowd.world.arrive(later.id, crowd.world.new())
    foreign = dict(part.split("=") for part in address.partition("?")[2].split("&"))
    assert crowd.provider.verify(crowd.study, crowd.remote, foreign) == Refused("forged")
    named = foreign | {"STUDY_ID": crowd.remote.id}
    assert crowd.provider.verify(crowd.study, crowd.remote, named) == Refused("forged")


@pytest.mark.parametrize("end", ["AWAITING REVIEW", "RETURNED", "TIMED-OUT"])
def test_a_place_that_is_over_lets_nobody_in_again(end: str, crowd: Any) -> None:
    own = crowd.arrive()
    if end == "AWAITING REVIEW":
        crowd.world.finish(own["SESSION_ID"], crowd.study.codes["completed"])
    else:
        crowd.world.leave(own["SESSION_ID"], end)
    assert crowd.provider.verify(crowd.study, crowd.remote, own) == Refused("over")


def test_while_prolific_is_silent_nobody_is_called_a_forger(crowd: Any) -> None:
    own = crowd.arrive()
    crowd.service.fail("broken", "GET", "/api/v1/submissions/.*", times=99)
    assert crowd.provider.verify(crowd.study, crowd.remote, own) == Refused("unreachable")


def test_participants_leave_with_the_code_of_their_outcome(crowd: Any) -> None:
    arrival = crowd.provider.verify(crowd.study, crowd.remote, crowd.arrive())
    found = {
        outcome: crowd.provider.completion(crowd.study, crowd.remote, arrival, outcome)
        for outcome in ("completed", "failed")
    }
    complete = "https://app.prolific.com/submissions/complete?cc="
    assert found == {
        "completed": Completion("CODE0", f"{complete}CODE0"),
        "failed": Completion("CODE2", f"{complete}CODE2"),
    }


def test_who_fails_the_comprehension_check_is_asked_to_return_and_never_rejected(crowd: Any) -> None:
    place = crowd.finish(outcome="failed")
    there = crowd.world.submissions[place.id]
    assert there.return_requested is not None and there.status == "AWAITING REVIEW"


def test_places_that_are_given_back_are_open_to_others(crowd: Any) -> None:
    first, second, third = (crowd.arrive()["SESSION_ID"] for _ in range(3))
    crowd.world.leave(first, "RETURNED")
    crowd.world.leave(second, "TIMED-OUT")
    states = {place.id: place.state for place in crowd.provider.places(crowd.study, crowd.remote)}
    assert states == {first: "returned", second: "timed_out", third: "active"}
    fourth, fifth = crowd.arrive(), crowd.arrive()
    assert isinstance(crowd.provider.verify(crowd.study, crowd.remote, fourth), Arrival)
    assert isinstance(crowd.provider.verify(crowd.study, crowd.remote, fifth), Arrival)
    status = crowd.provider.status(crowd.study, crowd.remote)
    assert {name: number for name, number in status.counts.items() if number} == {
        "returned": 1,
        "timed_out": 1,
        "active": 3,
    }


def test_nobody_takes_part_twice_in_a_campaign(crowd: Any, plan: Study) -> None:
    person, banned = crowd.world.new(), crowd.world.new()
    crowd.finish(person)
    crowd.provider.exclude(crowd.study, crowd.remote, [banned, banned])
    for name in (person, banned):
        with pytest.raises(Exception, match="not eligible"):
            crowd.world.arrive(crowd.remote.id, name)
    next_study = crowd.provider.publish(replace(plan, key="k2" * 16))
    elsewhere = crowd.provider.publish(replace(plan, key="k3" * 16, campaign="cats"))
    for name in (person, banned):
        with pytest.raises(Exception, match="not eligible"):
            crowd.world.arrive(next_study.id, name)
    assert crowd.world.arrive(elsewhere.id, person)


def test_everywhere_means_all_campaigns_and_allowed_means_any_study(
    prolific: Any, plan: Study, quick: None
) -> None:
    own, world = Prolific(), prolific.world
    for repeat, again in (("everywhere", False), ("allowed", True)):
        person = world.new()
        keys = (f"{repeat[0]}1" * 16, f"{repeat[0]}2" * 16)
        first, second = (own.publish(replace(plan, key=key, campaign=key[:2], repeat=repeat)) for key in keys)
        session = world.arrive(first.id, person).rpartition("=")[2]
        world.finish(session, plan.codes["completed"])
        if again:
            assert world.arrive(second.id, person)
        else:
            with pytest.raises(Exception, match="not eligible"):
                world.arrive(second.id, person)


def test_pause_resume_extend_and_close(crowd: Any) -> None:
    own, study, remote = crowd.provider, crowd.study, crowd.remote
    for turn, state in (("pause", "paused"), ("resume", "open"), ("close", "closed")):
        for _ in range(2):  # asked twice, done once
            getattr(own, turn)(study, remote)
        assert own.status(study, remote).state == state
    own.extend(replace(study, places=5), remote, "k")
    own.extend(replace(study, places=5), remote, "k")
    found = own.status(study, remote)
    assert (found.state, found.places) == ("open", 5)  # more places open a study again, as documented
    assert crowd.service.count("PATCH", ".*") == 1


def test_a_full_study_can_be_closed_though_the_api_cannot_stop_it(crowd: Any) -> None:
    for _ in range(3):
        crowd.finish()
    assert crowd.world.studies[crowd.remote.id]["status"] == "AWAITING REVIEW"
    assert crowd.provider.close(crowd.study, crowd.remote) == crowd.remote


def test_reviews_and_bonuses_are_paid_as_reckoned(crowd: Any) -> None:
    own, study, remote = crowd.provider, crowd.study, crowd.remote
    good, bad = crowd.finish(), crowd.finish()
    own.approve(study, remote, good)
    own.reject(study, remote, bad, REASON)
    own.bonus(study, remote, good, 50, "Thank you for your care.", "b1")
    crowd.world.settle()
    assert crowd.world.paid("reward") == {good.id: [150]}
    assert crowd.world.paid("bonus") == {good.id: [50]}
    assert crowd.world.submissions[bad.id].rejection == REASON
    assert [(one.place, one.amount) for one in own.bonuses(study, remote)] == [(good.id, 50)]
    # 150 and 50, and 33.3 % of each, rounded up: 50 and 17.
    assert own.status(study, remote).spent == 150 + 50 + 50 + 17
    assert [one["body"] for one in crowd.world.messages] == ["Thank you for your care."]


def test_a_short_reason_is_refused_before_prolific_does(crowd: Any) -> None:
    place = crowd.finish()
    with pytest.raises(CallRefused, match=r"reason: 8 characters. Prolific requires at least 100"):
        crowd.provider.reject(crowd.study, crowd.remote, place, "Too fast")
    assert crowd.world.submissions[place.id].status == "AWAITING REVIEW"


def test_a_bonus_that_would_cost_more_than_reckoned_is_not_paid(crowd: Any) -> None:
    place = crowd.finish()
    with pytest.raises(CallRefused, match=r"would cost \$0.67, not \$0.55: it was not paid"):
        Prolific(fee=10).bonus(crowd.study, crowd.remote, place, 50, "", "b1")
    assert crowd.world.ledger == []


def test_a_message_is_sent_once(crowd: Any) -> None:
    people = [crowd.world.new(), crowd.world.new()]
    for _ in range(2):
        crowd.provider.message(crowd.study, crowd.remote, people, "The study ends today.")
    assert [one["recipient"] for one in crowd.world.messages] == people
