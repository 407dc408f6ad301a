from __future__ import annotations


def _arguments(files):
    return [
        "compare",
        "--candidates",
        files["good"],
        files["poor"],
        "--references",
        files["references"],
        "--metrics",
        "rouge_l,cider",
    ]


def test_json_has_the_documented_shape(run, files) -> None:
    found = run(*_arguments(files), "--format", "json").json
    pair = found["cider"]["pairs"][0]
    documented = {
        "a",
        "b",
        "difference",
        "low",
        "high",
        "p_bootstrap",
        "p_randomisation",
        "wins",
        "ties",
        "losses",
    }
    assert documented <= set(pair)
    assert (pair["a"], pair["b"], pair["wins"]) == ("good", "poor", 3)


def test_table_and_latex_show_ranking_and_pairs(run, files) -> None:
    shown = run(*_arguments(files)).out
    assert "good - poor" in shown and "cluster" in shown and "p Holm" in shown
    latex = run(*_arguments(files), "--format", "latex").out
    assert latex.count(r"\begin{tabular}") == 2
    assert r"p Holm" in latex


def test_the_same_seed_gives_the_same_p_values(run, files) -> None:
    first = run(*_arguments(files), "--format", "json", "--seed", 7).out
    assert first == run(*_arguments(files), "--format", "json", "--seed", 7).out


def test_trials_without_end_are_refused(run, files) -> None:
    found = run(
        "compare",
        "--candidates",
        files["good"],
        files["poor"],
        "--references",
        files["references"],
        "--trials",
        10**9,
    )
    assert found.code == 2
    assert "--trials" in found.err and "100000" in found.err


def test_one_system_is_not_enough(run, files) -> None:
    found = run("compare", "-c", files["good"], "-r", files["references"], "-m", "bleu1")
    assert found.code == 2 and "at least two systems" in found.err


def test_csv_has_a_row_for_each_pair_and_metric(run, files) -> None:
    rows = run(*_arguments(files), "--format", "csv").out.splitlines()
    assert rows[0].startswith("metric,a,b,difference,low,high,p_bootstrap")
    assert [row.split(",")[:3] for row in rows[1:]] == [
        ["rouge_l", "good", "poor"],
        ["cider", "good", "poor"],
    ]
