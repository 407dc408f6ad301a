from __future__ import annotations

import json

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Item, Problem, Progress, Response, protocol
from captious.protocols.thumb.rules import Thumb, total

DOG = "A dog playing with a frisbee on the ground."
OTTER = "A otter is laying on the sand next to two frisbees."
SMALL = "A small animal laying on a rock with three frisbees."


def otter_image(**options: object) -> tuple[Thumb, Item]:
    """The first image of THumB's Table 1, whose first caption a fourth system copies."""
    corpus = Corpus.from_lists(
        [DOG, OTTER, SMALL, " a dog playing with a frisbee on the ground ."],
        image_ids=["1"] * 4,
        systems=["Up-Down", "VinVL-base", "VinVL-large", "copycat"],
    )
    thumb = protocol("thumb", **options)
    assert isinstance(thumb, Thumb)
    (item,) = thumb.items(corpus, seed=3)
    return thumb, item


def answers(item: Item, **changed: object) -> dict[str, object]:
    """Table 1 for the otter: (P, R, fluency) 3 4 0, 5 4 0.1, 4 3 0."""
    scores = {DOG: (3, 4, []), OTTER: (5, 4, ["grammar"]), SMALL: (4, 3, [])}
    corrected = {
        DOG: "An otter playing with two frisbees on the ground.",
        SMALL: "A small animal laying on a rock with two frisbees.",
    }
    found: dict[str, object] = {}
    for key, text in item.captions:
        p, r, errors = scores[text]
        found |= {f"{key}.precision": p, f"{key}.recall": r, f"{key}.fluency": errors}
        found |= {f"{key}.conciseness": "0", f"{key}.inclusive_language": "0"}
        if text in corrected:
            found |= {f"{key}.errors": ["wrong"], f"{key}.corrected": corrected[text]}
    return found | changed


def key_of(item: Item, text: str) -> str:
    return next(caption.key for caption in item.captions if caption.text == text)


def given_by(thumb: Thumb, item: Item, sent: dict[str, object], rater: str = "ann") -> Response:
    found = thumb.validate(item, sent, rater=rater, time=1.0)
    assert isinstance(found, Response), found
    return found


def test_equal_captions_are_shown_once_and_blind() -> None:
    _, item = otter_image()
    assert sorted(caption.text for caption in item.captions) == sorted([DOG, OTTER, SMALL])
    assert item.sources[key_of(item, DOG)] == ("Up-Down", "copycat")
    shown = json.dumps(item.public())
    assert not any(name in shown for name in ("Up-Down", "VinVL", "copycat"))


def test_the_order_is_drawn_from_the_seed() -> None:
    captions = [f"Caption {n}." for n in range(5)]
    corpus = Corpus.from_lists(
        captions * 40, image_ids=[str(i) for i in range(40) for _ in captions], systems=list("abcde") * 40
    )
    thumb = protocol("thumb")
    one, again, other = (thumb.items(corpus, seed=seed) for seed in (1, 1, 2))
    assert one == again
    assert [item.captions for item in one] != [item.captions for item in other]
    first = [item.sources["A"][0] for item in one]
    # Each of 5 systems stands first 8 times in 40 on average; 0 has a chance of 0.8^40 = 0.0001.
    assert set(first) == set("abcde")


def test_table_1_comes_out() -> None:
    thumb, item = otter_image()
    judged = thumb.judgments([item], [given_by(thumb, item, answers(item))])
    totals = dict(zip(judged.keys, judged.means("total").tolist(), strict=True))
    # Kasai et al. 2022, Table 1: 3.5, 4.4 and 3.5; the copy shares the first one's judgment.
    assert totals == {
        ("1", "Up-Down"): 3.5,
        ("1", "VinVL-base"): 4.4,
        ("1", "VinVL-large"): 3.5,
        ("1", "copycat"): 3.5,
    }
    fluency = judged.means("fluency")
    # As in the released file a penalty is what it adds to the total.
    assert fluency[judged.keys.index(("1", "VinVL-base"))] == -0.1


@pytest.mark.parametrize(("p", "r", "flu", "expected"), [(5, 5, 0.1, 4.9), (5, 5, 0.3, 4.7), (3, 2, 0, 2.5)])
def test_totals_of_table_1(p: float, r: float, flu: float, expected: float) -> None:
    assert total({"precision": p, "recall": r, "fluency": flu}) == expected


def test_all_penalties_are_taken_off() -> None:
    scores = {"precision": 5, "recall": 5, "fluency": 0.6, "conciseness": 0.5}
    # (5 + 5) / 2 - 0.6 - 0.5 - 2
    assert total(scores | {"inclusive_language": 2}) == 1.9


