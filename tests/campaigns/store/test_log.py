from __future__ import annotations

from captious.campaigns.store import log
from captious.campaigns.store.database import Database


def test_the_newest_lines_come_first_in_pages(db: Database, make_campaign) -> None:
    campaign, _ = make_campaign(people=0)
    other, _ = make_campaign(people=0, title="Other")
    with db.write() as connection:
        for at in range(5):
            log.record(
                connection,
                "lea",
                "test",
                time=float(at),
                campaign_id=campaign.id,
                subject=f"s{at}",
                detail={"at": at},
            )
    first = log.entries(db, campaign, limit=3)
    assert [entry.subject for entry in first] == ["s4", "s3", "s2"]
    assert first[0].detail == {"at": 4}
    rest = log.entries(db, campaign, before=first[-1].id, limit=2)
    assert [entry.subject for entry in rest] == ["s1", "s0"]
    assert {entry.campaign_id for entry in log.entries(db)} == {campaign.id, other.id}
