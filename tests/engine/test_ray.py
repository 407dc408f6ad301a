"""A real Ray cluster gives what this machine alone gives, and goes on when a machine is lost."""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

import captious
from captious.engine.ray import RayEngine
from captious.engine.shards import score_shards
from captious.engine.shards.local import LocalEngine
from captious.errors import InputError
from captious.metrics import resolve_all

ray = pytest.importorskip("ray")
pytest.importorskip("pyarrow")
METRICS = ["bleu4", "cider"]


def make(folder: Path, images: int, shards: int) -> Path:
    rng = random.Random(1)
    words = [f"w{i}" for i in range(100)]
    folder.mkdir(parents=True)
    for shard in range(shards):
        lines = []
        for i in range(shard, images, shards):
            texts = [" ".join(rng.choices(words, k=8)) for _ in range(3)]
            lines.append(orjson.dumps({"image_id": i, "caption": texts[0], "references": texts[1:]}))
        (folder / f"{shard}.jsonl").write_bytes(b"\n".join(lines))
    return folder


def contents(out: Path) -> dict[str, bytes]:
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != "log.jsonl"
    }


def run(engine: Any, folder: Path, out: Path, block: int) -> dict[str, bytes]:
    corpus = captious.open_shards(folder, block_rows=block)
    score_shards(corpus, resolve_all(METRICS), out, engine, resamples=20, seed=1)
    return contents(out)


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setenv("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(Path(captious.__file__).parents[1])]))
    yield
    ray.shutdown()


def test_the_same_bytes_as_the_local_engine(tmp_path: Path, quiet: None) -> None:
    folder = make(tmp_path / "m2", 60, 2)
    expected = run(LocalEngine(), folder, tmp_path / "local", 15)
    assert run(RayEngine(jobs=1), folder, tmp_path / "ray", 15) == expected
    assert not ray.is_initialized()  # the cluster was started for the run, and ends with it


@pytest.mark.long
def test_a_machine_is_lost(tmp_path: Path, quiet: None) -> None:
    from ray.cluster_utils import Cluster

    folder = make(tmp_path / "m2", 30_000, 6)
    expected = run(LocalEngine(), folder, tmp_path / "local", 500)
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    nodes = [cluster.add_node(num_cpus=1) for _ in range(2)]
    try:
        ray.init(address=cluster.address, log_to_driver=False)
        cluster.wait_for_nodes()
        log = tmp_path / "ray" / "log.jsonl"
        at = []

        def lose() -> None:
            while not log.exists() or log.read_bytes().count(b"\n") < 5:
                time.sleep(0.01)
            at.append(log.read_bytes().count(b"\n"))
            cluster.remove_node(nodes[0], allow_graceful=False)

        killer = threading.Thread(target=lose)
        killer.start()
        found = run(RayEngine(jobs=3), folder, tmp_path / "ray", 500)
        killer.join()
        assert at and at[0] < 60  # it was lost in the middle of the 60 blocks
        assert len([node for node in ray.nodes() if node["Alive"]]) == 2
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert found == expected


def test_an_address_where_nobody_is_says_so_at_once(tmp_path: Path) -> None:
    import socket

    with socket.socket() as free:  # bound, and nobody listens
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
        with pytest.raises(InputError, match="no Ray cluster answers there"):
            run(RayEngine(address), make(tmp_path / "shards", 4, 1), tmp_path / "out", 4)
