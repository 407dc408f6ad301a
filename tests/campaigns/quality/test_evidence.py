from __future__ import annotations

import numpy as np
import pytest

from captious.campaigns.quality.evidence import gather
from captious.campaigns.records import StoredResponse
from captious.corpus import Corpus
from captious.protocols import protocol
from captious.protocols.tagging import VALUES
from captious.stats import leave_one_rater_out

RULES = protocol("tagging", raters=3, two_rounds=False)
CORPUS = Corpus.from_lists([f"Dog {k}." for k in range(8)], image_ids=[f"i{k}" for k in range(8)])
ITEMS = {item.key: item for item in RULES.items(CORPUS, seed=1)}


def _stored(number: int, item: str, rater: str, verdict: str, **more) -> StoredResponse:
    values = {
        "id": number,
        "key": str(number),
        "item_key": item,
        "image": ITEMS[item].image,
        "stage": "first",
        "rater": rater,
        "rater_id": 1,
        "answers": {"verdict": verdict},
        "hints": (),
        "time": float(number),
        "seconds": 5.0,
        "kind": "answer",
        "replaces": None,
        "source": "web",
        "actor": "",
        "standing": True,
    }
    return StoredResponse(**values | more)


def _table(seed: int) -> tuple[list[StoredResponse], np.ndarray]:
    rng = np.random.default_rng(seed)
    words = list(VALUES)
    rows, matrix = [], np.full((len(ITEMS), 3), np.nan)
    for at, key in enumerate(ITEMS):
        for rater in range(3):
            if rng.random() < 0.9:
                verdict = words[int(rng.integers(5))]
                matrix[at, rater] = VALUES[verdict]
                rows.append(_stored(len(rows) + 1, key, "abc"[rater], verdict))
    return rows, matrix


@pytest.mark.parametrize("seed", range(5))
def test_consensus_is_leave_one_rater_out(seed):
    rows, matrix = _table(seed)
    found = gather(RULES, ITEMS, rows, counted=frozenset("abc"), gold={}).consensus()
    for place, left in enumerate(leave_one_rater_out(matrix)):
        r, n = found["abc"[place]]
        assert n == left.n_items
        assert r == pytest.approx(left.pearson, nan_ok=True)


def test_removed_raters_are_compared_but_nobody_with_them():
    rows, matrix = _table(3)
    found = gather(RULES, ITEMS, rows, counted=frozenset("ab"), gold={})
    without = leave_one_rater_out(matrix[:, :2])
    assert found.consensus()["a"][0] == pytest.approx(without[0].pearson)
    assert found.consensus()["c"][1] == int(
        (~np.isnan(matrix[:, 2]) & ~np.isnan(matrix[:, :2]).all(axis=1)).sum()
    )


def test_a_correction_takes_the_place_of_what_it_corrects():
    key = next(iter(ITEMS))
    rows = [
        _stored(1, key, "a", "minor"),
        _stored(2, key, "a", "serious", kind="correction", replaces=1, seconds=0.5),
        _stored(3, key, "", "complete", kind="adjudication"),
    ]
    found = gather(RULES, ITEMS, rows, counted=frozenset("a"), gold={key: {"verdict": "serious"}})
    assert list(found.work) == ["a"]
    assert len(found.work["a"].said) == 1
    assert found.work["a"].gold == {key: True}
    # How fast they work the first answer tells.
    assert found.work["a"].seconds == [5.0]


def test_the_usual_answer_is_that_to_the_same_captions_where_there_are_enough():
    few = list(ITEMS)
    rows = [_stored(1, few[0], "a", "minor"), _stored(2, few[1], "b", "serious")]
    found = gather(RULES, ITEMS, rows, counted=frozenset("ab"), gold={})
    assert found.others("a") == [{}]
    usual = found.usual("a", found.others("a"))
    assert usual is not None
    assert {answer: share for answer, share in usual.items() if share} == {1: 1.0}
    alone = gather(RULES, ITEMS, rows[:1], counted=frozenset("a"), gold={})
    assert alone.usual("a", alone.others("a")) is None


def test_shared_answers_of_every_two_raters() -> None:
    words = list(VALUES)
    keys = list(ITEMS)[:4]
    said = {"a": [0, 1, 2, 3], "b": [0, 1, 2, 4], "c": [1, 1]}
    rows = [
        _stored(10 * ord(rater) + at, key, rater, words[verdict])
        for rater, own in said.items()
        for at, (key, verdict) in enumerate(zip(keys, own, strict=False))
    ]
    found = gather(RULES, ITEMS, rows, counted=frozenset("abc"), gold={})
    alike, usual, pairs = found.alike()
    # a and b share 4 captions and agree on 3; each of them shares 2 with c and agrees on 1.
    assert alike["a"] == {"b": (3, 4), "c": (1, 2)}
    assert alike["c"] == {"a": (1, 2), "b": (1, 2)}
    assert (usual, pairs) == (5 / 8, 3)
