from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.corpus import Corpus
from captious.protocols import Caption, Form, Item, Progress, Response, choose, eligible, protocol


def item(key: str, **options: object) -> Item:
    image = str(options.pop("image", key))
    return Item(key, image, (Caption("A", "Words."),), Form(()), {"A": ("m",)}, **options)  # type: ignore[arg-type]


def chosen(items: list[Item], progress: Progress, rater: str = "r", **options: object) -> list[str]:
    settings: dict[str, object] = {"now": 0.0, "seed": 1, "once_per_image": False} | options
    return [one.key for one in choose(items, progress, rater, **settings)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("options", "rater", "now", "may"),
    [
        ({}, "r", 0, True),
        ({"not_for": frozenset({"r"})}, "r", 0, False),
        ({"not_for": frozenset({"r"})}, "s", 0, True),
        ({"only_for": frozenset({"r"})}, "r", 0, True),
        ({"only_for": frozenset({"r"})}, "s", 0, False),
        ({"not_before": 10.0}, "r", 9.9, False),
        ({"not_before": 10.0}, "r", 10.0, True),
    ],
)
def test_who_may_be_asked_when(options: dict[str, object], rater: str, now: float, may: bool) -> None:
    found = eligible(item("a", **options), Progress(), rater, now=now, once_per_image=True)
    assert found is may


def test_an_item_is_finished_before_the_next_is_begun() -> None:
    items = [item(key, target=2) for key in "abcdef"]
    first = chosen(items, Progress())[0]
    progress = Progress.of(items, [Response(first, {}, "r")])
    assert chosen(items, progress, "s") == [first]
    assert chosen(items, progress, "r") != [first]


def test_what_has_been_collected_least_of_comes_first() -> None:
    items = [item(f"{kind}{n}", balance=kind) for kind in "xy" for n in range(5)]
    progress = Progress.of(items, [Response(f"x{n}", {}, "s") for n in range(2)])
    # x has 2, y has 0: y y, then by turns.
    kinds = [key[0] for key in chosen(items, progress, count=6)]
    assert kinds[:2] == ["y", "y"]
    assert Counter(kinds[2:]) == {"x": 2, "y": 2}


def test_a_removed_rater_frees_the_slot_but_is_not_asked_again() -> None:
    items = [item("a")]
    log = [Response("a", {}, "bad")]
    assert chosen(items, Progress.of(items, log), "good") == []
    freed = Progress.of(items, log, removed=frozenset({"bad"}))
    assert chosen(items, freed, "good") == ["a"]
    assert chosen(items, freed, "bad") == []


def test_holding_a_slot_counts_as_taken() -> None:
    one = item("a", target=2)
    held = Progress().holding("r", one).holding("s", one)
    assert held.taken == {"a": 2}
    assert chosen([one], held, "t") == []


def test_raters_have_orders_of_their_own() -> None:
    items = [item(str(n), target=9) for n in range(30)]
    one, again, other = (chosen(items, Progress(), r, count=30) for r in ("r", "r", "s"))
    assert one == again != other
    assert sorted(one) == sorted(other)


@settings(deadline=None)
@given(
    targets=st.lists(st.integers(1, 3), min_size=1, max_size=8),
    images=st.integers(1, 4),
    turns=st.lists(st.sampled_from("rstu"), max_size=40),
    once=st.booleans(),
    count=st.integers(1, 4),
    seed=st.integers(0, 99),
)
def test_the_rules_hold_in_any_order_of_raters(
    targets: list[int], images: int, turns: list[str], once: bool, count: int, seed: int
) -> None:
    items = [
        item(str(n), image=str(n % images), target=target, balance=str(n % 2))
        for n, target in enumerate(targets)
    ]
    log: list[Response] = []
    for rater in turns:
        progress = Progress.of(items, log)
        found = choose(items, progress, rater, now=0.0, seed=seed, once_per_image=once, count=count)
        log += [Response(one.key, {}, rater) for one in found]
    image_of = {one.key: one.image for one in items}
    pairs = [(response.rater, response.item) for response in log]
    assert len(set(pairs)) == len(pairs)
    taken = Counter(response.item for response in log)
    assert all(taken[one.key] <= one.target for one in items)
    if once:
        seen = [(rater, image_of[key]) for rater, key in pairs]
        assert len(set(seen)) == len(seen)


def test_items_are_values() -> None:
    assert replace(item("a"), target=2) != item("a")


SYSTEM, HUMAN = "a dog runs on the grass", "The brown dog is running through tall grass."


def _items(name: str, **options: bool) -> list[str]:
    corpus = Corpus.from_lists(
        [SYSTEM, "a cat on a mat"],
        [[HUMAN, "A dog plays outside."], ["A cat sleeps on its mat.", "One cat."]],
        image_ids=["1", "2"],
        systems=["m2", "m2"],
    )
    return [
        caption.text for item in protocol(name, **options).items(corpus, seed=1) for caption in item.captions
    ]


@pytest.mark.parametrize("name", ["humanr", "tagging", "audit", "thumb"])
def test_letter_case_and_full_stops_do_not_give_a_system_away(name: str) -> None:
    assert all(re.fullmatch(r"[A-Z].*\.", text) for text in _items(name))
    assert SYSTEM in _items(name, clean=False)
