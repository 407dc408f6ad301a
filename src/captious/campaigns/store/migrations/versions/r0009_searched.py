"""Where a rater's search has found nothing, and the number of the change that it was true at.

Revision ID: 0009
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"

# A check is handed out over and over: only one that comes back is news to anyone.
_MOVED = (
    "NEW.taken < OLD.taken OR NEW.target <> OLD.target OR NEW.closed <> OLD.closed "
    "OR (NEW.taken > OLD.taken AND NOT NEW.is_check)"
)


def upgrade() -> None:
    """Add the column with its index, the two tables, and the triggers that number each change."""
    op.add_column("item", sa.Column("moved", sa.BigInteger(), nullable=False, server_default="0"))
    op.create_index(
        "ix_item_moved", "item", ["campaign_id", "is_check", "restricted", "balance", "room", "moved"]
    )
    op.create_table(
        "searched",
        sa.Column("rater_id", sa.Integer(), nullable=False),
        sa.Column("is_check", sa.Boolean(), nullable=False),
        sa.Column("balance", sa.Text(), nullable=False),
        sa.Column("room", sa.BigInteger(), nullable=False),
        sa.Column("high", sa.Double(), nullable=False),
        sa.Column("low", sa.Double(), nullable=False),
        sa.Column("moved", sa.BigInteger(), nullable=False),
        sa.Column("epoch", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["rater_id"], ["rater.id"], name="fk_searched_rater_id"),
        sa.PrimaryKeyConstraint("rater_id", "is_check", "balance", "room", "high", name="pk_searched"),
    )
    op.create_table(
        "move_count",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("moves", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_move_count"),
    )
    op.execute("INSERT INTO move_count (id, moves) VALUES (1, 0)")
    if op.get_bind().dialect.name == "sqlite":
        _number_on_sqlite()
    else:
        _number_on_postgresql()


def _number_on_sqlite() -> None:
    for name, event in (
        ("moved", f"UPDATE OF taken, target, closed ON item WHEN {_MOVED}"),
        ("changed", "UPDATE OF content ON item"),
        ("added", "INSERT ON item"),
    ):
        op.execute(
            f"CREATE TRIGGER item_{name} AFTER {event} BEGIN "
            "UPDATE move_count SET moves = moves + 1 WHERE id = 1; "
            "UPDATE item SET moved = (SELECT moves FROM move_count WHERE id = 1) WHERE id = NEW.id; END"
        )


def _number_on_postgresql() -> None:
    op.execute(
        "CREATE OR REPLACE FUNCTION captious_item_moved() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN NEW.moved := txid_current(); RETURN NEW; END $$"
    )
    for name, event, condition in (
        ("moved", "UPDATE OF taken, target, closed", f"WHEN ({_MOVED})"),
        ("changed", "UPDATE OF content", ""),
        ("added", "INSERT", ""),
    ):
        op.execute(
            f"CREATE TRIGGER item_{name} BEFORE {event} ON item FOR EACH ROW {condition} "
            "EXECUTE FUNCTION captious_item_moved()"
        )


def downgrade() -> None:
    """Drop them."""
    on_item = "" if op.get_bind().dialect.name == "sqlite" else " ON item"
    for name in ("moved", "changed", "added"):
        op.execute(f"DROP TRIGGER item_{name}{on_item}")
    if on_item:
        op.execute("DROP FUNCTION captious_item_moved()")
    op.drop_table("move_count")
    op.drop_table("searched")
    op.drop_index("ix_item_moved", "item")
    op.drop_column("item", "moved")
