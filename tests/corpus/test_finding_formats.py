from __future__ import annotations

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import captious
from captious.corpus import Finding
from captious.corpus.finding_formats import format_of, holds_findings
from captious.corpus.readers import open_source
from captious.errors import InputError

CAPTION = "👍 A red dög\u0301 and 🐕 כלב."
PLACES = [(4, 7, "attribute"), (8, 12, "object"), (17, 18, "object"), (19, 22, "object")]
WORDS = ["red", "dög\u0301", "🐕", "כלב"]


def units(text: str, place: int) -> int:
    """How many UTF-16 units stand before a code point."""
    return len(text[:place].encode("utf-16-le", "surrogatepass")) // 2


def label_studio(
    caption: str, places: list[tuple[int, int, str]], count=units, **said: object
) -> list[object]:
    result = [
        {
            "id": f"r{number}",
            "from_name": "label",
            "to_name": "text",
            "type": "labels",
            "value": {
                "start": count(caption, a),
                "end": count(caption, b),
                "text": caption[a:b],
                "labels": [kind],
            },
        }
        for number, (a, b, kind) in enumerate(places)
    ]
    annotation = {
        "completed_by": {"id": 3, "email": "ann@example.org"},
        "was_cancelled": False,
        "result": result,
    }
    return [{"id": 17, "data": {"text": caption, "image": "7"}, "annotations": [annotation], **said}]


def escaped(text: str, more: str = "") -> str:
    for sign in "\\" + more:
        text = text.replace(sign, f"\\{sign}")
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def webanno(caption: str, places: list[tuple[int, int, str]]) -> str:
    """A token for each marked place, and for what stands between; offsets in UTF-16 units."""
    cuts = sorted({0, len(caption), *(end for a, b, _ in places for end in (a, b))})
    kinds = {(a, b): kind for a, b, kind in places}
    lines = ["#FORMAT=WebAnno TSV 3.2", "#T_SP=webanno.custom.Finding|kind|note", "", ""]
    lines.append(f"#Text={escaped(caption)}")
    for number, (a, b) in enumerate(pairwise(cuts), 1):
        kind = escaped(kinds.get((a, b), "_"), "[]|*;") if (a, b) in kinds else "_"
        note = "*" if (a, b) in kinds else "_"
        at = f"{units(caption, a)}-{units(caption, b)}"
        lines.append(f"1-{number}\t{at}\t{escaped(caption[a:b])}\t{kind}\t{note}\t")
    return "\n".join([*lines, ""])


def brat(folder: Path, name: str, caption: str, places: list[tuple[int, int, str]]) -> Path:
    (folder / f"{name}.txt").write_bytes(caption.encode())
    lines = [
        f"T{number}\t{kind} {a} {b}\t{caption[a:b]}".replace("\n", " ")
        for number, (a, b, kind) in enumerate(places, 1)
    ]
    (folder / f"{name}.ann").write_bytes("".join(f"{line}\n" for line in lines).encode())
    return folder / f"{name}.ann"


def shown(path: Path) -> list[tuple[str, str, str]]:
    return [(one.image, one.kind, one.text) for one in captious.read_findings(path).rows()]


@pytest.mark.parametrize("count", [units, lambda text, place: place], ids=["UTF-16", "code points"])
def test_label_studio_however_it_counts(tmp_path: Path, count) -> None:
    path = tmp_path / "export.json"
    path.write_text(json.dumps(label_studio(CAPTION, PLACES, count)))
    found = captious.read_findings(path)
    assert [row.text for row in found.rows()] == WORDS
    assert found.sources == ["ann@example.org"]
    assert found.spans(0, 0) == [place[:2] for place in PLACES]


