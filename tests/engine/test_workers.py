"""Workers do not outlive their parent, though it was killed while they worked."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

SCRIPT = """
import os, sys, time
from pathlib import Path
from typing import ClassVar
from captious.corpus import Corpus
from captious.engine.run import run_metrics
from captious.engine.shards.local import LocalEngine
from captious.metrics import Metric

def linger(folder, item=None):
    (Path(folder) / str(os.getpid())).touch()
    time.sleep(600)

class Slow(Metric):
    name: ClassVar[str] = "slow"

    def __init__(self, folder):
        self.folder = folder

    def collect(self, batch):
        linger(self.folder)

    statistics = collect

engine, folder = sys.argv[1:]
if engine == "memory":
    run_metrics(Corpus.from_lists(["a dog", "a cat", "a cow"]), [Slow(folder)], jobs=3)
else:
    list(LocalEngine(3).each(linger, folder, [1, 2, 3]))
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
@pytest.mark.parametrize("engine", ["memory", "shards"])
def test_workers_end_in_the_middle_of_their_work_when_the_parent_is_killed(
    tmp_path: Path, engine: str
) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    parent = subprocess.Popen([sys.executable, "-c", SCRIPT, engine, str(tmp_path)], env=environment)
    try:
        waited_for(lambda: parent.poll() is not None or len(list(tmp_path.iterdir())) == 3)
        assert parent.poll() is None
        workers = [int(one.name) for one in tmp_path.iterdir()]
        assert all(map(lives, workers))
    finally:
        parent.send_signal(signal.SIGKILL)
        parent.wait()
    waited_for(lambda: not any(map(lives, workers)))


def waited_for(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not happened():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def lives(process: int) -> bool:
    """Whether a process runs; one that has ended and that nobody has asked for does not."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
