from __future__ import annotations

from collections.abc import Iterator

import pytest

from captious import scoring
from captious.corpus import Judgments, Scores
from captious.corpus.judged import read_judgments
from captious.corpus.load import load_corpus
from captious.data import demo_files

pytest.importorskip("altair", reason="a report needs captious[report]")
pytest.importorskip("vl_convert", reason="a report needs captious[report]")
pytest.importorskip("jinja2", reason="a report needs captious[report]")
pytest.importorskip("PIL", reason="a report needs captious[report]")

METRICS = ("bleu1", "bleu4", "rouge_l", "cider")


@pytest.fixture(scope="session")
def demo_scores() -> Scores:
    files = demo_files()
    corpus = load_corpus(files.systems, [files.references], images=files.images, objects=files.objects)
    return scoring.score(corpus, METRICS, resamples=200)


@pytest.fixture(scope="session")
def demo_judgments() -> Judgments:
    return read_judgments(demo_files().judgments).judgments


@pytest.fixture(autouse=True, scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Small copies of photographs go to a folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield
