from __future__ import annotations

import numpy as np
import pytest

import captious
from captious.errors import InputError
from captious.metrics import resolve

pytest.importorskip("harper")


def share(caption: str, options: str = "") -> float:
    name = f"rulegrammar[{options}]" if options else "rulegrammar"
    return float(captious.score(captious.Corpus.from_lists([caption]), [name])[name].values[0])


@pytest.mark.parametrize(
    ("caption", "words", "wrong"),
    [
        ("A man riding a wave on top of a surfboard.", 10, 0),
        ("A otter is laying on the sand.", 7, 1),  # a/an
        ("a dog runs on teh beach", 6, 1),  # a misspelling; the small letter is cleaned away
        ("A plate of food with rice , broccoli and beans on a table.", 13, 1),  # the lone comma
        ("A orange cat and a airplane.", 6, 2),
    ],
)
def test_the_share_of_words_without_an_error(caption: str, words: int, wrong: int) -> None:
    assert share(caption) == pytest.approx(1 - wrong / words)


def test_taste_counts_only_where_it_is_asked_for() -> None:
    caption = "Two men are holding wine glasses."
    assert share(caption) == 1.0
    assert share(caption, "kinds=all") < 1.0


def test_captions_as_they_are() -> None:
    assert share("a dog runs on the beach", "clean=no") == pytest.approx(1 - 1 / 6)


def test_dialects_spell_differently() -> None:
    caption = "A colourful kite in the sky."
    assert share(caption) < share(caption, "dialect=british") == 1.0


def test_empty_and_odd_captions_do_not_break_it() -> None:
    captions = ["", "  \n", ".", "狗在沙滩上跑。", "A dog " * 400, "e\u0301te\u0301 🐕 \u200b"]
    name = "rulegrammar[any_language=yes]"
    values = captious.score(captious.Corpus.from_lists(captions), [name])[name].values
    assert values[0] == values[1] == 0.0
    assert np.isfinite(values).all()
    assert ((values >= 0) & (values <= 1)).all()


def test_the_signature_names_the_rules() -> None:
    scores = captious.score(captious.Corpus.from_lists(["A dog."]), ["rulegrammar"])
    signature = scores["rulegrammar"].signature
    assert signature.startswith("rulegrammar|rules:harper-py-")
    assert "|kinds:grammar|dialect:american|clean:yes|v:" in signature


@pytest.mark.parametrize("options", ["kinds=some", "dialect=martian"])
def test_wrong_options(options: str) -> None:
    with pytest.raises(InputError, match="unknown"):
        resolve(f"rulegrammar[{options}]")


def test_findings_are_places_in_the_caption_as_given() -> None:
    captions = ["  is it a orange 😀 and teh cat", "A dog ran. ."]
    found = captious.score(captious.Corpus.from_lists(captions), "rulegrammar", findings=True).findings
    marked = [(row.text, row.kind, row.evidence) for row in found.rows() if row.caption == captions[0]]
    assert marked == [("a", "grammar", "an"), ("teh", "grammar", "the")]
    for row in found.rows():
        assert row.start is None or 0 <= row.start < row.end <= len(row.caption)
