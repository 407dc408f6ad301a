"""Time and memory of scoring shards: tokens, BLEU-4 and CIDEr with a saved table, against the same in memory.

Captions are generated: words as frequent as Zipf's law has it, one reference an image or more. Each
size runs in a process of its own, which reads Parquet shards, scores them and writes the parts; its
peak memory is the process's. The path in memory scores 500,000 such captions of the same shards. Both
draw 1,000 resamples. Seconds are of processor time, which other work on the machine disturbs little.
Three sizes give a line, whose value at 100,000,000 is shown.

    python benchmarks/scale/shards.py [--captions 1000000 3000000 10000000] [--in-memory 500000]
                                      [--references 1] [--folder DIR] [--jobs 1] [--resamples 1000]
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from captious import Corpus

SHARD_ROWS = 250_000
VOCABULARY = 30_000
SEED = 12345
LIMIT_BYTES = 1.5e9
LIMIT_SLOWER = 1.15
FAR = 100_000_000


def texts(rng: np.random.Generator, words: np.ndarray, chances: np.ndarray, count: int) -> list[str]:
    lengths = rng.integers(8, 14, count)
    drawn = words[np.searchsorted(chances, rng.random(int(lengths.sum())))]
    ends = np.cumsum(lengths)
    return [
        " ".join(drawn[end - own : end]) for own, end in zip(lengths.tolist(), ends.tolist(), strict=True)
    ]


def make(folder: Path, captions: int, references: int) -> None:
    """Shards of generated captions; those that are there already are kept."""
    import pyarrow as arrow
    from pyarrow import parquet

    words = np.array([f"word{i}" for i in range(VOCABULARY)], dtype=object)
    weights = 1.0 / (np.arange(VOCABULARY) + 3.0)
    chances = np.cumsum(weights / weights.sum())
    chances[-1] = 1.0
    folder.mkdir(parents=True, exist_ok=True)
    for shard in range(-(-captions // SHARD_ROWS)):
        path = folder / f"shard-{shard:05d}.parquet"
        if path.exists():
            continue
        rng = np.random.default_rng(SEED + shard)
        rows = SHARD_ROWS
        given = texts(rng, words, chances, rows * references)
        table = arrow.table(
            {
                "image_id": [f"{shard:05d}-{row:06d}" for row in range(rows)],
                "caption": texts(rng, words, chances, rows),
                "references": [given[i * references : (i + 1) * references] for i in range(rows)],
            }
        )
        parquet.write_table(table, path.with_suffix(".tmp"), row_group_size=50_000)
        path.with_suffix(".tmp").replace(path)


def chosen(folder: Path, captions: int, place: Path) -> Path:
    """A folder with links to as many shards as hold so many captions."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for path in sorted(folder.glob("shard-*.parquet"))[: -(-captions // SHARD_ROWS)]:
        (place / path.name).symlink_to(path.resolve())
    return place


def peak() -> int:
    unit = 1 if sys.platform == "darwin" else 1024
    return unit * max(
        resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
    )


def measure(kind: str, shards: Path, df: Path, options: argparse.Namespace) -> None:
    """One run, in this process: prints seconds, peak bytes and the scores as JSON."""
    import captious
    from captious.metrics import resolve_all

    names = ["bleu4", f"cider[df={df}]"]
    resolve_all(names)
    clock, began = time.process_time(), time.perf_counter()
    if kind == "memory":
        found = captious.score(whole(shards), names, resamples=options.resamples)
        scores = {name: next(iter(found[name].systems.values())).score for name in found}
        rows = len(found.corpus)
    else:
        out = shards.with_name(f"{shards.name}-scores")
        shutil.rmtree(out, ignore_errors=True)
        given = captious.open_shards(shards)
        sharded = captious.score(given, names, out=out, resamples=options.resamples, jobs=options.jobs)
        scores = {name: next(iter(sharded[name].systems.values())).score for name in sharded}
        rows = sharded.rows
        shutil.rmtree(out)
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = time.process_time() - clock + children.ru_utime + children.ru_stime
    wall = time.perf_counter() - began
    print(json.dumps({"seconds": seconds, "wall": wall, "peak": peak(), "rows": rows, "scores": scores}))


