from __future__ import annotations

import pytest

import captious
from captious import Corpus
from captious.groups import expand, members
from captious.metrics import known_metrics


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(["a dog", "a cat"], [["a dog runs"], ["a cat sleeps"]])


def test_classic_is_what_coco_caption_prints() -> None:
    wanted = {"bleu1", "bleu2", "bleu3", "bleu4", "meteor", "rouge_l", "cider"}
    assert set(members("classic")) == wanted


def test_offline_holds_no_neural_network(corpus: Corpus) -> None:
    chosen = expand("offline", corpus)
    assert {"bleu4", "spice", "spider", "cider_original"} <= set(chosen.metrics)
    assert not {"sentsim", "bertscore"} & set(chosen.metrics)
    assert chosen.left_out["vifidel"] == "no objects were given."


def test_all_is_every_metric_or_says_why_not(corpus: Corpus) -> None:
    chosen = expand("all", corpus)
    assert set(chosen.metrics) | set(chosen.left_out) == set(known_metrics())


def test_a_named_metric_stays_whatever_it_lacks(corpus: Corpus) -> None:
    assert expand("classic,vifidel,bleu1", corpus).metrics.count("bleu1") == 1
    assert "vifidel" in expand("classic,vifidel", corpus).metrics


def test_one_image_leaves_out_what_needs_document_frequencies() -> None:
    one = Corpus.from_lists(["a dog"], [["a dog runs"]])
    chosen = expand("offline", one)
    assert {"cider", "cider_original", "spider"} <= set(chosen.left_out)
    assert "cider" in expand("offline", one, frequencies=True).metrics


def test_python_takes_groups_too(corpus: Corpus) -> None:
    assert {"bleu1", "cider"} <= set(captious.score(corpus, "classic"))


def test_a_text_too_long_for_one_metric_leaves_the_others() -> None:
    """METEOR takes 20,000 words at most."""
    found = expand("classic", Corpus.from_lists(["a dog " * 12_000, "a cat"], [["a dog"], ["a cat"]]))
    assert "meteor" not in found.metrics and {"bleu4", "rouge_l", "cider"} <= set(found.metrics)
    assert "has 24,000 words; at most 20,000 are allowed" in found.left_out["meteor"]
