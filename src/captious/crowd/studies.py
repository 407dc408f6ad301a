"""Studies in the campaign database: what was planned, what is published, where it stands."""

from __future__ import annotations

import dataclasses
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, func, insert, select, update

from captious.campaigns.records import Campaign, Draft
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import AnyRow
from captious.crowd import journal
from captious.crowd.base import Provider, provider
from captious.crowd.money import checked_currency, shown
from captious.crowd.values import OUTCOMES, Question, Quote, Remote, Study, StudyState
from captious.errors import InputError, UnknownNameError

KEY_BYTES = 16
CODE_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"  # none that look alike
CODE_LENGTH = 8
MOST_PLACES = 100_000


@dataclass(frozen=True)
class Stored:
    """A study as the database has it; `remote` is None until it is published."""

    id: int
    campaign_id: int
    study: Study
    provider_name: str
    options: Mapping[str, Any]
    state: StudyState
    remote: Remote | None
    created: float
    published: float | None
    closed: float | None

    def provider(self) -> Provider:
        """The provider with the study's options."""
        return provider(self.provider_name, self.options)

    def published_at(self) -> Remote:
        """The study at the provider; refused where it has not been published."""
        if self.remote is None:
            raise InputError(
                f"{self.study.campaign}: the study is not published yet. Run `captious crowd publish` first."
            )
        return self.remote


def new_study(campaign: Campaign | Draft, base_url: str, **plan: Any) -> Study:
    """A plan with a key, an address and completion codes of its own."""
    key = secrets.token_hex(KEY_BYTES)
    codes = {outcome: _code() for outcome in OUTCOMES}
    plan.setdefault("title", campaign.title)
    plan.setdefault("description", "")
    address = f"{base_url.rstrip('/')}/go/{key}"
    return checked(Study(key=key, campaign=campaign.slug, address=address, codes=codes, **plan))


def checked(study: Study) -> Study:
    """Refuse a plan that cannot be carried out."""
    checked_currency(study.currency)
    for name, most in (("places", MOST_PLACES), ("answers", MOST_PLACES), ("attempts", 10)):
        value = getattr(study, name)
        if not 1 <= value <= most:
            raise InputError(f"{name}: {value} is out of range. Give 1 to {most:,}.")
    if not study.minutes > 0:
        raise InputError(f"minutes: {study.minutes:g} is not above 0. Give the minutes that a place takes.")
    if study.reward < 0 or (study.budget is not None and study.budget < 0):
        raise InputError("reward and budget: give amounts of 0 or more.")
    for question in (*study.screening, *study.comprehension):
        wrong = [one for one in question.right if one not in question.choices]
        if len(question.choices) < 2 or not question.right or wrong:
            raise InputError(
                f'question "{question.text}": give at least two choices, and say which of them are right.'
            )
    return study


def affordable(found: Provider, study: Study) -> Quote:
    """What a study costs at a provider; refused where its budget is less."""
    quote = found.quote(study)
    if study.budget is not None and quote.total > study.budget:
        cost, most = shown(quote.total, quote.currency), shown(study.budget, study.currency)
        raise InputError(
            f"budget: the study costs {cost}, but the budget is {most}. Use fewer places or raise the budget."
        )
    return quote


def _code() -> str:
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def create(
    db: Database, campaign: Campaign, study: Study, name: str, options: Mapping[str, Any], *, actor: str
) -> Stored:
    """Store a plan; nothing is published and nothing costs money yet."""
    found = provider(name, options)
    found.check(study)
    affordable(found, study)
    if campaign.state == "closed":
        raise InputError(
            f"{campaign.slug}: the campaign is closed, so there is no work for participants. Resume it first."
        )
    own = {one.name: getattr(found, one.name) for one in dataclasses.fields(found)}
    values = {
        "campaign_id": campaign.id,
        "key": study.key,
        "provider": name,
        "options": own,
        "plan": to_dict(study),
        "state": "draft",
        "created": db.now(),
    }
    with db.write() as connection:
        connection.execute(insert(schema.crowd_study).values(**values))
        _note(db, connection, campaign.id, actor, "plan study", study, {"provider": name})
        return _by_key(connection, study.key)


