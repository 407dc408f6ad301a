from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import captious
from captious.corpus import Corpus, Finding, Findings
from captious.corpus.findings import Place
from captious.corpus.judged import read_judgments
from captious.errors import InputError

# Emoji of several code points, combining marks, Arabic and Hebrew, line ends, quotes and commas.
SIGNS = st.sampled_from(
    [
        *"ab ,;|\"'\t",
        "\r\n",
        "\n",
        "\r",
        "é",
        "e\u0301",
        "👩🏽‍🚀",
        "👍",
        "כלב",
        "\u202e",
        "كلب",
        "\u2028",
        "\ufeff",
    ]
)
CAPTIONS = st.lists(
    st.one_of(SIGNS, st.characters(exclude_categories=["Cs"], exclude_characters="\0")), max_size=20
).map("".join)
NAMES = st.text("abc12", min_size=1, max_size=3)


@st.composite
def findings(draw: st.DrawFn) -> Findings:
    rows = []
    texts = draw(st.dictionaries(st.tuples(NAMES, NAMES), CAPTIONS, min_size=1, max_size=3))
    for (image, system), caption in texts.items():
        for source in draw(st.lists(NAMES, min_size=1, max_size=2, unique=True)):
            places = draw(
                st.lists(st.tuples(st.integers(0, len(caption)), st.integers(0, len(caption))), max_size=3)
            )
            marked: list[tuple[int | None, int | None]] = [(a, b) for a, b in places if a < b]
            marked += [(None, None)] * draw(st.integers(0, 1))
            for start, end in marked:
                kind, note = draw(st.sampled_from(["object", "أ"])), draw(CAPTIONS)
                sure = draw(st.one_of(st.just(math.nan), st.floats(0, 1)))
                rows.append(
                    Finding(image, system, caption, start, end, kind, "minor", sure, source, note, "cat")
                )
            if not marked:
                rows.append(Finding(image, system, caption, None, None, "", source=source))
    return Findings.from_rows(rows)


@pytest.mark.parametrize("ending", ["jsonl", "csv", "parquet", "jsonl.gz"])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(found=findings())
def test_findings_survive_files(found: Findings, ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"found.{ending.removesuffix('.gz')}"
    found.write(path)
    if ending.endswith(".gz"):
        import gzip

        packed = tmp_path / f"found.{ending}"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        path = packed
    again = captious.read_findings(path)
    assert repr(list(again.rows())) == repr(list(found.rows()))  # repr: NaN is not NaN
    assert (again.looked, again.sources) == (found.looked, found.sources)
    assert [row.text for row in again.rows()] == [row.text for row in found.rows()]


def test_a_source_that_found_nothing_looked_all_the_same() -> None:
    dog = ("1", "m", "A red dog.")
    found = Findings.from_rows(
        [
            Finding(*dog, 6, 9, "object", source="ann", confidence=0.5),
            Finding(*dog, 2, 5, "attribute", source="ann"),
            Finding(*dog, None, None, "object", source="ann", note="a frisbee"),
            Finding(*dog, None, None, "", source="bob"),
            Finding("2", "m", "A cat.", None, None, "", source="ann"),
        ]
    )
    assert found.keys == [("1", "m"), ("2", "m")]
    assert found.looked == {(0, 0), (0, 1), (1, 0)}
    assert found.spans(0, 0) == [(2, 5), (6, 9)]
    assert found.to_pandas()["text"].tolist() == ["red", "dog", ""]
    assert len(found.of_source("bob")) == 0
    assert found.of_source("bob").keys == [("1", "m")]
    other = Findings.from_rows([Finding("2", "m", "A cat.", 2, 5, "object", source="bob")])
    assert found.merge(other).looked == {*found.looked, (1, 1)}


def test_findings_in_the_order_of_a_corpus() -> None:
    corpus = Corpus.from_lists(["A cat.", "A red dog."], image_ids=["2", "1"], systems=["m", "m"])
    found = Findings.from_rows(
        [
            Finding("1", "m", "A red dog.", 2, 5, "attribute", source="ann"),
            Finding("3", "m", "A bus.", 2, 5, "object", source="ann"),
        ]
    ).on(corpus)
    assert found.captions == corpus.captions
    assert found.spans(1, 0) == [(2, 5)]
    assert (len(found), found.looked) == (1, {(1, 0)})
    with pytest.raises(InputError, match=r'another caption here: "A cat!", not "A cat\."'):
        Findings.from_rows([Finding("2", "m", "A cat!", 2, 5, "object")]).on(corpus)


def test_places_of_a_metric() -> None:
    corpus = Corpus.from_lists(["A cat.", "A dog.", "A bus."], image_ids=["1", "1", "2"], systems=["m"] * 3)
    found = Findings.from_places(corpus, "mine", [[], [Place(2, 5, "object")], None])
    assert found.ids == ["1|m", "1|m|2"]  # the third was not looked at
    assert found.looked == {(0, 0), (1, 0)}


@pytest.mark.parametrize(
    ("row", "says"),
    [
        ((4, 11, "object"), "the place 4-11 is not in its caption of 10 characters"),
        ((4, 4, "object"), "the place 4-4 is not in its caption"),
        ((-1, 4, "object"), "the place -1-4 is not in its caption"),
        ((4, None, "object"), "a place needs a start and an end"),
        ((2, 5, ""), "the place 2-5 has no kind"),
    ],
)
def test_a_place_that_is_none(row: tuple[int, int | None, str], says: str) -> None:
    with pytest.raises(InputError, match=says):
        Findings.from_rows([Finding("1", "m", "A red dog.", *row)])


def test_one_caption_for_each_example() -> None:
    rows = [Finding("1", "m", "A dog.", None, None, ""), Finding("1", "m", "A cat.", None, None, "")]
    with pytest.raises(InputError, match=r'example "1\|m" has two captions, "A dog\." and "A cat\."'):
        Findings.from_rows(rows)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('"start": 0, "end": 4, "text": "dog"', 'line 1: "text" is "dog", but 0-4 of the caption is "👍 do"'),
        ('"start": "two", "end": 4', 'line 1: "start" is "two". It must be a whole number'),
        (
            '"start": 2, "end": 5, "confidence": 90',
            'line 1: "confidence" is "90". It must be a number from 0 to 1',
        ),
        ('"start": 2, "end": 9', 'example "1": the place 2-9 is not in its caption of 5 characters'),
        ('"start": 2', 'there is no column "end"'),
    ],
)
def test_bad_files(tmp_path: Path, line: str, says: str) -> None:
    path = tmp_path / "found.jsonl"
    path.write_text(f'{{"image": 1, "caption": "👍 dog", "kind": "object", {line}}}\n', encoding="utf-8")
    with pytest.raises(InputError) as error:
        captious.read_findings(path)
    assert says in str(error.value)
    assert str(error.value).startswith(str(path))


