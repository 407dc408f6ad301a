"""Studies at crowd providers: what was published, who came, every call, and who is kept out.

Revision ID: 0005
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Add the tables, empty."""
    _study()
    _place()
    _call()
    op.create_table(
        "crowd_block",
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("provider", "digest", name="pk_crowd_block"),
    )


def downgrade() -> None:
    """Drop them."""
    for table in ("crowd_block", "crowd_call", "crowd_place", "crowd_study"):
        op.drop_table(table)


def _study() -> None:
    op.create_table(
        "crowd_study",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("plan", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("remote", sa.Text()),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("published", sa.Double()),
        sa.Column("closed", sa.Double()),
        sa.CheckConstraint("state IN ('draft', 'open', 'paused', 'closed')", name="ck_crowd_study_state"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_crowd_study_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_crowd_study"),
        sa.UniqueConstraint("key", name="uq_crowd_study_key"),
    )
    op.create_index("ix_crowd_study_campaign_id", "crowd_study", ["campaign_id"])


def _place() -> None:
    op.create_table(
        "crowd_place",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("participant", sa.Text(), nullable=False),
        sa.Column("rater_id", sa.Integer()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("outcome", sa.Text(), server_default="", nullable=False),
        sa.Column("checked", sa.Boolean(), server_default=sa.text("true"), nullable=False),
        sa.Column("tries", sa.Integer(), server_default="0", nullable=False),
        sa.Column("arrived", sa.Double()),
        sa.Column("finished", sa.Double()),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.CheckConstraint(
            "state IN ('active', 'submitted', 'approved', 'rejected', 'returned', 'timed_out', "
            "'screened_out')",
            name="ck_crowd_place_state",
        ),
        sa.CheckConstraint(
            "outcome IN ('', 'completed', 'screened_out', 'failed', 'full')", name="ck_crowd_place_outcome"
        ),
        sa.ForeignKeyConstraint(["study_id"], ["crowd_study.id"], name="fk_crowd_place_study_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_crowd_place_rater_id"),
        sa.PrimaryKeyConstraint("id", name="pk_crowd_place"),
        sa.UniqueConstraint("study_id", "place", name="uq_crowd_place_study_id_place"),
    )
    op.create_index("ix_crowd_place_participant", "crowd_place", ["participant"])
    op.create_index("ix_crowd_place_rater_id", "crowd_place", ["rater_id"])


def _call() -> None:
    op.create_table(
        "crowd_call",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("study_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("amount", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("result", sa.Text()),
        sa.Column("note", sa.Text(), server_default="", nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("started", sa.Double(), nullable=False),
        sa.Column("ended", sa.Double()),
        sa.CheckConstraint("state IN ('open', 'done', 'refused')", name="ck_crowd_call_state"),
        sa.ForeignKeyConstraint(["study_id"], ["crowd_study.id"], name="fk_crowd_call_study_id"),
        sa.PrimaryKeyConstraint("id", name="pk_crowd_call"),
        sa.UniqueConstraint("key", name="uq_crowd_call_key"),
    )
    op.create_index("ix_crowd_call_study_id", "crowd_call", ["study_id", "state"])
