"""Items that answers call for are added once, on both engines, and whoever added one is told so."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
import sqlalchemy as sa

from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import add_item
from captious.campaigns.work import responses


@pytest.mark.parametrize(
    ("limits", "rows"),
    [
        ({}, []),
        ({"not_for": frozenset({"r001"})}, [("r001", False)]),
        ({"only_for": frozenset({"r001"})}, [("r001", True)]),
        ({"only_for": frozenset({"r001", "r002"})}, [("r001", True), ("r002", True)]),
    ],
)
def test_an_item_is_added_once_with_its_limits_and_its_label(
    db: Database, make_campaign: Any, limits: dict[str, Any], rows: list[tuple[str, bool]]
) -> None:
    campaign, (ada, _) = make_campaign("tagging")
    known = responses.items(db, campaign)[0]
    new = replace(known, key="second/1", balance="second", **limits)
    with db.write() as connection:
        form_id = connection.execute(sa.select(schema.form.c.id).limit(1)).scalar_one()
        given = {"from_response": 1, "form": (known.form, form_id), "raters": {ada.pseudonym: ada.id}}
        assert [add_item(connection, campaign, new, **given) for _ in range(2)] == [True, False]
    limit, rater, item = schema.item_rater, schema.rater, schema.item
    with db.read() as connection:
        stored = connection.execute(
            sa.select(rater.c.pseudonym, limit.c.allowed)
            .join(limit, limit.c.rater_id == rater.c.id)
            .join(item, item.c.id == limit.c.item_id)
            .where(item.c.key == "second/1")
            .order_by(rater.c.pseudonym)
        ).all()
        labels = connection.execute(sa.select(schema.label.c.name)).scalars().all()
    assert [tuple(row) for row in stored] == rows
    assert "second" in labels
