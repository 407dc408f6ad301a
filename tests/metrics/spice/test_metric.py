from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.corpus import Corpus
from captious.corpus.write import write_items
from captious.errors import InputError, UnknownNameError
from captious.metrics import Batch, resolve
from captious.metrics.spice import Spice, explain


def scores(candidates: list[str], references: list[list[str]], **options: Any) -> list[float]:
    batch = Batch(Corpus.from_lists(candidates, references))
    return Spice(**options).score_examples(batch, None).tolist()


def test_a_caption_against_itself_and_against_another() -> None:
    same, other = scores(
        ["A black dog runs on the grass.", "A black dog runs on the grass."],
        [["a black dog runs on the grass"], ["two pizzas in an oven"]],
    )
    assert (same, other) == (1.0, 0.0)


ODD = {
    "empty": "",
    "spaces": " \t ",
    "only punctuation": "...!?",
    "one word": "dog",
    "one letter": "a",
    "no noun": "very very far away",
    "two hundred words": "a man and a dog near the red house " * 25,
    "one word two hundred times": "word " * 200,
    "two thousand words": "a dog runs in the park " * 400,
    "two sentences": "A dog runs on the grass. It is brown.",
    "emoji": "😀 🐕",
    "emoji among words": "a 🐕 on a 🛹 in the park",
    "German": "ein Hund läuft über die Straße",
    "Chinese": "一只狗在雪地里",
    "Arabic": "كلب يركض",
    "digits": "3 4 5",
    "digits among words": "2 dogs and 11 people at 10:30",
    "a newline": "a dog\non a bed",
    "brackets": "-lrb- a dog -rrb- (a cat)",
    "a zero byte": "a \x00 dog",
    "half a surrogate pair": "a \ud83d dog",
    "one very long word": "x" * 5000,
}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_odd_captions_have_a_score(odd: str) -> None:
    found = scores([odd, "a dog runs", odd], [["a dog runs"], [odd], [odd, "a dog"]])
    assert all(0 <= score <= 1 for score in found)


@pytest.mark.parametrize("name", ["empty", "spaces", "only punctuation"])
def test_without_words_there_is_nothing_to_match(name: str) -> None:
    assert scores([ODD[name], "a dog", ODD[name]], [["a dog"], [ODD[name]], [ODD[name]]]) == [0] * 3


@pytest.mark.parametrize("name", ["one word", "two hundred words", "two sentences", "digits among words"])
def test_an_odd_caption_with_nouns_is_all_of_itself(name: str) -> None:
    assert scores([ODD[name]], [[ODD[name]]]) == [1.0]


def test_a_number_in_digits_is_an_attribute() -> None:
    # dog and dog-2 against dog and dog-3: the number is invented and missed. WordNet holds "2" and
    # "two" in one synset.
    assert scores(["2 dogs"] * 3, [["2 dogs"], ["3 dogs"], ["two dogs"]]) == [1.0, 0.5, 1.0]


def test_a_reference_without_tuples_adds_nothing() -> None:
    alone, beside = scores(["a black dog"] * 2, [["a dog runs"], ["a dog runs", ""]])
    assert alone == beside > 0


def test_a_caption_without_words_scores_zero() -> None:
    assert scores([""], [["a dog"]]) == [0.0]


def test_the_corpus_score_is_the_mean() -> None:
    batch = Batch(Corpus.from_lists(["a dog", "a cat"], [["a dog"], ["a bird"]]))
    metric = Spice()
    statistics = metric.statistics(batch, None)
    assert float(metric.corpus_score(statistics.sum(axis=0))) == 0.5


def test_signature_names_parser_weights_and_synonyms() -> None:
    corpus = Corpus.from_lists(["a dog"], [["a dog", "a cat"]])
    signature = resolve("spice").signature(corpus, None)
    assert signature.startswith("spice|refs:2|tok:ptb|parser:caption:")
    assert "|synonyms:wordnet-3.0:" in signature


def test_no_examples() -> None:
    assert Spice().score_examples(Batch(Corpus.from_lists([], [])), None).shape == (0,)