def test_label_studio_severity_notes_predictions_and_nothing_found(tmp_path: Path) -> None:
    (task,) = label_studio("A red dog.", [(2, 5, "attribute")])
    task["annotations"][0]["result"] += [
        {"id": "r0", "from_name": "severity", "type": "choices", "value": {"choices": ["major"]}},
        {"id": "r0", "from_name": "why", "type": "textarea", "value": {"text": ["it is brown"]}},
    ]
    task["annotations"] += [
        {"completed_by": 4, "result": []},
        {"completed_by": 5, "was_cancelled": True, "result": []},
    ]
    guess = {
        "type": "labels",
        "id": "p",
        "value": {"start": 6, "end": 9, "labels": ["object"]},
        "score": 0.25,
    }
    task["predictions"] = [{"model_version": "v2", "result": [guess]}, 12]
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]))
    found = captious.read_findings(path)
    assert found.sources == ["ann@example.org", "4", "v2"]
    assert (0, 1) in found.looked
    first, _, guessed = found.rows()
    assert (first.severity, first.note, first.text) == ("major", "it is brown", "red")
    assert (guessed.confidence, guessed.text) == (0.25, "dog")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"text": "cat"}, 'says "cat", which is not there'),
        ({"text": None}, "may count code points or UTF-16 units"),
        ({"start": "/div[1]/text()[1]"}, "marks HTML, not text"),
    ],
)
def test_label_studio_regions_that_cannot_be_placed(
    tmp_path: Path, change: dict[str, object], says: str
) -> None:
    (task,) = label_studio(CAPTION, PLACES[:1])
    task["annotations"][0]["result"][0]["value"].update(change)
    path = tmp_path / "export.json"
    path.write_text(json.dumps([task]))
    with pytest.raises(InputError, match="task 1: ") as error:
        captious.read_findings(path)
    assert says in str(error.value)


def test_brat_with_attributes_notes_and_pieces(tmp_path: Path) -> None:
    folder = tmp_path / "ann"
    folder.mkdir()
    path = brat(folder, "7", "A red dog and a cat.\n", [(2, 5, "attribute")])
    path.write_text(
        path.read_text() + "T2\tobject 6 9;16 19\tdog cat\nA1\tSeverity T1 major\nA2\tConfidence T2 0.5\n"
        "#1\tAnnotatorNotes T1\tit is brown\nR1\tsame Arg1:T1 Arg2:T2\n"
    )
    brat(folder, "8", "A bus.", [])
    found = captious.read_findings(folder)
    assert found.sources == ["ann"]
    assert [(one.text, one.severity, one.note) for one in found.rows()] == [
        ("red", "major", "it is brown"),
        ("dog", "", ""),
        ("cat", "", ""),
        ("", "", ""),  # image 8, in which nothing was marked
    ]
    assert found.confidences.tolist()[1:] == [0.5, 0.5]
    assert found.captions == ["A red dog and a cat.", "A bus."]
    assert captious.read_findings(path, source="bob").sources == ["bob"]


def test_brat_beside_another_text(tmp_path: Path) -> None:
    path = brat(tmp_path, "7", "A red dog.", [(2, 5, "attribute")])
    (tmp_path / "7.txt").write_text("One red dog.")
    with pytest.raises(InputError, match=r'line 1: "red" is not at 2 5 of 7\.txt'):
        captious.read_findings(path)
    (tmp_path / "7.txt").unlink()
    with pytest.raises(InputError, match=r"there is no 7\.txt beside it"):
        captious.read_findings(path)


def test_webanno_as_inception_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "7.tsv"
    path.write_text(
        "#FORMAT=WebAnno TSV 3.2\n#T_SP=webanno.custom.Finding|kind|severity\n"
        "#T_RL=webanno.custom.Rel|type|BT_webanno.custom.Finding\n#T_SP=webanno.custom.Other|value\n\n\n"
        "#Text=👍 A red dog.\n"
        "1-1\t0-2\t👍\t_\t_\t_\t_\t_\t\n"
        "1-2\t3-4\tA\t_\t_\t_\t_\t_\t\n"
        "1-3\t5-8\tred\tattribute[2]|count\tmajor[2]|*\t_\t_\t_\t\n"
        "1-4\t9-12\tdog\tattribute[2]\tmajor[2]\tsame\t1-3\t_\t\n"
        "1-5\t12-13\t.\t_\t_\t_\t_\t_\t\n\n"
        "#Text=It sits.\n"
        "2-1\t14-16\tIt\t_\t_\t_\t_\t_\t\n"
        "2-2\t17-21\tsits\t_\t_\t_\t_\tverb\\|form\t\n"
        "2-2.1\t19-21\tts\t*\t*\t_\t_\t_\t\n"
    )
    found = captious.read_findings(path)
    assert found.captions == ["👍 A red dog. It sits."]
    assert [(one.text, one.kind, one.severity) for one in found.rows()] == [
        ("red", "count", ""),
        ("red dog", "attribute", "major"),
        ("sits", "verb|form", ""),
        ("ts", "unlabelled", ""),
    ]
    path.write_text("#FORMAT=WebAnno TSV 3.2\nred\tattribute\n")
    with pytest.raises(InputError, match="line 2: is not a token"):
        captious.read_findings(path)


