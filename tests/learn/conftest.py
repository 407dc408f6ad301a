from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from captious import Corpus
from captious.learn import RatedSet

WORDS = ["dog", "cat", "bus", "man", "woman", "horse", "field", "beach", "red", "ball", "street", "plate"]


def make_rated(images: int = 40, name: str = "made", seed: int = 0, first: int = 0) -> RatedSet:
    """Captions that share from none to all of their words with a reference, rated 1 to 5 by that.

    Two raters; the second is a little off.
    """
    rng = np.random.default_rng(seed)
    captions, references, ids, ratings = [], [], [], []
    for image in range(images):
        own = rng.choice(WORDS, 4, replace=False).tolist()
        others = [word for word in WORDS if word not in own]
        for kept in (0, 2, 3, 4):
            words = own[:kept] + rng.choice(others, 4 - kept, replace=False).tolist()
            captions.append(" ".join(words))
            references.append([" ".join(own)])
            ids.append(str(first + image))
            ratings.append([1.0 + kept, float(np.clip(1 + kept + rng.normal(0, 0.5), 1, 5))])
    systems = ["a", "b", "c", "d"] * images
    corpus = Corpus.from_lists(captions, references, image_ids=ids, systems=systems)
    examples = np.repeat(np.arange(len(captions)), 2)
    return RatedSet(name, corpus, examples, np.array(ratings).ravel(), (1.0, 5.0), (0.6, 0.2, 0.2))


@pytest.fixture
def rated() -> Callable[..., RatedSet]:
    """Makes rated sets: `rated(images=40, name="made", seed=0, first=0)`."""
    return make_rated


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Features that these tests keep are their own."""
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path_factory.mktemp("cache")))
