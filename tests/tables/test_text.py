from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from captious.tables import Number, Table
from captious.tables.text import to_csv, to_latex, to_markdown

TABLE = Table(
    "",
    ["system", "cider_d"],
    [["m2 & co", Number(1.3124, "131.2", "[129.6, 132.9]", best=True)], ["x_1", Number(1.0, "100.0")]],
)


def test_latex_escapes_names_and_marks_the_best() -> None:
    latex = to_latex(TABLE)
    assert r"m2 \& co & \textbf{131.2} {\scriptsize [129.6, 132.9]} \\" in latex
    assert r"x\_1 & 100.0 \\" in latex and r"cider\_d" in latex


def test_markdown_keeps_a_bar_in_a_name_inside_its_cell() -> None:
    assert "| x\\|y |" in to_markdown(Table("", ["a"], [["x|y"]]))


def test_markdown_sets_numbers_to_the_right_and_lists_the_notes() -> None:
    lines = to_markdown(
        Table("T", ["system", "r"], [["m", 0.25], ["n", float("nan")]], "one\ntwo")
    ).splitlines()
    assert lines == [
        *("**T**", "", "| system | r |", "|---|---:|", "| m | 0.250 |", "| n | n/a |"),
        *("", "- one", "- two"),
    ]


def test_csv_quotes_and_does_not_round() -> None:
    assert to_csv(TABLE).splitlines()[1] == "m2 & co,1.3124"
    assert to_csv(Table("", ["a", "b"], [["x,y", 1 / 3]])).splitlines()[1] == f'"x,y",{1 / 3!r}'


def test_csv_for_a_spreadsheet_runs_nothing() -> None:
    hostile = Table("", ["a", "b"], [["=1+1", -1], ["＝1", -0.5]])
    assert to_csv(hostile).splitlines()[1:] == ["=1+1,-1", "＝1,-0.5"]
    assert to_csv(hostile, safe=True).splitlines()[1:] == ["'=1+1,-1", "'＝1,-0.5"]


SIGNS = Table(
    "",
    ["pair", "rouge_l", "p", "signature"],
    [["a - b", Number(-0.012, "-1.2", "[-2.0, 0.4]"), Number(0.0, "<0.001"), "rouge_l|refs:5"]],
    printed={"rouge_l": "ROUGE-L"},
)


def test_latex_sets_signs_in_math_mode_and_names_as_papers_print_them() -> None:
    latex = to_latex(SIGNS)
    assert r"pair & ROUGE-L & p & signature \\" in latex
    assert r"a - b & $-$1.2 {\scriptsize [$-$2.0, 0.4]} & $<$0.001 & rouge\_l\textbar{}refs:5 \\" in latex


def test_latex_compiles(tmp_path: Path) -> None:
    if shutil.which("pdflatex") is None:
        pytest.skip("no TeX here; the source is checked instead")
    body = to_latex(SIGNS) + to_latex(TABLE)
    page = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}{body}\\end{{document}}"
    (tmp_path / "page.tex").write_text(page)
    command = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "page.tex"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout[-2000:]
