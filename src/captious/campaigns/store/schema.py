"""The tables of a campaign database, the same on SQLite and PostgreSQL.

Migrations build them; a test holds the two against each other.
"""

from __future__ import annotations

from typing import Any

import orjson
from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Dialect,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    func,
    text,
)

# Alembic and error messages need the same name for a constraint on both engines.
metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Json(TypeDecorator[Any]):
    """A value as JSON text: the same bytes on both engines, and in a backup."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str | None:
        """Python to text."""
        return None if value is None else orjson.dumps(value).decode()

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Text to Python."""
        return None if value is None else orjson.loads(value)


def _key() -> Column[int]:
    return Column("id", Integer, primary_key=True)


def _to(target: str, *, nullable: bool = False, name: str = "") -> Column[int]:
    return Column(name or f"{target}_id", Integer, ForeignKey(f"{target}.id"), nullable=nullable)


def _text(name: str, default: str | None = None) -> Column[str]:
    return Column(name, Text, nullable=False, server_default=default)


campaign = Table(
    "campaign",
    metadata,
    _key(),
    Column("slug", Text, nullable=False, unique=True),
    _text("title"),
    _text("protocol"),
    Column("options", Json, nullable=False),
    Column("protocol_file", Text),
    Column("seed", BigInteger, nullable=False),
    _text("state"),
    Column("settings", Json, nullable=False),
    Column("created", Double, nullable=False),
    Column("opened", Double),
    Column("closed", Double),
)

form = Table(
    "form",
    metadata,
    _key(),
    Column("digest", Text, nullable=False, unique=True),
    Column("fields", Json, nullable=False),
)

response = Table(
    "response",
    metadata,
    _key(),
    _to("campaign"),
    _to("item"),
    _to("rater", nullable=True),
    Column("assignment_id", Integer),
    _text("key"),
    Column("answers", Json, nullable=False),
    Column("hints", Json, nullable=False),
    Column("time", Double, nullable=False),
    Column("seconds", Double),
    _text("kind"),
    Column("replaces", Integer, ForeignKey("response.id")),
    _text("source"),
    _text("actor", ""),
    # What the protocol made of it: feedback for the rater, what a machine derived.
    Column("outcome", Json),
    CheckConstraint("kind IN ('answer', 'correction', 'adjudication')", name="ck_response_kind"),
    Index("ix_response_campaign_id_id", "campaign_id", "id"),
    Index("ix_response_item_id", "item_id"),
    Index("ix_response_rater_id", "rater_id", "id"),
    # An adjudicator is no rater: their keys share one space.
    Index("uq_response_key", "campaign_id", text("coalesce(rater_id, 0)"), "key", unique=True),
)

item = Table(
    "item",
    metadata,
    _key(),
    _to("campaign"),
    _text("key"),
    _text("image"),
    _text("stage"),
    _to("form"),
    Column("content", Json, nullable=False),
    Column("target", BigInteger, nullable=False),
    Column("taken", BigInteger, nullable=False, server_default="0"),
    Column("done", BigInteger, nullable=False, server_default="0"),
    _text("balance", ""),
    Column("is_check", Boolean, nullable=False, server_default=text("false")),
    Column("restricted", Boolean, nullable=False, server_default=text("false")),
    Column("gold", Json),
    Column("not_before", Double, nullable=False, server_default="0"),
    Column("place", Double, nullable=False),
    Column("closed", Boolean, nullable=False, server_default=text("false")),
    # The response that called for the item; no foreign key, for responses point at items.
    Column("from_response", Integer),
    # How many slots are free. A check is planted as often as groups need one.
    Column(
        "room",
        BigInteger,
        Computed("CASE WHEN closed THEN 0 WHEN is_check THEN 1 ELSE target - taken END", persisted=True),
    ),
    UniqueConstraint("campaign_id", "key"),
    Index("ix_item_open", "campaign_id", "is_check", "restricted", "balance", "room", "place"),
    Index("ix_item_image", "campaign_id", "image"),
    Index("ix_item_stage", "campaign_id", "stage", "id"),
    Index("ix_item_from_response", "from_response"),
)

# Who alone may be given an item (`allowed`, and when), and who must not be. The row of an allowed
# rater goes once they have answered, so that a search meets only what is still to do.
item_rater = Table(
    "item_rater",
    metadata,
    Column("item_id", Integer, ForeignKey("item.id"), primary_key=True),
    Column("rater_id", Integer, ForeignKey("rater.id"), primary_key=True),
    Column("allowed", Boolean, nullable=False),
    Column("not_before", Double, nullable=False, server_default="0"),
    Index("ix_item_rater_rater_id", "rater_id", "allowed", "not_before"),
)

