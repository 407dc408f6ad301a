"""Never the same image on both sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from captious.corpus.splits import PARTS, Split
from captious.errors import InputError
from captious.learn import RatedSet, TrainingData
from captious.learn.splits import folds_by_image, parse_shares, parts_of

Rated = Callable[..., RatedSet]


def parts(data: TrainingData) -> list[set[str]]:
    return [{data.images[row] for row in rows.tolist()} for rows in parts_of(data)]


def test_shares_are_of_images_and_no_image_is_on_two_sides(rated: Rated) -> None:
    train, validation, test = parts(TrainingData((rated(500),)))
    # Binomial: 500 images at 60%, 20%, 20%; the standard deviations are 11 and 9.
    assert abs(len(train) - 300) < 40
    assert abs(len(validation) - 100) < 30
    assert len(train | validation | test) == 500
    assert not (train & validation or train & test or validation & test)


def test_the_test_part_of_a_set_stays_whatever_is_trained_beside_it(rated: Rated) -> None:
    own = replace(rated(100, name="own"), shares=(0.0, 0.0, 1.0))
    alone = rated(150, seed=3, first=50, name="beside")
    swapped = replace(alone, name="swapped", shares=(0.2, 0.2, 0.6))
    wanted = set(map(str, range(100)))
    for others in ((alone,), (swapped,), (alone, swapped)):
        for sets in ((own, *others), (*others, own)):
            data = TrainingData(sets)
            place = sets.index(own)
            found = parts_of(data)
            assert {data.images[row] for row in data.rows_of(place, found.test).tolist()} == wanted
            assert not wanted & {data.images[row] for row in found.train.tolist()}
            assert not wanted & {data.images[row] for row in found.validation.tolist()}


def test_an_image_of_two_data_sets_is_on_one_side_however_it_is_spelled(rated: Rated) -> None:
    first, second = rated(60), rated(60, name="other", seed=1)
    ids = [f"COCO_val2014_{int(i):012d}.jpg" for i in second.corpus.image_ids]
    other = replace(second, corpus=replace(second.corpus, image_ids=ids), shares=(0.5, 0.0, 0.5))
    train, validation, test = parts(TrainingData((first, other)))
    assert not (train & test or train & validation or validation & test)
    assert len(train | validation | test) == 60
    # The share that both have for testing is the same images: .2 of the first lies within .5 of the other.
    assert parts(TrainingData((first,)))[2] <= test


def test_a_given_split_is_kept_and_an_image_without_part_is_refused(rated: Rated) -> None:
    given = {str(image): PARTS[image % 3] for image in range(30)}
    own = replace(rated(30), split=Split(given, "mine.csv"))
    train, validation, test = parts(TrainingData((own,)))
    assert test == {str(image) for image in range(2, 30, 3)}
    assert (len(train), len(validation)) == (10, 10)
    del given["7"]
    with pytest.raises(InputError, match=r'mine\.csv: image "7" is in no part'):
        parts_of(TrainingData((own,)))


def test_each_image_is_judged_in_one_fold() -> None:
    images = [str(i // 3) for i in range(30)]
    judged: list[int] = []
    for fit, judge in folds_by_image(images, 4, seed=2):
        assert not {images[i] for i in fit.tolist()} & {images[i] for i in judge.tolist()}
        judged += judge.tolist()
    assert sorted(judged) == list(range(30))


@pytest.mark.parametrize("text", ["70", "0/100", "100/0", "a/b", "-1/2", "1/2/3/4", "50/60"])
def test_shares_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="split="):
        parse_shares(text)


def test_too_few_images_are_refused(rated: Rated) -> None:
    with pytest.raises(InputError, match="fewer than two"):
        parts_of(TrainingData((rated(2),)))
