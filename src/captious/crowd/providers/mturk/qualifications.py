"""Who may take a HIT: where they live, how their work was judged, and whether they worked for us before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from captious.errors import InputError

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
