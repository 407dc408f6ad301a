from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.metrics.chair.words import mentions, objects_of, places


@pytest.mark.parametrize(
    ("caption", "objects"),
    [
        ("a baby elephant and an adult", ["elephant", "person"]),  # no person rides along with "baby"
        ("the seat of the toilet", ["toilet"]),  # and no chair
        ("a toilet seat", ["toilet"]),
        ("a seat", ["chair"]),
        ("two hot dogs. Dogs", ["hot dog", "dog"]),
        ("a wine glass, two wine glasses", ["wine glass", "wine glass"]),
        ("a bow tie", ["tie"]),
        ("a bus and two buses", ["bus"]),  # pattern.en: "bus" is the plural of "bu"
        ("ties", []),  # pattern.en: "ty"
        ("motor bike; motorbike", ["motorcycle"]),  # the list says " motor bike"
        ("passenger trains", ["train"]),
        ("train tracks", []),
        ("The woman's dog (her 'puppy')—a pug.\"", ["person", "dog", "dog", "dog"]),
        ("a dog.A cat", ["cat"]),  # one word for NLTK
        ("e.g. dogs, cats: 2 cups...", ["dog", "cat", "cup"]),
    ],
)
def test_the_words_of_a_caption(caption: str, objects: list[str]) -> None:
    assert [one.object for one in mentions(caption)] == objects


WORDS = st.sampled_from(
    ["Dogs", "hot", "wine", "glasses", "ba\u0301by", "👩\u200d👧", "ﬁre", "cat's", "CAT", "İ", "people"]
)
MARKS = st.sampled_from(
    [" ", "  ", "\n", ". ", ", ", "'", '"', "(", ")", "...", "—", "-", "’", "\u200d", "\u0301"]
)


@given(st.lists(st.tuples(WORDS, MARKS)))
def test_a_place_holds_the_word_that_it_is_of(parts: list[tuple[str, str]]) -> None:
    caption = "".join(word + mark for word, mark in parts)
    found = mentions(caption)
    ends = 0
    for one, (start, end) in zip(found, places(caption, found), strict=True):
        assert ends <= start < end <= len(caption)
        ends = end
        # What is marked, alone, names the same object.
        assert one.object in [other.object for other in mentions(caption[start:end])]


def test_labels_of_detectors() -> None:
    names = ["Dining_table", "people", "cell phone", "bus", "tie", "Traffic light", "Tree"]
    assert [sorted(objects_of(name)) for name in names] == [
        ["dining table"], ["person"], ["cell phone"], ["bus"], ["tie"], ["traffic light"], [],
    ]  # fmt: skip
