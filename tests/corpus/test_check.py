"""What `check` finds, on small files made for it and on the published data."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from captious.cli.check import known_codes
from captious.corpus.check import check
from captious.corpus.checks.report import CheckReport
from captious.corpus.load import load_corpus
from captious.errors import UnknownNameError


def report(folder: Path, candidates: object, references: object = None, **more) -> CheckReport:
    (folder / "c.json").write_text(json.dumps(candidates))
    files = []
    if references is not None:
        (folder / "r.json").write_text(json.dumps(references))
        files = [folder / "r.json"]
    return check([folder / "c.json"], files, **more)


def codes(found: CheckReport) -> dict[str, tuple[str, int]]:
    return {finding.code: (finding.severity, finding.count) for finding in found.findings}


CLEAN = "A dog runs on a beach."


def test_nothing_to_find(tmp_path: Path) -> None:
    found = report(tmp_path, {"1": CLEAN, "2": "A cat?"}, {"1": ["A dog."], "2": ["The cat."]})
    assert found.findings == ()
    assert (found.captions, found.images, found.references) == (2, 2, 2)
    assert found.wrong(strict=True) == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"empty": "error"}),
        ("  ", {"empty": "error"}),
        ("A dog\nruns.", {"line-break": "warning"}),
        ("A dog\tand a cat.", {"control-character": "warning"}),
        ("**A dog** runs.", {"markup": "warning"}),
        ("A dog </s>.", {"markup": "warning"}),
        ("A dog\u200band a cat.", {"control-character": "warning"}),
        ("A cafÃ© and a dog.", {"mojibake": "warning"}),
        ("A caf\ufffd and a dog.", {"replacement-character": "warning"}),
        ("A dog , running.", {"tokenised": "warning"}),
        ("A dog .", {"tokenised": "warning"}),
        ("A dog that does n't run.", {"tokenised": "warning"}),
        ("The dog 's ball.", {"tokenised": "warning"}),
        ("a dog.", {"lower-case": "warning"}),
        ("A dog", {"no-period": "warning"}),
        ("A dog on a.", {"truncated": "warning"}),
        ("A dog with", {"no-period": "warning", "truncated": "warning"}),
        ("IMG_2041.jpg", {"file-name": "warning", "no-period": "warning"}),
        ("Untitled.", {"placeholder": "warning"}),
        ("Image of a dog.", {"image-of": "note"}),
        ("A photo album of a dog.", {}),
        ("A  dog. ", {"space": "note"}),
        ("A dog. \n", {"space": "note"}),
        ("A " + "very " * 58 + "big dog.", {"long": "note"}),
        # Sixty words are not yet too long, and these are not faults at all:
        ("A " + "very " * 57 + "big dog.", {}),
        ("A dog at 'Spot' café: it's 10:30!", {}),
        ("A dog with his hat on.", {}),
    ],
)
def test_text(text: str, expected: dict[str, str], tmp_path: Path) -> None:
    found = report(tmp_path, {"1": text})
    assert {finding.code: finding.severity for finding in found.findings} == expected


def test_captions_that_break_off_are_a_note_where_rare(tmp_path: Path) -> None:
    captions = {str(i): f"Dog number {i}." for i in range(200)}
    assert codes(report(tmp_path, captions | {"x": "A man looks on", "y": "A."}))["truncated"] == ("note", 1)


def test_all_broken_rows_are_listed(tmp_path: Path) -> None:
    rows = [
        {"image_id": 1, "caption": CLEAN},
        {"image_id": 1, "caption": "The dog."},
        {"image_id": 2},
        {"image_id": 3, "caption": None},
        {"image_id": 4, "caption": ["x"]},
        {"caption": "A cat."},
        "A cow.",
    ]
    found = report(tmp_path, rows)
    assert codes(found) == {
        "not-text": ("error", 2),
        "duplicate-id": ("error", 1),
        "missing-caption": ("error", 1),
        "missing-id": ("error", 1),
        "shape": ("error", 1),
    }
    assert [place.where for place in found["not-text"].examples] == ["entry 4", "entry 5"]
    assert found["duplicate-id"].examples[0].image == "1"


def test_ids_that_do_not_meet(tmp_path: Path) -> None:
    references = {"1": ["A dog."], "5": ["A cow."], "6": ["A hen."]}
    found = report(tmp_path, {"1": CLEAN, "2": "A cat."}, references)
    assert codes(found) == {"no-references": ("error", 1), "no-candidates": ("note", 2)}
    assert found["no-references"].examples[0].image == "2"


def test_ids_that_meet_by_number(tmp_path: Path) -> None:
    found = report(tmp_path, {"000000000001.jpg": CLEAN}, {"1": ["A dog."]})
    assert codes(found) == {"loose-ids": ("note", 1)}


def test_leaks_are_found_whatever_case_and_spacing(tmp_path: Path) -> None:
    references = {"1": ["A dog.", "a dog runs on a  beach ."], "2": ["The cat."]}
    found = report(tmp_path, {"1": CLEAN, "2": "A cat."}, references)
    assert codes(found) == {"leaked": ("warning", 1), "fewer-references": ("note", 1)}


def test_references_of_the_rows_themselves(tmp_path: Path) -> None:
    rows = [{"image": 1, "caption": "A dog.", "references": ["a dog", "Dog.", " "], "rating": 1}]
    found = report(tmp_path, rows)
    assert codes(found) == {"leaked": ("warning", 1), "reference-empty": ("warning", 1)}
    assert found.references == 3


def test_reference_faults(tmp_path: Path) -> None:
    references = {"1": ["A cafÃ©.", ""], "2": []}
    found = report(tmp_path, {"1": CLEAN}, references)
    assert codes(found) == {
        "empty-list": ("error", 1),
        "reference-empty": ("warning", 1),
        "reference-mojibake": ("note", 1),
    }


def test_one_caption_for_everything(tmp_path: Path) -> None:
    same = {str(i): "A man riding a wave." for i in range(30)}
    assert codes(report(tmp_path, same)) == {"repeated": ("warning", 30)}
    some = {str(i): f"Dog number {i // 2 if i < 4 else i}." for i in range(30)}
    found = report(tmp_path, some)
    assert codes(found) == {"repeated": ("note", 4)}
    assert [place.image for place in found["repeated"].examples] == ["0", "2"]


def test_systems_that_differ(tmp_path: Path) -> None:
    (tmp_path / "d.json").write_text(json.dumps({"1": "A cat.", "9": "A hen."}))
    (tmp_path / "c.json").write_text(json.dumps({"1": CLEAN}))
    found = check([tmp_path / "c.json", tmp_path / "d.json"])
    assert codes(found) == {"systems-differ": ("error", 1)}
    assert found.systems == ("c", "d")


def test_the_first_place_names_its_file_if_several_are_checked(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_text(json.dumps({"1": CLEAN}))
    (tmp_path / "d.json").write_text(json.dumps({"1": "a cat."}))
    (table,) = check([tmp_path / "c.json", tmp_path / "d.json"]).tables()
    assert f'{tmp_path / "d.json"}: key "1": a cat.' in str(table)
    (table,) = check([tmp_path / "d.json"]).tables()
    assert 'key "1": a cat.' in str(table) and "d.json: key" not in str(table)


def test_images_and_objects(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "1.jpg").write_bytes(b"\xff\xd8\xff\xe0")
    (tmp_path / "o.json").write_text('{"1": ["dog"], "2": []}')
    found = report(tmp_path, {"1": CLEAN, "2": "A cat."}, images=folder, objects=tmp_path / "o.json")
    assert codes(found) == {"no-image": ("error", 1), "no-objects": ("note", 1)}
    assert found["no-image"].examples[0].image == "2"


@pytest.mark.parametrize("content", [b"", b"<!doctype html><title>Sign in</title>"])
def test_files_that_only_bear_an_images_name(tmp_path: Path, content: bytes) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "1.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (folder / "2.jpg").write_bytes(content)
    found = report(tmp_path, {"1": CLEAN, "2": "A cat."}, images=folder)
    assert codes(found) == {"broken-image": ("error", 1)}
    assert found["broken-image"].examples[0].image == "2"


def test_what_counts_as_wrong(tmp_path: Path) -> None:
    found = report(tmp_path, {"1": "a  dog."})
    assert [f.code for f in found.findings] == ["lower-case", "space"]
    assert [f.code for f in found.wrong()] == ["lower-case"]
    assert found.wrong(allow=["lower-case"]) == ()
    assert [f.code for f in found.wrong(strict=True, allow=["lower-case"])] == ["space"]
    with pytest.raises(UnknownNameError):
        found["leaked"]


def test_to_dict_is_json(tmp_path: Path) -> None:
    found = report(tmp_path, {"1": "a dog."}).to_dict()
    assert json.loads(json.dumps(found)) == found
    assert found["counts"] == {"error": 0, "warning": 1, "note": 0}
    assert found["findings"][0]["code"] in known_codes()
    example = {
        "file": str(tmp_path / "c.json"),
        "where": 'key "1"',
        "image": "1",
        "system": "c",
        "text": "a dog.",
    }
    assert found["findings"][0]["examples"] == [example]


def test_every_code_is_documented() -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "commands" / "data.md"
    documented = set(re.findall(r"`([a-z-]+)`", page.read_text(encoding="utf-8")))
    assert set(known_codes()) <= documented


def test_thumb(data: Path) -> None:
    folder = data / "thumb"
    found = check([folder / "mscoco_THumB-1.0.jsonl"], [folder / "mscoco_references.jsonl"])
    # data/README.md: 39 of the Human captions stand among the references.
    assert found["leaked"].systems["Human"] == 39
    assert "lower-case" not in found
    assert "no-period" not in found


def test_flickr8k_expert(data: Path) -> None:
    folder = data / "flickr8k"
    found = check([folder / "ExpertAnnotations.txt"], [folder / "Flickr8k.token.txt"])
    # 5,822 pairs of which 5,664 remain without a photograph's own captions.
    assert (found["leaked"].count, found["leaked"].of) == (158, 5_822)
    assert "duplicate-id" not in found


def test_m2_breaks_off(data: Path) -> None:
    folder = data / "coco_karpathy"
    found = check([folder / "m2_transformer.json"], [folder / "reference_captions.json"])
    captions = json.loads((folder / "m2_transformer.json").read_text()).values()
    # Most of M2's unfinished captions end in an article; each of these must be found.
    articles = sum(text.endswith((" a", " an", " the")) for text in captions)
    assert found["truncated"].severity == "warning"
    assert articles <= found["truncated"].count <= 1.1 * articles
    assert found["lower-case"].count == found["no-period"].count == 5_000


def test_a_sheet_of_alt_texts_is_read_by_address(tmp_path: Path) -> None:
    sheet = tmp_path / "site.csv"
    sheet.write_text("url,alt\nhttps://example.org/a.jpg,A dog.\nhttps://example.org/b.jpg,Untitled.\n")
    found = check([sheet])
    assert found.images == 2
    assert "placeholder" in codes(found)


def test_captions_in_memory_are_checked_as_files_are(tmp_path: Path) -> None:
    captions, references = {"7": "a dog on a", "9": "A cat."}, {"7": ["A dog runs."], "9": ["A cat sleeps."]}
    file, given = tmp_path / "candidates.json", tmp_path / "references.json"
    file.write_text(json.dumps(captions))
    given.write_text(json.dumps(references))
    expected = [(one.code, one.count, one.subject) for one in check(file, given).findings]
    assert ("truncated", 1, "candidates") in expected
    lists = list(captions.values()), list(references.values())
    for found in (
        check(captions, references),
        check(*lists),
        check(load_corpus(captions, references)),
        check(load_corpus(*lists)),
    ):
        assert [(one.code, one.count, one.subject) for one in found.findings] == expected


def test_a_list_with_gaps_is_checked_to_its_end() -> None:
    found = check(["A dog.", None, 3], [["A dog runs."], ["A cat."], ["A hat."]])
    assert (found["not-text"].count, found["not-text"].subject) == (2, "candidates")
