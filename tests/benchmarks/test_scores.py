from __future__ import annotations

import numpy as np
import pytest

from captious.benchmarks.scores import BenchmarkScores, compute_scores, metrics_for
from captious.errors import CaptiousWarning, InputError, UnknownNameError


def test_the_protocol_chooses_documents_unless_told(small) -> None:
    found = metrics_for("cider,cider[documents=images],bleu1", "examples")
    assert found["cider"].documents == "examples"
    assert found["cider[documents=images]"].documents == "images"
    scores = compute_scores(small, found)
    assert scores.arrays["bleu1"].shape == (1, 6)
    assert "documents:examples" in scores.signatures["cider"]


def test_an_unknown_metric() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "cider"'):
        metrics_for("cidr", "images")


def test_a_name_may_not_stand_for_two(small) -> None:
    ours = BenchmarkScores({"cider": np.zeros((1, 6))}, {"cider": "cider"})
    with pytest.raises(InputError, match="both computed here and in the file"):
        ours.join(ours)


def test_what_a_metric_has_to_say_of_long_captions_is_told() -> None:
    from captious.benchmarks.protocol import Protocol, rated_examples
    from captious.corpus import Corpus

    corpus = Corpus.from_lists(
        ["A brown dog runs on the beach. It barks at two large white birds."] * 2, [["A dog."]] * 2
    )
    judged = rated_examples(Protocol("mine"), corpus, {"overall": [[1], [2]]}, ["a", "b"])
    with pytest.warns(CaptiousWarning, match="spice reads a caption as one sentence; 2 of 2 have several"):
        compute_scores(judged, metrics_for("spice", "images"))


def test_a_metric_that_needs_references_says_so_without(data) -> None:
    from captious.benchmarks.datasets.vicr import load_vicr

    with pytest.raises(InputError, match="vicr has no references, but bleu4 needs them"):
        compute_scores(load_vicr(data), metrics_for("bleu4", "images"))
