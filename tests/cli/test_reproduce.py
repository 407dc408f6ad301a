from __future__ import annotations

import json
import shutil

import pytest


def test_all_holds_and_exit_0(run, data) -> None:
    found = run("reproduce", "flickr8k-expert", "--data", data, "--format", "json")
    assert found.code == 0
    assert found.json["holds"] is True and found.json["counts"]["not reproduced"] == 0
    cider = next(c for c in found.json["checks"] if c["column"] == "cider")
    assert (cider["expected"], cider["verdict"]) == (0.439, "equal")
    assert round(cider["got"], 3) == 0.439


def test_the_table_shows_expected_got_and_verdict(run, data) -> None:
    found = run("reproduce", "flickr8k-expert", "--data", data)
    line = next(line for line in found.out.splitlines() if " cider " in line)
    assert "43.9" in line and "43.89" in line and "equal" in line
    assert "Hessel et al. 2021" in found.out


def test_a_changed_judgment_differs_and_exit_1(run, data, tmp_path) -> None:
    folder = tmp_path / "thumb"
    shutil.copytree(data / "thumb", folder)
    path = folder / "first_release" / "mscoco_THumB-1.0.jsonl"
    path.chmod(0o644)
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for row in rows:
        if row["SYS"] == "Human":
            row["P"] = 3.0
    path.parent.chmod(0o755)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = run("reproduce", "thumb", "--data", tmp_path, "--format", "json")
    assert found.code == 1
    differing = {(c["row"], c["column"]) for c in found.json["checks"] if c["verdict"] == "not reproduced"}
    assert ("Human", "precision") in differing


def test_the_last_line_counts_by_study_and_labels_are_shown(run, data) -> None:
    found = run("reproduce", "cornia2020", "hessel2021", "--data", data)
    assert (
        "cornia2020: 5 equal, 0 near, 0 not comparable, 0 not reproduced, 0 skipped; hessel2021: "
        in found.out
    )
    assert "captious get benchmarks composite" in found.out


def test_a_way_with_leaks_that_is_none_is_refused(run, data) -> None:
    found = run("reproduce", "thumb", "--data", data, "--leaked", "mend")
    assert found.code == 2 and "replace" in found.err
    assert "option of thumb" in run("reproduce", "flickr8k-expert", "--data", data, "--leaked", "drop").err


def test_missing_data_are_skipped_not_failed_with_a_traceback(run, tmp_path) -> None:
    found = run("reproduce", "thumb", "--data", tmp_path)
    assert found.code == 1  # nothing was checked, so the answer is not yes
    assert "skipped" in found.out and "there is no such file" in found.out


def test_an_unknown_benchmark(run) -> None:
    found = run("reproduce", "thum")
    assert found.code == 2 and 'Did you mean "thumb"?' in found.err


@pytest.fixture
def no_weights(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("CAPTIOUS_DOWNLOAD", raising=False)


@pytest.mark.usefixtures("no_weights")
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("clipscore", "captious get weights ViT-B-32/openai"),
        ("refclipscore", "captious get weights ViT-B-32/openai"),
        ("mcip", "captious get weights MCIP-ViT-L-14-336"),
        ("vilt", "captious get weights ViLT-B-32/coco"),
        ("pac-s", "gdown --folder https://drive.google.com/"),
    ],
)
def test_without_weights_all_that_is_missing_is_told_and_exit_2(run, data, name, command) -> None:
    pytest.importorskip("torch")
    found = run("reproduce", name, "--data", data)
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert f"Get them with: {command}" in found.err


@pytest.mark.usefixtures("no_weights")
def test_missing_photographs_are_counted(run, data) -> None:
    pytest.importorskip("torch")
    told = run("reproduce", "clipscore", "--data", data).err
    assert "flickr8k/images: 469 of the 1,000 photographs of flickr8k-expert are not in it" in told
    assert "thumb/images: there is no such folder of the photographs of thumb" in told


def test_with_weights_in_the_cache_values_are_measured(tiny, run, data, tmp_path, monkeypatch) -> None:
    """A tiny random CLIP in the place of the published one: the same path, other values."""
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    own = tmp_path / "hub" / "models--openai--clip-vit-base-patch32"
    tiny.write_clip(own / "snapshots" / "cd", seed=22)
    (own / "refs").mkdir()
    (own / "refs" / "main").write_text("cd")
    rows = (data / "thumb" / "mscoco_THumB-1.0.jsonl").read_text("utf-8").splitlines()
    (tmp_path / "images").mkdir()
    photographs = tiny.write_photographs(tmp_path / "made", 7)
    for number, row in enumerate(rows):
        name = str(json.loads(row)["seg_id"])
        shutil.copy(photographs[number % 7], tmp_path / "images" / f"{name}.png")
    found = run("reproduce", "clipscore", "--data", data, "--images", tmp_path / "images", "--format", "json")
    thumb = {c["column"]: c for c in found.json["checks"] if c["measure"] == "thumb pearson"}
    assert set(thumb) == {"precision", "recall", "total"}
    assert all(-1 < check["got"] < 1 for check in thumb.values())
    assert found.code == 1  # random weights are not CLIP's


def test_vilt_is_measured_on_the_authors_rows(tiny_joint, run, tmp_path, monkeypatch) -> None:
    """A tiny random ViLT in the place of the published one, on rows as Ruiz et al. would give them."""
    from PIL import Image
    from scipy.stats import spearmanr

    import captious

    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    own = tmp_path / "hub" / "models--dandelin--vilt-b32-finetuned-coco"
    tiny_joint.write_vilt(own / "snapshots" / "cd", positions=40)
    (own / "refs").mkdir()
    (own / "refs" / "main").write_text("cd")
    (tmp_path / "data" / "vcrscore" / "images").mkdir(parents=True)
    rows = []
    for number, caption in enumerate([*tiny_joint.CAPTIONS, "two men", "the red sofa"]):
        colour = (40 * number, 255 - 40 * number, 90)
        Image.new("RGB", (90, 70), colour).save(tmp_path / "data" / "vcrscore" / "images" / f"{number}.png")
        rating = (number * 5) % 7 / 7
        rows.append(
            {"image": f"{number}.png", "caption": caption, "references": ["A dog."], "rating": rating}
        )
    (tmp_path / "data" / "vcrscore" / "own.jsonl").write_text("\n".join(map(json.dumps, rows)))
    found = run("reproduce", "vilt", "--data", tmp_path / "data", "--format", "json")
    checks = {check["measure"]: check for check in found.json["checks"]}
    paths = {row["image"]: str(tmp_path / "data" / "vcrscore" / "images" / row["image"]) for row in rows}
    corpus = captious.Corpus.from_lists(
        [row["caption"] for row in rows], image_ids=list(paths), image_paths=paths
    )
    scores = captious.score(corpus, ["vilt"])["vilt"].values
    expected = spearmanr(scores, [row["rating"] for row in rows]).statistic
    assert checks["vcrscore own spearman"]["got"] == pytest.approx(expected)
    assert checks["vcrscore own spearman"]["expected"] == 0.508
    assert checks["vcrscore external spearman"]["verdict"] == "skipped"
    assert found.code == 1  # random weights are not ViLT's
