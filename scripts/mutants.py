"""Would the tests notice a mistake? Plant one at a time in a copy of the source and see.

    python scripts/mutants.py stats metrics --sample 60 --results mutants.jsonl
    python scripts/mutants.py stats --results mutants.jsonl --again     # survivors once more
    python scripts/mutants.py --report --results mutants.jsonl

For each room all possible mutants are listed (`mutant_makers.py` says which), shuffled by the seed, and the
first N are tried: on a copy of `src`, with the tests that mirror the module (`tests/ROOM/…/test_MODULE.py`),
the module's own examples, then every test of that folder, until one fails. A test that is red without the
mutant as well kills nothing. Results are kept as one JSON line for each mutant, so that a run goes on where
it stopped; the last line of a mutant counts.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent))
from mutant_makers import Mutant, mutants_of

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("stats", "metrics", "protocols", "campaigns", "web")
SEED = 20261117
# Imported once, before each mutant's process splits off: what tests of these rooms would all import anew.
PRELOADED = ("numpy", "scipy.stats", "pandas", "sqlalchemy", "fastapi.testclient", "jinja2", "hypothesis")
PASSED, FAILED, NOTHING_FOUND = 0, 1, 5
GRACE = 30.0  # seconds for a run that is stopped to clear up, such as a PostgreSQL of its own
KILLED, SURVIVED, TIMEOUT, NO_TEST, BROKEN = "killed", "survived", "timeout", "no test", "tests are red"


@dataclass(frozen=True)
class Workshop:
    """A copy of the repository in which mutants are planted, one at a time."""

    folder: Path
    seconds: float

    def run(self, tests: list[str], log: Path) -> int | None:
        """The exit code of pytest on some tests; None when the time was up."""
        child = os.fork()
        if child == 0:
            os.setsid()
            _test(self.folder, tests, log)
        until = time.monotonic() + self.seconds
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.05)
        _stop(child)
        return None

    def plant(self, mutant: Mutant, text: str) -> None:
        """Write a module's text, and forget what Python compiled before."""
        path = self.folder / mutant.path
        path.write_text(text, encoding="utf-8")
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()


def _test(folder: Path, tests: list[str], log: Path) -> None:
    """Run pytest in this process, which ends here."""
    with log.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    # A job in the background inherits that interrupts are ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ["PYTHONPATH"] = str(folder / "src")
    os.environ["CAPTIOUS_CACHE"] = str(folder / "cache")
    sys.path.insert(0, str(folder / "src"))
    import pytest

    options = ["-x", "-q", "-n0", "-p", "no:cacheprovider", "-m", "not long and not browser", "--tb=no"]
    code = pytest.main([*options, "--basetemp", str(folder / "tmp"), *tests])
    sys.stdout.flush()
    os._exit(int(code))


def _stop(child: int) -> None:
    """Interrupt a run, and end it with all that it started if it does not listen."""
    os.killpg(child, signal.SIGINT)
    until = time.monotonic() + GRACE
    while time.monotonic() < until:
        if os.waitpid(child, os.WNOHANG)[0]:
            return
        time.sleep(0.1)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)


def workshop(seconds: float) -> Workshop:
    """A fresh copy of what the tests read; what they do not change is linked."""
    folder = Path(tempfile.mkdtemp(prefix="captious-mutants-")) / "captious"
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name in ("src", "tests"):
            shutil.copytree(path, folder / path.name)
        elif path.name not in (".git", ".venv"):
            (folder / path.name).symlink_to(path)
    for variable, name in (("CAPTIOUS_DATA", "data"), ("CAPTIOUS_GOLDEN", "golden")):
        os.environ.setdefault(variable, str(ROOT.parent / "shared" / name))
    return Workshop(folder, seconds)


def tests_of(path: str, root: Path = ROOT) -> list[list[str]]:
    """The tests of a module, nearest first: those that mirror it, its examples, those of its folder."""
    module = Path(path)
    inner = module.relative_to("src/captious")
    folder = Path("tests") / inner.parent
    while not any((root / folder).glob("test_*.py")):
        folder = folder.parent
    mirror = Path("tests") / inner.parent / f"test_{module.stem}.py"
    beside = sorted(str(one.relative_to(root)) for one in (root / folder).glob("test_*.py"))
    found = [[str(mirror)]] if (root / mirror).is_file() else []
    if ">>>" in (root / module).read_text(encoding="utf-8"):
        found.append([path])
    return [*found, [one for one in beside if one != str(mirror)]]


def verdict(shop: Workshop, mutant: Mutant) -> tuple[str, str]:
    """What became of a mutant, and the test that noticed it."""
    log = shop.folder.parent / "log.txt"
    original = (shop.folder / mutant.path).read_text(encoding="utf-8")
    ran = False
    for tests in tests_of(mutant.path, shop.folder):
        shop.plant(mutant, mutant.apply(original))
        code = shop.run(tests, log)
        shop.plant(mutant, original)
        if code is None:
            return TIMEOUT, " ".join(tests[:1])
        if code not in (PASSED, NOTHING_FOUND):
            noticed = _failed(log) or tests
            sound = shop.run(noticed, log) == PASSED
            return (KILLED if sound else BROKEN), " ".join(noticed)
        ran = ran or code == PASSED
    return (SURVIVED if ran else NO_TEST), ""


