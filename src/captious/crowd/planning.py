"""Pay: how many places and how much work a study has, what is fair, and what participants earned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import ceil
from statistics import median
from typing import Any, NamedTuple

from captious.campaigns.records import Campaign, Draft
from captious.campaigns.results.analysis import overview
from captious.campaigns.store.database import Database
from captious.crowd import journal, visits
from captious.crowd.money import checked_currency, minor, nearest
from captious.crowd.studies import Stored, new_study
from captious.crowd.values import Question, Repeat, Study
from captious.errors import InputError
from captious.protocols.yaml_file import YamlFile

HOUR = 3600.0


class Wage(NamedTuple):
    """Pay in minor units. `bonus` for each completed place would bring the median to the minimum."""

    completed: int
    median_seconds: float | None
    hourly: int | None
    minimum: int
    bonus: int

    @property
    def below(self) -> bool:
        """Whether the median participant earns less than the minimum."""
        return self.hourly is not None and self.hourly < self.minimum


def measure(study: Study, seconds: Sequence[float], bonuses: int = 0) -> Wage:
    """The hourly pay of the median participant.

    pay of a place = reward + bonuses so far / completed places; hourly = pay / median time; the
    bonus suggested is minimum * median time - pay, rounded up to a whole unit.

    >>> plan = Study("k", "dogs", "Dogs", "", "", 3, 10, 150, "USD", 6.0)
    >>> measure(plan, [300, 480, 900])  # 150 in 8 minutes: 1125 an hour; 8 minutes at 1500: 200
    Wage(completed=3, median_seconds=480, hourly=1125, minimum=1500, bonus=50)
    """
    if not seconds:
        return Wage(0, None, None, study.minimum_wage, 0)
    middle = median(seconds)
    pay = study.reward + bonuses / len(seconds)
    due = study.minimum_wage * middle / HOUR
    hourly = nearest(pay * HOUR / middle) if middle else None
    return Wage(len(seconds), middle, hourly, study.minimum_wage, max(0, _up(due - pay)))


def _up(units: float) -> int:
    """The next whole unit, where a float's last digits are no reason to add one."""
    return -int(-round(units, 6) // 1)


def of_study(db: Database, stored: Stored) -> Wage:
    """The wage measured in a study so far: of the places that are paid, before that of all completed."""
    everyone = visits.of_study(db, stored.id)
    paid_for = [one for one in everyone if one.state == "approved"]
    seconds = [one.seconds for one in paid_for or everyone]
    paid = sum(
        int(call.request.get("bonus", 0))
        for call in journal.calls(db, stored.id, action="bonus", state="done")
    )
    return measure(stored.study, [one for one in seconds if one is not None], paid)


MINIMUM_WAGE = 15.0  # ObjectNet Captions, 4.2, and THumB: dollars an hour
ANSWERS = 20  # of a place, where a protocol hands out single items
REPEATS: tuple[Repeat, ...] = ("campaign", "everywhere", "allowed")


class Work(NamedTuple):
    """What is to be done: responses of the first stage, and the seconds of one, where measured."""

    left: int
    seconds: float | None = None


def work_of(db: Database, campaign: Campaign) -> Work:
    """What is left of a campaign."""
    view = overview(db, campaign)
    return Work(max(0, view.target - view.done), view.mean_seconds)


def plan(
    campaign: Campaign | Draft,
    work: Work,
    base_url: str,
    *,
    places: int | None = None,
    answers: int | None = None,
    reward: str | None = None,
    minutes: float | None = None,
    currency: str = "USD",
    budget: str | None = None,
    minimum_wage: float = MINIMUM_WAGE,
    **given: Any,
) -> Study:
    """A study for the work that is left in a campaign; what is not given is worked out.

    A place is one group of the protocol, or 20 answers; its time is what raters took so far, else what
    the paper reports; its reward pays that time at the minimum wage; there are as many places as the
    work needs.
    """
    code = checked_currency(currency)
    rules = campaign.rules()
    each = answers or (rules.group_size if rules.group_size > 1 else ANSWERS)
    if minutes is None:
        seconds = work.seconds or rules.usual_seconds
        if seconds is None:
            raise InputError(
                "minutes: there is no timing data for this protocol yet. Say how many minutes a place takes."
            )
        minutes = max(1.0, round(each * seconds / 60, 1))
    wage = minor(minimum_wage, code, "minimum wage")
    paid = minor(reward, code, "reward") if reward is not None else ceil(wage * minutes / 60)
    left = rules.asked(work.left).responses
    if places is None and not left:
        raise InputError(f"{campaign.slug}: all work is done. Extend the campaign first.")
    return new_study(
        campaign,
        base_url,
        places=places if places is not None else ceil(left / each),
        answers=each,
        reward=paid,
        currency=code,
        minutes=minutes,
        budget=None if budget is None else minor(budget, code, "budget"),
        minimum_wage=wage,
        **given,
    )


def read_questions(text: str, source: str) -> tuple[Question, ...]:
    """Questions of a YAML or JSON file: a list of `ask`, `choices` and `right`.

    >>> read_questions("- {ask: 'Do you read English?', choices: ['yes', 'no'], right: 'yes'}", "q.yaml")
    (Question(text='Do you read English?', choices=('yes', 'no'), right=('yes',)),)
    """
    data = YamlFile(text, source).data
    if not isinstance(data, list) or not data:
        raise InputError(f"{source}: expected a list of questions, each with ask, choices and right.")
    return tuple(_question(one, f"{source}: question {at}") for at, one in enumerate(data, start=1))


def _question(given: object, where: str) -> Question:
    if not isinstance(given, Mapping) or set(given) != {"ask", "choices", "right"}:
        raise InputError(f"{where}: expected exactly the keys ask, choices and right.")
    right = given["right"] if isinstance(given["right"], list) else [given["right"]]
    choices = given["choices"] if isinstance(given["choices"], list) else []
    if not all(isinstance(one, str) for one in (given["ask"], *choices, *right)):
        raise InputError(f"{where}: ask, choices and right must be text. Put yes and no in quotation marks.")
    if len(choices) < 2 or not right or any(one not in choices for one in right):
        raise InputError(f"{where}: give at least two choices, and say which of them are right.")
    return Question(str(given["ask"]), tuple(choices), tuple(right))
