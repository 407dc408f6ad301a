from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Item, Problem, Progress, Response, protocol
from captious.protocols.humanr.rules import BASELINE, LEFT, RIGHT, Humanr, comparisons, failed_raters

MakeUp = Callable[..., Corpus]


def rated(item: Item, score: float, rater: str) -> Response:
    """A response whose preference for the candidate is `score`: 5 + 4 * score on the right."""
    kinds = [key for key, source in item.sources.items() if source != ("reference",)]
    rating = 5 + 4 * score * (1 if kinds == [RIGHT] else -1)
    found = Humanr().validate(item, {"preference": rating}, rater=rater)
    assert isinstance(found, Response), found
    return found


def real(items: Sequence[Item]) -> list[Item]:
    return [item for item in items if not item.check]


def test_an_image_is_compared_once_a_system_and_once_human_to_human(made_up: MakeUp) -> None:
    items = protocol("humanr").items(made_up(20, ("a", "b", "c")), seed=1)
    kinds = Counter(item.image for item in real(items))
    # ObjectNet Captions, 4.2: up to four times, three models and the baseline.
    assert set(kinds.values()) == {4}
    for item in real(items):
        texts = [caption.text for caption in item.captions]
        assert all(f"image {item.image}." in text for text in texts)
        assert texts[0] != texts[1]


def test_sides_are_balanced_and_drawn(made_up: MakeUp) -> None:
    items = protocol("humanr").items(made_up(25), seed=1)
    for kind in ("m", "n", BASELINE, "check"):
        sides = [item.sources[RIGHT] == (kind,) for item in items if item.balance == kind]
        assert len(sides) == 25
        assert sum(sides) in (12, 13)
        # 25 alternating sides would be a pattern that a rater can learn.
        assert any(one == two for one, two in pairwise(sides))
    other = protocol("humanr").items(made_up(25), seed=2)
    assert [item.captions for item in items] != [item.captions for item in other]


def test_a_check_sets_a_caption_of_another_image_against_one_of_its_own(made_up: MakeUp) -> None:
    items = protocol("humanr").items(made_up(10), seed=1)
    checks = [item for item in items if item.check]
    assert len(checks) == 10
    for item in checks:
        own = {caption.key: f"image {item.image}." in caption.text for caption in item.captions}
        assert own == {item.check: False, ({LEFT, RIGHT} - {item.check}).pop(): True}


def test_the_page_does_not_tell_what_is_what() -> None:
    corpus = Corpus.from_lists(
        ["A dog.", "A cat."],
        [["One dog.", "Dogs."], ["One cat.", "Cats."]],
        image_ids=["1", "2"],
        systems=["secret", "secret"],
    )
    shown = [item.public() for item in Humanr().items(corpus, seed=1)]
    assert {frozenset(page) for page in shown} == {
        frozenset({"key", "image", "captions", "fields", "prior", "hints"})
    }
    text = json.dumps(shown)
    assert not any(word in text for word in ("secret", "check", '"reference', BASELINE))


def test_the_question_never_asks_which_is_better(made_up: MakeUp) -> None:
    humanr = protocol("humanr")
    words = [humanr.items(made_up(2), seed=1)[0].form.fields[0].label]
    words += [guide.text for guide in humanr.guide()]
    assert "goes best" in words[0]
    assert "better" not in " ".join(words).lower()


@pytest.mark.parametrize("rating", [0, 10, 4.5, "left", None])
def test_bad_ratings(made_up: MakeUp, rating: object) -> None:
    humanr = protocol("humanr")
    item = humanr.items(made_up(2), seed=1)[0]
    found = humanr.validate(item, {"preference": rating})
    assert isinstance(found, list)
    assert [type(one) for one in found] == [Problem]
    assert "a whole number from 1 to 9" in found[0].message


