"""Items that answers call for, added for a whole group of answers in one statement (PostgreSQL)."""

from __future__ import annotations

from captious.campaigns.store.prepared import Prepared, given_rows

# Items with one limit each. Where several works call for the same, the first adds it.
_LIMITED = given_rows(
    {
        "campaign_id": "integer",
        "key": "text",
        "image": "text",
        "stage": "text",
        "form_id": "integer",
        "content": "text",
        "target": "bigint",
        "balance": "text",
        "is_check": "boolean",
        "restricted": "boolean",
        "not_before": "double precision",
        "place": "double precision",
        "from_response": "integer",
        "rater_id": "integer",
        "allowed": "boolean",
    }
)
ADD_LIMITED = Prepared(
    f"""
        WITH wanted AS MATERIALIZED (
            SELECT DISTINCT ON (campaign_id, key) * FROM {_LIMITED} ORDER BY campaign_id, key, n
        ), made AS (
            INSERT INTO item (campaign_id, key, image, stage, form_id, content, target, balance, is_check,
                              restricted, not_before, place, from_response)
            SELECT campaign_id, key, image, stage, form_id, content, target, balance, is_check,
                   restricted, not_before, place, from_response
            FROM wanted ORDER BY n
            ON CONFLICT DO NOTHING RETURNING id, campaign_id, key
        ), limited AS (
            INSERT INTO item_rater (item_id, rater_id, allowed, not_before)
            SELECT made.id, wanted.rater_id, wanted.allowed, wanted.not_before
            FROM made JOIN wanted USING (campaign_id, key)
        )
        SELECT wanted.n, made.id FROM made JOIN wanted USING (campaign_id, key)
    """
)
