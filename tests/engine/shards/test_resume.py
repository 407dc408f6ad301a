"""An interrupted run goes on where it was, and ends in the same bytes."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import captious
from captious.errors import InputError
from captious.metrics import Batch, Metric

pytest.importorskip("pyarrow")
COMMAND = "from captious.cli.main import main; main()"


def contents(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != "log.jsonl"
    }


def start(folder: Path, out: Path, jobs: int) -> subprocess.Popen[bytes]:
    arguments = ["score", "-c", str(folder), "--out", str(out), "-m", "bleu4,cider", "--block", "10"]
    arguments += ["--resamples", "20", "--jobs", str(jobs)]
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *arguments],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )


def finished(out: Path) -> int:
    log = out / "log.jsonl"
    return log.read_bytes().count(b"\n") if log.exists() else 0


def kill_once(folder: Path, out: Path, jobs: int, rng: random.Random) -> bool:
    """Start a run and kill it at a random moment; whether it was killed before it ended."""
    enough, pause = finished(out) + rng.randint(0, 3), rng.uniform(0, 0.05)
    process = start(folder, out, jobs)
    while process.poll() is None and finished(out) < enough:
        time.sleep(0.002)
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if process.stderr:
        process.stderr.close()
    return process.returncode == -signal.SIGKILL


def killed_and_resumed(shards: Any, tmp_path: Path, kills: int, jobs: int) -> None:
    folder, _ = shards
    whole = start(folder, tmp_path / "whole", 1)
    _, errors = whole.communicate()
    assert whole.returncode == 0, errors
    expected = contents(tmp_path / "whole")
    rng = random.Random(kills)
    out, killed = tmp_path / "out", 0
    while killed < kills:
        if not kill_once(folder, out, jobs, rng):  # it was done before: begin again
            out = tmp_path / f"out-{killed}"
            continue
        killed += 1
    last = start(folder, out, jobs)
    _, errors = last.communicate()
    assert last.returncode == 0, errors
    assert contents(out) == expected


def test_three_kills(shards: Any, tmp_path: Path) -> None:
    killed_and_resumed(shards, tmp_path, 3, jobs=1)


@pytest.mark.long
@pytest.mark.parametrize("jobs", [1, 2])
def test_twenty_kills(shards: Any, tmp_path: Path, jobs: int) -> None:
    killed_and_resumed(shards, tmp_path, 20, jobs)


def test_what_is_done_is_not_done_again(shards: Any, tmp_path: Path) -> None:
    folder, _ = shards
    corpus = captious.open_shards(folder, block_rows=20)
    captious.score(corpus, ["bleu4"], out=tmp_path / "out")
    parts = sorted((tmp_path / "out" / "scores").iterdir())
    before = contents(tmp_path / "out")
    parts[3].unlink()
    with (tmp_path / "out" / "log.jsonl").open("ab") as log:
        log.write(b'{"key": "cut o')  # the machine went down in the middle of a line
    again = captious.score(corpus, ["bleu4"], out=tmp_path / "out")
    assert again.reused == 240 - len_of(parts[3], before)
    assert contents(tmp_path / "out") == before
    assert captious.score(corpus, ["bleu4"], out=tmp_path / "out").reused == 240


def len_of(part: Path, contents_before: dict[str, bytes]) -> int:
    import pyarrow as arrow
    from pyarrow import parquet

    raw = contents_before[f"scores/{part.name}"]
    return int(parquet.ParquetFile(arrow.BufferReader(raw)).metadata.num_rows)


def test_other_settings_and_other_content_are_scored_anew(
    shards: Any, parquet_shard: Any, tmp_path: Path
) -> None:
    folder, made = shards
    corpus = captious.open_shards(folder, block_rows=30)
    captious.score(corpus, ["bleu4"], out=tmp_path / "out")
    assert captious.score(corpus, ["bleu4", "rouge_l"], out=tmp_path / "out").reused == 0
    changed = [row | {"caption": "another"} for row in made[:60]]
    parquet_shard(folder / "s0.parquet", changed, 25)
    again = captious.score(corpus, ["bleu4", "rouge_l"], out=tmp_path / "out")
    assert again.reused == 180
    assert len(list((tmp_path / "out" / "scores").iterdir())) == len(
        {path for path in contents(tmp_path / "out") if path.startswith("scores/")}
    )


@dataclass(frozen=True)
class Poisoned(Metric):
    """Fails on a batch that holds a certain caption, as a broken package would."""

    name: ClassVar[str] = "poisoned"
    needs: ClassVar[frozenset[Any]] = frozenset()

    caption: str = ""
    calls: str = ""

    def score_examples(self, batch: Batch, knowledge: Any) -> Any:
        if self.caption in batch.corpus.captions:
            with Path(self.calls).open("a") as file:
                file.write("called\n")
            raise ZeroDivisionError("no such weight")
        return np.ones(len(batch))


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_poisoned_block_is_tried_three_times_and_set_aside(shards: Any, tmp_path: Path, jobs: int) -> None:
    folder, made = shards
    metric = Poisoned(made[100]["caption"], str(tmp_path / "calls"))
    corpus = captious.open_shards(folder, block_rows=25)
    found = captious.score(corpus, [metric], out=tmp_path / "out", jobs=jobs)
    (bad,) = found.set_aside
    # The second shard has rows 61 to 120 of all; row 101 is the 41st, in its second row group of 25.
    assert bad == (f"{folder / 's1.parquet'}, rows 26 to 50", "ZeroDivisionError: no such weight")
    assert found.rows == 240 - 25
    assert (tmp_path / "calls").read_text().count("called") == 3
    mended = captious.score(corpus, [Poisoned("", str(tmp_path / "calls"))], out=tmp_path / "out", jobs=jobs)
    assert (mended.rows, mended.set_aside) == (240, ())


@dataclass(frozen=True)
class Deadly(Metric):
    """Ends its process, as the kernel does where memory runs out."""

    name: ClassVar[str] = "deadly"
    needs: ClassVar[frozenset[Any]] = frozenset()

    caption: str = ""

    def score_examples(self, batch: Batch, knowledge: Any) -> Any:
        if self.caption in batch.corpus.captions:
            os.kill(os.getpid(), signal.SIGKILL)
        return np.ones(len(batch))


def test_a_block_that_ends_its_process_is_set_aside(shards: Any, tmp_path: Path) -> None:
    folder, made = shards
    corpus = captious.open_shards(folder, block_rows=25)
    found = captious.score(corpus, [Deadly(made[0]["caption"])], out=tmp_path / "out", jobs=2)
    assert found.rows == 215 and "process ended early" in found.set_aside[0].reason


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for next to nothing."""
    place = tmp_path / "disk"
    place.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", place], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", place], check=True)


def test_a_full_disk_is_one_line(shards: Any, small_disk: Path) -> None:
    folder, _ = shards
    corpus = captious.open_shards(folder, block_rows=30)
    with pytest.raises(InputError, match=r"cannot be written: No space left on device\.$"):
        captious.score(corpus, ["bleu4"], out=small_disk / "out", resamples=500)
