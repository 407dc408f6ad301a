from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import captious
from captious.corpus import Corpus
from captious.errors import InputError
from captious.metrics.function import FunctionMetric, imported

REFERENCES = {"1": ["a dog runs"], "2": ["two cats sleep"], "3": ["a red bus"]}
SYSTEMS = {
    "a": {"1": "a dog", "2": "two cats", "3": "one red bus now"},
    "b": {"1": "dog", "2": "cats", "3": "bus"},
}


def words(captions: Sequence[str]) -> list[int]:
    """Two, two and four words of a; one, one and one of b."""
    return [len(text.split()) for text in captions]


def shared(captions: Sequence[str], references: Sequence[Sequence[str]]) -> list[float]:
    return [
        len(set(text.split()) & set(" ".join(own).split()))
        for text, own in zip(captions, references, strict=True)
    ]


def longest(captions: Sequence[str]) -> tuple[float, list[int]]:
    """A value for the corpus that is no mean."""
    found = words(captions)
    return max(found), found


def broken(captions: Sequence[str]) -> Any:
    return {}["nothing"]


def short(captions: Sequence[str]) -> Any:
    return [1.0]


def odd(predictions: Sequence[str]) -> Any:
    return predictions


def test_a_function_stands_beside_a_metric() -> None:
    corpus = Corpus.from_dict(SYSTEMS, REFERENCES)
    scores = captious.score(corpus, ["bleu1", words, shared], resamples=200)
    assert {name: value.score for name, value in scores["words"].systems.items()} == {"a": 8 / 3, "b": 1.0}
    assert scores["shared"].values.tolist() == [2, 2, 2, 1, 1, 1]  # "one red bus now": red, bus
    low = scores["words"].systems["a"].low
    assert low is not None and 2 <= low < 8 / 3
    assert re.fullmatch(
        r"shared\|refs:1\|function:[\w.]*test_function:shared\|source:[0-9a-f]{12}\|v:.*",
        scores["shared"].signature,
    )


def test_the_signature_changes_with_the_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    corpus = Corpus.from_lists(["a dog"], [["a dog"]])
    found = []
    for name, body in (("first_own", "1"), ("other_own", "2")):
        Path(f"{name}.py").write_text(f"def mine(captions):\n    return [{body} for _ in captions]\n")
        signature = captious.score(corpus, [imported(f"{name}:mine")])["mine"].signature
        assert f"function:{name}:mine|source:" in signature
        found.append(signature.partition("source:")[2])
    assert found[0] != found[1]


def test_systems_are_compared_by_a_function() -> None:
    found = captious.compare(SYSTEMS, [words], references=REFERENCES, resamples=100, trials=100)
    assert found.metrics["words"].pairs[0].wins == 3


def test_a_corpus_value_has_no_interval_and_no_test() -> None:
    corpus = Corpus.from_dict(SYSTEMS, REFERENCES)
    scores = captious.score(corpus, [longest, "bleu1"], resamples=100)
    value = scores["longest"].systems["a"]
    assert (value.score, value.low) == (4.0, None)
    assert scores["bleu1"].systems["a"].low is not None
    with pytest.raises(InputError, match="longest gives a value for the corpus"):
        captious.compare(corpus, [longest])
    with pytest.raises(InputError, match="cannot be made of parts"):
        captious.score(corpus, [longest], jobs=2)


def test_a_corpus_value_that_is_the_mean_is_one() -> None:
    def mean(captions: Sequence[str]) -> tuple[float, list[int]]:
        found = words(captions)
        return sum(found) / len(found), found

    value = captious.score(SYSTEMS, [mean], references=REFERENCES, resamples=100)["mean"].systems["a"]
    assert value.low is not None


def test_processes_give_the_same_scores() -> None:
    corpus = Corpus.from_dict(SYSTEMS, REFERENCES)
    apart = captious.score(corpus, [shared], jobs=2)["shared"].values
    assert apart.tolist() == captious.score(corpus, [shared])["shared"].values.tolist()


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (broken, r"broken raised KeyError: 'nothing' \(test_function.py:\d+\)"),
        (short, r"short must return a number for each of 3 captions"),
        (odd, r'the function odd takes "predictions". Name its parameters'),
        (lambda: 1, "takes nothing"),
    ],
)
def test_a_wrong_function_is_one_line(function: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        captious.score(SYSTEMS, [function], references=REFERENCES)


def test_images_are_paths_and_those_missing_are_not_scored(tmp_path: Path) -> None:
    def letters(images: Sequence[str]) -> list[int]:
        return [len(Path(path).read_text()) for path in images]

    (tmp_path / "1.jpg").write_text("four")
    corpus = Corpus.from_lists(["a", "b"], image_ids=["1", "2"], image_paths={"1": str(tmp_path / "1.jpg")})
    scores = captious.score(corpus, [letters])["letters"]
    assert scores.values[0] == 4 and scores.systems["candidates"].n == 1


def test_two_functions_of_one_name_are_refused() -> None:
    def other(captions: Sequence[str]) -> list[int]:
        return words(captions)

    other.__name__ = "words"
    with pytest.raises(InputError, match='two are called "words"'):
        captious.score(SYSTEMS, [words, other])


def test_lower_is_better_where_the_function_says_so() -> None:
    def errors(captions: Sequence[str]) -> list[int]:
        return words(captions)

    errors.higher_is_better = False  # type: ignore[attr-defined]
    assert not FunctionMetric(errors).higher_is_better
