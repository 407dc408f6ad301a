"""The first tables.

Revision ID: 0001
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision: str | None = None

APPEND_ONLY = ("response", "log")
TABLES = (
    "campaign",
    "form",
    "image",
    "item",
    "label",
    "rater",
    "item_rater",
    "response",
    "assignment",
    "account",
    "session",
    "sign_in_try",
    "link_use",
    "flag",
    "log",
    "snapshot",
)


def upgrade() -> None:
    """Create every table, and make the two journals append-only."""
    _campaigns()
    _items()
    _raters()
    _responses()
    _assignments()
    _people()
    _records()
    for table in APPEND_ONLY:
        _refuse_changes(table)


def downgrade() -> None:
    """Drop everything."""
    for table in reversed(TABLES):
        op.drop_table(table)
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION captious_append_only")


def _campaigns() -> None:
    op.create_table(
        "campaign",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("protocol", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("protocol_file", sa.Text(), nullable=True),
        sa.Column("seed", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("opened", sa.Double(), nullable=True),
        sa.Column("closed", sa.Double(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_campaign"),
        sa.UniqueConstraint("slug", name="uq_campaign_slug"),
    )
    op.create_table(
        "form",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("fields", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_form"),
        sa.UniqueConstraint("digest", name="uq_form_digest"),
    )
    op.create_table(
        "image",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_image_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_image"),
        sa.UniqueConstraint("campaign_id", "key", name="uq_image_campaign_id_key"),
    )
    op.create_index("ix_image_digest", "image", ["campaign_id", "digest"])


def _items() -> None:
    op.create_table(
        "item",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("form_id", sa.Integer(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("target", sa.BigInteger(), nullable=False),
        sa.Column("taken", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("done", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("balance", sa.Text(), server_default="", nullable=False),
        sa.Column("is_check", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("restricted", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("gold", sa.Text(), nullable=True),
        sa.Column("not_before", sa.Double(), server_default="0", nullable=False),
        sa.Column("place", sa.Double(), nullable=False),
        sa.Column("closed", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("from_response", sa.Integer(), nullable=True),
        sa.Column(
            "room",
            sa.BigInteger(),
            sa.Computed(
                "CASE WHEN closed THEN 0 WHEN is_check THEN 1 ELSE target - taken END", persisted=True
            ),
            nullable=True,
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_item_campaign_id"),
        sa.ForeignKeyConstraint(["form_id"], ["form.id"], name="fk_item_form_id"),
        sa.PrimaryKeyConstraint("id", name="pk_item"),
        sa.UniqueConstraint("campaign_id", "key", name="uq_item_campaign_id_key"),
    )
    op.create_index("ix_item_from_response", "item", ["from_response"])
    op.create_index("ix_item_image", "item", ["campaign_id", "image"])
    op.create_index(
        "ix_item_open", "item", ["campaign_id", "is_check", "restricted", "balance", "room", "place"]
    )
    op.create_index("ix_item_stage", "item", ["campaign_id", "stage", "id"])
    op.create_table(
        "label",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("taken", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_label_campaign_id"),
        sa.PrimaryKeyConstraint("campaign_id", "name", name="pk_label"),
    )


def _raters() -> None:
    op.create_table(
        "rater",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), server_default="", nullable=False),
        sa.Column("pseudonym", sa.Text(), nullable=False),
        sa.Column("native", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.Column("state", sa.Text(), server_default="active", nullable=False),
        sa.Column("reason", sa.Text(), server_default="", nullable=False),
        sa.Column("link_version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("answered", sa.Integer(), server_default="0", nullable=False),
        sa.Column("seconds", sa.Double(), server_default="0", nullable=False),
        sa.Column("groups", sa.Integer(), server_default="0", nullable=False),
        sa.Column("cursor", sa.Double(), server_default="0", nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("last_seen", sa.Double(), nullable=True),
        sa.CheckConstraint("state IN ('active', 'removed', 'withdrawn')", name="ck_rater_state"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_rater_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_rater"),
        sa.UniqueConstraint("campaign_id", "pseudonym", name="uq_rater_campaign_id_pseudonym"),
    )
    op.create_table(
        "item_rater",
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("allowed", sa.Boolean(), nullable=False),
        sa.Column("not_before", sa.Double(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_item_rater_item_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_item_rater_rater_id"),
        sa.PrimaryKeyConstraint("item_id", "rater_id", name="pk_item_rater"),
    )
    op.create_index("ix_item_rater_rater_id", "item_rater", ["rater_id", "allowed", "not_before"])


def _responses() -> None:
    op.create_table(
        "response",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=True),
        sa.Column("assignment_id", sa.Integer(), nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("hints", sa.Text(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("replaces", sa.Integer(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), server_default="", nullable=False),
        sa.CheckConstraint("kind IN ('answer', 'correction', 'adjudication')", name="ck_response_kind"),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_response_campaign_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_response_item_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_response_rater_id"),
        sa.ForeignKeyConstraint(["replaces"], ["response.id"], name="fk_response_replaces"),
        sa.PrimaryKeyConstraint("id", name="pk_response"),
    )
    op.create_index("ix_response_campaign_id_id", "response", ["campaign_id", "id"])
    op.create_index("ix_response_item_id", "response", ["item_id"])
    op.create_index("ix_response_rater_id", "response", ["rater_id", "id"])
    op.create_index(
        "uq_response_key", "response", ["campaign_id", sa.text("coalesce(rater_id, 0)"), "key"], unique=True
    )


def _assignments() -> None:
    op.create_table(
        "assignment",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("token", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("item_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("group_no", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("held_until", sa.Double(), nullable=False),
        sa.Column("shown_at", sa.Double(), nullable=True),
        sa.Column("draft", sa.Text(), nullable=True),
        sa.Column("response_id", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "state IN ('held', 'answered', 'expired', 'released')", name="ck_assignment_state"
        ),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_assignment_campaign_id"),
        sa.ForeignKeyConstraint(["item_id"], ["item.id"], name="fk_assignment_item_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_assignment_rater_id"),
        sa.ForeignKeyConstraint(["response_id"], ["response.id"], name="fk_assignment_response_id"),
        sa.PrimaryKeyConstraint("id", name="pk_assignment"),
        sa.UniqueConstraint("item_id", "rater_id", name="uq_assignment_item_id_rater_id"),
        sa.UniqueConstraint("token", name="uq_assignment_token"),
    )
    op.create_index("ix_assignment_held", "assignment", ["campaign_id", "state", "held_until"])
    op.create_index("ix_assignment_last", "assignment", ["rater_id", "response_id"])
    op.create_index("ix_assignment_rater", "assignment", ["rater_id", "state", "group_no", "position"])


def _people() -> None:
    op.create_table(
        "account",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("disabled", sa.Boolean(), server_default=sa.text("false"), nullable=False),
        sa.CheckConstraint("role IN ('owner', 'manager', 'viewer')", name="ck_account_role"),
        sa.PrimaryKeyConstraint("id", name="pk_account"),
        sa.UniqueConstraint("name", name="uq_account_name"),
    )
    op.create_table(
        "session",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("account_id", sa.Integer(), nullable=True),
        sa.Column("rater_id", sa.Integer(), nullable=True),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("expires", sa.Double(), nullable=False),
        sa.Column("last_seen", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["account.id"], name="fk_session_account_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_session_rater_id"),
        sa.PrimaryKeyConstraint("id", name="pk_session"),
        sa.UniqueConstraint("digest", name="uq_session_digest"),
    )
    op.create_index("ix_session_account_id", "session", ["account_id"])
    op.create_index("ix_session_expires", "session", ["expires"])
    op.create_index("ix_session_rater_id", "session", ["rater_id"])
    op.create_table(
        "sign_in_try",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_in_try"),
    )
    op.create_index("ix_sign_in_try_name", "sign_in_try", ["name", "time"])
    op.create_index("ix_sign_in_try_source", "sign_in_try", ["source", "time"])
    op.create_table(
        "link_use",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_link_use_rater_id"),
        sa.PrimaryKeyConstraint("digest", name="pk_link_use"),
    )


def _records() -> None:
    op.create_table(
        "flag",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("created", sa.Double(), nullable=False),
        sa.Column("decision", sa.Text(), server_default="", nullable=False),
        sa.Column("decided_by", sa.Text(), server_default="", nullable=False),
        sa.Column("decided_at", sa.Double(), nullable=True),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_flag_campaign_id"),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_flag_rater_id"),
        sa.PrimaryKeyConstraint("id", name="pk_flag"),
    )
    op.create_index("ix_flag_campaign_id", "flag", ["campaign_id", "rater_id", "rule"])
    op.create_table(
        "log",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("campaign_id", sa.Integer(), nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), server_default="", nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_log_campaign_id"),
        sa.PrimaryKeyConstraint("id", name="pk_log"),
    )
    op.create_index("ix_log_campaign_id", "log", ["campaign_id", "id"])
    op.create_table(
        "snapshot",
        sa.Column("campaign_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("last_response_id", sa.Integer(), nullable=False),
        sa.Column("time", sa.Double(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["campaign_id"], ["campaign.id"], name="fk_snapshot_campaign_id"),
        sa.PrimaryKeyConstraint("campaign_id", "kind", name="pk_snapshot"),
    )


def _refuse_changes(table: str) -> None:
    if op.get_bind().dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
        return
    op.execute(
        "CREATE OR REPLACE FUNCTION captious_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION captious_append_only()"
    )
