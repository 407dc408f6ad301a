from __future__ import annotations

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.engine.run import run_metrics, shards
from captious.errors import InputError
from captious.metrics import resolve

NAMES = ["bleu4", "rouge_l", "cider"]


def _corpus(images: int = 30) -> Corpus:
    captions, references, ids, systems = [], [], [], []
    for system in ("first", "second"):
        for i in range(images):
            captions.append(f"a {'dog' if i % 3 else 'cat'} on street {i} of the {system} town")
            references.append([f"the dog walks on street {i}", f"a cat in town number {i % 7}"])
            ids.append(str(i))
            systems.append(system)
    return Corpus.from_lists(captions, references, image_ids=ids, systems=systems)


@pytest.mark.parametrize("jobs", [2, 3, 7])
def test_more_processes_give_the_same_numbers(jobs: int) -> None:
    corpus = _corpus()
    metrics = [resolve(name) for name in NAMES]
    alone = run_metrics(corpus, metrics)
    together = run_metrics(corpus, metrics, jobs=jobs)
    for name, one, many in zip(NAMES, alone, together, strict=True):
        np.testing.assert_allclose(many.statistics, one.statistics, atol=1e-12, err_msg=name)


def test_a_shard_holds_whole_images_and_every_row_once() -> None:
    corpus = _corpus(10)
    parts = shards(corpus, 3)
    assert sorted(np.concatenate(parts).tolist()) == list(range(len(corpus)))
    owners = [set(corpus.image_of[part].tolist()) for part in parts]
    assert not owners[0] & owners[1] and not owners[1] & owners[2] and not owners[0] & owners[2]


def test_an_error_in_a_worker_reaches_the_caller_as_one_line() -> None:
    corpus = Corpus.from_lists(["a dog", "a cat"], [["a dog"], []])
    with pytest.raises(InputError, match=r'image "1" \("a cat"\) has no references'):
        run_metrics(corpus, [resolve("rouge_l")], jobs=2)


def test_progress_is_told_metric_by_metric() -> None:
    told: list[tuple[str, int, int]] = []
    run_metrics(_corpus(3), [resolve(n) for n in NAMES], progress=lambda *state: told.append(state))
    assert told == [("bleu4", 0, 3), ("rouge_l", 1, 3), ("cider", 2, 3), ("", 3, 3)]


def test_no_process_at_all_is_refused() -> None:
    with pytest.raises(InputError, match="jobs is 0"):
        run_metrics(_corpus(2), [resolve("bleu1")], jobs=0)


@pytest.mark.parametrize("metric", ["meteor", "spice"])
def test_a_caption_of_a_hundred_thousand_words_is_refused_by_name(metric: str) -> None:
    corpus = Corpus.from_lists(["dog " * 100_000], [["a dog"]])
    with pytest.raises(
        InputError, match=f'{metric}: "dog dog .*" has 100,000 words; at most [25]0?,000 are allowed'
    ):
        run_metrics(corpus, [resolve(metric)])


def test_findings_come_on_request_from_any_number_of_processes() -> None:
    # Harper: "a apple" wants "an" (code points 10-11 of "This is 😀 a apple."); every third caption has it.
    captions = ["This is 😀 a apple." if i % 3 == 0 else "This is a dog." for i in range(12)]
    corpus = Corpus.from_lists(captions, [["a dog"]] * 12)
    metrics = [resolve("rulegrammar"), resolve("bleu1")]
    assert [run.found for run in run_metrics(corpus, metrics)] == [None, None]
    alone = run_metrics(corpus, metrics, findings=True)
    many = run_metrics(corpus, metrics, jobs=3, findings=True)
    assert str([run.found for run in many]) == str([run.found for run in alone])
    found, none = (run.found for run in alone)
    assert none is None and found is not None
    assert [[place[:3] for place in places or ()] for places in found] == [
        [(10, 11, "grammar")] if i % 3 == 0 else [] for i in range(12)
    ]
