"""Never the same image on both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from captious.errors import InputError
from captious.learn import RatedSet, TrainingData
from captious.learn.splits import folds_by_image, parse_shares, split_by_image

Rated = Callable[..., RatedSet]


def parts(data: TrainingData, seed: int = 1) -> list[set[str]]:
    return [{data.images[row] for row in rows.tolist()} for rows in split_by_image(data, seed)]


def test_shares_are_of_images_and_no_image_is_on_two_sides(rated: Rated) -> None:
    train, validation, test = parts(TrainingData((rated(50),)))
    assert [len(train), len(validation), len(test)] == [30, 10, 10]
    assert not (train & validation or train & test or validation & test)


def test_an_image_of_two_data_sets_is_on_one_side_however_it_is_spelled(rated: Rated) -> None:
    first, second = rated(30), rated(30, name="other", seed=1)
    ids = [f"COCO_val2014_{int(i):012d}.jpg" for i in second.corpus.image_ids]
    other = replace(second, corpus=replace(second.corpus, image_ids=ids), shares=(0.5, 0.0, 0.5))
    train, validation, test = parts(TrainingData((first, other)))
    assert not (train & test or train & validation or validation & test)
    assert len(train | validation | test) == 30


def test_the_same_seed_gives_the_same_parts(rated: Rated) -> None:
    data = TrainingData((rated(20),))
    assert parts(data, 4) == parts(data, 4) != parts(data, 5)


def test_each_image_is_judged_in_one_fold() -> None:
    images = [str(i // 3) for i in range(30)]
    judged: list[int] = []
    for fit, judge in folds_by_image(images, 4, seed=2):
        assert not {images[i] for i in fit.tolist()} & {images[i] for i in judge.tolist()}
        judged += judge.tolist()
    assert sorted(judged) == list(range(30))


@pytest.mark.parametrize("text", ["70", "0/100", "100/0", "a/b", "-1/2", "1/2/3/4", "50/60"])
def test_shares_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="--split"):
        parse_shares(text)


def test_too_few_images_are_refused(rated: Rated) -> None:
    with pytest.raises(InputError, match="fewer than two"):
        split_by_image(TrainingData((rated(2),)), 1)
