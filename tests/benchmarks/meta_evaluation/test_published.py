from __future__ import annotations

import re
from pathlib import Path

import pytest

from captious.benchmarks import BENCHMARKS, MetaSettings, meta
from captious.benchmarks.meta_evaluation.published import FILE, published
from captious.benchmarks.studies.study import find_study
from captious.errors import InputError

DRAWS = MetaSettings(resamples=50)


def test_the_highest_known_values() -> None:
    """As they are known in November 2026."""
    values = {(one.benchmark, one.metric): one.value for one in published() if "November 2026" in one.note}
    assert values["flickr8k-expert", "Pearl"] == 0.586
    assert values["flickr8k-cf", "DISCODE"] == 0.405
    assert values["composite", "DISCODE"] == 0.66
    assert values["polaris", "EXPERT"] == 0.611
    assert values["nebula", "BEiTScore"] == 0.567
    assert values["pascal-50s", "DISCODE"] == 0.878
    total = [one for one in published() if (one.benchmark, one.aspect) == ("thumb", "total")]
    best = max((one for one in total if one.conditions == "human=without"), key=lambda one: one.value)
    assert (best.metric, best.value) == ("RefCLIPScore", 0.44)


def test_every_row_has_a_source_and_a_known_coefficient() -> None:
    for one in published():
        assert one.source and one.references in ("yes", "no", "")
        assert -1 <= one.value <= 1
        if one.benchmark in BENCHMARKS and BENCHMARKS[one.benchmark][0].task == "correlation":
            assert one.coefficient in BENCHMARKS[one.benchmark][0].coefficients
    assert len(set(published())) == len(FILE.read_text().splitlines()) - 1


@pytest.mark.parametrize(
    ("source", "study"),
    [
        ("Hessel et al. 2021", "hessel2021"),
        ("Kasai et al. 2022", "thumb"),
        ("Madhyastha et al. 2019", "vifidel"),
        ("Scott et al. 2023", "iicr"),
        ("Sarto et al. 2023", "sarto2023"),
    ],
)
def test_values_of_a_paper_that_is_a_study_are_the_study_s(source: str, study: str) -> None:
    """The file and the study print the same numbers, of the same aspect where the paper has several."""
    printed = {
        (name, round(one.value, 4))
        for table in find_study(study).tables
        for one in table.printed
        for name in (one.column, one.row, "")
    }
    own = [one for one in published() if one.source.startswith(source)]
    assert own
    for one in own:
        aspect = one.aspect if any(name == one.aspect != "overall" for name, _ in printed) else ""
        assert (aspect, round(one.value, 4)) in printed, one


def test_own_and_published_values_are_sorted_together(data: Path, tmp_path: Path) -> None:
    def letters(captions: list[str]) -> list[int]:
        return [len(text) for text in captions]

    found = meta("flickr8k-expert", ["rouge_l", letters], data=data, settings=DRAWS)
    table = found.published()
    values = [row[2].value for row in table.rows]
    assert values == sorted(values, reverse=True)
    rows = {row[1]: row for row in table.rows}
    assert rows["Pearl"] is table.rows[0]
    assert rows["rouge_l"][3].value < rows["rouge_l"][2].value < rows["rouge_l"][4].value
    assert (rows["rouge_l"][5], rows["letters"][5], rows["Polos (2024)"][5]) == ("yes", "no", "yes")
    for name in ("figure.svg", "figure.png", "figure.pdf"):
        found.figure(tmp_path / name)
    drawn = (tmp_path / "figure.svg").read_text()
    assert {"Pearl", "letters", "rouge_l"} <= set(re.findall(r">([^<>]+)</text>", drawn))
    assert (tmp_path / "figure.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "figure.pdf").read_bytes().startswith(b"%PDF")


def test_the_protocol_decides_which_values_are_shown(data: Path) -> None:
    """THumB's printed values differ with Human: CIDEr .33 without, .23 with."""
    for human, value in (("without", 0.33), ("with", 0.23)):
        found = meta("thumb", ["rouge_l"], data=data, settings=DRAWS, human=human).published()
        assert next(row[2].value for row in found.rows if row[1] == "CIDEr (2022)") == value


def test_aspects_are_panels(data: Path, tmp_path: Path) -> None:
    found = meta("thumb", ["rouge_l"], data=data, aspects=["precision", "total"], settings=DRAWS)
    assert {row[0] for row in found.published().rows} == {"precision, pearson", "total, pearson"}
    found.figure(tmp_path / "both.svg")
    assert ">precision, pearson<" in (tmp_path / "both.svg").read_text()


def test_what_has_no_published_value_is_told(data: Path, tmp_path: Path) -> None:
    found = meta(
        "flickr8k-expert",
        ["bleu1"],
        data=data,
        settings=MetaSettings(coefficients=("spearman",), resamples=0),
    )
    with pytest.raises(InputError, match="only for kendall_c and its usual protocol"):
        found.published()
    with pytest.raises(InputError, match="End the name in"):
        meta("flickr8k-expert", ["bleu1"], data=data, settings=DRAWS).figure(tmp_path / "x.gif")