# What a caption may hold: emoji of several code points, combining marks, right-to-left, quotes, line ends.
SIGNS = [
    *"ab .,;|\"'\\[]_*",
    "\n",
    "\r\n",
    "\t",
    "é",
    "e\u0301",
    "👩🏽‍🚀",
    "🐕",
    "כלב",
    "\u202e",
    "كلب",
    "\u2028",
]
TEXTS = st.lists(st.sampled_from(SIGNS), min_size=1, max_size=15).map("".join)


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[tuple[int, int, str]]]:
    """A caption and places that do not overlap, as WebAnno's tokens cannot."""
    text = draw(TEXTS)
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=6)))
    return text, [
        (a, b, draw(st.sampled_from(["object", "count"])))
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(marked())
def test_places_survive_every_reader_and_writer(
    tmp_path: Path, found: tuple[str, list[tuple[int, int, str]]]
) -> None:
    text, places = found
    # Another task of the export says how it counts: "aa" behind an emoji is read in two ways.
    (sure,) = label_studio("🐕 dog", [(2, 5, "object")])
    (other,) = label_studio("🐕 dog", [(2, 5, "object")], lambda _, place: place)
    for task in (sure, other):
        task["data"]["image"] = "sure"
    (tmp_path / "studio.json").write_text(json.dumps([*label_studio(text, places), sure]))
    points = label_studio(text, places, lambda _, place: place)
    (tmp_path / "points.json").write_text(json.dumps([*points, other]))
    (tmp_path / "7.tsv").write_bytes(webanno(text, places).encode())
    paths = [tmp_path / "studio.json", tmp_path / "points.json", tmp_path / "7.tsv"]
    if not text.endswith(("\n", "\r")):  # the line end of a text file is not the caption's
        paths.append(brat(tmp_path, "7", text, places))
    wanted = [("7", kind, text[a:b]) for a, b, kind in places] or [("7", "", "")]
    for path in paths:
        assert [one for one in shown(path) if one[0] == "7"] == wanted, path.name
        read = captious.read_findings(path)
        read = read.select(np.array([read.ids.index("7")]))
        assert read.captions == [text]
        for ending in ("jsonl", "csv", "parquet"):
            read.write(tmp_path / f"again.{ending}")
            assert shown(tmp_path / f"again.{ending}") == wanted


def test_what_holds_findings_is_told_by_content(tmp_path: Path) -> None:
    (tmp_path / "a.dat").write_text("image;kind;caption;start;end\n7;object;A dog.;2;5\n")
    (tmp_path / "b.dat").write_text("image;caption;rating\n7;A dog.;5\n")
    (tmp_path / "c.dat").write_text('{"image": 7, "caption": "A dog.", "rating": 5}\n')
    (tmp_path / "d.dat").write_text(json.dumps([{"image_id": 7, "caption": "annotations: []"}]))
    assert [holds_findings(tmp_path / f"{name}.dat") for name in "abcd"] == [True, False, False, False]
    packed = tmp_path / "export.json.gz"
    packed.write_bytes(gzip.compress(json.dumps(label_studio(CAPTION, PLACES)).encode()))
    assert format_of(open_source(packed)) == "label-studio"
    assert [one[2] for one in shown(packed)] == WORDS
    with pytest.raises(InputError, match=r"folder without \.ann files"):
        captious.read_findings(tmp_path)


def test_captions_without_system_are_numbered(tmp_path: Path) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(
        "image,caption,start,end,kind\n7,A dog.,2,5,object\n7,A cat.,2,5,object\n7,A dog.,0,1,count\n"
    )
    found = captious.read_findings(path)
    assert found.ids == ["7", "7|2"]
    assert [one.text for one in found.rows()] == ["A", "dog", "cat"]


def test_a_finding_has_the_words_of_its_place() -> None:
    assert [Finding("7", "", CAPTION, a, b, kind).text for a, b, kind in PLACES] == WORDS
