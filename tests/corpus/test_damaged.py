"""Whatever happens to a file, the answer is a corpus or one line, never another exception."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from captious.corpus.check import check
from captious.corpus.fix import fix_file
from captious.corpus.judged import read_judgments
from captious.corpus.load import load_corpus
from captious.corpus.objects import labels_by_image
from captious.errors import CaptiousError

WHOLE = [
    '[{"image_id": 1, "caption": "A dog."}, {"image_id": 2, "caption": "A \\"cat\\"."}]',
    '{"1": "A dog.", "2": "A cat."}',
    '{"1": ["A dog.", "Dog."], "2": [{"caption": "A cat."}]}',
    '[{"1": "A dog."}, {"2": "A cat."}]',
    '{"images": [{"id": 1, "file_name": "a"}], "annotations": [{"image_id": 1, "caption": "A"}]}',
    '{"images": [{"cocoid": 1, "filename": "a.jpg", "sentences": [{"raw": "A dog."}]}]}',
    '{"image": 1, "caption": "x", "references": ["a"], "rating": 3, "objects": ["dog"]}\n'
    '{"image": 2, "caption": "y", "references": ["b", "c"], "rating": 1}\n',
    '[{"SYS": "a", "seg_id": "1", "hyp": "x", "P": 1, "R": 2, "human_score": 1.5}]',
    'image,caption,rating_1,rating_2\n1,"A dog, wet.",1,2\n2,A cat.,3,\n',
    "a.jpg\tb.jpg#1\t1\t2\t3\n",
    "a.jpg#0\tA dog.\na.jpg#1\tThe dog.\n",
    '{"1": ["dog"], "2": {"cat": 2}}',
    '{"annotations": [{"image_id": 1, "category_id": 2}], "categories": [{"id": 2, "name": "x"}]}',
]
PIECES = ["null", "[]", "{}", "1", "true", "1e400", "NaN", '"caption"', '"image_id"', '"rating"']
PIECES += ['"annotations"', '"images"', '"', ",", ":", "[", "]", "{", "}", "\n", "\t", "\\", "\0"]
damage = st.tuples(st.floats(0, 1), st.sampled_from([0, 1, 3, 12]), st.sampled_from(PIECES))


@pytest.mark.parametrize(
    "read",
    [
        load_corpus,
        lambda path: load_corpus(path, path),
        lambda path: check([path], [path]).to_dict(),
        read_judgments,
        labels_by_image,
        lambda path: fix_file(path, path.with_name("out")),
    ],
    ids=["load", "load with references", "check", "judgments", "objects", "fix"],
)
@settings(max_examples=80, deadline=None)
@given(whole=st.sampled_from(WHOLE), damages=st.lists(damage, min_size=1, max_size=3))
def test_damaged_file(
    read: Callable[[Path], object], whole: str, damages: list[tuple[float, int, str]]
) -> None:
    for where, cut, piece in damages:
        at = int(where * len(whole))
        whole = whole[:at] + piece + whole[at + cut :]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "damaged"
        path.write_text(whole, encoding="utf-8")
        try:
            read(path)
        except CaptiousError as error:
            assert "\n" not in str(error)
            assert str(path) in str(error)
