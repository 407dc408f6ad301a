"""Tables of people: raters with training and surveys, accounts, sessions, the ways in that they used, and
studies at crowd providers (read and written by `captious.crowd`).

Answers to training and surveys are appended and never changed, and none of them is a response: they
cannot count.
"""

from __future__ import annotations

import secrets

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Double,
    ForeignKey,
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
    # Begins anywhere: SQLite gives the number of a deleted rater again, and old links must open nothing.
    Column(
        "link_version",
        Integer,
        nullable=False,
        default=lambda: secrets.randbelow(2**30) + 1,
        server_default="1",
    ),
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
    # When all that tells who it was went; the answers stay.
    Column("erased", Double),
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

# Who may see or run a campaign; an account whose own role is owner may everything.
member = Table(
    "member",
    metadata,
    Column("account_id", Integer, ForeignKey("account.id"), primary_key=True),
    Column("campaign_id", Integer, ForeignKey("campaign.id"), primary_key=True),
    text_column("role"),
    CheckConstraint("role IN ('owner', 'manager', 'viewer')", name="ck_member_role"),
    Index("ix_member_campaign_id", "campaign_id"),
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


crowd_study = Table(
    "crowd_study",
    metadata,
    key(),
    to("campaign"),
    Column("key", Text, nullable=False, unique=True),
    text_column("provider"),
    Column("options", Json, nullable=False),
    Column("plan", Json, nullable=False),
    text_column("state"),
    Column("remote", Json),
    Column("created", Double, nullable=False),
    Column("published", Double),
    Column("closed", Double),
    CheckConstraint("state IN ('draft', 'open', 'paused', 'closed')", name="ck_crowd_study_state"),
    Index("ix_crowd_study_campaign_id", "campaign_id"),
)

# One visit of one participant. `place` is the provider's id of it, `rater_id` who works here.
crowd_place = Table(
    "crowd_place",
    metadata,
    key(),
    to("crowd_study", name="study_id"),
    text_column("place"),
    text_column("participant"),
    to("rater", nullable=True),
    text_column("state"),
    text_column("outcome", ""),
    Column("checked", Boolean, nullable=False, server_default=text("true")),
    # Failed tries at the comprehension questions.
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("arrived", Double),
    Column("finished", Double),
    Column("detail", Json, nullable=False),
    UniqueConstraint("study_id", "place"),
    CheckConstraint(
        "state IN ('active', 'submitted', 'approved', 'rejected', 'returned', 'timed_out', 'screened_out')",
        name="ck_crowd_place_state",
    ),
    CheckConstraint(
        "outcome IN ('', 'completed', 'screened_out', 'failed', 'full')", name="ck_crowd_place_outcome"
    ),
    Index("ix_crowd_place_participant", "participant"),
    Index("ix_crowd_place_rater_id", "rater_id"),
)

# The journal: each call that changes something at a provider, stored before it is made.
crowd_call = Table(
    "crowd_call",
    metadata,
    key(),
    to("crowd_study", name="study_id"),
    Column("key", Text, nullable=False, unique=True),
    text_column("action"),
    Column("request", Json, nullable=False),
    # What it costs at most, in minor units: the ledger that the budget is held against.
    Column("amount", BigInteger, nullable=False, server_default="0"),
    text_column("state"),
    Column("result", Json),
    text_column("note", ""),
    text_column("owner"),
    Column("started", Double, nullable=False),
    Column("ended", Double),
    CheckConstraint("state IN ('open', 'done', 'refused')", name="ck_crowd_call_state"),
    Index("ix_crowd_call_study_id", "study_id", "state"),
)

# Participants who are kept out of every study: a keyed digest, never the id itself.
crowd_block = Table(
    "crowd_block",
    metadata,
    Column("provider", Text, primary_key=True),
    Column("digest", Text, primary_key=True),
    text_column("reason", ""),
    Column("created", Double, nullable=False),
)
