"""How many answers a rater is asked for.

Revision ID: 0006
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Add the column, empty: as many as there are."""
    op.add_column("rater", sa.Column("quota", sa.Integer()))


def downgrade() -> None:
    """Drop it."""
    op.drop_column("rater", "quota")
