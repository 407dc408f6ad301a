"""What was acknowledged is there, also when the process is killed in the middle of its work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from captious.campaigns.setup import lifecycle
from captious.campaigns.store.database import Database
from captious.campaigns.work import responses

# Prints the id of each response once `respond` has returned, from several threads.
WORKER = """
import sys
from concurrent.futures import ThreadPoolExecutor
from captious.campaigns.people import raters
from captious.campaigns.setup import lifecycle
from captious.campaigns.work import assignment, responses
from captious.campaigns.store.database import Database

db = Database.open(sys.argv[1])
campaign = lifecycle.find(db, "dogs")

def work(rater):
    while tasks := assignment.next_tasks(db, campaign, rater):
        for task in tasks:
            receipt = responses.respond(
                db, rater, task.token, {"verdict": "minor"}, key=task.token)
            sys.stdout.write(f"{receipt.response_id}\\n")
            sys.stdout.flush()

with ThreadPoolExecutor(4) as threads:
    list(threads.map(work, raters.listed(db, campaign)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
@pytest.mark.parametrize("after", [3, 25])
def test_a_killed_process_loses_no_acknowledged_response(
    db: Database, database_url: str, make_campaign, tmp_path: Path, after: int
) -> None:
    campaign, _ = make_campaign("tagging", images=60, people=4, raters=4)
    with subprocess.Popen(
        [sys.executable, "-c", WORKER, database_url], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        acknowledged = [int(process.stdout.readline()) for _ in range(after)]
        os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read()
    # A line that was cut short was no acknowledgement.
    acknowledged += [int(line) for line in rest.split("\n")[:-1] if line]
    with Database.open(database_url) as again:
        stored = [*responses.stored(again, lifecycle.find(again, campaign.slug))]
    assert {*acknowledged} <= {row.id for row in stored}
    assert len({row.key for row in stored}) == len(stored)
    assert len(acknowledged) >= after
