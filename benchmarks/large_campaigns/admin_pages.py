"""How fast admin pages open when a campaign is large: 100,000 items, 1,000,000 responses.

    python benchmarks/large_campaigns/admin_pages.py [--items N] [--responses N]
                                                     [--kind sqlite|postgresql] [--rest]

Every page and its JSON twin through the real application while figures are being computed in the
background: pages of figures are then still empty. With --rest once more when the figures are there,
which takes long. Milliseconds of the clock, the median of several calls.
"""

from __future__ import annotations

import argparse
import statistics
import time

from fastapi.testclient import TestClient

from captious.campaigns.people import accounts
from captious.campaigns.records import Campaign
from captious.campaigns.store.database import Database
from captious.web.app import create_app
from captious.web.settings import WebSettings
from large_campaign import answer_many, database, multiply, settle, small_campaign

PAGES = (
    "",
    "/raters",
    "/agreement",
    "/results",
    "/quality",
    "/disagreements",
    "/exports",
    "/settings",
    "/log",
)
KINDS = ("agreement", "results", "quality", "disagreements")
LIMIT = 300.0
CALLS = 7


def client_of(db: Database) -> TestClient:
    app = create_app(WebSettings(database="given", secret=b"s" * 32, files=db.files), db)
    owner = accounts.create_account(db, "owner", "correct horse battery", "owner", actor="bench")
    token, _ = accounts.start_session(db, owner, hours=1)
    found = TestClient(app)
    found.cookies.set("captious_session", token)
    return found


def timed(client: TestClient, address: str, calls: int = CALLS) -> float:
    """Median milliseconds of some calls."""
    found = []
    for _ in range(calls):
        start = time.perf_counter()
        answer = client.get(address)
        found.append((time.perf_counter() - start) * 1000)
        if answer.status_code != 200:
            raise SystemExit(f"{address}: {answer.status_code}")
    return statistics.median(found)


def measure(client: TestClient, campaign: Campaign, when: str) -> float:
    """Print the time of every page; return the slowest."""
    slowest = 0.0
    for address in ["/admin", *(f"/admin/c/{campaign.slug}{page}" for page in PAGES)]:
        twin = f"/api{address}" if address != "/admin" else "/api/admin/campaigns"
        page, json = timed(client, address), timed(client, twin)
        slowest = max(slowest, page, json)
        print(f"  {when:10} {address:42} page {page:7.1f} ms   json {json:7.1f} ms")
    return slowest


def computing(client: TestClient, campaign: Campaign, kind: str) -> bool:
    return bool(client.get(f"/api/admin/c/{campaign.slug}/{kind}").json()["computing"])


def wait(client: TestClient, campaign: Campaign) -> float:
    """Seconds until no figure is being computed any more."""
    start = time.perf_counter()
    while any(computing(client, campaign, kind) for kind in KINDS):
        time.sleep(1)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--kind", default="sqlite")
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--responses", type=int, default=1_000_000)
    parser.add_argument("--rest", action="store_true", help="wait for the figures, measure again")
    asked = parser.parse_args()
    with database(asked.kind) as db:
        campaign, people = small_campaign(db, "tagging", raters=12, two_rounds=False)
        multiply(db, campaign, asked.items, "", 12)
        answer_many(db, campaign, people[0], asked.responses, '{"verdict":"complete"}')
        settle(db)
        client = client_of(db)
        print(f"{asked.kind}: {asked.items:,} items, {asked.responses:,} responses", flush=True)
        for kind in KINDS:  # the first visit begins the computation
            client.get(f"/api/admin/c/{campaign.slug}/{kind}")
        slowest = measure(client, campaign, "computing")
        still = [kind for kind in KINDS if computing(client, campaign, kind)]
        print(f"  still being computed afterwards: {', '.join(still) or 'nothing'}", flush=True)
        if asked.rest:
            print(f"  all figures computed after {wait(client, campaign):.0f} s more", flush=True)
            slowest = max(slowest, measure(client, campaign, "at rest"))
    verdict = "yes" if slowest < LIMIT else "no"
    print(f"  slowest: {slowest:.0f} ms; all under {LIMIT:.0f} ms: {verdict}")


if __name__ == "__main__":
    main()
