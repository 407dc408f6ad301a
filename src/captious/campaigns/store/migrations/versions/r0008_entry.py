"""What comes before and after the work: training with known answers, surveys, who has been through.

Revision ID: 0008
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"

APPEND_ONLY = ("training_answer", "survey_answer")


def upgrade() -> None:
    """Add the tables and columns, empty."""
    op.add_column("rater", sa.Column("entry", sa.Text(), server_default="", nullable=False))
    op.add_column(
        "rater", sa.Column("uncounted", sa.Boolean(), server_default=sa.text("false"), nullable=False)
    )
    _examples()
    _training()
    _survey()
    for table in APPEND_ONLY:
        _refuse_changes(table)


def downgrade() -> None:
    """Drop them."""
    for table in ("survey_answer", "training_answer", "training_example"):
        op.drop_table(table)
    op.drop_column("rater", "uncounted")
    op.drop_column("rater", "entry")


def _examples() -> None:
    op.create_table(
        "training_example",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_training_example_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_training_example"),
        sa.UniqueConstraint(
            "campaign_id", "version", "place", name="uq_training_example_campaign_id_version_place"
        ),
    )


def _training() -> None:
    op.create_table(
        "training_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("training_example_id", sa.Integer(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("correct", sa.Integer(), nullable=False),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_training_answer_campaign_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_training_answer_rater_id"),
        sa.ForeignKeyConstraint(
            ["training_example_id"], ["training_example.id"], name="fk_training_answer_training_example_id"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_training_answer"),
        sa.UniqueConstraint(
            "rater_id",
            "training_example_id",
            "attempt",
            name="uq_training_answer_rater_id_training_example_id_attempt",
        ),
    )
    op.create_index("ix_training_answer_campaign_id", "training_answer", ["campaign_id", "id"])


def _survey() -> None:
    op.create_table(
        "survey_answer",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("moment", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_survey_answer_campaign_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_survey_answer_rater_id"),
        sa.PrimaryKeyConstraint("id", name="pk_survey_answer"),
        sa.UniqueConstraint("rater_id", "moment", "version", name="uq_survey_answer_rater_id_moment_version"),
    )
    op.create_index("ix_survey_answer_campaign_id", "survey_answer", ["campaign_id", "id"])


def _refuse_changes(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION captious_append_only()"
    )
