"""The tables of a campaign database, the same on SQLite and PostgreSQL.

Migrations build them; a test holds the two against each other.
"""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Computed,
    Double,
    ForeignKey,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    func,
    text,
)

from captious.campaigns.store.columns import Json, key, metadata, text_column, to
from captious.campaigns.store.people_tables import (
    account,
    crowd_block,
    crowd_call,
    crowd_place,
    crowd_study,
    link_use,
    member,
    rater,
    session,
    sign_in_try,
    survey_answer,
    training_answer,
    training_example,
)

campaign = Table(
    "campaign",
    metadata,
    key(),
    Column("slug", Text, nullable=False, unique=True),
    text_column("title"),
    text_column("protocol"),
    Column("options", Json, nullable=False),
    Column("protocol_file", Text),
    Column("seed", BigInteger, nullable=False),
    text_column("state"),
    Column("settings", Json, nullable=False),
    Column("created", Double, nullable=False),
    Column("opened", Double),
    Column("closed", Double),
)

form = Table(
    "form",
    metadata,
    key(),
    Column("digest", Text, nullable=False, unique=True),
    Column("fields", Json, nullable=False),
)

response = Table(
    "response",
    metadata,
    key(),
    to("campaign"),
    to("item"),
    to("rater", nullable=True),
    Column("assignment_id", Integer),
    text_column("key"),
    Column("answers", Json, nullable=False),
    Column("hints", Json, nullable=False),
    Column("time", Double, nullable=False),
    Column("seconds", Double),
    text_column("kind"),
    Column("replaces", Integer, ForeignKey("response.id")),
    text_column("source"),
    text_column("actor", ""),
    # What the protocol made of it: feedback for the rater, what a machine derived.
    Column("outcome", Json),
    # The names of questions whose preset answer the rater left as it was.
    Column("untouched", Json),
    CheckConstraint("kind IN ('answer', 'correction', 'adjudication')", name="ck_response_kind"),
    Index("ix_response_campaign_id_id", "campaign_id", "id"),
    Index("ix_response_item_id", "item_id"),
    Index("ix_response_rater_id", "rater_id", "id"),
    # An adjudicator is no rater: their keys share one space.
    Index("uq_response_key", "campaign_id", text("coalesce(rater_id, 0)"), "key", unique=True),
    # For whoever deletes a campaign: the engines look for what points at each response.
    Index(
        "ix_response_replaces",
        "replaces",
        postgresql_where=text("replaces IS NOT NULL"),
        sqlite_where=text("replaces IS NOT NULL"),
    ),
)

item = Table(
    "item",
    metadata,
    key(),
    to("campaign"),
    text_column("key"),
    text_column("image"),
    text_column("stage"),
    to("form"),
    Column("content", Json, nullable=False),
    Column("target", BigInteger, nullable=False),
    Column("taken", BigInteger, nullable=False, server_default="0"),
    Column("done", BigInteger, nullable=False, server_default="0"),
    text_column("balance", ""),
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
    # Grows with every change after which a rater may be given the item who could not before.
    Column("moved", BigInteger, nullable=False, server_default="0"),
    UniqueConstraint("campaign_id", "key"),
    Index("ix_item_open", "campaign_id", "is_check", "restricted", "balance", "room", "place"),
    Index("ix_item_moved", "campaign_id", "is_check", "restricted", "balance", "room", "moved"),
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
    key(),
    to("campaign"),
    text_column("key"),
    text_column("digest"),
    text_column("type"),
    Column("width", Integer, nullable=False),
    Column("height", Integer, nullable=False),
    Column("bytes", Integer, nullable=False),
    UniqueConstraint("campaign_id", "key"),
    Index("ix_image_digest", "campaign_id", "digest"),
)

recording = Table(
    "recording",
    metadata,
    key(),
    to("campaign"),
    text_column("name"),
    Column("bytes", Integer, nullable=False),
    UniqueConstraint("campaign_id", "name"),
)

assignment = Table(
    "assignment",
    metadata,
    key(),
    Column("token", Text, nullable=False, unique=True),
    to("campaign"),
    to("item"),
    to("rater"),
    text_column("image", ""),
    text_column("state"),
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
    Index(
        "ix_assignment_response_id",
        "response_id",
        postgresql_where=text("response_id IS NOT NULL"),
        sqlite_where=text("response_id IS NOT NULL"),
    ),
)

flag = Table(
    "flag",
    metadata,
    key(),
    to("campaign"),
    to("rater"),
    text_column("rule"),
    text_column("explanation"),
    Column("evidence", Json, nullable=False),
    Column("created", Double, nullable=False),
    text_column("decision", ""),
    text_column("decided_by", ""),
    Column("decided_at", Double),
    Index("ix_flag_campaign_id", "campaign_id", "rater_id", "rule"),
)

log = Table(
    "log",
    metadata,
    key(),
    Column("time", Double, nullable=False),
    text_column("actor"),
    to("campaign", nullable=True),
    text_column("action"),
    text_column("subject", ""),
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

# What raters tell those who run the campaign: an item that they skip or cannot judge, a broken image.
note = Table(
    "note",
    metadata,
    key(),
    to("campaign"),
    to("rater"),
    to("item"),
    text_column("kind"),
    text_column("text", ""),
    Column("time", Double, nullable=False),
    text_column("settled_by", ""),
    Column("settled_at", Double),
    CheckConstraint("kind IN ('skip', 'cannot', 'image', 'note')", name="ck_note_kind"),
    Index("ix_note_campaign_id", "campaign_id", "id"),
    Index("ix_note_item_id", "item_id"),
)

# Runs of places, from `low` up to and without `high`, where no item of a label and room was left for
# a rater when `moved` was the newest change. Only for searches: nothing else reads it, and it may be
# emptied at any time. `epoch` is when PostgreSQL was started, for its numbers of changes end with it.
searched = Table(
    "searched",
    metadata,
    Column("rater_id", Integer, ForeignKey("rater.id"), primary_key=True),
    Column("is_check", Boolean, primary_key=True),
    Column("balance", Text, primary_key=True),
    Column("room", BigInteger, primary_key=True),
    Column("high", Double, primary_key=True),
    Column("low", Double, nullable=False),
    Column("moved", BigInteger, nullable=False),
    Column("epoch", Double, nullable=False),
)

# SQLite's number of changes, one row. PostgreSQL takes the number of the transaction.
move_count = Table("move_count", metadata, key(), Column("moves", BigInteger, nullable=False))

# Whose rows the append-only tables let go in this transaction: a campaign's, or one rater's of it. It is
# emptied before the transaction ends, so that nobody else ever meets a row here.
erasing = Table("erasing", metadata, key(), to("campaign"), Column("rater_id", Integer))

APPEND_ONLY = ("response", "log", "training_answer", "survey_answer")

# As the unique index of idempotency keys spells it.
response_author = func.coalesce(response.c.rater_id, text("0"))

__all__ = [
    "APPEND_ONLY",
    "Json",
    "account",
    "assignment",
    "campaign",
    "crowd_block",
    "crowd_call",
    "crowd_place",
    "crowd_study",
    "erasing",
    "flag",
    "form",
    "image",
    "item",
    "item_rater",
    "label",
    "link_use",
    "log",
    "member",
    "metadata",
    "move_count",
    "note",
    "rater",
    "recording",
    "response",
    "response_author",
    "searched",
    "session",
    "sign_in_try",
    "snapshot",
    "survey_answer",
    "training_answer",
    "training_example",
]