@settings(deadline=None, max_examples=40)
@given(
    images=st.integers(2, 13),
    group=st.integers(2, 10),
    target=st.integers(1, 2),
    turns=st.lists(st.tuples(st.sampled_from("rstuvw"), st.booleans()), max_size=25),
    seed=st.integers(0, 99),
)
def test_groups_obey_every_rule(
    made_up: MakeUp, images: int, group: int, target: int, turns: list[tuple[str, bool]], seed: int
) -> None:
    humanr = Humanr(group_size=group, target=target)
    items = humanr.items(made_up(images), seed=seed)
    log: list[Response] = []
    for rater, abandons in turns:
        found = humanr.next_items(items, Progress.of(items, log), rater, now=0, seed=seed)
        assert len(found) <= group
        assert len({item.image for item in found}) == len(found)
        assert sum(bool(item.check) for item in found) == (1 if found else 0)
        if not abandons:
            log += [rated(item, 0.0, rater) for item in found]
    image_of = {item.key: item.image for item in items}
    seen = [(response.rater, image_of[response.item]) for response in log]
    assert len(set(seen)) == len(seen)
    taken = Counter(response.item for response in log)
    assert all(taken[item.key] <= target for item in real(items))


def test_enough_raters_finish_every_comparison(made_up: MakeUp) -> None:
    humanr = Humanr()
    items = humanr.items(made_up(30), seed=4)
    log: list[Response] = []
    for n in range(40):
        found = humanr.next_items(items, Progress.of(items, log), f"r{n}", now=0, seed=4)
        log += [rated(item, 0.0, f"r{n}") for item in found]
    done = Counter(response.item for response in log)
    assert {done[item.key] for item in real(items)} == {1}


def test_systems_are_collected_evenly(made_up: MakeUp) -> None:
    humanr = Humanr()
    items = humanr.items(made_up(50), seed=4)
    group = humanr.next_items(items, Progress(), "r", now=0, seed=4)
    assert len(group) == 10
    assert Counter(item.balance for item in group) == {"m": 3, "n": 3, BASELINE: 3, "check": 1}


def test_a_rater_who_prefers_the_planted_caption_is_removed_with_everything(made_up: MakeUp) -> None:
    items = protocol("humanr").items(made_up(6), seed=1)
    check = next(item for item in items if item.check)
    fair = [rated(item, -0.5, "fair") for item in real(items)[:4]]
    foul = [rated(item, 1.0, "foul") for item in real(items)[4:8]]
    log = [*fair, *foul, rated(check, -1.0, "fair"), rated(check, 0.25, "foul")]
    assert Humanr().removed_raters(items, log) == failed_raters(items, log) == {"foul"}
    kept = comparisons(items, log)
    assert [one.rater for one in kept] == ["fair"] * 4
    assert {one.score for one in kept} == {-0.5}
    judged = protocol("humanr").judgments(items, log)
    assert judged.raters == ["fair"]


def test_no_preference_in_a_check_is_no_failure(made_up: MakeUp) -> None:
    items = protocol("humanr").items(made_up(2), seed=1)
    check = next(item for item in items if item.check)
    assert failed_raters(items, [rated(check, 0.0, "r")]) == frozenset()


def test_a_caption_copied_from_a_person_meets_another_persons() -> None:
    corpus = Corpus.from_lists(
        ["a dog runs", "A cat."],
        [["A dog runs.", "The dog is running."], ["A cat sits.", "One cat."]],
        image_ids=["1", "2"],
        systems=["m", "m"],
    )
    items = Humanr().items(corpus, seed=1)
    texts = {
        caption.text
        for item in items
        if (item.balance, item.image) == ("m", "1")
        for caption in item.captions
    }
    assert texts == {"A dog runs.", "The dog is running."}


@pytest.mark.parametrize(
    ("corpus", "says"),
    [
        (Corpus.from_lists(["A dog."]), "has no human caption to compare with"),
        (
            Corpus.from_lists(["A dog."], [["One dog."]], systems=["check"]),
            'system "check": this protocol uses that name itself',
        ),
        (Corpus.from_lists(["A dog."], [["One dog."]]), "Give more images"),
    ],
)
def test_a_corpus_that_cannot_be_compared_is_refused(corpus: Corpus, says: str) -> None:
    with pytest.raises(InputError, match=says):
        Humanr().items(corpus, seed=1)


def test_a_group_without_room_is_refused(made_up: MakeUp) -> None:
    with pytest.raises(InputError, match="group_size"):
        Humanr(group_size=1).items(made_up(2), seed=1)


def test_how_many_raters_it_takes(made_up: MakeUp) -> None:
    items = protocol("humanr").items(made_up(20, ("a", "b", "c")), seed=1)
    # 20 images x 4 comparisons; of 20 images a rater spends 2 on checks: 80 / 18 is 5 people, rounded up.
    assert protocol("humanr").raters_needed(items) == 5
