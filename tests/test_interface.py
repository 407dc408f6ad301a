"""The Python interface: the commands' capabilities, with results that show themselves."""

import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import captious
from captious.errors import CaptiousWarning, InputError, MissingDependencyError, StatisticsError

REFERENCES = {str(n): [f"a man rides horse number {n}", "a rider on a horse"] for n in range(12)}
GOOD = {str(n): f"a man rides horse {n}" for n in range(12)}
POOR = dict.fromkeys(map(str, range(12)), "a cat")


@pytest.fixture
def corpus() -> captious.Corpus:
    return captious.Corpus.from_dict({"good": GOOD, "poor": POOR}, REFERENCES)


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    rows = [
        {"image": str(n), "caption": text, "references": REFERENCES[str(n)], "rating": rating, "rater": rater}
        for n in range(12)
        for text, rating in ((GOOD[str(n)], 4 + n % 2), (POOR[str(n)], 1 + n % 3))
        for rater in ("ada", "bo")
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    return path


def test_every_public_name_is_there_and_has_a_docstring() -> None:
    for name in captious.__all__:
        assert getattr(captious, name) is not None
        assert name == "__version__" or getattr(captious, name).__doc__
    assert set(captious.__all__) == set(dir(captious))


def test_scores_show_themselves(corpus: captious.Corpus) -> None:
    scores = captious.score(corpus, ["rouge_l", "bleu1"])
    assert scores.table().to_pandas().loc["good", "rouge_l"] == scores["rouge_l"].systems["good"].score
    assert str(scores).split()[:3] == ["system", "rouge_l", "bleu1"]
    assert scores.to_markdown().startswith("| system | rouge_l | bleu1 |")
    assert r"ROUGE-L & BLEU-1 \\" in scores.to_latex()
    page = scores._repr_html_()
    assert '<th scope="row">good</th>' in page
    assert "<strong>" not in page  # bold is for what a test separates
    assert scores.to_log("val/")["val/good/rouge_l"] == scores["rouge_l"].systems["good"].score


def test_a_notebook_sets_words_left_and_each_signature_on_its_line(corpus: captious.Corpus) -> None:
    """Jupyter sets every cell to the right by a rule of two classes, (0,2,1); ours must weigh as much."""
    page = captious.score(corpus, ["rouge_l", "bleu1"])._repr_html_()
    assert ".captious.captious td{padding:.25em .8em;text-align:left" in page
    notes = page.partition('<p class="notes">')[2].partition("</p>")[0].split("\n")
    assert [line.partition("|")[0] for line in notes] == ["rouge_l", "bleu1"]
    assert "white-space:pre-line" in page


def test_without_pandas_a_data_frame_says_what_to_install(
    corpus: captious.Corpus, judged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = captious.score(corpus, ["rouge_l"])
    agreed = captious.agreement(judged, resamples=0)
    results = [corpus, scores, scores.significance(resamples=10, trials=10), scores.table(), agreed]
    monkeypatch.setitem(sys.modules, "pandas", None)  # what an import finds where it is not installed
    for result in results:
        with pytest.raises(MissingDependencyError, match=r'pip install "captious\[tables\]"'):
            result.to_pandas()  # type: ignore[attr-defined]


def test_scores_are_resampled_and_tested_without_the_metric(
    corpus: captious.Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = captious.score(corpus, ["rouge_l"], resamples=200, seed=3)
    plain = captious.score(corpus, ["rouge_l"])
    compared = captious.compare(corpus, ["rouge_l"], resamples=200, trials=200)

    def never(*_: Any, **__: Any) -> None:
        raise AssertionError("a metric ran again")

    monkeypatch.setattr("captious.metrics.rouge_l.RougeL.score_examples", never)
    monkeypatch.setattr("captious.metrics.registry.resolve", never)
    again = plain.with_intervals(200, seed=3)
    assert again["rouge_l"].systems == asked["rouge_l"].systems
    found = plain.significance(resamples=200, trials=200)
    assert found.metrics["rouge_l"].pairs == compared.metrics["rouge_l"].pairs
    assert found.to_pandas().loc[0, "wins"] == 12


def test_defaults_leave_out_what_cannot_run_and_say_so() -> None:
    with pytest.warns(CaptiousWarning, match=r"cider is left out: one image has no document frequencies"):
        found = captious.compute(["a dog"], [["a dog runs"]])
    assert set(found) >= {"bleu1", "bleu4", "rouge_l"}
    assert "cider" not in found


def test_meta_agreement_and_plan_take_a_file(judged: Path) -> None:
    settings = captious.MetaSettings(resamples=50)
    found = captious.meta(judged, ["rouge_l"], settings=settings)
    (value,) = (one for name, one in found["rouge_l"].items() if name == "kendall_c")
    assert 0 < value.low <= value.value <= value.high <= 1
    assert found.to_pandas()["metric"].unique().tolist() == ["rouge_l"]
    assert found.to_dict()["results"]["rouge_l"]["kendall_c"]["value"] == value.value
    assert "% protocol" in found.to_latex()
    agreed = captious.agreement(judged, resamples=0)
    assert agreed.coefficients["alpha_interval"].value == pytest.approx(1)  # both raters say the same
    assert agreed.to_pandas().loc["per cent agreement", "value"] == 1
    planned = captious.plan(judged, images=[20, 40], raters=[1], half_width=2.0, simulations=50)
    assert planned.smallest is not None
    assert planned.smallest.n_items == 20
    assert len(planned.to_pandas()) == 2


def test_judgments_in_memory_are_those_of_the_file(judged: Path) -> None:
    import pandas as pd

    frame = pd.read_json(judged, lines=True, dtype=False)
    from_file, from_frame = captious.load_judgments(judged), captious.load_judgments(frame)
    assert np.array_equal(from_file.values, from_frame.values)
    assert from_file.raters == from_frame.raters
    ours, theirs = (captious.agreement(one, resamples=20).to_dict() for one in (frame, judged))
    assert ours["coefficients"]["alpha_interval"] == theirs["coefficients"]["alpha_interval"]


def test_check_explain_and_reproduce(tmp_path: Path, corpus: captious.Corpus) -> None:
    (tmp_path / "mine.json").write_text('{"1": "a dog on a", "2": "A cat."}')
    report = captious.check(tmp_path / "mine.json")
    assert report.to_pandas()["code"].tolist() == ["lower-case", "no-period", "truncated"]
    assert report.to_pandas()[["count", "of"]].to_numpy().tolist() == [[1, 2]] * 3
    explained = captious.explain(corpus, "spice", image_id="3", system="good")
    assert explained[0].caption == GOOD["3"]
    assert "<svg" in explained._repr_html_()
    assert "matched" in str(explained)
    assert str(explained) == repr(explained)
    assert explained.to_pandas()["verdict"].isin(["matched", "invented", "missed"]).all()
    assert captious.explain(corpus, "spice", image_id=3, system="good") == explained
    with pytest.raises(InputError, match='unknown benchmark to reproduce "nothing"'):
        captious.reproduce(["nothing"])
    with pytest.raises(InputError, match=r"nowhere: there is no such folder\. Check data="):
        captious.reproduce("thumb", tmp_path / "nowhere")


@pytest.mark.filterwarnings("ignore::captious.errors.CaptiousWarning")
def test_meta_takes_one_name_for_a_list_and_says_where_settings_go(judged: Path) -> None:
    settings = captious.MetaSettings(resamples=0)
    one, several = (
        captious.meta(judged, "rouge_l", aspects=aspects, where=where, settings=settings).to_dict()
        for aspects, where in (("overall", "rater=ada"), (["overall"], ["rater=ada"]))
    )
    assert one == several
    with pytest.raises(InputError, match=r"Give settings=captious\.MetaSettings\(coefficients=…\)"):
        captious.meta(judged, "rouge_l", coefficients=["pearson"])
    with pytest.raises(InputError, match="judgments alone have no references"):
        captious.meta(captious.load_judgments(judged), "rouge_l")


def test_what_meta_leaves_out_is_warned_of(judged: Path) -> None:
    with pytest.warns(
        captious.errors.CaptiousWarning, match="clipscore, .* are left out: no images were given"
    ):
        captious.meta(judged, "all", settings=captious.MetaSettings(resamples=0))


def test_plan_refuses_what_no_study_reaches(judged: Path) -> None:
    stated = {"mean": 0.2, "sd_images": 0.5, "sd_raters": 0.5, "simulations": 5}
    with pytest.raises(InputError, match=r"the power is 80; it must be between 0 and 1\. Give 0\.8 for 80%"):
        captious.plan(**stated, power=80)
    with pytest.raises(InputError, match="the half width is 0; it must be above 0"):
        captious.plan(**stated, half_width=0)
    for wrong in ({"mean": math.inf}, {"sd_images": math.inf}, {"sd_raters": 1e308}):
        with pytest.raises(
            StatisticsError, match=r"a mean or standard deviation is .* Give at most 1,000,000,0"
        ):
            captious.plan(**stated | wrong)
    with pytest.raises(InputError, match="the pilot has standard deviations of its own"):
        captious.plan(judged, sd_images=0.5)


def test_available_metrics_by_what_they_need() -> None:
    assert captious.available_metrics("references") == captious.available_metrics(["references"])
    assert set(captious.available_metrics()) < set(captious.available_metrics({"references", "objects"}))
    with pytest.raises(InputError, match='unknown need "refs"'):
        captious.available_metrics(["refs"])


def test_errors_are_there_without_an_import_of_their_own() -> None:
    import subprocess

    code = """
import captious
try:
    captious.compute(["a dog"], [["a dog"]], "cidre")
except captious.errors.InputError as error:
    print(error)
print(captious.stats.__name__, captious.compat.__name__)
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.splitlines() == [
        'unknown metric "cidre". Did you mean "cider"?',
        "captious.stats captious.compat",
    ]


def test_the_import_is_light() -> None:
    import subprocess

    code = (
        "import captious, sys; print([m for m in ('numpy', 'pandas', 'torch', 'scipy') if m in sys.modules])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