def test_tuples_computed_elsewhere_give_the_reference_scores(
    golden: Path, golden_items: list[Any], golden_tuples: Any
) -> None:
    items = [
        item
        for item in golden_items
        if item.benchmark == "thumb"
        and all(text in golden_tuples for text in (item.candidate, *item.references))
    ]
    found = scores(
        [item.candidate for item in items],
        [item.references for item in items],
        parser=f"corenlp-tuples:{golden / 'spice' / 'parses.jsonl.gz'}",
    )
    assert len(items) == 2495
    assert np.allclose(found, [item.f for item in items], atol=1e-12)


def test_an_explanation_from_captions() -> None:
    told = explain("A red bus.", ["A bus on a street."])
    assert told.candidate == [("bus", "red"), ("bus",)]
    assert told.comparison.invented == [(("bus",), ("red",))]
    assert told.comparison.counts == (1, 1, 2)


def test_details_are_the_sub_scores_by_category() -> None:
    # Candidate: bus, (bus, red). References: bus, street, (bus, street, on).
    corpus = Corpus.from_lists(["a red bus"], [["a bus on a street"]])
    found = captious.score(corpus, ["spice[detail=yes]"])["spice[detail=yes]"]
    told = {name: values.item() for name, values in found.details.items()}
    assert (told["All.pr"], told["All.re"], told["All.f"]) == pytest.approx((1 / 2, 1 / 3, 2 / 5))
    assert (told["Object.pr"], told["Object.re"], told["Object.f"]) == pytest.approx((1, 1 / 2, 2 / 3))
    assert (told["Color.pr"], told["Color.f"], told["Relation.re"], told["Relation.fn"]) == (0, 0, 0, 1)
    assert np.isnan([told["Color.re"], told["Relation.pr"], told["Size.f"]]).all()
    assert found.score == captious.score(corpus, ["spice"])["spice"].score


def test_details_stand_beside_the_score_in_items_and_do_not_depend_on_processes(tmp_path: Path) -> None:
    corpus = Corpus.from_lists(["a red bus", "a dog"], [["a bus on a street"], ["two dogs"]])
    names = ["spice[detail=yes]"]
    for jobs in (1, 2):
        write_items(captious.score(corpus, names, jobs=jobs), tmp_path / f"{jobs}.csv")
    assert (tmp_path / "1.csv").read_text() == (tmp_path / "2.csv").read_text()
    header = (tmp_path / "1.csv").read_text().splitlines()[0]
    assert "spice[detail=yes].Object.re" in header


LONG = "A brown dog runs along a wide sandy beach. It holds a red ball. Overall, the mood is calm."


def test_several_sentences_get_a_note_and_an_option() -> None:
    corpus = Corpus.from_lists([LONG, "A dog runs."], [["A brown dog holds a red ball."]] * 2)
    notes = Spice().notes(corpus, None)
    assert notes == [
        "spice reads a caption as one sentence; 1 of 2 have several. "
        "spice[graph=discourse] reads the sentences of a text together."
    ]
    assert Spice(graph="discourse").notes(corpus, None) == []
    assert Spice().notes(Corpus.from_lists(["A dog."] * 20 + [LONG], [["a dog"]] * 21), None) == []
    assert "|graph:discourse|" in Spice(graph="discourse").signature(corpus, None)
    assert "graph" not in Spice().signature(corpus, None)


def test_pronouns_across_sentences_count_for_the_score() -> None:
    batch = Batch(Corpus.from_lists([LONG], [["A brown dog holds a red ball."]]))
    plain, discourse = (
        Spice(graph=graph).score_examples(batch, None)[0] for graph in ("sentence", "discourse")
    )
    assert discourse > plain
    told = explain(LONG, ["A brown dog holds a red ball."], graph="discourse")
    assert ("dog", "ball", "hold") in told.candidate
    assert told.comparison.missed == []


def test_discourse_needs_a_parser(tmp_path: Path) -> None:
    tuples = tmp_path / "tuples.jsonl"
    tuples.write_text('{"caption": "a dog", "tuples": [["dog"]]}\n')
    metric = Spice(parser=f"corenlp-tuples:{tuples}", graph="discourse")
    with pytest.raises(InputError, match="graph=discourse needs a parser"):
        metric.ready()
    with pytest.raises(UnknownNameError, match="paragraph"):
        Spice(graph="paragraph")
