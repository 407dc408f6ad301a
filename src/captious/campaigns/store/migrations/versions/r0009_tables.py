"""The tables of 0.1.0, and the triggers that keep journals append-only and number each change.

Revision ID: 0009
"""

from __future__ import annotations

from pathlib import Path

from alembic import op

revision = "0009"
down_revision: str | None = None

APPEND_ONLY = ("response", "log", "training_answer", "survey_answer")
# A check is handed out over and over: only one that comes back is news to anyone.
_MOVED = (
    "NEW.taken < OLD.taken OR NEW.target <> OLD.target OR NEW.closed <> OLD.closed "
    "OR (NEW.taken > OLD.taken AND NOT NEW.is_check)"
)


def upgrade() -> None:
    """Create everything."""
    script = Path(__file__).with_suffix(".sql").read_text("utf-8")
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    if on_sqlite:
        script = script.replace(" SERIAL ", " INTEGER ").replace(" DOUBLE PRECISION", " DOUBLE")
    for statement in script.split(";\n"):
        if statement.strip():
            op.execute(statement)
    if on_sqlite:
        _triggers_of_sqlite()
    else:
        _triggers_of_postgresql()


def _triggers_of_sqlite() -> None:
    for table in APPEND_ONLY:
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
            )
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


def _triggers_of_postgresql() -> None:
    op.execute(
        "CREATE FUNCTION captious_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END $$"
    )
    for table in APPEND_ONLY:
        op.execute(
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION captious_append_only()"
        )
    op.execute(
        "CREATE FUNCTION captious_item_moved() RETURNS trigger LANGUAGE plpgsql AS "
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
