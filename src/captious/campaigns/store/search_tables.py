"""What searches for a next task remember."""

from __future__ import annotations

from sqlalchemy import BigInteger, Boolean, Column, Double, ForeignKey, Integer, Table, Text

from captious.campaigns.store.columns import key, metadata

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
