"""An assignment carries its image, so that "not this image again" is one look into one index.

Revision ID: 0002
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add the column, fill it from the items, index it."""
    op.add_column("assignment", sa.Column("image", sa.Text(), server_default="", nullable=False))
    op.execute(
        "UPDATE assignment SET image = (SELECT item.image FROM item WHERE item.id = assignment.item_id)"
    )
    op.create_index("ix_assignment_image", "assignment", ["rater_id", "image"])


def downgrade() -> None:
    """Drop the column; items still have it."""
    op.drop_index("ix_assignment_image", "assignment")
    op.drop_column("assignment", "image")
