from __future__ import annotations

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
