from __future__ import annotations

import re

import pytest

from captious.benchmarks.data_files import SOURCES
from captious.benchmarks.studies import measures as _measures  # noqa: F401
from captious.benchmarks.studies.asked import MEASURES
from captious.benchmarks.studies.study import find_study, half_unit, parse_study, study_names
from captious.errors import InputError, UnknownNameError

# Every numbered table of the five papers.
TABLES = {"thumb": 7, "humanr": 2, "vcrscore": 11, "iicr": 4, "vifidel": 6}
MINE = """
paper: Mine 2026
data:
  judged: {judgments: mine.jsonl}
tables:
- table: Table 1
  measure: mean
  data: judged
  columns: overall
  rows: {a: 0.30}
"""


@pytest.mark.parametrize("name", study_names())
def test_every_table_has_a_known_measure_and_values(name) -> None:
    study = find_study(name)
    for table in study.tables:
        assert table.measure in MEASURES
        assert table.printed, table.title
        assert all(one.half_digit > 0 for one in table.printed)
    cells = [(t.benchmark, t.title, t.of, one.row, one.column) for t in study.tables for one in t.printed]
    assert len(cells) == len(set(cells))


@pytest.mark.parametrize(("name", "tables"), TABLES.items())
def test_every_numbered_table_of_the_papers_is_there(name, tables) -> None:
    found = {int(number) for t in find_study(name).tables for number in re.findall(r"^Table (\d+)", t.title)}
    assert found == set(range(1, tables + 1))


def test_what_is_known_to_differ_says_what_is_known() -> None:
    values = [one for name in study_names() for table in find_study(name).tables for one in table.printed]
    assert len(values) > 500
    known = [one for one in values if one.label]
    assert 0 < len(known) < 40 and all(one.said for one in known)


def test_hashes_are_those_of_the_sources() -> None:
    known = {file.path: file.sha256 for source in SOURCES.values() for file in source.files if file.sha256}
    named = {
        path: digest
        for name in study_names()
        for data in find_study(name).data.values()
        for path, digest in data.files.items()
        if digest
    }
    assert "thumb/first_release/mscoco_THumB-1.0.jsonl" in named
    assert named == {path: known[path] for path in named}


def test_a_printed_zero_is_kept() -> None:
    (one,) = parse_study(MINE, "mine", "mine.yaml").tables[0].printed
    assert (one.text, one.value, one.half_digit) == ("0.30", 0.3, 0.005)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0.30", "0.30 0.40", "row a: 2 values for 1 columns"),
        ("0.30", "high", '"high" is not a number'),
        ("data: judged", "data: judge", 'Did you mean "judged"'),
        ("  measure: mean\n", "", 'has no "measure"'),
        ("paper:", "papers:", 'Did you mean "paper"'),
        ("judgments:", "judgements:", 'give a "benchmark", or a file of'),
        ("{a: 0.30}", "[a", "line 11: not valid YAML: expected ',' or ']'"),
        ("{a: 0.30}", "{a: 0.30}\n  varies: {a/*: much}", 'varies: "much" is not a number'),
        ("columns: overall", "columns: [overall]", '"columns": expected text'),
        ("judgments: mine.jsonl", "judgments: [mine.jsonl]", 'data judged: "judgments": expected text'),
        ("columns: overall", "columns: overall\n  bound: atleast", 'Did you mean "at_least"'),
        ("columns: overall", "columns: overall\n  percent: 100", 'percent: "100" is neither yes nor no'),
        (
            "{a: 0.30}",
            "{a: 0.30}\n  misprints: {a/*: so}",
            'unknown key "misprints". Did you mean "misprint"',
        ),
        ("{a: 0.30}", "{a: 0.30}\n  open: {b/*: so}", '"b/*" is no cell of it'),
        ("{a: 0.30}", "{a: 0.30}\n  varies: {overall: 1 by x}", '"overall" is no cell of it'),
    ],
)
def test_a_mistake_in_a_study_is_one_line_that_says_where(old, new, said) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as caught:
        parse_study(MINE.replace(old, new, 1), "mine", "mine.yaml")
    assert str(caught.value).startswith("mine.yaml: ") and "\n" not in str(caught.value)


def test_a_study_that_is_none() -> None:
    with pytest.raises(UnknownNameError, match='Did you mean "thumb"'):
        find_study("thum")
    with pytest.raises(InputError, match="no such file"):
        find_study("nowhere.yaml")


@pytest.mark.parametrize(("printed", "expected"), [("0.019", 0.0005), ("80.8", 0.05), ("74", 0.5)])
def test_half_a_unit_of_the_last_digit(printed, expected) -> None:
    assert half_unit(printed) == pytest.approx(expected)
