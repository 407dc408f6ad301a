from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from captious import Corpus
from captious.errors import InputError, UnknownNameError
from captious.explanation import explain, explain_rows
from captious.metrics import Batch, resolve
from captious.metrics.vifidel import Vifidel
from captious.metrics.wmd import WordMovers

pytest.importorskip("ot")


@pytest.fixture
def tiny(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path / "cache"))
    file = tmp_path / "tiny.txt"
    # Three axes; puppy lies near dog.
    file.write_text("dog 1 0 0\ncat 0 1 0\nbus 0 0 1\npuppy 4 1 0\n")
    return str(file)


def corpus() -> Corpus:
    return Corpus.from_lists(
        ["A puppy and a bus.", "A dog."],
        [["The dog.", "A cat."], ["The dog.", "A cat."]],
        image_ids=["1", "2"],
        systems=["a", "b"],
        objects={"1": ["cat", "dog", "dog", "zzz"], "2": ["dog"]},
    )


def test_flows_add_up_to_the_distance_and_the_score(tiny: str) -> None:
    (found,) = explain(corpus(), Vifidel(vectors=tiny), image_id="1")
    assert sum(flow.share for flow in found.flows) == pytest.approx(1.0)
    assert sum(flow.part for flow in found.flows) == pytest.approx(found.distance)
    assert found.score == pytest.approx(math.exp(-found.distance))


def test_what_went_where(tiny: str) -> None:
    metric = Vifidel(vectors=tiny, references="none")
    (found,) = explain(corpus(), metric, image_id="1")
    # dog 2/3 and cat 1/3 to puppy 1/2 and bus 1/2: bus is as far from both, so dog, which is
    # nearer to puppy than cat is, fills it, and the rest goes to the bus.
    flows = {(f.source, f.target): (f.share, f.cost) for f in found.flows}
    assert set(flows) == {("dog", "puppy"), ("dog", "bus"), ("cat", "bus")}
    assert flows["dog", "puppy"][0] == pytest.approx(1 / 2)
    assert flows["dog", "bus"][0] == pytest.approx(1 / 6)
    assert flows["cat", "bus"] == pytest.approx((1 / 3, 2.0))
    assert flows["dog", "puppy"][1] == pytest.approx(2 - 8 / math.sqrt(17))
    assert [word.text for word in found.targets] == ["puppy", "bus"]  # as the caption says them
    assert found.unmatched == ["cat"]
    assert found.unsupported == ["bus"]
    assert found.without_vector == ["zzz"]
    assert found.sources[0].nearest == "puppy"
    assert found.sources[0].penalty is None


def test_references_bring_their_penalties(tiny: str) -> None:
    (found,) = explain(corpus(), Vifidel(vectors=tiny), image_id="1")
    penalties = {word.text: word.penalty for word in [*found.sources, *found.targets]}
    # Against "the dog" and "a cat": dog (0 + 1) / 4, bus (1 + 1) / 4.
    assert penalties["dog"] == pytest.approx(1 / 4)
    assert penalties["bus"] == pytest.approx(1 / 2)


def test_wmd_shows_the_reference_that_counted(tiny: str) -> None:
    (found,) = explain(corpus(), WordMovers(vectors=tiny), image_id="1")
    assert found.reference == "The dog."
    (worst,) = explain(corpus(), WordMovers(vectors=tiny, agg="worst"), image_id="1")
    assert worst.reference == "A cat."
    assert not found.of_objects


def test_without_an_image_the_lowest_score_is_explained(tiny: str) -> None:
    metric = Vifidel(vectors=tiny)
    assert explain(corpus(), metric)[0].image_id == "1"
    assert explain(corpus(), metric, system="b")[0].image_id == "2"


def test_nearness_sorts_words_and_leaves_the_score_alone(tiny: str) -> None:
    metric = Vifidel(vectors=tiny)
    strict = explain(corpus(), metric, image_id="1", near=0.99)[0]
    loose = explain(corpus(), metric, image_id="1", near=0.0)[0]
    assert set(strict.unmatched) == {"dog", "cat"}
    assert loose.unmatched == loose.unsupported == []
    assert strict.score == loose.score


def test_plain_values_for_json(tiny: str) -> None:
    found = explain(corpus(), Vifidel(vectors=tiny), image_id="2")[0].to_dict()
    assert found["flows"] == [
        {"source": "dog", "target": "dog", "share": 1.0, "cost": 0.0, "similarity": 1.0, "part": 0.0}
    ]
    assert found["unmatched"] == found["unsupported"] == []
    assert found["signature"].startswith("vifidel|refs:2|")


def test_what_cannot_be_explained_is_one_line(tiny: str) -> None:
    with pytest.raises(InputError, match=r"blip_itm cannot be explained. Use clipscore, mcipscore"):
        explain(corpus(), "blip_itm")
    metric = Vifidel(vectors=tiny)
    with pytest.raises(UnknownNameError, match='unknown image "3"'):
        explain(corpus(), metric, image_id="3")
    with pytest.raises(InputError, match="there is no caption by b"):
        explain(corpus(), metric, image_id="1", system="b")
    empty = Corpus.from_lists([""], objects={"0": ["dog"]})
    with pytest.raises(InputError, match="there is nothing to move; its score is 0"):
        explain(empty, metric)


@pytest.fixture
def scenes() -> Corpus:
    references = [["A tv on a table."], ["A dog."]]
    return Corpus.from_lists(
        ["A cat on a mat.", "A television near a cat.", "A dog."],
        [references[0], references[0], references[1]],
        image_ids=["1", "1", "2"],
        systems=["a", "b", "a"],
    )


def test_spice_explains_every_caption_of_an_image_with_its_own_score(scenes: Corpus) -> None:
    metric = resolve("spice")
    found = explain(scenes, metric, image_id="1")
    assert [one.system for one in found] == ["a", "b"]
    scores = metric.score_examples(Batch(scenes), None)
    assert [one.score for one in found] == pytest.approx(scores[:2].tolist())
    assert found[0].signature.startswith("spice|refs:1|tok:ptb|parser:caption:")


def test_a_caption_that_scores_0_is_the_lowest_of_spice(scenes: Corpus) -> None:
    (found,) = explain(scenes, "spice")
    assert (found.caption, found.score) == ("A cat on a mat.", 0.0)


def test_judgments_stand_with_their_caption(scenes: Corpus) -> None:
    judged = {"precision": np.array([1.0, 4.5, 5.0]), "recall": np.array([2.0, np.nan, 5.0])}
    one, other = explain(scenes, "spice", image_id="1", judged=judged)
    assert one.judged == {"precision": 1.0, "recall": 2.0}
    assert other.judged == {"precision": 4.5}


def test_some_rows_are_explained_as_all_are(scenes: Corpus, tiny: str) -> None:
    (whole,) = explain(scenes, "spice", image_id="2")
    (part,) = explain_rows(scenes, "spice", [2], scores=np.array([0.0, 0.0, 1.0]), signature=whole.signature)
    assert part == whole
    metric = Vifidel(vectors=tiny)
    (whole,) = explain(corpus(), metric, image_id="2")
    scores = np.array([0.0, whole.score])
    (part,) = explain_rows(corpus(), metric, [1], scores=scores, signature=whole.signature)
    assert part == whole
