"""Faults under load: what raters were told is stored is there, once.

The full form is `python benchmarks/server/drills.py`; docs/operating.md has its counts.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "benchmarks" / "server"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs SIGKILL")


def drill(monkeypatch: pytest.MonkeyPatch, kind: str, fault: str) -> None:
    for package in ("psutil", "uvloop", *(["pgserver"] if kind == "postgresql" else [])):
        pytest.importorskip(package, reason=f"needs {package}")
    monkeypatch.syspath_prepend(SCRIPTS)
    import drills
    import faults
    from traffic.databases import database

    try:
        with database(kind) as place:
            found = drills.run(place, fault, times=1, raters=6, seed=3, think=0.1, images=60)
    except faults.NotPossibleHereError as error:
        pytest.skip(str(error))
    assert found.tally.errors == []
    assert len(found.tally.acknowledged) >= 6
    assert found.audit.clean
    assert found.audit.stored >= len(found.tally.acknowledged)
    if fault not in ("kill", "crash", "lock"):  # a lock of two seconds may just be waited for
        assert found.tally.hung_up + found.tally.told_to_wait > 0  # the fault was felt


def test_a_kill_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    drill(monkeypatch, "sqlite", "kill")


@pytest.mark.long
@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        *(("sqlite", fault) for fault in ("disk", "lock", "read-only")),
        *(("postgresql", fault) for fault in ("kill", "crash", "restart", "disk", "lock", "read-only")),
    ],
)
def test_no_fault_loses_anything(monkeypatch: pytest.MonkeyPatch, kind: str, fault: str) -> None:
    drill(monkeypatch, kind, fault)


@pytest.mark.parametrize("name", ["import", "extend", "erase", "delete", "migrate"])
def test_a_killed_command_leaves_all_or_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    monkeypatch.syspath_prepend(SCRIPTS)
    import killed_commands

    places = [killed_commands.Place(str(tmp_path / f"{n}.db"), tmp_path / str(n)) for n in range(3)]
    for place in places:
        place.folder.mkdir()
    most = killed_commands.statements(name, places[0])
    assert most > 10
    for place, last in zip(places[1:], (most // 2, most - 1), strict=True):
        assert killed_commands.once(name, place, last) == ""
