"""How fast a campaign's pages are told what they show when it is large: 1,000,000 responses.

    python benchmarks/large_campaigns/page_figures.py [sqlite|postgresql …] [--items N] [--responses N]

Builds a tagging campaign by bulk inserts, then times what pages ask (counters and kept statistics)
and what runs in the background or on the command line (everything that reads all responses).
"""

from __future__ import annotations

import argparse
import os
import platform
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from captious.campaigns.exchange.export import export
from captious.campaigns.quality import adjudication
from captious.campaigns.quality import control as quality
from captious.campaigns.records import Campaign, Rater
from captious.campaigns.results import analysis
from captious.campaigns.store.database import Database
from large_campaign import RATERS, SERIES, TARGET, database, multiply, settle, small_campaign

VERDICTS = ("complete", "incomplete", "minor", "serious", "unrelated")


def answer_variously(db: Database, campaign: Campaign, first: Rater, items: int, count: int) -> None:
    """Answers that follow the item, with differences between raters, block by block."""
    cases = " ".join(f"WHEN {at} THEN '{verdict}'" for at, verdict in enumerate(VERDICTS))
    said = f"CASE (n % :items * 3 + (n % 1009 * 7919 % 11) / 7) % 5 {cases} END"
    given = {
        "campaign": campaign.id,
        "first": first.id,
        "last": count - 1,
        "items": items,
        "spread": RATERS // max(1, -(-count // items)),
    }
    who = ":first + n % :items % :spread + :spread * (n / :items)"
    with db.write() as connection:
        low = connection.execute(
            sa.text("SELECT min(id) FROM item WHERE campaign_id = :campaign AND image LIKE 'image %'"), given
        ).scalar_one()
        given["low"] = low
        connection.execute(
            sa.text(
                f"""INSERT INTO response (id, campaign_id, item_id, rater_id, assignment_id, key,
                    answers, hints, time, seconds, kind, source)
                {SERIES} SELECT n + 1, :campaign, :low + n % :items, {who}, n + 1, 'bulk' || n,
                    '{{"verdict":"' || {said} || '"}}', '[]', 1700000000 + n, 2 + n % 17, 'answer',
                    'import' FROM series"""
            ),
            given,
        )
        connection.execute(
            sa.text(
                f"""INSERT INTO assignment (id, token, campaign_id, item_id, rater_id, image, state,
                    group_no, position, held_until, response_id)
                {SERIES} SELECT n + 1, 'bulk' || n, :campaign, i.id, {who}, i.image, 'answered',
                    n / 10, n % 10, 0, n + 1
                FROM series JOIN item i ON i.id = :low + n % :items"""
            ),
            given,
        )
        for statement in (
            "UPDATE item SET done = (SELECT count(*) FROM assignment a WHERE a.item_id = item.id), "
            "taken = (SELECT count(*) FROM assignment a WHERE a.item_id = item.id)",
            "UPDATE rater SET answered = (SELECT count(*) FROM response r WHERE r.rater_id = rater.id)",
        ):
            connection.execute(sa.text(statement))


def timed(what: str, work: Callable[[], Any]) -> Any:
    start, busy = time.perf_counter(), time.process_time()
    found = work()
    spent, worked = time.perf_counter() - start, time.process_time() - busy
    print(f"  {what:32} {spent:9.3f} s, of which {worked:9.3f} s of this process", flush=True)
    return found


def run(kind: str, items: int, count: int) -> None:
    with database(kind) as db, tempfile.TemporaryDirectory() as folder:
        campaign, people = small_campaign(db, "tagging", raters=TARGET, two_rounds=False)
        multiply(db, campaign, items, "", TARGET)
        answer_variously(db, campaign, people[0], items, count)
        settle(db)
        print(f"{kind}: {items:,} items, {count:,} responses")
        analysis.overview(db, campaign)  # the first call compiles its queries
        print(" in the background")
        timed("agreement", lambda: analysis.agreement(db, campaign))
        timed("results", lambda: analysis.results(db, campaign))
        timed("quality rules", lambda: quality.quality_snapshot(db, campaign))
        timed("disagreements", lambda: adjudication.disagreement_snapshot(db, campaign))
        timed("export, all formats", lambda: export(db, campaign, Path(folder)))
        print(" in a request")
        timed("overview", lambda: analysis.overview(db, campaign))
        timed("agreement, kept", lambda: analysis.agreement(db, campaign, wait=False))
        timed("results, kept", lambda: analysis.results(db, campaign, wait=False))
        kept = timed("quality, kept", lambda: quality.quality_snapshot(db, campaign, wait=False))
        timed("quality, rows and flags", lambda: quality.quality_rows(db, campaign, kept))
        timed(
            "disagreements, a page of 20",
            lambda: adjudication.disagreements(db, campaign, limit=20, wait=False),
        )
        size = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"  most memory {size:,.0f} MiB")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("engines", nargs="*", default=["sqlite", "postgresql"])
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--responses", type=int, default=1_000_000)
    given = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, {sys.platform}")
    for kind in given.engines:
        run(kind, given.items, given.responses)


if __name__ == "__main__":
    main()
