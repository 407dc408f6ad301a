"""Scores of pairs are computed once, and again where anything of them changed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from captious.errors import InputError
from captious.models.encoders.base import ImageFile, ScoredPairs
from captious.models.encoders.vector_cache import RememberedPairs, file_key


class Lengths:
    """Scores a pair by the sizes of its image and text, and tells what it was asked."""

    family = "none"

    def __init__(self, revision: str = "1") -> None:
        self.asked: list[tuple[str, str]] = []
        self._revision = revision

    def facts(self) -> dict[str, str]:
        return {"enc": self._revision}

    def image_key(self, image: ImageFile) -> bytes:
        return file_key(image)

    def pairs(self, images: Sequence[ImageFile], texts: Sequence[Sequence[str]], long: str) -> ScoredPairs:
        scores, broken = [], {}
        for image, own in zip(images, texts, strict=True):
            self.asked += [(image.id, text) for text in own]
            size = Path(image.path or "").stat().st_size
            if size == 3:
                broken[image.id] = "three bytes are no image."
            scores += [np.nan if size == 3 else size + len(text) / 8 for text in own]
        beyond = np.arange(len(scores))
        return ScoredPairs(np.array(scores, dtype=np.float64), beyond, broken)


@pytest.fixture
def images(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[ImageFile]:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    for name, content in (("a", b"12345"), ("b", b"1234567"), ("bad", b"123")):
        (tmp_path / name).write_bytes(content)
    return [ImageFile(name, str(tmp_path / name)) for name in ("a", "b", "bad")] + [ImageFile("gone")]


TEXTS = [["dog", "a cat"], ["dog"], ["dog"], ["dog"]]
SCORES = [5.375, 5.625, 7.375, np.nan, np.nan]


def test_what_was_scored_is_not_asked_for_again(images: list[ImageFile]) -> None:
    first, second = Lengths(), Lengths()
    once = RememberedPairs(first).pairs(images, TEXTS, "truncate")
    np.testing.assert_array_equal(once.scores, SCORES)
    assert set(once.broken) == {"bad", "gone"}
    assert first.asked == [("a", "dog"), ("a", "a cat"), ("b", "dog"), ("bad", "dog")]
    again = RememberedPairs(second).pairs(images, TEXTS, "truncate")
    np.testing.assert_array_equal(again.scores, SCORES)
    np.testing.assert_array_equal(again.beyond[:3], once.beyond[:3])
    assert set(again.broken) == {"bad", "gone"}
    assert second.asked == [("bad", "dog")]  # it may be whole by now


def test_only_new_pairs_are_asked_for(images: list[ImageFile]) -> None:
    RememberedPairs(Lengths()).pairs(images[:2], TEXTS[:2], "truncate")
    scorer = Lengths()
    found = RememberedPairs(scorer).pairs(images[:2], [["a cat", "x", "dog"], ["dog"]], "truncate")
    np.testing.assert_array_equal(found.scores, [5.625, 5.125, 5.375, 7.375])
    assert scorer.asked == [("a", "x")]


@pytest.mark.parametrize("change", ["image", "long", "weights"])
def test_a_change_is_noticed(images: list[ImageFile], change: str) -> None:
    RememberedPairs(Lengths()).pairs(images[:1], [["dog"]], "truncate")
    if change == "image":
        Path(str(images[0].path)).write_bytes(b"54321")
    scorer = Lengths("2" if change == "weights" else "1")
    RememberedPairs(scorer).pairs(images[:1], [["dog"]], "chunk" if change == "long" else "truncate")
    assert scorer.asked == [("a", "dog")]


def test_nothing_asked_nothing_found(images: list[ImageFile]) -> None:
    assert len(RememberedPairs(Lengths()).pairs([], [], "truncate").scores) == 0


def test_a_cache_that_cannot_be_written_costs_time_only(images, tmp_path: Path, monkeypatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "file"))
    found = RememberedPairs(Lengths()).pairs(images[:2], TEXTS[:2], "truncate")
    np.testing.assert_array_equal(found.scores, SCORES[:3])


def test_an_image_without_a_file_has_no_key() -> None:
    with pytest.raises(InputError, match=r'image "x": no file was found'):
        file_key(ImageFile("x"))
