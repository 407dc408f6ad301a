"""The HITs of a study: found by our annotation, made where they are missing, grown where there is room."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from captious.crowd.providers.mturk.calls import TurkRefused
from captious.crowd.providers.mturk.client import LONGEST_TOKEN, Turk
from captious.crowd.providers.mturk.fees import STEP, in_hits
from captious.crowd.providers.mturk.hosts import Site
from captious.crowd.providers.mturk.question import external_question
from captious.crowd.providers.mturk.records import Hit
from captious.crowd.values import Remote, Study

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
