"""Which preset answers a rater left as they were, and what raters tell those who run a campaign.

Revision ID: 0007
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    """Add the column, empty (every answer was given), and the table of notes."""
    op.add_column("response", sa.Column("untouched", sa.Text()))
    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False, server_default=""),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("settled_by", sa.Text(), nullable=False, server_default=""),
        sa.Column("settled_at", sa.Double()),
        sa.CheckConstraint("kind IN ('skip', 'cannot', 'image', 'note')", name="ck_note_kind"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_note_campaign_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_note_rater_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_note_item_id"),
        sa.PrimaryKeyConstraint("id", name="pk_note"),
    )
    op.create_index("ix_note_campaign_id", "note", ["campaign_id", "id"])
    op.create_index("ix_note_item_id", "note", ["item_id"])


def downgrade() -> None:
    """Drop them."""
    op.drop_table("note")
    op.drop_column("response", "untouched")
