from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import captious
from captious.benchmarks.datasets.mhal import load_mhal
from captious.corpus import Corpus
from captious.corpus.findings import Place
from captious.errors import InputError
from captious.metrics import Batch, resolve
from captious.stats.correlation import spearman
from captious.stats.span_f1 import touching
from captious.stats.spans import Mark, covered

HORSE = ["A man rides a brown horse on the beach.", "A man on a horse near the ocean."]


def marked(
    caption: str, references: list[str] | None = None, objects: list[str] | None = None
) -> list[tuple[str, str]]:
    """Words and kind of each finding."""
    corpus = Corpus.from_lists(
        [caption],
        [references] if references else None,
        image_ids=["7"],
        objects={"7": objects} if objects is not None else None,
    )
    (places,) = resolve("invented").findings(Batch(corpus), None)
    return [(caption[place.start : place.end], place.kind) for place in places]


@pytest.mark.parametrize(
    "caption",
    ["A man rides a brown horse on the beach.", "A guy rides a pony by the ocean.", "A MAN ON A HORSE", ""],
)
def test_what_references_say_is_no_finding(caption: str) -> None:
    assert marked(caption, HORSE) == []


def test_an_invented_object_is_found_by_either_evidence() -> None:
    assert marked("A man rides a giraffe on the beach.", HORSE) == [("a giraffe", "object")]
    assert marked("A man rides a giraffe on a road.", objects=["person", "horse"]) == [
        ("a giraffe", "object")
    ]
    assert marked("A man rides a horse on a road.", objects=["person", "horse"]) == []


def test_what_is_said_of_an_invented_object_belongs_to_its_place() -> None:
    caption = "A man sits on a bench. There is a dog next to him, looking at the camera."
    assert marked(caption, objects=["person", "bench"]) == [
        ("There is a dog next to him, looking at the camera", "object")
    ]


def test_what_is_said_of_several_invented_objects_is_found_in_the_next_sentence() -> None:
    before = "A man sits on a bench. "
    dogs, they = "There are two dogs near him.", "They seem to enjoy the shade."
    found = marked(before + dogs + " " + they, objects=["person", "bench"])
    assert found == [(dogs[:-1], "object"), (they[:-1], "object")]
    # "He" may be anyone, and where nothing was wrong before, "they" are no one invented.
    assert len(marked(f"{before}{dogs} He seems to enjoy it.", objects=["person", "bench"])) == 1
    assert marked(f"{before}{dogs} {they}", objects=["person", "bench", "dog"]) == []


def test_another_colour_is_found_at_its_word() -> None:
    assert marked("A man rides a white horse.", HORSE) == [("white", "attribute")]


def test_another_number_is_found_with_its_thing() -> None:
    dogs = ["dog"] * 3 + ["frisbee"]
    assert marked("Two dogs play with a frisbee.", objects=dogs) == [("Two dogs", "count")]
    assert marked("Three dogs play with a frisbee.", objects=dogs) == []
    assert marked("Three men ride a horse.", HORSE) == [("Three men", "count")]


def test_another_relation_is_found() -> None:
    assert marked("A dog under a table.", ["A dog on a table."]) == [("under a table", "relation")]
    assert marked("A dog on a table.", ["A dog on a table."]) == []
    assert marked("A horse rides a man.", HORSE) == [("A horse rides a man", "relation")]


def test_several_places_in_the_picture_that_nothing_confirms_are_found_together() -> None:
    caption = "A man is surfing. One wave is on the left and another one is on the right."
    # left, right and another one: wrong with 1 - 1/2 * 1/2, as "another" stands before no thing
    corpus = Corpus.from_lists([caption], image_ids=["7"], objects={"7": ["person", "surfboard"]})
    ((place,),) = resolve("invented").findings(Batch(corpus), None)
    assert (caption[place.start : place.end], place.kind) == (
        "One wave is on the left and another one is on the right",
        "relation",
    )
    assert place.confidence == 0.75
    said = ["A man surfs, with one wave left and one wave right."]
    assert marked(caption, said, ["person", "surfboard"]) == []


