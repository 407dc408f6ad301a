from __future__ import annotations

import pytest

from captious import Corpus
from captious.errors import InputError, UnknownNameError
from captious.metrics.object_bags import check_sources, object_counts, require_objects

LABELS = ["gold:dog", "gold:dog", "gold:cup", "d80:Dog", "d80:fork", "d500:wine glass"]


@pytest.mark.parametrize(
    ("sources", "counts", "expected"),
    [
        ((), "frequency", {"dog": 2, "cup": 1, "fork": 1, "wine glass": 1}),
        (("gold",), "frequency", {"dog": 2, "cup": 1}),
        (("d80", "d500"), "frequency", {"dog": 1, "fork": 1, "wine glass": 1}),
        (("gold", "d80"), "binary", {"dog": 1, "cup": 1, "fork": 1}),
        (("d80",), "binary", {"dog": 1, "fork": 1}),
    ],
)
def test_unions_of_sources(sources: tuple[str, ...], counts: str, expected: dict[str, int]) -> None:
    assert object_counts(LABELS, sources, counts) == expected


def test_what_is_not_there_is_named() -> None:
    corpus = Corpus.from_lists(["a dog"], objects={"0": LABELS})
    check_sources(corpus, ("gold", "d80"))
    with pytest.raises(UnknownNameError, match='unknown source of objects "d800"'):
        check_sources(corpus, ("d800",))
    with pytest.raises(InputError, match=r"needs the objects in each image.*objects="):
        require_objects("vifidel", Corpus.from_lists(["a dog"]))
