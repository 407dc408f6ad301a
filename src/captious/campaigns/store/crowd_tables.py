"""The tables of studies at crowd providers; who reads and writes them is `captious.crowd`."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
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
