"""METEOR in other languages, against what its own program (Java) said: see `make_languages.py`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from captious import Corpus, score
from captious.errors import CaptiousWarning, MissingDependencyError, UnknownNameError
from captious.metrics import resolve
from captious.metrics.meteor.languages import LANGUAGES, load_language
from captious.metrics.meteor.normalise import normalise

DATA = Path(__file__).parents[2] / "data" / "languages"
CAPTIONS: dict[str, list[list[str]]] = {
    code: pairs
    for name in ("captions.json", "more_captions.json")
    for code, pairs in json.loads((DATA / name).read_text("utf-8")).items()
}
SAID: dict[str, dict[str, Any]] = json.loads((DATA / "meteor.json").read_text("utf-8"))
PRINTED = 1e-12  # the program prints all digits


@pytest.fixture(autouse=True)
def needs_the_files() -> None:
    try:
        resolve("meteor[language=de]").ready()
    except MissingDependencyError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("said", SAID)
def test_scores_equal_the_programs(said: str) -> None:
    code, _, own = said.partition("+")
    pairs = [*CAPTIONS[code], [CAPTIONS[code][0][0], CAPTIONS[code][1][1]]]
    corpus = Corpus.from_lists([own for own, _ in pairs], [[their] for _, their in pairs])
    name = f"meteor[language={code},function={own or 'program'},any_language=yes]"
    found = score(corpus, [name])[name]
    np.testing.assert_allclose(found.values, SAID[said]["scores"], rtol=0, atol=PRINTED)
    assert found.score == pytest.approx(SAID[said]["final"], abs=PRINTED)
    assert f"|language:{code}|" in found.signature
    assert f"|matchers:{LANGUAGES[code].matchers}|" in found.signature


def test_german_captions_are_scored_without_a_note_by_german_meteor() -> None:
    pairs = CAPTIONS["de"]
    corpus = Corpus.from_lists([own for own, _ in pairs], [[their] for _, their in pairs])
    with pytest.warns(CaptiousWarning, match=r"made for English.*Use meteor\[language=de\]"):
        score(corpus, ["meteor"])
    found = score(corpus, ["meteor[language=de]"])["meteor[language=de]"]
    assert "captions:" not in found.signature


@pytest.mark.parametrize(
    ("code", "words", "stems"),
    [  # what the program's own stemmers give
        ("de", "ergebnisse verhältnissen kenntnis häuser", "ergebniss verhaltniss kenntnis haus"),
        ("ru", "дождём зелёной зеленой собаки", "дождём зелён зелен собак"),
        ("fr", "chevaux mangeait arrêt", "cheval mang arrêt"),
        ("es", "niños corriendo", "niñ corr"),
        ("cs", "psi běží", "psi běží"),
    ],
)
def test_stems(code: str, words: str, stems: str) -> None:
    assert [load_language(code).stem(word) for word in words.split()] == stems.split()


@pytest.mark.parametrize(
    ("code", "text", "tokens"),
    [  # what the program's own normaliser gives
        ("de", "Frau's T-Shirt (rot) z.B. um 12:30 Uhr.", "frau ' s t shirt ( rot ) zb um 12 : 30 uhr ."),
        ("fr", "L'arrêt n'est pas ‘là’, aujourd'hui.", "l' arrêt n' est pas ' là ' , aujourd' hui ."),
        ("es", "¿Dónde está? 5.000,25 EE.UU. etc. fin", "¿ dónde está ? 5.000,25 eeuu etc. fin"),
        ("ru", "«Собака» у моря, т.е. 3-й раз", "« собака » у моря , те 3 й раз"),
    ],
)
def test_tokens(code: str, text: str, tokens: str) -> None:
    assert normalise(text, load_language(code).abbreviations, code) == tokens.split()


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="language of meteor"):
        resolve("meteor[language=xx]")
    with pytest.raises(UnknownNameError, match="matcher of meteor"):
        resolve("meteor[language=de,matchers=exact+synonym]")
    assert resolve("meteor[language=de,alpha=0.85]") == resolve("meteor[language=de,alpha=.85]")
    assert resolve("meteor") == resolve("meteor[alpha=.85,beta=.2,gamma=.6,delta=.75]")
