from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.corpus.parts_of_speech import missing_for_taggers, parts_of_speech
from captious.errors import CaptiousError

CAPTIONS = ["A dog runs on the grass.", "Two red buses."]


@pytest.mark.parametrize("tagger", ["caption", "spacy"])
def test_shares_of_words(tagger: str) -> None:
    if missing_for_taggers()[tagger]:
        pytest.skip("spaCy with an English model is not installed")
    found = parts_of_speech(CAPTIONS, tagger)
    # dog, grass, buses of nine words; the full stops are none.
    assert found.shares == pytest.approx(
        {"NOUN": 3 / 9, "DET": 2 / 9, "VERB": 1 / 9, "ADP": 1 / 9, "NUM": 1 / 9, "ADJ": 1 / 9}
    )
    assert found.tagger.startswith(f"{tagger}:")


@pytest.mark.parametrize("captions", [[], [""], ["...", " "]])
def test_no_words_have_no_parts_of_speech(captions: list[str]) -> None:
    assert parts_of_speech(captions).shares == {}


def test_both_taggers_say_nearly_the_same_of_real_captions(data: Path) -> None:
    if missing_for_taggers()["spacy"]:
        pytest.skip("spaCy with an English model is not installed")
    references = json.loads((data / "coco_karpathy" / "reference_captions.json").read_text())
    captions = [text for texts in list(references.values())[:100] for text in texts]
    ours, theirs = (parts_of_speech(captions, name).shares for name in ("caption", "spacy"))
    for tag in ("NOUN", "DET", "ADP", "VERB", "ADJ", "AUX", "PRON", "CCONJ", "NUM"):
        assert ours[tag] == pytest.approx(theirs[tag], abs=0.025), tag


def test_a_tagger_that_is_none_is_refused_with_one_line() -> None:
    with pytest.raises(CaptiousError) as caught:
        parts_of_speech(CAPTIONS, "no_such_model")
    assert "no_such_model" in str(caught.value) and "\n" not in str(caught.value)
