from __future__ import annotations

from captious.cli.main import spread
from captious.cli.output import Number, Table, to_csv, to_json, to_latex, to_markdown

TABLE = Table(
    ["system", "cider_d"],
    [["m2 & co", Number(1.3124, "131.2", "[129.6, 132.9]", best=True)], ["x_1", Number(1.0, "100.0")]],
)


def test_latex_escapes_names_and_marks_the_best() -> None:
    latex = to_latex(TABLE)
    assert r"m2 \& co & \textbf{131.2} {\scriptsize [129.6, 132.9]} \\" in latex
    assert r"x\_1 & 100.0 \\" in latex and r"cider\_d" in latex


def test_markdown_keeps_a_bar_in_a_name_inside_its_cell() -> None:
    markdown = to_markdown(Table(["a"], [["x|y"]]))
    assert "| x\\|y |" in markdown


def test_csv_quotes_and_does_not_round() -> None:
    assert to_csv(TABLE).splitlines()[1] == "m2 & co,1.3124"


def test_json_writes_null_for_nan() -> None:
    assert to_json({"p": float("nan")}) == '{\n  "p": null\n}'


def test_an_option_is_repeated_for_each_of_its_values() -> None:
    assert spread(["--candidates", "a", "b", "--name", "x", "y", "-"]) == [
        "--candidates",
        "a",
        "--candidates",
        "b",
        "--name",
        "x",
        "--name",
        "y",
        "--name",
        "-",
    ]