def test_the_score_is_the_share_of_characters_weighted_by_confidence() -> None:
    caption = "A man rides a giraffe on a road."
    corpus = Corpus.from_lists([caption], image_ids=["7"], objects={"7": ["person"]})
    scores = captious.score(corpus, ["invented"], findings=True)
    (finding,) = scores.findings.rows()
    # No giraffe: of the class words of true captions .083 have no instance, and 1 / 1.083 = .9234.
    assert finding.confidence == 0.9234
    expected = len("a giraffe") * 0.9234 / len(caption)
    assert scores["invented"].values.tolist() == pytest.approx([expected], abs=1e-12)
    assert "|mode:evidence|threshold:0.6|" in scores["invented"].signature


def test_a_higher_threshold_marks_less() -> None:
    corpus = Corpus.from_lists(["A man rides a giraffe."], [HORSE])
    assert resolve("invented[threshold=0.7]").score_examples(Batch(corpus), None)[0] > 0
    assert resolve("invented[threshold=0.9]").score_examples(Batch(corpus), None)[0] == 0
    with pytest.raises(InputError, match="threshold is 2; it must be from 0 to 1"):
        resolve("invented[threshold=2]")


def test_captions_without_any_evidence_are_refused() -> None:
    with pytest.raises(InputError, match="with objects or references, but there are none"):
        captious.score(Corpus.from_lists(["A man rides a horse."]), ["invented"])


@pytest.mark.parametrize("before", ["😀 ", "e\u0301te\u0301 ", "İ ", "«A cafe\u0301» 👩‍👩‍👧 \u200b"])
def test_places_count_code_points(before: str) -> None:
    caption = f"{before}A man rides a giraffe on a road."
    assert marked(caption, objects=["person"]) == [("a giraffe", "object")]


@settings(deadline=None, max_examples=80)
@given(st.lists(st.sampled_from(["a dog", "two cats", "left", ",", ".", "😀", "e\u0301", "giraffe\n", "’s"])))
def test_places_are_words_of_the_caption_whatever_it_is(parts: list[str]) -> None:
    caption = " ".join(parts)
    corpus = Corpus.from_lists([caption], [["a dog on a mat"]], objects={"0": ["dog"]})
    batch, metric = Batch(corpus), resolve("invented")
    (places,) = metric.findings(batch, None)
    assert 0 <= metric.score_examples(batch, None)[0] <= 1
    end = 0
    for place in places:
        assert place.start is not None and place.end is not None
        assert end <= place.start < place.end <= len(caption)
        assert caption[place.start].isalnum()
        assert 0 < place.confidence <= 1
        end = place.end


def test_processes_and_the_order_of_captions_change_nothing() -> None:
    captions = ["A man rides a giraffe.", "A cat on a bed.", "Two dogs in the top left corner."]
    references = [HORSE, ["A cat."], ["A dog."]]
    systems = ["a"] * 3 + ["b"] * 3
    corpus = Corpus.from_lists(captions * 2, references * 2, image_ids=["1", "2", "3"] * 2, systems=systems)
    alone = captious.score(corpus, ["invented"])["invented"].values
    apart = captious.score(corpus, ["invented"], jobs=2)["invented"].values
    np.testing.assert_array_equal(alone, apart)
    np.testing.assert_array_equal(alone[:3], alone[3:])


def figures(data: Path, subset: str = "") -> tuple[float, float, float]:
    """Precision and recall by touching, and Spearman's correlation of shares, on M-HalDetect's sample."""
    loaded = load_mhal(data, subset)
    corpus = loaded.corpus
    found: list[list[Place]] = resolve("invented").findings(Batch(corpus), None)
    assert loaded.findings is not None
    hits = total = held = human = 0
    ours, theirs = [], []
    for row, places in enumerate(found):
        own = [Mark(place.start or 0, place.end or 0) for place in places]
        spans = [Mark(*span) for span in loaded.findings.spans(row, 0)]
        hits, total = hits + touching(own, spans), total + len(own)
        held, human = held + touching(spans, own), human + len(spans)
        length = len(corpus.captions[row])
        ours.append(covered(own, length).mean())
        theirs.append(covered(spans, length).mean())
    return hits / total, held / human, spearman(ours, theirs)


def test_places_that_people_marked_in_long_captions(data: Path) -> None:
    precision, recall, shares = figures(data)
    assert precision > 0.70
    assert recall > 0.45
    assert shares > 0.45
