"""Shards on a Ray cluster of 1, 2 and 4 simulated nodes against the local engine, and one node killed midway.

Nodes are simulated on this machine (`ray.cluster_utils.Cluster`), one processor each, so that more
nodes than processors cannot be faster; what is measured is that the bytes of all scores are the same,
and what Ray costs on one node beside the local engine with one process. Seconds are by the clock: run it
on a quiet machine. The cluster's start is not counted, the actors' is.

    python benchmarks/scale/ray_nodes.py [--captions 1000000] [--nodes 1 2 4] [--references 1] [--folder DIR]
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from shards import chosen, make, table_of

LIMIT = 1.15
BLOCK = 1 << 14


def run(engine: Any, shards: Path, df: Path, out: Path) -> tuple[float, str]:
    """Seconds, and one hash of every part and the manifest."""
    import captious
    from captious.engine.shards import score_shards
    from captious.metrics import resolve_all

    shutil.rmtree(out, ignore_errors=True)
    began = time.perf_counter()
    corpus = captious.open_shards(shards, block_rows=BLOCK)
    score_shards(corpus, resolve_all(["bleu4", f"cider[df={df}]"]), out, engine, resamples=1000, seed=1)
    seconds = time.perf_counter() - began
    digest = hashlib.sha256()
    for path in sorted(path for path in out.rglob("*") if path.is_file() and path.name != "log.jsonl"):
        digest.update(path.relative_to(out).as_posix().encode() + path.read_bytes())
    return seconds, digest.hexdigest()


def on_cluster(nodes: int, shards: Path, df: Path, out: Path, *, kill: bool = False) -> tuple[float, str]:
    import ray
    from ray.cluster_utils import Cluster

    from captious.engine.ray import RayEngine

    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    others = [cluster.add_node(num_cpus=1) for _ in range(nodes - 1)]
    try:
        ray.init(address=cluster.address, log_to_driver=False, logging_level="error")
        cluster.wait_for_nodes()
        shutil.rmtree(out, ignore_errors=True)
        if kill:
            threading.Thread(target=lose, args=(cluster, others[0], out / "log.jsonl"), daemon=True).start()
        return run(RayEngine(jobs=nodes), shards, df, out)
    finally:
        ray.shutdown()
        cluster.shutdown()


def lose(cluster: Any, node: Any, log: Path) -> None:
    """Kill a node once some blocks are finished."""
    done = 0
    while done < 4:
        time.sleep(0.05)
        done = log.read_bytes().count(b"\n") if log.exists() else 0
    print(f"  a node is killed after {done} blocks", flush=True)
    cluster.remove_node(node, allow_graceful=False)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--captions", type=int, default=1_000_000)
    parser.add_argument("--nodes", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--references", type=int, default=1)
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    folder = options.folder or Path(tempfile.mkdtemp(prefix="captious-ray-"))
    data = folder / f"references-{options.references}"
    make(data, options.captions, options.references)
    df = table_of(data, folder / f"df-{options.references}.npz")
    shards = chosen(data, options.captions, folder / "run")
    from captious.engine.shards.local import LocalEngine

    local, expected = run(LocalEngine(), shards, df, folder / "local")
    print(f"local, 1 process  {local:8.1f} s", flush=True)
    equal, overhead = True, 0.0
    for nodes in options.nodes:
        seconds, found = on_cluster(nodes, shards, df, folder / "ray")
        equal &= found == expected
        overhead = seconds / local if nodes == 1 else overhead
        print(
            f"Ray, {nodes} node(s)     {seconds:8.1f} s  {seconds / local:.2f}  {same(found, expected)}",
            flush=True,
        )
    seconds, found = on_cluster(max(2, *options.nodes), shards, df, folder / "ray", kill=True)
    equal &= found == expected
    print(f"Ray, one killed   {seconds:8.1f} s  {seconds / local:.2f}  {same(found, expected)}")
    if not options.folder:
        shutil.rmtree(folder)
    good = equal and overhead <= LIMIT
    print(
        "reached" if good else f"NOT reached: equal bytes, and at most {LIMIT} of the local time on one node"
    )
    return int(not good)


def same(found: str, expected: str) -> str:
    return "equal bytes" if found == expected else "OTHER BYTES"


if __name__ == "__main__":
    sys.exit(main())
