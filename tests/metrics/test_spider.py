from __future__ import annotations

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import InputError


def test_spider_is_the_mean_of_cider_d_and_spice() -> None:
    corpus = Corpus.from_lists(
        ["a red bus on a street", "two dogs run", "a man"],
        [["a bus drives on a street", "a red bus"], ["two dogs play"], ["a man sits on a bench"]],
    )
    found = score(corpus, ["cider", "spice", "spider"], resamples=100)
    means = (found["cider"].values + found["spice"].values) / 2
    np.testing.assert_allclose(found["spider"].values, means, atol=1e-12)
    # As audio captioning reports it: the mean of the two corpus values.
    assert found["spider"].score == pytest.approx((found["cider"].score + found["spice"].score) / 2)
    (system,) = found["spider"].systems.values()
    assert system.low < system.score < system.high
    signature = found["spider"].signature
    assert signature.startswith("spider|refs:1-2|tok:ptb|df:corpus:3|n:4|sigma:6.0|parser:caption:")


def test_one_image_is_refused_as_cider_refuses_it() -> None:
    with pytest.raises(InputError, match="document frequencies"):
        score(Corpus.from_lists(["a dog"], [["a dog"]]), ["spider"])