def by_key(db: Database, key: str) -> Stored:
    """A study by its key."""
    with db.read() as connection:
        return _by_key(connection, key)


def by_id(db: Database, study_id: int) -> Stored:
    """A study by its number."""
    table = schema.crowd_study
    with db.read() as connection:
        return stored_of(connection.execute(select(table).where(table.c.id == study_id)).one())


def listed(db: Database, campaign: Campaign) -> list[Stored]:
    """The studies of a campaign, oldest first."""
    table = schema.crowd_study
    wanted = select(table).where(table.c.campaign_id == campaign.id).order_by(table.c.id)
    with db.read() as connection:
        return [stored_of(row) for row in connection.execute(wanted)]


def find(db: Database, campaign: Campaign, key: str = "") -> Stored:
    """A study of the campaign: the one whose key begins so, else the latest."""
    found = [one for one in listed(db, campaign) if one.study.key.startswith(key)]
    if not found and key:
        raise UnknownNameError("study", key, [one.study.key for one in listed(db, campaign)])
    if not found:
        raise InputError(
            f"{campaign.slug}: this campaign has no study yet. Run `captious crowd publish` first."
        )
    return found[-1]


def cut_off(db: Database, campaign: Campaign) -> Stored | None:
    """A study whose publishing began and did not end: it must be taken up before another is planned.

    One that the provider refused is no hindrance: it is planned anew.
    """
    drafts = [one for one in listed(db, campaign) if one.state == "draft"]
    begun = [one for one in drafts if not journal.calls(db, one.id, action="publish", state="refused")]
    return begun[-1] if begun else None


def change(
    db: Database,
    stored: Stored,
    *,
    actor: str,
    action: str,
    state: StudyState | None = None,
    remote: Remote | None = None,
    study: Study | None = None,
) -> Stored:
    """Store what a call has changed."""
    table = schema.crowd_study
    values: dict[str, Any] = {}
    if state is not None:
        values["state"] = state
        if state == "open":
            values["published"] = func.coalesce(table.c.published, db.now())
        if state == "closed":
            values["closed"] = func.coalesce(table.c.closed, db.now())
    if remote is not None:
        values["remote"] = dataclasses.asdict(remote)
    if study is not None:
        values["plan"] = to_dict(checked(study))
    with db.write() as connection:
        connection.execute(update(table).where(table.c.id == stored.id).values(**values))
        _note(
            db, connection, stored.campaign_id, actor, action, stored.study, {"state": state or stored.state}
        )
        return _by_key(connection, stored.study.key)


def _note(
    db: Database,
    connection: Connection,
    campaign_id: int,
    actor: str,
    action: str,
    study: Study,
    detail: Mapping[str, Any],
) -> None:
    log.record(
        connection,
        actor,
        action,
        time=db.now(),
        campaign_id=campaign_id,
        subject=study.key[:8],
        detail=detail,
    )


def _by_key(connection: Connection, key: str) -> Stored:
    table = schema.crowd_study
    row = connection.execute(select(table).where(table.c.key == key)).first()
    if row is None:
        raise InputError("study: there is no study with that key.")
    return stored_of(row)


def stored_of(row: AnyRow) -> Stored:
    """A study from its row."""
    return Stored(
        id=row.id,
        campaign_id=row.campaign_id,
        study=from_dict(row.plan),
        provider_name=row.provider,
        options=row.options,
        state=row.state,
        remote=None if row.remote is None else Remote(**row.remote),
        created=row.created,
        published=row.published,
        closed=row.closed,
    )


def to_dict(study: Study) -> dict[str, Any]:
    """A plan as values that JSON can hold."""
    return dataclasses.asdict(study)


def from_dict(stored: Mapping[str, Any]) -> Study:
    """The plan that `to_dict` wrote.

    >>> plan = Study("k", "dogs", "Dogs", "", "https://x.example/go/k", 3, 10, 150, "USD", 6.0)
    >>> from_dict(to_dict(plan)) == plan, plan.hourly
    (True, 1500.0)
    """
    questions = {
        name: tuple(
            Question(one["text"], tuple(one["choices"]), tuple(one["right"])) for one in stored.get(name, ())
        )
        for name in ("screening", "comprehension")
    }
    return Study(**{**stored, **questions})
