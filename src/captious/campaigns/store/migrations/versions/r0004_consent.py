"""Which consent text a rater agreed to, and when.

Revision ID: 0004
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the columns, empty."""
    op.add_column("rater", sa.Column("consent_version", sa.Text(), server_default="", nullable=False))
    op.add_column("rater", sa.Column("consent_time", sa.Double()))


def downgrade() -> None:
    """Drop them."""
    op.drop_column("rater", "consent_time")
    op.drop_column("rater", "consent_version")