MARKED = Findings.from_rows(
    [
        Finding("1", "m", "A red dog.", 2, 5, "attribute", "major", source="ann"),
        Finding("1", "m", "A red dog.", 6, 9, "object", source="ann"),
        Finding("1", "m", "A red dog.", None, None, "", source="bob"),
        Finding("1", "n", "A dog.", 2, 5, "object", "minor", source="bob"),
    ]
)


def test_scores_of_captions_by_severity() -> None:
    judged = MARKED.to_judgments()
    assert judged.aspects == ["mqm"]
    # Ann: major 5, without a severity 1. Bob found nothing in one caption and a minor fault in the other.
    assert judged.matrix("mqm").tolist()[0] == [-6, 0]
    assert judged.means("mqm").tolist() == [-3, -1]
    own = MARKED.to_judgments({"": 0, "minor": 2, "major": 10}).means("mqm")
    assert own.tolist() == [-5, -2]
    with pytest.raises(InputError, match='the severity "minor" has no weight'):
        MARKED.to_judgments({"": 0, "major": 10})


def test_some_examples_in_another_order() -> None:
    found = MARKED.select(np.array([1, 0]))
    assert found.captions == ["A dog.", "A red dog."]
    assert [row.text for row in found.rows()] == ["dog", "red", "dog", ""]
    assert found.select(np.array([0])).looked == {(0, 1)}
    assert MARKED.of_kind("object").looked == MARKED.looked


def test_a_file_of_findings_is_taken_for_judgments(tmp_path: Path) -> None:
    MARKED.write(tmp_path / "found.jsonl")
    judged, corpus = read_judgments(tmp_path / "found.jsonl")
    assert corpus is not None
    assert corpus.captions == ["A red dog.", "A dog."]
    assert judged.places_in(corpus).tolist() == [0, 1]
    assert captious.load_judgments(MARKED).values.tolist() == judged.values.tolist() == [-6, 0, -1]
    (tmp_path / "refs.json").write_text('{"1": ["A brown dog."]}')
    _, corpus = read_judgments(tmp_path / "found.jsonl", references=tmp_path / "refs.json")
    assert corpus is not None
    assert corpus.reference_counts.tolist() == [1, 1]
    (tmp_path / "empty.csv").write_text("image,caption,start,end,kind\n")
    with pytest.raises(InputError, match="has a header but no rows"):
        read_judgments(tmp_path / "empty.csv")


def test_references_and_objects_beside_findings(tmp_path: Path) -> None:
    row = {"image": 1, "caption": "A dog.", "start": 2, "end": 5, "kind": "object"}
    more = {"references": ["A cat."], "objects": ["cat"]}
    (tmp_path / "found.jsonl").write_text("\n".join(json.dumps(row | more | {"source": by}) for by in "ab"))
    _, corpus = read_judgments(tmp_path / "found.jsonl")
    assert corpus is not None
    assert corpus.objects is not None
    assert (list(corpus.references[0]), corpus.objects[0]) == (["A cat."], ["cat"])