# How much of each balance label has been handed out; kept where there are several.
label = Table(
    "label",
    metadata,
    Column("campaign_id", Integer, ForeignKey("campaign.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("taken", BigInteger, nullable=False, server_default="0"),
)

image = Table(
    "image",
    metadata,
    _key(),
    _to("campaign"),
    _text("key"),
    _text("digest"),
    _text("type"),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("bytes", Integer, nullable=False),
    UniqueConstraint("campaign_id", "key"),
    Index("ix_image_digest", "campaign_id", "digest"),
)

recording = Table(
    "recording",
    metadata,
    _key(),
    _to("campaign"),
    _text("name"),
    Column("bytes", Integer, nullable=False),
    UniqueConstraint("campaign_id", "name"),
)

rater = Table(
    "rater",
    metadata,
    _key(),
    _to("campaign"),
    _text("name"),
    _text("email", ""),
    _text("pseudonym"),
    Column("native", Boolean, nullable=False, server_default=text("false")),
    _text("state", "active"),
    _text("reason", ""),
    Column("link_version", Integer, nullable=False, server_default="1"),
    Column("answered", Integer, nullable=False, server_default="0"),
    Column("seconds", Double, nullable=False, server_default="0"),
    Column("groups", Integer, nullable=False, server_default="0"),
    Column("cursor", Double, nullable=False, server_default="0"),
    Column("created", Double, nullable=False),
    Column("last_seen", Double),
    # What the protocol keeps of the rater: points, a level, a phase.
    Column("record", Json),
    # Which consent text the rater agreed to, and when.
    _text("consent_version", ""),
    Column("consent_time", Double),
    UniqueConstraint("campaign_id", "pseudonym"),
    CheckConstraint("state IN ('active', 'removed', 'withdrawn')", name="ck_rater_state"),
)

assignment = Table(
    "assignment",
    metadata,
    _key(),
    Column("token", Text, nullable=False, unique=True),
    _to("campaign"),
    _to("item"),
    _to("rater"),
    _text("image", ""),
    _text("state"),
    Column("group_no", Integer, nullable=False),
    Column("position", Integer, nullable=False),
    Column("held_until", Double, nullable=False),
    Column("shown_at", Double),
    Column("draft", Json),
    Column("response_id", Integer, ForeignKey("response.id")),
    UniqueConstraint("item_id", "rater_id"),
    CheckConstraint("state IN ('held', 'answered', 'expired', 'released')", name="ck_assignment_state"),
    Index("ix_assignment_held", "campaign_id", "state", "held_until"),
    Index("ix_assignment_rater", "rater_id", "state", "group_no", "position"),
    Index("ix_assignment_image", "rater_id", "image"),
    Index("ix_assignment_last", "rater_id", "response_id"),
)

flag = Table(
    "flag",
    metadata,
    _key(),
    _to("campaign"),
    _to("rater"),
    _text("rule"),
    _text("explanation"),
    Column("evidence", Json, nullable=False),
    Column("created", Double, nullable=False),
    _text("decision", ""),
    _text("decided_by", ""),
    Column("decided_at", Double),
    Index("ix_flag_campaign_id", "campaign_id", "rater_id", "rule"),
)

account = Table(
    "account",
    metadata,
    _key(),
    Column("name", Text, nullable=False, unique=True),
    _text("password"),
    _text("role"),
    Column("created", Double, nullable=False),
    Column("disabled", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("role IN ('owner', 'manager', 'viewer')", name="ck_account_role"),
)

session = Table(
    "session",
    metadata,
    _key(),
    Column("digest", Text, nullable=False, unique=True),
    _to("account", nullable=True),
    _to("rater", nullable=True),
    _text("csrf"),
    Column("created", Double, nullable=False),
    Column("expires", Double, nullable=False),
    Column("last_seen", Double, nullable=False),
    Index("ix_session_rater_id", "rater_id"),
    Index("ix_session_account_id", "account_id"),
    Index("ix_session_expires", "expires"),
)

sign_in_try = Table(
    "sign_in_try",
    metadata,
    _key(),
    _text("source"),
    _text("name"),
    Column("time", Double, nullable=False),
    Index("ix_sign_in_try_source", "source", "time"),
    Index("ix_sign_in_try_name", "name", "time"),
)

link_use = Table(
    "link_use",
    metadata,
    Column("digest", Text, primary_key=True),
    _to("rater"),
    Column("time", Double, nullable=False),
)

log = Table(
    "log",
    metadata,
    _key(),
    Column("time", Double, nullable=False),
    _text("actor"),
    _to("campaign", nullable=True),
    _text("action"),
    _text("subject", ""),
    Column("detail", Json, nullable=False),
    Index("ix_log_campaign_id", "campaign_id", "id"),
)

snapshot = Table(
    "snapshot",
    metadata,
    Column("campaign_id", Integer, ForeignKey("campaign.id"), primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("last_response_id", Integer, nullable=False),
    Column("time", Double, nullable=False),
    Column("content", Json, nullable=False),
)

APPEND_ONLY = ("response", "log")

# As the unique index of idempotency keys spells it.
response_author = func.coalesce(response.c.rater_id, text("0"))
