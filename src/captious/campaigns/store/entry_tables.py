"""Tables of what comes before and after the work: training with known answers, and surveys.

Answers are appended and never changed, and none of them is a response: they cannot count.
"""

from __future__ import annotations

from sqlalchemy import Column, Double, Index, Integer, Table, UniqueConstraint

from captious.campaigns.store.columns import Json, key, metadata, text_column, to

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
