"""Tables of people: raters with training and surveys, accounts, sessions, and the ways in that they used.

Answers to training and surveys are appended and never changed, and none of them is a response: they
cannot count.
"""

from __future__ import annotations

from sqlalchemy import (
    Boolean,
    CheckConstraint,
    Column,
    Double,
    Index,
    Integer,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from captious.campaigns.store.columns import Json, key, metadata, text_column, to

rater = Table(
    "rater",
    metadata,
    key(),
    to("campaign"),
    text_column("name"),
    text_column("email", ""),
    text_column("pseudonym"),
    Column("native", Boolean, nullable=False, server_default=text("false")),
    text_column("state", "active"),
    text_column("reason", ""),
    Column("link_version", Integer, nullable=False, server_default="1"),
    Column("answered", Integer, nullable=False, server_default="0"),
    Column("seconds", Double, nullable=False, server_default="0"),
    Column("groups", Integer, nullable=False, server_default="0"),
    Column("cursor", Double, nullable=False, server_default="0"),
    Column("created", Double, nullable=False),
    Column("last_seen", Double),
    # What the protocol keeps of the rater: points, a level, a phase.
    Column("record", Json),
    # How many answers the rater is asked for; empty where it is as many as there are.
    Column("quota", Integer),
    # Which consent text the rater agreed to, and when.
    text_column("consent_version", ""),
    Column("consent_time", Double),
    # What of consent, survey and training the rater has gone through, as `Settings.entry_version`.
    text_column("entry", ""),
    # A removed rater who may go on: what they answer does not count.
    Column("uncounted", Boolean, nullable=False, server_default=text("false")),
    UniqueConstraint("campaign_id", "pseudonym"),
    CheckConstraint("state IN ('active', 'removed', 'withdrawn')", name="ck_rater_state"),
)

account = Table(
    "account",
    metadata,
    key(),
    Column("name", Text, nullable=False, unique=True),
    text_column("password"),
    text_column("role"),
    Column("created", Double, nullable=False),
    Column("disabled", Boolean, nullable=False, server_default=text("false")),
    CheckConstraint("role IN ('owner', 'manager', 'viewer')", name="ck_account_role"),
)

session = Table(
    "session",
    metadata,
    key(),
    Column("digest", Text, nullable=False, unique=True),
    to("account", nullable=True),
    to("rater", nullable=True),
    text_column("csrf"),
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
    key(),
    text_column("source"),
    text_column("name"),
    Column("time", Double, nullable=False),
    Index("ix_sign_in_try_source", "source", "time"),
    Index("ix_sign_in_try_name", "name", "time"),
)

link_use = Table(
    "link_use",
    metadata,
    Column("digest", Text, primary_key=True),
    to("rater"),
    Column("time", Double, nullable=False),
)

# A campaign that changes its training keeps the old examples for the answers to them.
training_example = Table(
    "training_example",
    metadata,
    key(),
    to("campaign"),
    text_column("version"),
    Column("place", Integer, nullable=False),
    Column("content", Json, nullable=False),
    UniqueConstraint("campaign_id", "version", "place"),
)

training_answer = Table(
    "training_answer",
    metadata,
    key(),
    to("campaign"),
    to("rater"),
    to("training_example"),
    Column("attempt", Integer, nullable=False),
    Column("answers", Json, nullable=False),
    Column("correct", Integer, nullable=False),
    Column("asked", Integer, nullable=False),
    Column("time", Double, nullable=False),
    UniqueConstraint("rater_id", "training_example_id", "attempt"),
    Index("ix_training_answer_campaign_id", "campaign_id", "id"),
)

survey_answer = Table(
    "survey_answer",
    metadata,
    key(),
    to("campaign"),
    to("rater"),
    text_column("moment"),
    text_column("version"),
    Column("answers", Json, nullable=False),
    Column("time", Double, nullable=False),
    UniqueConstraint("rater_id", "moment", "version"),
    Index("ix_survey_answer_campaign_id", "campaign_id", "id"),
)