def whole(shards: Path) -> Corpus:
    """All captions of several shards as one corpus in memory."""
    from pyarrow import parquet

    from captious import Corpus

    table = parquet.read_table(sorted(shards.iterdir()))
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    del table
    return Corpus.from_lists(columns["caption"], columns["references"], image_ids=columns["image_id"])


def apart(kind: str, shards: Path, df: Path, options: argparse.Namespace) -> dict[str, Any]:
    own = [kind, str(shards), str(df)]
    own += ["--resamples", str(options.resamples), "--jobs", str(options.jobs)]
    ran = subprocess.run(
        [sys.executable, __file__, "--measure", *own], check=True, capture_output=True, text=True
    )
    return json.loads(ran.stdout)


def table_of(folder: Path, path: Path) -> Path:
    """Document frequencies of the first shard's references."""
    from pyarrow import parquet

    from captious.metrics.document_frequency import DocumentFrequencies

    if not path.exists():
        column = parquet.read_table(
            next(iter(sorted(folder.glob("shard-*.parquet")))), columns=["references"]
        )
        DocumentFrequencies.build(column.column(0).to_pylist()[:50_000]).save(path)
    return path


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captions", type=int, nargs="+", default=[1_000_000, 3_000_000, 10_000_000])
    parser.add_argument("--in-memory", type=int, default=500_000)
    parser.add_argument("--references", type=int, default=1)
    parser.add_argument("--resamples", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--measure", nargs=3, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        kind, shards, df = options.measure
        measure(kind, Path(shards), Path(df), options)
        return 0
    folder = options.folder or Path(tempfile.mkdtemp(prefix="captious-shards-"))
    data = folder / f"references-{options.references}"
    make(data, max(*options.captions, options.in_memory), options.references)
    df = table_of(data, folder / f"df-{options.references}.npz")
    print("   path    captions  seconds  µs a caption  peak MB")
    small = apart("memory", chosen(data, options.in_memory, folder / "run"), df, options)
    show("memory", small)
    found = []
    for captions in options.captions:
        found.append(apart("shards", chosen(data, captions, folder / "run"), df, options))
        show("shards", found[-1])
    ratio = each(found[-1]) / each(small)
    print(
        f"a caption of {found[-1]['rows']:,} in shards takes {ratio:.2f} of the time that it takes in memory"
    )
    good = ratio <= LIMIT_SLOWER and max(one["peak"] for one in found) < LIMIT_BYTES
    if len(found) > 2:
        rows = np.array([one["rows"] for one in found], dtype=float)
        seconds = np.array([one["seconds"] for one in found])
        slope, start = np.polyfit(rows, seconds, 1)
        off = np.abs(start + slope * rows - seconds) / seconds
        far = start + slope * FAR
        print(f"seconds = {start:.1f} + {slope * 1e6:.2f} µs x captions, off by {off.max():.1%} at most")
        print(f"{FAR:,} captions: {far:,.0f} s of processor time ({far / 3600:.1f} h)")
        memory = [one["peak"] / 2**20 for one in found]
        print(f"peak memory from {min(memory):,.0f} to {max(memory):,.0f} MB")
    if not options.folder:
        shutil.rmtree(folder)
    print("reached" if good else "NOT reached: at most 1.15 of the time in memory, below 1,500 MB")
    return int(not good)


def each(one: dict[str, Any]) -> float:
    return one["seconds"] / one["rows"]


def show(label: str, one: dict[str, Any]) -> None:
    cost = f"{one['seconds']:8.1f} {each(one) * 1e6:13.1f} {one['peak'] / 2**20:8,.0f}"
    print(f"{label:>7} {one['rows']:11,} {cost}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
