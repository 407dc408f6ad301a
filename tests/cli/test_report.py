from __future__ import annotations

import json
import re

import pytest

from captious.data import demo_files

pytest.importorskip("altair", reason="a report needs captious[report]")
pytest.importorskip("vl_convert", reason="a report needs captious[report]")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _common(files) -> list[object]:
    return [
        "--candidates",
        files["good"],
        files["poor"],
        "--references",
        files["references"],
        "--metrics",
        "bleu1,rouge_l",
        "--resamples",
        20,
    ]


def _judgments(path, rows) -> object:
    path.write_text("\n".join(json.dumps(row) for row in rows))
    return path


def test_page_from_files(run, files, tmp_path) -> None:
    page = tmp_path / "out" / "pets.html"
    found = run("report", *_common(files), "--out", page, "--title", "Pets & horses")
    assert found.code == 0
    assert found.out.startswith(f"{page} (")
    text = page.read_text()
    assert "<title>Pets &amp; horses</title>" in text
    assert "good scores best on every metric." in text


def test_demo_with_photographs_judgments_and_charts(run, tmp_path) -> None:
    demo, page, charts = demo_files(), tmp_path / "demo.html", tmp_path / "charts"
    found = run(
        "report",
        "--candidates",
        *demo.systems[:2],
        "--references",
        demo.references,
        "--images",
        demo.images,
        "--objects",
        demo.objects,
        "--judgments",
        demo.judgments,
        "--judgments-label",
        "illustrative judgments",
        "--metrics",
        "bleu4,cider",
        "--correlation",
        "spearman",
        "--out",
        page,
        "--charts",
        charts,
        "--resamples",
        20,
        "--image-mode",
        "beside",
    )
    assert found.code == 0
    text = page.read_text()
    # Half of the demo's 960 judgments are of the two systems.
    assert "480 illustrative judgments by 2 raters" in text
    assert "Spearman&#39;s rho" in text
    assert len(list((tmp_path / "demo_files").iterdir())) == 24
    assert (charts / "correlations.pdf").read_bytes().startswith(b"%PDF")
    assert len(list(charts.iterdir())) == 4 * 7
    assert "wrote 28 charts" in found.err


def test_judgments_may_hold_the_captions(run, tmp_path) -> None:
    rows = [
        {"image": "1", "caption": "a cat on a mat", "system": "a", "rating": 5},
        {"image": "1", "caption": "a dog", "system": "b", "rating": 1},
        {"image": "2", "caption": "two dogs", "system": "a", "rating": 4},
        {"image": "2", "caption": "a bus", "system": "b", "rating": 2},
    ]
    judgments = _judgments(tmp_path / "ratings.jsonl", rows)
    references = tmp_path / "refs.json"
    references.write_text(json.dumps({"1": ["a cat sits on a mat"], "2": ["two dogs play"]}))
    page = tmp_path / "page.html"
    found = run(
        "report",
        "--judgments",
        judgments,
        "--references",
        references,
        "--metrics",
        "bleu1",
        "--out",
        page,
        "--resamples",
        20,
    )
    assert found.code == 0
    text = re.sub(r"\s+", " ", page.read_text())
    assert "a scores best on BLEU-1 and has the highest judged overall." in text


def test_judgments_of_other_captions_are_an_error_of_one_line(run, files, tmp_path) -> None:
    rows = [{"image": image, "system": "good", "rating": 1} for image in ("99", "98")]
    judgments = _judgments(tmp_path / "j.jsonl", rows)
    found = run("report", *_common(files), "--judgments", judgments, "--out", tmp_path / "x.html")
    assert found.code == 2
    assert found.err.count("\n") == 1
    assert 'image "99", system "good"' in found.err


@pytest.mark.parametrize("inside", ["", "deeper"])
def test_charts_go_to_a_folder_and_never_to_a_file(run, files, tmp_path, inside) -> None:
    taken = tmp_path / "charts.pdf"
    taken.write_text("mine")
    asked = taken / inside
    missing = tmp_path / "captions.json"  # nothing is read before the refusal
    found = run(
        "report",
        "--candidates",
        missing,
        "--references",
        files["references"],
        "--out",
        tmp_path / "x.html",
        "--charts",
        asked,
    )
    whose = f"{taken} " if inside else ""
    assert found.code == 2
    assert found.err == f"error: {asked}: {whose}is a file. Give a folder to write to.\n"
    assert taken.read_text() == "mine"


def test_nothing_to_report_on(run, files, tmp_path) -> None:
    found = run(
        "report", "--references", files["references"], "--metrics", "bleu1", "--out", tmp_path / "x.html"
    )
    assert found.code == 2
    assert found.err == "error: there is nothing to report on. Give --candidates.\n"


def test_scene_graphs_are_shown_where_spice_is_among_the_metrics(run, files, tmp_path) -> None:
    def page(name: str, *more: object) -> str:
        arguments = [*_common(files), "--out", tmp_path / name, *more]
        arguments[arguments.index("bleu1,rouge_l")] = "bleu1,spice"
        found = run("report", *arguments)
        assert found.code == 0, found.err
        return (tmp_path / name).read_text()

    shown = page("all.html")
    assert shown.count('class="explained"') == 6
    assert "Why SPICE gave this score" in shown
    assert page("two.html", "--explained", 2).count('class="explained"') == 2
    assert 'class="explained"' not in page("none.html", "--explain", "none")
    assert page("spice.html", "--explain", "spice").count('class="explained"') == 6


@pytest.mark.parametrize(
    ("asked", "line"),
    [
        ("spice", "spice cannot be explained because it is not among the metrics of the report"),
        ("rouge_l", "rouge_l cannot be explained. Use spice, vifidel, wmd, clipscore"),
    ],
)
def test_what_cannot_be_explained_is_one_line(run, files, tmp_path, asked, line) -> None:
    found = run("report", *_common(files), "--out", tmp_path / "x.html", "--explain", asked)
    assert found.code == 2
    assert line in found.err
    assert found.err.count("\n") == 1
