"""Shards give the numbers that the same captions in memory give."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.errors import InputError

pytest.importorskip("pyarrow")
METRICS = ["bleu4", "cider", "rouge_l"]


def in_memory(rows: list[dict[str, Any]], metrics: list[str] = METRICS) -> captious.Scores:
    return captious.score(captious.load_corpus(rows), metrics)


def items(out: Path) -> dict[str, list[Any]]:
    from pyarrow import parquet

    manifest = json.loads((out / "manifest.json").read_text())
    found: dict[str, list[Any]] = {}
    for part in manifest["parts"]:
        for name, column in parquet.read_table(out / part["file"]).to_pydict().items():
            found.setdefault(name, []).extend(column)
    return found


def assert_same(sharded: Any, out: Path, expected: captious.Scores, system: str = "m2") -> None:
    found = items(out)
    assert found["caption"] == expected.corpus.captions
    for name in expected:
        # Sums of n-gram weights run in another order in other batches: the last bits may differ.
        np.testing.assert_allclose(found[name], expected[name].values, rtol=1e-13, atol=1e-15)
        assert sharded[name].systems[system].score == pytest.approx(expected[name].score, rel=1e-12)
        assert sharded[name].systems[system].n == len(expected.corpus)
        assert sharded[name].signature == expected[name].signature


@pytest.mark.parametrize("sizes", [(1000, 1000), (40, 40), (50, 7), (30, 1)])
def test_blocks_and_batches_of_any_size(shards: Any, tmp_path: Path, sizes: tuple[int, int]) -> None:
    folder, rows = shards
    corpus = captious.open_shards(folder, block_rows=sizes[0], batch_rows=sizes[1])
    found = captious.score(corpus, METRICS, out=tmp_path / "out")
    assert found.rows == 240
    assert_same(found, tmp_path / "out", in_memory(rows))


def test_processes_change_nothing(shards: Any, tmp_path: Path) -> None:
    folder, _ = shards
    corpus = captious.open_shards(folder, block_rows=50)
    outs = []
    for jobs in (1, 3):
        captious.score(corpus, METRICS, out=tmp_path / str(jobs), jobs=jobs, resamples=50)
        outs.append(contents(tmp_path / str(jobs)))
    assert outs[0] == outs[1] and len(outs[0]) > 4


def contents(out: Path) -> dict[str, bytes]:
    """Everything that a run leaves but its log, whose lines are in the order of work."""
    return {
        path.relative_to(out).as_posix(): path.read_bytes()
        for path in out.rglob("*")
        if path.is_file() and path.name != "log.jsonl"
    }


def test_lines_gzip_and_parquet_may_stand_side_by_side(
    rows: Any, parquet_shard: Any, lines_shard: Any, tmp_path: Path
) -> None:
    made = rows(90)
    parquet_shard(tmp_path / "m2" / "a.parquet", made[:30])
    lines_shard(tmp_path / "m2" / "b.jsonl", made[30:60])
    plain = lines_shard(tmp_path / "c.jsonl", made[60:])
    (tmp_path / "m2" / "c.jsonl.gz").write_bytes(gzip.compress(plain.read_bytes()))
    corpus = captious.open_shards(tmp_path / "m2", block_rows=20, batch_rows=8)
    found = captious.score(corpus, METRICS, out=tmp_path / "out")
    assert_same(found, tmp_path / "out", in_memory(made))


def test_an_image_of_several_systems_and_shards_is_one_document(
    rows: Any, parquet_shard: Any, tmp_path: Path
) -> None:
    made = rows(40)
    other = [row | {"caption": " ".join(reversed(row["caption"].split()))} for row in made]
    parquet_shard(tmp_path / "m2" / "a.parquet", made, 10)
    parquet_shard(tmp_path / "vinvl" / "b.parquet", other[20:] + other[:20], 10)
    corpus = captious.open_shards([tmp_path / "m2", tmp_path / "vinvl"], block_rows=10)
    found = captious.score(corpus, ["cider"], out=tmp_path / "out")
    assert "|df:corpus:40|" in found["cider"].signature
    both = [row | {"system": "m2"} for row in made] + [row | {"system": "vinvl"} for row in other]
    expected = in_memory(both, ["cider"])["cider"]
    for system in ("m2", "vinvl"):
        assert found["cider"].systems[system].score == pytest.approx(expected.systems[system].score)


def test_references_in_shards_of_their_own(
    rows: Any, parquet_shard: Any, lines_shard: Any, tmp_path: Path
) -> None:
    made = rows(120)
    captions = [{"image_id": row["image_id"], "caption": row["caption"]} for row in made]
    references = [{"image_id": row["image_id"], "references": row["references"]} for row in reversed(made)]
    for number in range(3):
        parquet_shard(tmp_path / "m2" / f"{number}.parquet", captions[40 * number :][:40], 10)
        lines_shard(tmp_path / "refs" / f"{number}.jsonl", references[40 * number :][:40])
    corpus = captious.open_shards(tmp_path / "m2", tmp_path / "refs", block_rows=20, batch_rows=16)
    found = captious.score(corpus, METRICS, out=tmp_path / "out")
    scored = items(tmp_path / "out")
    expected = in_memory(made)
    place = {row["caption"]: i for i, row in enumerate(made)}
    assert sorted(scored["caption"]) == sorted(expected.corpus.captions)  # none lost, none twice
    for name in METRICS:
        own = [expected[name].values[place[caption]] for caption in scored["caption"]]
        np.testing.assert_allclose(scored[name], own, rtol=1e-13, atol=1e-15)
        assert found[name].signature == expected[name].signature
        assert found[name].systems["m2"].score == pytest.approx(expected[name].score, rel=1e-12)


def test_a_saved_table_needs_no_first_pass_and_is_in_the_signature(shards: Any, tmp_path: Path) -> None:
    from captious.metrics.document_frequency import DocumentFrequencies

    folder, rows = shards
    DocumentFrequencies.build([row["references"] for row in rows]).save(tmp_path / "df.npz")
    corpus = captious.open_shards(folder, block_rows=50)
    found = captious.score(corpus, [f"cider[df={tmp_path / 'df.npz'}]"], out=tmp_path / "out")
    name = next(iter(found))
    # The table holds what the corpus itself would count, so the numbers are the same.
    assert found[name].systems["m2"].score == pytest.approx(in_memory(rows)["cider"].score, rel=1e-12)
    assert "|df:file:" in found[name].signature


def test_addresses_are_read_and_written_through_fsspec(shards: Any, tmp_path: Path) -> None:
    pytest.importorskip("fsspec")
    import fsspec

    folder, rows = shards
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/bucket/m2", recursive=True)
    corpus = captious.open_shards("memory://bucket/m2/*.parquet", block_rows=50)
    assert corpus.shards[0].system == "m2" and len(corpus.shards) == 4
    found = captious.score(corpus, METRICS, out="memory://bucket/out")
    memory.get("/bucket/out", str(tmp_path / "out"), recursive=True)
    assert_same(found, tmp_path / "out", in_memory(rows))
    assert captious.score(corpus, METRICS, out="memory://bucket/out").reused == 240
    memory.rm("/bucket", recursive=True)


def test_a_file_address_is_a_path(shards: Any) -> None:
    folder, _ = shards
    assert captious.open_shards(f"file://{folder}") == captious.open_shards(folder)


def test_intervals_agree_with_the_bootstrap_in_memory(rows: Any, lines_shard: Any, tmp_path: Path) -> None:
    made = rows(1500)
    lines_shard(tmp_path / "m2" / "a.jsonl", made)
    corpus = captious.open_shards(tmp_path / "m2", block_rows=400, batch_rows=150)
    found = captious.score(corpus, METRICS, out=tmp_path / "out", resamples=1000, seed=3)
    expected = in_memory(made).with_intervals(1000, seed=3)
    for name in ("cider", "rouge_l"):
        ours, theirs = found[name].systems["m2"], expected[name].systems["candidates"]
        # Either bootstrap's 2.5% quantile of 1,000 draws has a standard error of about
        # sqrt(.025 * .975 / 1000) / (density at 1.96) = .0049 / .0584 = .084 standard deviations of the
        # statistic; the interval is 3.92 wide. Two ends apart by 4 * sqrt(2) * .084 / 3.92 = 12% of the
        # width would be four standard errors.
        width = theirs.high - theirs.low
        assert ours.low == pytest.approx(theirs.low, abs=0.12 * width)
        assert ours.high == pytest.approx(theirs.high, abs=0.12 * width)
    assert "Poisson bootstrap" in found.scores.drawn
    assert found.to_dict()["systems"]["m2"]["cider"]["interval"] == found.scores.drawn


def test_a_folder_for_the_scores_must_be_given(shards: Any, tmp_path: Path) -> None:
    folder, _ = shards
    corpus = captious.open_shards(folder)
    with pytest.raises(InputError, match="out=FOLDER"):
        captious.score(corpus, METRICS)
