"""What is wrong with answers before they are stored, and how long they took."""

from __future__ import annotations

from collections.abc import Mapping

from captious.campaigns.records import Campaign, Rater, Source
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import recording_file
from captious.campaigns.store.storable import is_storable, unstorable
from captious.errors import InputError
from captious.protocols import Item, Problem, Response

Answers = Mapping[str, object]
LONGEST_KEY = 200
LONGEST_SECONDS = 24 * 3600.0


def check_key(key: str) -> None:
    """Refuse a key that cannot be kept."""
    if not key or len(key) > LONGEST_KEY or not is_storable(key):
        raise InputError(f"key: give 1 to {LONGEST_KEY} plain characters, new for each answer.")


def checked_answers(
    db: Database,
    campaign: Campaign,
    rater: Rater,
    asked: Item,
    given: Answers,
    shown_at: float | None,
    now: float,
    source: Source,
) -> tuple[Response | list[Problem], list[Problem]]:
    """What the protocol says of the answers, and everything that is wrong with them."""
    rules = campaign.rules()
    checked = rules.validate(asked, given, rater=rater.pseudonym, time=now)
    problems = checked if isinstance(checked, list) else unstorable(checked.answers)
    if not isinstance(checked, list):
        problems += _not_kept(db, campaign, asked, checked)
    if source in ("web", "api"):
        problems = [*problems, *_too_early(rules.minimum_seconds(asked), shown_at, now)]
    return checked, problems


def _not_kept(db: Database, campaign: Campaign, item: Item, response: Response) -> list[Problem]:
    """Recordings that are answered with and are not there."""
    found = []
    for name in item.form.recorded:
        if name in response.answers:
            try:
                recording_file(db, campaign, str(response.answers[name]))
            except InputError:
                found.append(Problem(name, "The recording did not arrive. Send it again."))
    return found


def _too_early(least: float, shown_at: float | None, now: float) -> list[Problem]:
    """Refuse an answer that came before the protocol lets anyone have looked long enough."""
    if not least or shown_at is None or now - shown_at >= least:
        return []
    return [Problem("", f"Look at it for at least {least:g} seconds, then answer.")]


def seconds_taken(given: float | None, shown_at: float | None, now: float) -> float | None:
    """How long the rater took: as the page measured it, else since the task was shown."""
    if given is None or not given >= 0:
        if shown_at is None:
            return None
        given = max(0.0, now - shown_at)
    return min(given, LONGEST_SECONDS)
