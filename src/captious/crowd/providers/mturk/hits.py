"""The HITs of a study: found by our annotation, made where they are missing, who may take them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from captious.crowd.providers.mturk.calls import Site, TurkRefused
from captious.crowd.providers.mturk.client import LONGEST_TOKEN, Turk
from captious.crowd.providers.mturk.records import STEP, Hit, external_question, in_hits
from captious.crowd.values import Remote, Study
from captious.errors import InputError

DAY = 86_400
REFERENCE_LENGTH = 16
_REFERENCE = re.compile(r"\(ref\. ([0-9a-f]{16})\)$")


@dataclass(frozen=True)
class Terms:
    """What every HIT of a study has: times are seconds."""

    keywords: Sequence[str]
    duration: int
    lifetime: int
    auto_approval: int


def belongs(hit: Hit, key: str) -> bool:
    """Whether a HIT is one of the study with this key."""
    return hit.annotation.rpartition("/")[0] == key


def of_study(turk: Turk, key: str) -> list[Hit]:
    """The HITs of a study in the order of their numbers."""
    return sorted((hit for hit in turk.hits() if belongs(hit, key)), key=_number)


def _number(hit: Hit) -> int:
    number = hit.annotation.rpartition("/")[2]
    return int(number) if number.isdecimal() else -1


def fill(turk: Turk, study: Study, terms: Terms, wanted: Sequence[dict[str, Any]]) -> list[Hit]:
    """All HITs of the study, after those that its places still lack have been made."""
    found = of_study(turk, study.key)
    missing = study.places - sum(hit.places for hit in found)
    if missing <= 0:
        return found
    kind = turk.create_type(
        title=study.title,
        description=study.description or study.title,
        keywords=terms.keywords,
        reward=study.reward,
        duration=terms.duration,
        auto_approval=terms.auto_approval,
        requirements=wanted,
    )
    first = _number(found[-1]) + 1 if found else 0
    for number, places in enumerate(in_hits(missing), start=first):
        name = f"{study.key}/{number}"
        made = turk.create_hit(
            kind,
            question=external_question(study.address),
            places=places,
            lifetime=terms.lifetime,
            annotation=name,
            token=name,
        )
        found.append(made)
    return found


def top_up(turk: Turk, found: Sequence[Hit], places: int, *, token: str) -> None:
    """Let HITs below nine grow, until so many places have been added or all are full."""
    for hit in found:
        more = min(STEP - 1 - hit.places, places)
        if more <= 0:
            continue
        try:
            turk.add_places(hit.id, more, token=_short(f"{token}/{hit.id}/{hit.places + more}"))
        except TurkRefused as error:
            if not error.is_repetition:
                raise
        places -= more


def remote(site: Site, found: Sequence[Hit], before: Remote | None = None, *, mark: str = "") -> Remote:
    """The study as it stands there: `hits` are their ids, `mark` our qualification type."""
    first = found[0]
    detail: Mapping[str, Any] = {
        **(before.detail if before else {}),
        "site": site.name,
        "hits": [hit.id for hit in found],
        **({"mark": mark} if mark else {}),
    }
    return Remote(first.type_id, site.preview_address(first.group_id), detail)


def token(key: str) -> str:
    """A key as a request token, which has 64 characters at most.

    >>> token("b-1"), len(token("b" * 80))
    ('b-1', 40)
    """
    return key if len(key) <= LONGEST_TOKEN else _short(key)


def _short(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()[:40]


def reference(key: str) -> str:
    """The short form of a key that stands in the reason of a bonus."""
    return _short(key)[:REFERENCE_LENGTH]


def with_reference(reason: str, key: str) -> str:
    """A reason that says which bonus it is, so that it can be told apart later.

    >>> with_reference("Good work", "b-1")
    'Good work (ref. ...)'
    """
    return f"{reason} (ref. {reference(key)})"


def reference_in(reason: str) -> str:
    """The reference at the end of a reason, "" where there is none."""
    found = _REFERENCE.search(reason)
    return found[1] if found else ""


def was_paid(turk: Turk, assignment: str, key: str) -> bool:
    """Whether the bonus with this key is among those of the assignment."""
    return any(reference_in(one.reason) == reference(key) for one in turk.bonuses(assignment))


# Qualification types of Mechanical Turk itself, the same for every requester.
LOCALE = "00000000000000000071"
PERCENT_APPROVED = "000000000000000000L0"
NUMBER_APPROVED = "00000000000000000040"
# Masters is another type in the sandbox than in production.
MASTERS = {"production": "2F1QJWKUDD8XADTFD2Q0G6UTO95ALH", "sandbox": "2ARFPLSP75KLA8M8DH1HTEQVJT3SY6"}
MOST_COUNTRIES = 30
MOST_REQUIREMENTS = 10
HIDDEN = "DiscoverPreviewAndAccept"


@dataclass(frozen=True)
class Wanted:
    """What workers must have: countries as ISO 3166 codes, percent and number of approved work."""

    countries: Sequence[str] = ()
    percent_approved: int = 0
    number_approved: int = 0
    masters: bool = False


def requirements(wanted: Wanted, *, site: str, done_before: str = "") -> list[dict[str, Any]]:
    """The conditions of a HIT type, as the API takes them.

    `done_before` is our own qualification type: whoever holds it has taken part and does not see the HIT.

    >>> found = requirements(Wanted(["US", "GB"], 95), site="sandbox", done_before="3A")
    >>> [one["Comparator"] for one in found]
    ['In', 'GreaterThanOrEqualTo', 'DoesNotExist']
    """
    found: list[dict[str, Any]] = []
    if wanted.countries:
        places = [{"Country": _country(one)} for one in wanted.countries]
        if len(places) > MOST_COUNTRIES:
            raise InputError(f"{len(places)} countries: Mechanical Turk allows at most {MOST_COUNTRIES}.")
        found.append(_require(LOCALE, "In", LocaleValues=places))
    if wanted.percent_approved:
        if not 0 <= wanted.percent_approved <= 100:
            raise InputError(f"approved share {wanted.percent_approved}: give a percentage from 0 to 100.")
        found.append(
            _require(PERCENT_APPROVED, "GreaterThanOrEqualTo", IntegerValues=[wanted.percent_approved])
        )
    if wanted.number_approved:
        found.append(
            _require(NUMBER_APPROVED, "GreaterThanOrEqualTo", IntegerValues=[wanted.number_approved])
        )
    if wanted.masters:
        found.append(_require(MASTERS.get(site, MASTERS["sandbox"]), "Exists"))
    if done_before:
        found.append(_require(done_before, "DoesNotExist"))
    return found


def _require(kind: str, comparator: str, **values: Any) -> dict[str, Any]:
    return {"QualificationTypeId": kind, "Comparator": comparator, "ActionsGuarded": HIDDEN, **values}


def _country(code: str) -> str:
    if not (len(code) == 2 and code.isascii() and code.isalpha()):
        raise InputError(f'country "{code}": give a two-letter ISO 3166 code such as US or GB.')
    return code.upper()
