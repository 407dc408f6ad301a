"""What protocols may keep: a rater's record, what a response brought about, recordings.

Revision ID: 0003
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the columns, empty, and the table of recordings."""
    op.add_column("rater", sa.Column("record", sa.Text()))
    op.add_column("response", sa.Column("outcome", sa.Text()))
    op.create_table(
        "recording",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_recording_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_recording"),
        sa.UniqueConstraint("campaign_id", "name", name="uq_recording_campaign_id_name"),
    )


def downgrade() -> None:
    """Drop them; files of recordings stay where they are."""
    op.drop_table("recording")
    op.drop_column("response", "outcome")
    op.drop_column("rater", "record")
