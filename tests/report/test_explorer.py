from __future__ import annotations

import numpy as np
import pytest
from markupsafe import Markup
from scipy.stats import rankdata

from captious import Corpus, Judgments, score
from captious.errors import InputError
from captious.report.cards import first_cards
from captious.report.explorer import first_view, make_explorer, percentiles
from captious.report.study import make_study


def test_percentiles_are_midranks() -> None:
    values = np.array([0.3, 0.1, 0.3, 0.9, 0.1, 0.1])
    expected = (rankdata(values) - 0.5) / len(values) * 100
    assert percentiles(values).tolist() == pytest.approx(expected.tolist())
    assert percentiles(-values, higher=False).tolist() == pytest.approx(expected.tolist())


def _study(values: list[float], captions: list[str]):
    references = [["a man rides a horse"]] * len(captions)
    scores = score(Corpus.from_lists(captions, references), ["rouge_l"])
    judged = Judgments.from_columns(
        images=[str(i) for i in range(len(captions))], systems=["candidates"] * len(captions), values=values
    )
    return make_study(scores, judged, resamples=0)


def test_the_most_disputed_image_is_first() -> None:
    # rouge_l ranks the captions 0 > 1 > 2, the judgments 2 > 1 > 0: 0 and 2 are 2 ranks apart,
    # percentiles 83.3 and 16.7, and 1 is where both say it is.
    captions = ["a man rides a horse", "a man on a horse", "the bus"]
    study = _study([1, 2, 3], captions)
    explorer = make_explorer(study, [None] * 3, "rouge_l")
    assert explorer.first == [0, 2, 1]
    view = first_view(explorer.data)
    assert view is not None
    assert view.metric[0][0] - view.judged[0][0] == pytest.approx(200 / 3)
    cards = first_cards(explorer)
    assert cards[0].candidates[0].versus.verdict == "ROUGE-L ranks it 67 points higher"
    assert cards[1].candidates[0].versus.verdict == "ROUGE-L ranks it 67 points lower"
    assert cards[2].candidates[0].versus.verdict == "ROUGE-L and the judgments rank it equally"


def test_captions_that_nobody_judged_come_last() -> None:
    captions = ["a man rides a horse", "a man on a horse", "the bus"]
    scores = score(Corpus.from_lists(captions, [["a man rides a horse"]] * 3), ["rouge_l"])
    judged = Judgments.from_columns(images=["1", "2"], systems=["candidates"] * 2, values=[1, 5])
    explorer = make_explorer(make_study(scores, judged, resamples=0), [None] * 3, "rouge_l")
    assert explorer.first[-1] == 0
    assert first_cards(explorer)[-1].candidates[0].versus is None


def test_without_judgments_the_lowest_score_is_first() -> None:
    captions = ["a man rides a horse", "the bus", "a man on a horse"]
    scores = score(Corpus.from_lists(captions, [["a man rides a horse"]] * 3), ["rouge_l"])
    explorer = make_explorer(make_study(scores), [None] * 3, "rouge_l")
    assert explorer.first == [1, 2, 0]


def test_explanations_are_escaped_unless_they_are_markup() -> None:
    study = _study([1, 2], ["a man", "a horse"])
    given = {"Why": ["<b>plain</b>", Markup("<b>bold</b>")]}
    explorer = make_explorer(study, [None] * 2, "rouge_l", given)
    rows = [image["rows"][0]["p"] for image in explorer.data["images"]]
    assert rows == [["&lt;b&gt;plain&lt;/b&gt;"], ["<b>bold</b>"]]


def test_explanations_must_be_one_a_caption() -> None:
    with pytest.raises(InputError, match='"Why" has 1 entries for 2 captions'):
        make_explorer(_study([1, 2], ["a", "b"]), [None] * 2, "rouge_l", {"Why": ["x"]})


def test_the_score_that_orders_the_cards_is_on_each_card() -> None:
    captions = ["a man rides a horse", "a dog", "a man rides"]
    scores = score(Corpus.from_lists(captions, [["a man rides a horse"]] * 3), ["bleu1", "rouge_l"])
    cards = first_cards(make_explorer(make_study(scores), [None] * 3, "rouge_l"))
    shown = [card.candidates[0].score for card in cards]
    # "a": 1 of 2 words, 1 of 5: P = .5, R = .2, F = (1 + 1.44) P R / (R + 1.44 P) = .244 / .92 = .265;
    # "a man rides": P = 1, R = .6, F = 2.44 x .6 / (.6 + 1.44) = .718
    assert shown == ["ROUGE-L 26.5", "ROUGE-L 71.8", "ROUGE-L 100.0"]
