"""What is done at a provider, each call once: checked, held against the budget, journalled, stored."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Sequence
from functools import partial
from typing import Any

from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work.removal import take_out
from captious.crowd import journal, studies, visits
from captious.crowd.base import Provider
from captious.crowd.journal import Intent, Result, perform
from captious.crowd.studies import Stored
from captious.crowd.values import Quote, Remote
from captious.crowd.visits import Visit, block
from captious.errors import InputError

LONGEST_TEXT = 4000


def publish(db: Database, stored: Stored, *, actor: str) -> Stored:
    """Create the study at the provider and open it; a second call does nothing more.

    The campaign is opened too: a participant who finds it not started is paid for nothing.
    """
    if stored.state == "closed":
        raise InputError(f"{stored.study.campaign}: the study is closed. Publish a new one.")
    if stored.state in ("open", "paused"):
        return stored
    provider, study = stored.provider(), stored.study
    provider.ready()
    provider.check(study)
    if provider.public and not study.address.startswith("https://"):
        raise InputError(
            f"address: {study.address} is not an https address. Give --base-url https://HOST, the "
            "public address of `captious serve`."
        )
    quote = provider.quote(study)
    _open(db, stored, actor)

    def do() -> Result:
        return dataclasses.asdict(provider.publish(study, provider.find(study.key)))

    request = {"places": study.places, "reward": study.reward, "currency": study.currency}
    result = perform(db, _intent(stored, "publish", "publish", request, quote.total), do)
    return studies.change(
        db, stored, actor=actor, action="publish study", state="open", remote=Remote(**result)
    )


def _open(db: Database, stored: Stored, actor: str) -> None:
    """Let raters begin, where they cannot yet."""
    campaign = next(one for one in lifecycle.listed(db) if one.id == stored.campaign_id)
    if not any(one.id == stored.id and one.state == "draft" for one in studies.listed(db, campaign)):
        return  # published before: the call is repeated, and the campaign may be over
    if campaign.state == "closed":
        raise InputError(
            f"{campaign.slug}: the campaign is closed. Resume it before you publish a study of it."
        )
    if campaign.state == "draft":
        lifecycle.open_campaign(db, campaign, actor=actor)
    elif campaign.state == "paused":
        lifecycle.resume(db, campaign, actor=actor)


def extension_quote(stored: Stored, places: int) -> Quote:
    """What more places would cost beside those that are paid for."""
    provider, study = stored.provider(), stored.study
    before, after = provider.quote(study), provider.quote(dataclasses.replace(study, places=places))
    lines = tuple(dataclasses.replace(line) for line in after.lines)
    return Quote(
        places - study.places, after.reward - before.reward, after.fee - before.fee, study.currency, lines
    )


def extend(db: Database, stored: Stored, places: int, *, actor: str) -> Stored:
    """Bring the places up to a total."""
    if places <= stored.study.places:
        raise InputError(f"places: {places} is not above the present {stored.study.places}.")
    provider, remote = stored.provider(), stored.published_at()
    more = studies.checked(dataclasses.replace(stored.study, places=places))
    provider.check(more)
    amount = extension_quote(stored, places).total
    intent = _intent(stored, "extend", f"extend:{places}", {"places": places}, amount)
    result = perform(
        db, intent, lambda: dataclasses.asdict(provider.extend(more, remote, _token(intent.key)))
    )
    return studies.change(db, stored, actor=actor, action="extend study", remote=Remote(**result), study=more)


def approve(db: Database, stored: Stored, visit: Visit) -> None:
    """Accept a place and pay its reward."""
    provider, remote = stored.provider(), stored.published_at()
    request = {"place": visit.place}

    def do() -> Result:
        provider.approve(stored.study, remote, visit.as_place())
        return {}

    perform(db, _intent(stored, "approve", f"approve:{visit.place}", request), do)
    with db.write() as connection:
        visits.change(connection, visit.id, state="approved")


def reject(db: Database, stored: Stored, visit: Visit, reason: str) -> None:
    """Refuse a place with a reason that the participant reads; their answers no longer count."""
    if not reason.strip():
        raise InputError("reason: say why the work is rejected. The participant reads it.")
    provider, remote = stored.provider(), stored.published_at()

    def do() -> Result:
        provider.reject(stored.study, remote, visit.as_place(), reason)
        return {}

    request = {"place": visit.place, "reason": reason}
    perform(db, _intent(stored, "reject", f"reject:{visit.place}", request), do)
    with db.write() as connection:
        visits.change(connection, visit.id, state="rejected")
        if visit.rater_id is not None:
            take_out(connection, visit.rater_id, "removed", f"rejected: {reason}")


def bonus(db: Database, stored: Stored, visit: Visit, amount: int, reason: str) -> None:
    """Pay a bonus; the same amount for the same reason is paid once."""
    if amount <= 0 or not reason.strip():
        raise InputError("bonus: give an amount above 0 and a reason. The participant reads the reason.")
    provider, remote = stored.provider(), stored.published_at()
    cost = provider.bonus_quote(stored.study, [amount]).total
    request = {"place": visit.place, "bonus": amount, "reason": reason}
    mark = hashlib.sha256(reason.encode()).hexdigest()[:8]
    intent = _intent(stored, "bonus", f"bonus:{visit.place}:{amount}:{mark}", request, cost)
    token = _token(intent.key)

    def do() -> Result:
        provider.bonus(stored.study, remote, visit.as_place(), amount, reason, token)
        return {}

    seen = partial(_bonus_seen, db, stored, provider, intent, token)
    perform(db, intent, do, seen=seen, settling=provider.settling)


def _bonus_seen(
    db: Database, stored: Stored, provider: Provider, intent: Intent, token: str
) -> Result | None:
    """Whether the provider has paid a bonus whose call was cut off.

    By our key where the provider keeps it; else it has if it paid more bonuses of that amount for that
    place than we know of.
    """
    place, amount = intent.request["place"], intent.request["bonus"]
    paid = provider.bonuses(stored.study, stored.published_at())
    if any(one.key == token for one in paid):
        return {}
    unnamed = sum(one.place == place and one.amount == amount and not one.key for one in paid)
    known = sum(
        call.request.get("place") == place and call.request.get("bonus") == amount
        for call in journal.calls(db, stored.id, action="bonus", state="done")
    )
    return {} if unnamed > known else None


def message(db: Database, stored: Stored, participants: Sequence[str], text: str) -> None:
    """Write to participants, once for each text and set of people."""
    if not text.strip() or len(text) > LONGEST_TEXT:
        raise InputError(f"message: give a text of at most {LONGEST_TEXT:,} characters.")
    provider, remote = stored.provider(), stored.published_at()
    people = sorted(set(participants))
    mark = hashlib.sha256("\x1f".join([text, *people]).encode()).hexdigest()[:16]

    def do() -> Result:
        provider.message(stored.study, remote, people, text)
        return {}

    request = {"participants": len(people), "text": text}
    intent = _intent(stored, "message", f"message:{mark}", request)
    perform(db, intent, do, repeatable=provider.message_again)


def exclude(
    db: Database, stored: Stored, participants: Sequence[str], *, secret: bytes, actor: str, reason: str = ""
) -> Stored:
    """Keep participants out of this and every later study, here and at the provider."""
    people = sorted(set(participants))
    block(db, stored.provider_name, people, secret=secret, reason=reason)
    if stored.remote is None:
        return stored
    provider, remote = stored.provider(), stored.remote
    mark = hashlib.sha256("\x1f".join(people).encode()).hexdigest()[:16]
    intent = _intent(stored, "exclude", f"exclude:{mark}", {"participants": len(people)})
    result = perform(db, intent, lambda: dataclasses.asdict(provider.exclude(stored.study, remote, people)))
    return studies.change(db, stored, actor=actor, action="exclude participants", remote=Remote(**result))


def pause(db: Database, stored: Stored, *, actor: str) -> Stored:
    """Pause recruitment."""
    return _turn(db, stored, "pause", actor)


def resume(db: Database, stored: Stored, *, actor: str) -> Stored:
    """Resume recruitment."""
    return _turn(db, stored, "resume", actor)


def close(db: Database, stored: Stored, *, actor: str) -> Stored:
    """Close the study permanently. People who have started can finish."""
    return _turn(db, stored, "close", actor)


_TURNS: dict[str, tuple[tuple[str, ...], Any]] = {
    "pause": (("open", "paused"), "paused"),
    "resume": (("paused", "open"), "open"),
    "close": (("open", "paused", "closed"), "closed"),
}


def _turn(db: Database, stored: Stored, action: str, actor: str) -> Stored:
    allowed, state = _TURNS[action]
    if stored.state not in allowed:
        raise InputError(f"{stored.study.campaign}: the study is {stored.state} and cannot {action}.")
    if stored.state == state:
        return stored
    provider, remote = stored.provider(), stored.published_at()
    do = {"pause": provider.pause, "resume": provider.resume, "close": provider.close}[action]
    key = journal.next_key(db, stored.id, stored.study.key, action)
    intent = Intent(stored.id, action, key, {})
    result = perform(db, intent, lambda: dataclasses.asdict(do(stored.study, remote)))
    return studies.change(
        db, stored, actor=actor, action=f"{action} study", state=state, remote=Remote(**result)
    )


def _intent(stored: Stored, action: str, name: str, request: dict[str, Any], amount: int = 0) -> Intent:
    study = stored.study
    return Intent(stored.id, action, f"{study.key}:{name}", request, amount, study.budget, study.currency)


def _token(key: str) -> str:
    """A key as providers take it: 64 hexadecimal digits at most."""
    return hashlib.sha256(key.encode()).hexdigest()[:64]
