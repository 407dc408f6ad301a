"""Roles by campaign, and a way out of the append-only tables for who is erased and what is deleted.

Revision ID: 0010
"""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"

APPEND_ONLY = ("response", "log", "training_answer", "survey_answer")
_TABLES = """
CREATE TABLE erasing (
    id SERIAL NOT NULL,
    campaign_id INTEGER NOT NULL,
    rater_id INTEGER,
    CONSTRAINT pk_erasing PRIMARY KEY (id),
    CONSTRAINT fk_erasing_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);
CREATE TABLE member (
    account_id INTEGER NOT NULL,
    campaign_id INTEGER NOT NULL,
    role TEXT NOT NULL,
    CONSTRAINT pk_member PRIMARY KEY (account_id, campaign_id),
    CONSTRAINT ck_member_role CHECK (role IN ('owner', 'manager', 'viewer')),
    CONSTRAINT fk_member_account_id FOREIGN KEY(account_id) REFERENCES account (id),
    CONSTRAINT fk_member_campaign_id FOREIGN KEY(campaign_id) REFERENCES campaign (id)
);
CREATE INDEX ix_member_campaign_id ON member (campaign_id);
CREATE INDEX ix_response_replaces ON response (replaces) WHERE replaces IS NOT NULL;
CREATE INDEX ix_assignment_response_id ON assignment (response_id) WHERE response_id IS NOT NULL;
ALTER TABLE rater ADD COLUMN erased DOUBLE PRECISION;
INSERT INTO member (account_id, campaign_id, role)
    SELECT account.id, campaign.id, account.role FROM account, campaign WHERE account.role <> 'owner'
"""


def upgrade() -> None:
    """Accounts keep what they could do: each is a member of every campaign that there is."""
    on_sqlite = op.get_bind().dialect.name == "sqlite"
    script = _TABLES
    if on_sqlite:
        script = script.replace(" SERIAL ", " INTEGER ").replace(" DOUBLE PRECISION", " DOUBLE")
    for statement in script.split(";\n"):
        op.execute(statement)
    for table in APPEND_ONLY:
        own = "" if table == "log" else " AND (rater_id IS NULL OR rater_id = OLD.rater_id)"
        allowed = f"EXISTS (SELECT 1 FROM erasing WHERE campaign_id = OLD.campaign_id{own})"
        if on_sqlite:
            _trigger_of_sqlite(table, allowed)
        else:
            _trigger_of_postgresql(table, allowed)


def _trigger_of_sqlite(table: str, allowed: str) -> None:
    for event in ("UPDATE", "DELETE"):
        name = f"{table}_no_{event.lower()}"
        op.execute(f"DROP TRIGGER {name}")
        op.execute(
            f"CREATE TRIGGER {name} BEFORE {event} ON {table} WHEN NOT {allowed} "
            f"BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END"
        )


def _trigger_of_postgresql(table: str, allowed: str) -> None:
    op.execute(f"DROP TRIGGER {table}_append_only ON {table}")
    op.execute(
        f"CREATE TRIGGER {table}_append_only BEFORE TRUNCATE ON {table} "
        "FOR EACH STATEMENT EXECUTE FUNCTION captious_append_only()"
    )
    op.execute(
        f"CREATE FUNCTION captious_{table}_erased() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF NOT {allowed} THEN RAISE EXCEPTION '% is append-only', TG_TABLE_NAME; END IF; "
        "IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; RETURN NEW; END $$"
    )
    op.execute(
        f"CREATE TRIGGER {table}_only_erased BEFORE UPDATE OR DELETE ON {table} "
        f"FOR EACH ROW EXECUTE FUNCTION captious_{table}_erased()"
    )
