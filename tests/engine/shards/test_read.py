"""Sharded scores are compared, reported on and meta-evaluated."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.cli.main import main
from captious.engine.shards.compare import compare_shards
from captious.engine.shards.read import sampled
from captious.errors import InputError

pytest.importorskip("pyarrow")


@pytest.fixture
def two_systems(rows: Any, parquet_shard: Any, tmp_path: Path) -> tuple[Path, captious.Corpus]:
    made = rows(300)
    # The better system takes a reference for every third image.
    better = [
        row | {"caption": row["references"][0]} if i % 3 == 0 else row | {"caption": row["caption"][::-1]}
        for i, row in enumerate(made)
    ]
    parquet_shard(tmp_path / "plain" / "a.parquet", made, 100)
    parquet_shard(tmp_path / "better" / "a.parquet", better, 100)
    corpus = captious.open_shards([tmp_path / "plain", tmp_path / "better"], block_rows=100)
    captious.score(corpus, ["bleu1", "rouge_l"], out=tmp_path / "scores", resamples=1000)
    both = [row | {"system": "plain"} for row in made] + [row | {"system": "better"} for row in better]
    return tmp_path / "scores", captious.load_corpus(both)


def test_all_captions_give_what_compare_gives_in_memory(two_systems: Any) -> None:
    place, corpus = two_systems
    found, note = compare_shards(place, trials=500)
    expected = captious.compare(corpus, ["bleu1", "rouge_l"], trials=500)
    assert note == ""
    for name in ("bleu1", "rouge_l"):
        ours, theirs = found.metrics[name].pairs[0], expected.metrics[name].pairs[0]
        assert (ours.wins, ours.ties, ours.losses) == (theirs.wins, theirs.ties, theirs.losses)
        assert ours.difference == pytest.approx(theirs.difference)
        # Ends of two bootstraps of 1,000 draws: see the test of intervals in test_score.py.
        assert ours.low == pytest.approx(theirs.low, abs=0.12 * (theirs.high - theirs.low))
        assert ours.high == pytest.approx(theirs.high, abs=0.12 * (theirs.high - theirs.low))
        assert found.metrics[name].ranking == expected.metrics[name].ranking


def test_a_sample_has_the_same_images_of_every_system_and_the_values_of_all(two_systems: Any) -> None:
    place, corpus = two_systems
    found = sampled(place, 60)
    # 300 images, each kept with a chance of 1 in 5: 60, with a standard deviation of sqrt(300 * .2 * .8) = 7.
    images = len(found.scores.corpus.image_ids)
    assert 32 <= images <= 88
    assert len(found.scores.corpus) == 2 * images
    assert f"sample of {images} images ({2 * images} captions)" in found.note
    whole = captious.score(corpus, ["bleu1", "rouge_l"])
    values = dict(
        zip(zip(corpus.captions, corpus.system_of.tolist(), strict=True), whole["bleu1"].values, strict=True)
    )
    mine = found.scores.corpus
    expected = [values[text, corpus.systems.index(mine.systems[i])]
                for text, i in zip(mine.captions, mine.system_of.tolist(), strict=True)]  # fmt: skip
    np.testing.assert_allclose(found.scores["bleu1"].values, expected, rtol=1e-12)
    for system in corpus.systems:
        assert found.scores["bleu1"].systems[system].score == pytest.approx(
            whole["bleu1"].systems[system].score
        )
    compared, note = compare_shards(place, images=60, trials=200)
    pair = compared.metrics["bleu1"].pairs[0]
    assert pair.wins + pair.ties + pair.losses == images and note == found.note
    assert pair.difference == pytest.approx(
        whole["bleu1"].systems[pair.a].score - whole["bleu1"].systems[pair.b].score
    )


def test_compare_on_the_command_line(two_systems: Any, capsys: Any) -> None:
    place, _ = two_systems
    with pytest.raises(SystemExit) as stop:
        main(["compare", "--scores", str(place), "-m", "rouge_l", "--trials", "100", "-f", "json"])
    found = json.loads(capsys.readouterr().out)
    assert stop.value.code == 0 and list(found) == ["rouge_l"]
    assert {found["rouge_l"]["pairs"][0]["a"], found["rouge_l"]["pairs"][0]["b"]} == {"plain", "better"}
    with pytest.raises(SystemExit) as stop:
        main(["compare", "--metrics", "rouge_l"])
    assert stop.value.code == 2 and "nothing to compare" in capsys.readouterr().err


@pytest.mark.parametrize(("command", "more"), [("compare", []), ("report", ["--out", "page.html"])])
def test_options_for_scoring_are_refused_beside_scores(
    two_systems: Any, capsys: Any, command: str, more: list[str]
) -> None:
    place, _ = two_systems
    with pytest.raises(SystemExit) as stop:
        main([command, "--scores", str(place), "--name", "a", "b", "--system-encoder", "a=b", *more])
    assert (stop.value.code, capsys.readouterr().err) == (
        2,
        "error: --scores already contains captions and scores. Leave out --name and --system-encoder.\n",
    )


def test_the_resamples_are_those_of_the_run_that_scored(two_systems: Any, capsys: Any) -> None:
    place, _ = two_systems
    command = ["compare", "--scores", str(place), "-m", "rouge_l", "--trials", "100"]
    for more, used in (([], "1,000"), (["--resamples", "1000"], "1,000"), (["--resamples", "100"], "100")):
        with pytest.raises(SystemExit) as stop:
            main([*command, *more])
        shown = capsys.readouterr().out
        assert stop.value.code == 0 and f"{used} resamples (Poisson bootstrap" in shown
    with pytest.raises(SystemExit) as stop:
        main([*command, "--resamples", "5000"])
    line = capsys.readouterr().err
    assert stop.value.code == 2 and line.count("\n") == 1
    assert (
        "only 1,000 resamples were drawn when it was scored" in line
        and "score it again with --resamples 5000" in line
    )


def test_a_report_says_that_it_shows_a_sample(
    two_systems: Any, capsys: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("altair")
    monkeypatch.setattr("captious.engine.shards.read.PAGE_IMAGES", 40)
    place, _ = two_systems
    with pytest.raises(SystemExit) as stop:
        main(["report", "--scores", str(place), "--out", str(tmp_path / "page.html"), "--resamples", "100"])
    assert stop.value.code == 0, capsys.readouterr().err
    page = (tmp_path / "page.html").read_text()
    assert "scores and intervals cover all 600 captions" in page
    assert "Poisson bootstrap" in page


def test_meta_reads_sharded_scores(rows: Any, lines_shard: Any, tmp_path: Path) -> None:
    made = rows(60)
    lines_shard(tmp_path / "m2" / "a.jsonl", made)
    captious.score(captious.open_shards(tmp_path / "m2", block_rows=25), ["rouge_l"], out=tmp_path / "scores")
    rated = [
        {
            "image": row["image_id"],
            "caption": row["caption"],
            "references": row["references"],
            "rating": i % 5,
        }
        for i, row in enumerate(made[:40])
    ]
    benchmark = lines_shard(tmp_path / "rated.jsonl", rated)
    ours = captious.meta(str(benchmark), scores=tmp_path / "scores")
    theirs = captious.meta(str(benchmark), "rouge_l")
    value = {
        name: next(iter(found.to_dict()["results"].values())) for name, found in (("a", ours), ("b", theirs))
    }
    for coefficient, own in value["a"].items():
        if isinstance(own, dict):
            assert own["value"] == pytest.approx(value["b"][coefficient]["value"])


def test_meta_names_an_image_of_each_side_where_none_is_shared(
    rows: Any, lines_shard: Any, tmp_path: Path
) -> None:
    lines_shard(tmp_path / "m2" / "a.jsonl", [row | {"image_id": "7.jpg"} for row in rows(1)])
    captious.score(captious.open_shards(tmp_path / "m2"), ["rouge_l"], out=tmp_path / "scores")
    rated = [
        {"image": f"dogs-{i}", "caption": "a dog", "references": ["dogs"], "rating": i} for i in range(3)
    ]
    benchmark = lines_shard(tmp_path / "rated.jsonl", rated)
    with pytest.raises(InputError) as found:
        captious.meta(str(benchmark), scores=tmp_path / "scores")
    assert str(found.value) == (
        f"{tmp_path}/scores: contains no score for an example of rated.jsonl: it scores "
        '"7.jpg" and others, but the judged ones are "dogs-0" and others. '
        "Score those, or use the same ids in both."
    )


def test_what_is_not_finished_is_told(tmp_path: Path) -> None:
    (tmp_path / "scores").mkdir()
    with pytest.raises(InputError, match="contains no finished scores"):
        sampled(tmp_path / "scores")
