from __future__ import annotations

from captious.corpus import Corpus
from captious.engine import run_metrics
from captious.metrics import resolve
from captious.progress import reporting_to, tell


def test_a_listener_hears_only_inside_its_block() -> None:
    heard: list[tuple[str, int, int]] = []
    tell("images", 1, 2)
    with reporting_to(lambda *told: heard.append(told)):
        tell("images", 2, 2)
    tell("images", 3, 3)
    assert heard == [("images", 2, 2)]


def test_an_encoder_tells_how_many_tokens_are_done() -> None:
    heard: list[tuple[str, int, int]] = []
    corpus = Corpus.from_lists(["a dog", "a cat on a mat"], [["the dog"], ["the cat"]])
    run_metrics(corpus, [resolve("sentsim")], progress=lambda *told: heard.append(told))
    tokens = [told for told in heard if told[0] == "sentsim, tokens"]
    assert tokens[-1][1] == tokens[-1][2] > 0
    assert [done for _, done, _ in tokens] == sorted(done for _, done, _ in tokens)
