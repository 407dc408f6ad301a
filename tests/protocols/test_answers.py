from __future__ import annotations

from captious.corpus import Corpus
from captious.protocols import protocol
from captious.protocols.answers import marks, shares
from captious.protocols.tagging import FORM

CORPUS = Corpus.from_lists(
    ["A dog.", "A cat."], [["A brown dog."]] * 2, image_ids=["1", "1"], systems=["m", "n"]
)


def test_options_stand_evenly_in_their_order():
    (field,) = FORM.fields
    found = [shares(field, option.value) for option in field.options]
    assert found == [{("verdict", ""): share} for share in (0, 0.25, 0.5, 0.75, 1)]
    assert shares(field, None) == {}
    assert shares(field, "no such") == {}


def test_a_rubric_gives_a_mark_for_each_caption():
    (item,) = protocol("thumb").items(CORPUS, seed=1)
    answers = {
        "A.precision": 5.0,
        "A.recall": 3.0,
        "A.fluency": {"casing": 0.1, "broken": 2.0},
        "A.conciseness": "0.5",
        "A.corrected": "no matter",
        "B.precision": 1.0,
    }
    first, second = marks(item, answers)
    texts = {caption.key: caption.text for caption in item.captions}
    assert first.about == ("1", texts["A"])
    # (5 - 1) / 4, (3 - 1) / 4, 2.1 cut to 1, the second of two options
    assert first.numbers == {"precision": 1.0, "recall": 0.5, "fluency": 1.0, "conciseness": 1.0}
    assert second == (("1", texts["B"]), {"precision": 0.0})


def test_a_comparison_is_about_both_captions():
    item = protocol("humanr").items(
        Corpus.from_lists(["A dog.", "A cat."], [["One."], ["Two."]], image_ids=["1", "2"]), seed=1
    )[0]
    (mark,) = marks(item, {"preference": 7.0})
    assert mark.about == (item.image, *(caption.text for caption in item.captions))
    assert mark.numbers == {"preference": 0.75}


def test_answers_in_words():
    (item,) = protocol("thumb").items(CORPUS, seed=1)
    fluency, conciseness = (item.form.field(f"A.{name}") for name in ("fluency", "conciseness"))
    assert fluency is not None
    assert conciseness is not None
    assert fluency.rules.words(fluency, {"casing": 0.1}) == "Casing 0.1"
    assert conciseness.rules.words(conciseness, "0.5") == "Too detailed or repetitive"
