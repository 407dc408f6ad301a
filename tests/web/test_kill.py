"""The server is killed under load: what raters were told is stored is there, once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).resolve().parent.parent.parent / "benchmarks"


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")
def test_three_kills_lose_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psutil", reason="needs psutil")
    monkeypatch.syspath_prepend(BENCHMARKS)
    import campaign_traffic
    import drills

    with campaign_traffic.database("sqlite") as place:
        found = drills.run(place, "kill", times=3, raters=8, seed=3)
    assert found.tally.errors == []
    assert len(found.tally.acknowledged) >= 8
    assert found.audit.clean
    assert found.audit.stored >= len(found.tally.acknowledged)
