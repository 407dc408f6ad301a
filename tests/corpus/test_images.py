from __future__ import annotations

from pathlib import Path

from captious.corpus.images import find_images


def names(found: list[str | None]) -> list[str | None]:
    return [Path(path).name if path else None for path in found]


def test_ways_to_find_an_image(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("COCO_val2014_000000391895.JPG", "000000000007.jpg", "sub/beach.Png", "odd.webp"):
        (tmp_path / name).touch()
    ids = ["391895", "7", "beach", "sub/beach.png", "other/BEACH.png", "12", "nothing"]
    assert names(find_images(tmp_path, ids, {"12": "odd.webp"})) == [
        "COCO_val2014_000000391895.JPG",
        "000000000007.jpg",
        "beach.Png",
        "beach.Png",
        "beach.Png",
        "odd.webp",
        None,
    ]


def test_no_id_leads_out_of_the_folder(tmp_path: Path) -> None:
    inside = tmp_path / "images"
    inside.mkdir()
    (inside / "a.jpg").touch()
    (tmp_path / "secret.jpg").touch()
    ids = ["../secret.jpg", "..\\secret", str(tmp_path / "secret.jpg"), "images/../../secret"]
    assert find_images(inside, ids) == [None] * 4
    assert find_images(inside, ["x"], {"x": "../secret.jpg"}) == [None]