def _failed(log: Path) -> list[str]:
    """The test that failed, by pytest's short summary."""
    for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
        if line.startswith(("FAILED ", "ERROR ")):
            return [line.split(" ", 1)[1].split(" - ")[0].strip()]
    return []


def sample(room: str, size: int, seed: int, root: Path = ROOT) -> list[Mutant]:
    """The first mutants of a room in the seed's order."""
    found: list[Mutant] = []
    for path in sorted((root / "src" / "captious" / room).rglob("*.py")):
        found += mutants_of(path.read_text(encoding="utf-8"), path.relative_to(root).as_posix())
    random.Random(f"{seed} {room}").shuffle(found)
    return found[:size]


def stored(results: Path) -> dict[str, dict[str, Any]]:
    """The last result of each mutant, by its key."""
    lines = results.read_text(encoding="utf-8").splitlines() if results.is_file() else []
    return {one["key"]: one for one in map(json.loads, lines)}


def chosen(given: argparse.Namespace, root: Path) -> Iterator[tuple[str, str, Mutant]]:
    """The mutants that are still to be tried: room, key in the results, mutant."""
    known = stored(given.results)
    if given.again:
        for key, row in known.items():
            found = _found_again(row, root) if row["verdict"] != KILLED else None
            if found is not None and row["room"] in given.rooms and "equivalent" not in row:
                yield row["room"], key, found
        return
    for room in given.rooms:
        for mutant in sample(room, given.sample, given.seed, root):
            if mutant.key not in known and given.only in mutant.path:
                yield room, mutant.key, mutant


def _found_again(row: dict[str, Any], root: Path) -> Mutant | None:
    """The mutant of a result in today's text, where other lines may have come before it."""
    path = root / row["path"]
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    same = [
        one for one in mutants_of(text, row["path"]) if (one.kind, one.change) == (row["kind"], row["change"])
    ]
    return min(same, key=lambda one: abs(one.line - row["line"]), default=None)


def try_all(given: argparse.Namespace) -> None:
    """Try mutants until all are tried or the time is up."""
    os.nice(15)
    for name in PRELOADED:
        importlib.import_module(name)
    shop = workshop(given.timeout)
    until = time.monotonic() + 60 * given.minutes
    try:
        for room, key, mutant in chosen(given, shop.folder):
            if time.monotonic() > until:
                break
            begun = time.monotonic()
            what, test = verdict(shop, mutant)
            row = {"key": key, "room": room, "seed": given.seed, "path": mutant.path}
            row |= {"line": mutant.line, "kind": mutant.kind, "change": mutant.change, "verdict": what}
            row |= {"test": test, "seconds": round(time.monotonic() - begun, 1)}
            with given.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")
            print(f"{what:9} {mutant.path}:{mutant.line} {mutant.change}", flush=True)
    finally:
        shutil.rmtree(shop.folder.parent, ignore_errors=True)


def report(rows: Iterable[dict[str, Any]]) -> str:
    """The score of each room, then what nobody noticed."""
    rows = list(rows)
    lines = ["room        mutants  killed  equivalent  timeout  survived  no test  score"]
    for room in ROOMS:
        own = [one for one in rows if one["room"] == room]
        count = {
            what: sum(one["verdict"] == what for one in own) for what in (KILLED, TIMEOUT, SURVIVED, NO_TEST)
        }
        equal = sum("equivalent" in one for one in own)
        tried = sum(count.values()) - equal
        if tried:
            lines.append(
                f"{room:10} {len(own):8} {count[KILLED]:7} {equal:11} {count[TIMEOUT]:8} "
                f"{count[SURVIVED] - equal:9} {count[NO_TEST]:8} {count[KILLED] / tried:6.1%}"
            )
    for one in rows:
        if one["verdict"] != KILLED:
            why = f"  (equivalent: {one['equivalent']})" if "equivalent" in one else ""
            lines.append(f"{one['verdict']}: {one['path']}:{one['line']} {one['change']}{why}")
    return "\n".join(lines)


def main() -> None:
    """Read the command line, try mutants, print the report."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(ROOMS)}")
    parser.add_argument("--sample", type=int, default=60, help="mutants of each room (default 60)")
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--results", type=Path, default=Path("mutants.jsonl"))
    parser.add_argument("--again", action="store_true", help="try what was not killed once more")
    parser.add_argument("--only", default="", help="only modules whose path holds this text")
    parser.add_argument("--report", action="store_true", help="only print the report")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for one run of tests")
    parser.add_argument("--minutes", type=float, default=1e6, help="stop after so many minutes")
    given = parser.parse_args()
    if unknown := [room for room in given.rooms if room not in ROOMS]:
        parser.error(f"{unknown[0]} is not a room: {', '.join(ROOMS)}")
    if not given.report:
        try_all(given)
    print(report(stored(given.results).values()))


if __name__ == "__main__":
    main()
