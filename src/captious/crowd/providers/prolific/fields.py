"""A study of ours in the words of Prolific: the fields of a draft, its completion codes, its cost."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal

from captious.crowd.money import share, shown
from captious.crowd.values import OUTCOMES, Line, Outcome, Quote, Study
from captious.errors import InputError

PID, STUDY_ID, SESSION = "PROLIFIC_PID", "STUDY_ID", "SESSION_ID"
COMPLETE = "https://app.prolific.com/submissions/complete"
RESEARCHER = "https://app.prolific.com/researcher/workspaces/studies"
DEVICES = ("desktop", "tablet", "mobile")
BLOCKLIST = "participant_group_blocklist"
# Prolific's payment principles: less is not allowed, whatever a campaign's own minimum is.
LEAST_HOURLY = {"GBP": 600, "USD": 800}
# Prolific's rule for comprehension checks: who fails is asked to return the place, and is never rejected.
_RETURNS: dict[Outcome, tuple[str, str]] = {
    "failed": ("FAILED_ATTENTION_CHECK", "Your answers to the questions about the instructions were wrong."),
    "screened_out": (
        "SCREENED_OUT",
        "Your answers to the first questions do not match what this study needs.",
    ),
    "full": ("OTHER", "All places of the study were taken when you arrived."),
}


def draft(
    study: Study,
    *,
    group: str,
    filters: Sequence[Mapping[str, Any]],
    devices: Sequence[str],
    project: str,
    screen_out: int,
) -> dict[str, Any]:
    """What `POST /studies/` takes. Participants in `group` do not see the study."""
    blocked = {"filter_id": BLOCKLIST, "selected_values": [group]}
    fields: dict[str, Any] = {
        "name": study.title,
        "internal_name": study.key,
        "description": study.description or _description(study),
        "external_study_url": arrival_address(study.address),
        "prolific_id_option": "url_parameters",
        "completion_codes": completion_codes(study, group=group, screen_out=screen_out),
        "total_available_places": study.places,
        "estimated_completion_time": math.ceil(study.minutes),
        "reward": study.reward,
        "device_compatibility": list(devices),
        "filters": [*filters, blocked],
        "submissions_config": {"max_submissions_per_participant": 1},
    }
    return fields | ({"project": project} if project else {})


def arrival_address(address: str) -> str:
    """The study's address with the placeholders that Prolific fills in.

    >>> arrival_address("https://rate.example.org/go/k")[:60]
    'https://rate.example.org/go/k?PROLIFIC_PID={{%PROLIFIC_PID%}'
    """
    named = "&".join(f"{name}={{{{%{name}%}}}}" for name in (PID, STUDY_ID, SESSION))
    return f"{address}{'&' if '?' in address else '?'}{named}"


def completion_codes(study: Study, *, group: str, screen_out: int) -> list[dict[str, Any]]:
    """A code for each way to leave. Whoever worked through it joins the group, unless they may repeat."""
    join = [{"action": "ADD_TO_PARTICIPANT_GROUP", "participant_group": group}]
    kept = [] if study.repeat == "allowed" else join
    found = [_code(study, "completed", "COMPLETED", [{"action": "MANUALLY_REVIEW"}, *kept])]
    for outcome, (kind, reason) in _RETURNS.items():
        if outcome == "screened_out" and screen_out:
            pay = {"action": "FIXED_SCREEN_OUT_PAYMENT", "fixed_screen_out_reward": screen_out}
            found.append(_code(study, outcome, "FIXED_SCREENOUT", [pay | {"slots": study.places}]))
            continue
        back = {"action": "REQUEST_RETURN", "return_reason": reason}
        found.append(_code(study, outcome, kind, [back, *(kept if outcome == "failed" else [])]))
    return found


def _code(study: Study, outcome: Outcome, kind: str, actions: list[dict[str, Any]]) -> dict[str, Any]:
    return {"code": study.codes[outcome], "code_type": kind, "actions": actions, "actor": "participant"}


def _description(study: Study) -> str:
    minutes = math.ceil(study.minutes)
    about = f"about {minutes} minute" + ("s" if minutes > 1 else "")
    return f"Look at photos with captions and say how good the captions are: {study.answers} tasks, {about}."


def check(study: Study) -> None:
    """Refuse what Prolific would not take."""
    least = LEAST_HOURLY.get(study.currency, 0)
    hourly = study.reward * 60 / math.ceil(study.minutes)  # Prolific counts whole minutes
    if hourly < least:
        found, wanted = (shown(round(one), study.currency) for one in (hourly, least))
        raise InputError(
            f"reward: {found} an hour. Prolific requires at least {wanted}: "
            "raise the reward or ask for fewer answers."
        )
    missing = [outcome for outcome in OUTCOMES if not study.codes.get(outcome)]
    if missing:
        raise InputError(f"codes: {', '.join(missing)}: Prolific needs a completion code for each outcome.")
    if not study.title.strip():
        raise InputError("title: give one. Prolific shows it to participants.")


def read_filters(text: str) -> list[dict[str, Any]]:
    """Prolific's filters as JSON; who may take part.

    >>> read_filters('[{"filter_id": "first-language", "selected_values": ["4"]}]')[0]["filter_id"]
    'first-language'
    """
    if not text.strip():
        return []
    hint = 'Write [{"filter_id": "current-country-of-residence", "selected_values": ["1"]}].'
    try:
        found = json.loads(text)
    except ValueError:
        raise InputError(f"filters: not valid JSON. {hint}") from None
    if not isinstance(found, list) or any(
        not isinstance(one, dict) or "filter_id" not in one for one in found
    ):
        raise InputError(f"filters: not a list of filters. {hint}")
    return found


def read_devices(text: str) -> list[str]:
    """The devices that may be used, all where none is named.

    >>> read_devices("desktop, tablet")
    ['desktop', 'tablet']
    """
    found = [one.strip() for one in text.split(",") if one.strip()]
    wrong = [one for one in found if one not in DEVICES]
    if wrong:
        raise InputError(
            f'devices: "{wrong[0]}" is not a device. Give {", ".join(DEVICES)}, separated by commas.'
        )
    return found


def cost(amounts: Sequence[int], currency: str, *, fee: float, tax: float, what: str) -> Quote:
    """Payments, Prolific's fee on them, and tax on the fee.

    >>> found = cost([150] * 3, "GBP", fee=33.3, tax=20, what="3 places")
    >>> found.reward, found.fee, found.total  # 450, 149.85 rounded up and 30 of tax
    (450, 180, 630)
    """
    paid = sum(amounts)
    charged = share(paid, Decimal(str(fee)) / 100)
    taxed = share(charged, Decimal(str(tax)) / 100)
    lines = [Line(what, paid), Line(f"Prolific's fee, {fee:g} %", charged)]
    if tax:
        lines.append(Line(f"tax on the fee, {tax:g} %", taxed))
    return Quote(len(amounts), paid, charged + taxed, currency, tuple(lines))


StudyStatus = Literal[
    "UNPUBLISHED", "SCHEDULED", "PUBLISHING", "ACTIVE", "AWAITING REVIEW", "PAUSED", "COMPLETED"
]
StudyAction = Literal["PUBLISH", "PAUSE", "START", "STOP"]
# The statuses of a submission that captious knows; others are read as they come.
RESERVED, ACTIVE, TIMED_OUT, RETURNED = "RESERVED", "ACTIVE", "TIMED-OUT", "RETURNED"
AWAITING, APPROVED, REJECTED = "AWAITING REVIEW", "APPROVED", "REJECTED"
SCREENED_OUT, PARTIALLY_APPROVED = "SCREENED OUT", "PARTIALLY APPROVED"

RejectionCategory = Literal[
    "TOO_QUICKLY", "TOO_SLOWLY", "FAILED_INSTRUCTIONS", "FAILED_CHECK", "LOW_EFFORT", "NO_DATA", "OTHER"
]
SHORTEST_REJECTION = 100  # characters: "It must be at least 100 chars long."
MOST_BONUSES = 200  # in one request


@dataclass(frozen=True)
class StudyRecord:
    """A study. `reward` and `total_cost` are in minor units; `codes` are by code type."""

    id: str
    internal_name: str
    status: str
    places: int
    places_taken: int = 0
    reward: int = 0
    total_cost: int | None = None


@dataclass(frozen=True)
class Submission:
    """One participant's place. Times are seconds since 1970 by Prolific's clock; bonuses are minor units."""

    id: str
    study: str
    participant: str
    status: str
    started: float | None
    completed: float | None
    code: str = ""
    bonuses: tuple[int, ...] = ()


def study_of(found: Mapping[str, Any]) -> StudyRecord:
    """A study as the API writes it, in a list or alone."""
    cost = found.get("total_cost")
    return StudyRecord(
        id=str(found["id"]),
        internal_name=str(found.get("internal_name") or ""),
        status=str(found.get("status") or ""),
        places=int(found.get("total_available_places") or 0),
        places_taken=int(found.get("places_taken") or 0),
        reward=round(float(found.get("reward") or 0)),
        total_cost=None if cost is None else round(float(cost)),
    )


def submission_of(found: Mapping[str, Any], study: str = "") -> Submission:
    """A submission as the API writes it: lists and single answers name some fields differently."""
    return Submission(
        id=str(found["id"]),
        study=str(found.get("study_id") or study),
        participant=str(found.get("participant_id") or found.get("participant") or ""),
        status=str(found["status"]),
        started=seconds(found.get("started_at")),
        completed=seconds(found.get("completed_at")),
        code=str(found.get("study_code") or found.get("entered_code") or ""),
        bonuses=tuple(round(float(amount)) for amount in found.get("bonus_payments") or ()),
    )


def seconds(stamp: object) -> float | None:
    """A time of the API in seconds since 1970; None where there is none.

    >>> seconds("2026-11-18T01:00:00Z"), seconds("2026-11-18T01:00:00.500000+00:00"), seconds(None)
    (1794963600.0, 1794963600.5, None)
    """
    if not stamp:
        return None
    read = datetime.fromisoformat(str(stamp))
    return read.timestamp() if read.tzinfo else datetime.fromisoformat(f"{stamp}+00:00").timestamp()
