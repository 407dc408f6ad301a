from __future__ import annotations

import json

import pytest

from captious.benchmarks.datasets.thumb import load_thumb
from captious.benchmarks.studies.own import study
from captious.errors import InputError, UnknownNameError


def _cells(found, title):
    return next(one.cells for one in found.found if one.title == title and one.cells)


def test_thumbs_own_release_as_an_export_gives_the_papers_tables(data, thumb_study, tmp_path) -> None:
    """Judgments in the columns of an export go through the same measures as the paper's."""
    thumb = load_thumb(data, human="with", release="first")
    lines = []
    for row in range(len(thumb.corpus)):
        one = thumb.corpus.example(row)
        for aspect in thumb.judgments.aspects:
            value = float(thumb.judgments.means(aspect)[row])
            shown = {"image": one.image_id, "system": one.system, "caption": one.caption, "rater": "final"}
            lines.append(shown | {"aspect": aspect, "rating": value, "references": list(one.references)})
    folder = tmp_path / "export"
    folder.mkdir()
    (folder / "final.jsonl").write_text("\n".join(map(json.dumps, lines)))
    own = study("thumb", folder, human="Human")
    for title, of in (
        ("Table 2, human", "mean"),
        ("Table 3", "count"),
        ("Table 4, without Human", "r_without"),
    ):
        cells = _cells(own, title)
        checks = [
            c
            for c in thumb_study.checks
            if (c.table.benchmark, c.table.of, c.table.title) == ("thumb", of, title)
        ]
        assert len(checks) > 5
        for one in checks:
            assert cells[one.printed.row, one.printed.column] == pytest.approx(one.got), one.printed
    titles = [table.title for table in own.tables()]
    assert titles[0] == "Table 2, human" and titles[-1] == "Left out"


@pytest.fixture
def judged(tmp_path):
    rows = [
        {
            "image": str(n),
            "system": system,
            "caption": f"{system} {n} dogs run" + " away" * (n % 3),
            "references": ["two dogs run", f"{n} dogs run away"],
            "rater": rater,
            "stage": stage,
            "rating": (n * n + len(system) + len(rater) * int(stage)) % 5,
        }
        for n in range(8)
        for system in ("m", "people")
        for rater in ("x", "yy", "zzz")
        for stage in ("1", "2")
    ]
    path = tmp_path / "mine.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_human_captions_are_named_and_never_guessed(judged) -> None:
    with pytest.raises(
        InputError, match=r"no system is said to be human.*human=SYSTEM \(there are m, people\)"
    ):
        study("thumb", judged)
    with pytest.raises(UnknownNameError, match="people"):
        study("thumb", judged, human="peopel")
    with_human, nobody = study("thumb", judged, human="people"), study("thumb", judged, human="none")
    # Without the captions of people it is another correlation; with nobody human both are one table.
    assert _cells(with_human, "Table 4, without Human") != _cells(with_human, "Table 4, with Human")
    assert _cells(nobody, "Table 4") == _cells(with_human, "Table 4, with Human")


def test_vcrscores_tables_of_raters_and_stages(judged) -> None:
    found = study("vcrscore", judged)
    assert {row for row, _ in _cells(found, "Table 1")} == {"x", "yy", "zzz"}
    assert {row for row, _ in _cells(found, "Table 2")} == {
        *("first stage", "second stage", "both stages"),
        *(f"without {rater}" for rater in ("x", "yy", "zzz")),
    }
    assert {row for row, _ in _cells(found, "Table 3")} == {"first stage", "second stage", "both stages"}
    assert {(row, rule) for row, rule in _cells(found, "Table 4")} == {
        (system, rule) for system in ("m", "people") for rule in ("vote", "mean")
    }
    # Summed over the images, as the paper does; Table 9 has the mean. BLEU to SPICE are one table.
    means = _cells(found, "Table 9, Tagging")
    assert _cells(found, "Table 4")["m", "mean"] == pytest.approx(8 * means["m", "mean"])
    assert _cells(found, "Table 8") == {("mine.jsonl", "rows"): 16, ("mine.jsonl", "images"): 8}


def test_what_a_table_needs_is_not_replaced(judged) -> None:
    """A mean rating is no HUMANr, the interval of `overall` none of `total`."""
    reasons = {one.title: one.why for one in study("thumb", judged, human="none").found}
    assert reasons["Table 2, 90% interval of total"] == "there is no aspect total."
    with pytest.raises(InputError, match=r"nothing for any table of humanr: .*there is no aspect preference"):
        study("humanr", judged)


def test_virtual_raters_of_iicr(judged) -> None:
    found = study("iicr", judged)
    cells = _cells(found, "Table 3")  # the paper's four data sets are one
    assert set(cells) == {
        ("mine.jsonl", name) for name in ("tau_x", "tau_y", "tau_z", "w", "kappa", "kappa_4=5")
    }


def test_judgments_that_have_nothing_for_a_study(tmp_path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_text(json.dumps({"image": "1", "caption": "a dog", "rater": "x", "rating": 3}) + "\n")
    with pytest.raises(InputError, match="has nothing for any table of"):
        study("cornia2020", path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "photographs").mkdir()
    (tmp_path / "photographs" / "other.jpg").touch()
    with pytest.raises(InputError, match=r"any table of vcrscore: .*contains no photograph of mine\.jsonl"):
        study("vcrscore", path, images=tmp_path / "photographs")
    with pytest.raises(InputError, match=r"has no final\.jsonl"):
        study("thumb", tmp_path / "empty")