def test_a_wrong_part_must_be_corrected_before_recall() -> None:
    thumb, item = otter_image()
    key = key_of(item, DOG)
    sent = answers(item)
    del sent[f"{key}.corrected"]
    assert thumb.validate(item, sent) == [
        Problem(f"{key}.corrected", f"Caption {key}, Corrected caption: No answer. Write a few words.")
    ]
    names = [field.name for field in item.form.fields if field.caption == key]
    assert names.index(f"{key}.corrected") < names.index(f"{key}.recall")


def test_a_correction_that_corrects_nothing_is_refused() -> None:
    thumb, item = otter_image()
    key = key_of(item, DOG)
    found = thumb.validate(item, answers(item) | {f"{key}.corrected": DOG.lower()})
    assert isinstance(found, list)
    assert [problem.field for problem in found] == [f"{key}.corrected"]
    assert "Correct the part that is wrong" in found[0].message


@pytest.mark.parametrize("kind", ["invented", "unsure"])
def test_what_is_invented_cannot_be_corrected(kind: str) -> None:
    thumb, item = otter_image()
    key = key_of(item, DOG)
    sent = answers(item) | {f"{key}.errors": [kind]}
    del sent[f"{key}.corrected"]
    assert f"{key}.corrected" not in given_by(thumb, item, sent).answers


def test_a_precise_caption_needs_no_correction() -> None:
    thumb, item = otter_image()
    kept = given_by(thumb, item, answers(item)).answers
    key = key_of(item, OTTER)
    assert f"{key}.errors" not in kept
    assert f"{key}.corrected" not in kept


def test_precision_below_five_needs_a_reason() -> None:
    thumb, item = otter_image()
    key = key_of(item, OTTER)
    found = thumb.validate(item, answers(item) | {f"{key}.precision": 4})
    assert found == [Problem(f"{key}.errors", f"Caption {key}, What is wrong? No answer. Mark one or more.")]


def test_the_second_annotator_sees_the_scores_and_is_someone_else() -> None:
    thumb, item = otter_image()
    first = given_by(thumb, item, answers(item))
    (second,) = thumb.follow_ups(item, first)
    assert thumb.follow_ups(second, first) == []
    assert Thumb(two_stages=False).follow_ups(item, first) == []
    assert thumb.guide(second.stage)[0].title == "You are the second rater"
    assert second.stage == "second"
    assert second.prior == first.answers
    assert second.captions == item.captions
    progress = Progress.of([item, second], [first])
    ask = [thumb.next_items([item, second], progress, rater, now=2.0, seed=1) for rater in ("ann", "bob")]
    assert ask == [[], [second]]


def test_development_data_are_kept_apart() -> None:
    corpus = Corpus.from_lists([f"Caption {n}." for n in range(6)])
    thumb = Thumb(development_images=2)
    items = thumb.items(corpus, seed=1)
    stages = [item.stage for item in items]
    assert sorted(stages) == ["development-first"] * 2 + ["first"] * 4
    apart = next(item for item in items if item.stage.startswith("development"))
    response = Response(apart.key, {}, "ann")
    assert thumb.next_stage(apart, response).stage == "development-second"
    assert thumb.tables([apart], [Response(apart.key, {"A.precision": 5.0}, "ann")]) == []
    with pytest.raises(InputError, match="7 of 6 images"):
        Thumb(development_images=7).items(corpus, seed=1)


def test_hints_are_off_unless_switched_on_and_then_recorded() -> None:
    thumb, item = otter_image()
    assert given_by(thumb, item, answers(item)).hints == ()
    thumb, item = otter_image(hints=True)
    key = key_of(item, OTTER)
    line = f'Caption {key}, grammar: "A otter": perhaps "an otter"'
    assert given_by(thumb, item, answers(item)).hints == (line,)


def test_an_empty_caption_is_refused() -> None:
    corpus = Corpus.from_lists([" "], image_ids=["7"], systems=["m"])
    with pytest.raises(InputError, match='image "7": the caption of m is empty'):
        protocol("thumb").items(corpus, seed=1)


def test_the_guide_has_every_definition_and_rule() -> None:
    titles = [guide.title for guide in protocol("thumb").guide()]
    assert titles[:5] == ["Precision", "Recall", "Fluency", "Conciseness", "Inclusive language"]
    assert [title[:6] for title in titles[5:]] == ["Rule 1", "Rule 2", "Rule 3", "Rule 4"]


def test_a_corrected_response_replaces_the_one_before() -> None:
    thumb, item = otter_image()
    key = key_of(item, OTTER)
    log = [given_by(thumb, item, answers(item)), given_by(thumb, item, answers(item) | {f"{key}.recall": 5})]
    judged = thumb.judgments([item], log)
    row = judged.keys.index(("1", "VinVL-base"))
    assert np.isclose(judged.means("recall")[row], 5)
