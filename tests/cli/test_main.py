from __future__ import annotations

import re
import subprocess
import sys

import pytest

from captious.cli.main import COMMANDS, JOBS, RENAMED, spread


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


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--resamples", "x", "give a whole number"),
        ("--resamples", "-4", "give at least 0"),
        ("--level", "3", "give at most 0.9999"),
        ("--level", "nan", "give a number"),
        ("--format", "foo", "is not one of 'table', 'json', 'csv', 'latex', 'markdown', 'html'"),
    ],
)
def test_a_wrong_value_is_told_in_our_words(run, option: str, value: str, said: str) -> None:
    failed = run("score", "--candidates", "a.json", option, value)
    assert (failed.code, failed.err) == (
        2,
        f'error: {option} "{value}": {said}. See captious score --help.\n',
    )


def test_an_option_that_is_given_twice_is_noted(run, files) -> None:
    given = ["score", "-c", files["good"], "-r", files["references"], "--resamples", 0, "--format", "json"]
    found = run(*given, "-m", "bleu1", "--metrics=rouge_l")
    assert (found.code, found.err) == (0, "note: --metrics is given 2 times; only the last one counts.\n")
    assert list(found.json["systems"]["good"]) == ["rouge_l"]
    assert run(*given, "-c", files["poor"], "-m", "bleu1").err == ""  # it takes several


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("data", "df", "-r", "{references}", "--out", "{good}"), "the name must end in .npz."),
        (("campaign", "backup", "{good}"), "the name must end in .zip."),
    ],
)
def test_what_is_written_under_another_ending_does_not_replace_a_file(run, files, command, said) -> None:
    before = files["good"].read_bytes()
    found = run(*(one.format(**files) for one in command))
    assert (found.code, found.err) == (2, f"error: {files['good']}: {said}\n")
    assert files["good"].read_bytes() == before


def test_a_command_whose_packages_are_not_installed_names_the_extra() -> None:
    """As after `pip install captious` alone; a fresh process, since this one has the modules already."""
    start = "import sys; sys.modules['sqlalchemy'] = None; from captious.cli.main import main; main()"
    for typed in ("campaign list", "campaign raters add alt-text Ada", "crowd status alt-text"):
        command = [sys.executable, "-c", start, *typed.split()]
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (found.returncode, found.stderr.count("\n")) == (2, 1), found.stderr
        assert 'Install it with: pip install "captious[web]"' in found.stderr


def test_commands_are_listed_by_job_and_fit_in_a_head(run) -> None:
    shown = run("--help").out
    listed = re.findall(r"^  ([a-z]+)  +[A-Z].*[.]$", shown, re.MULTILINE)
    assert listed == list(COMMANDS) and len(listed) <= 18
    assert re.findall(r"^([A-Z][a-z ]+):$", shown, re.MULTILINE) == ["Options", *JOBS]


@pytest.mark.parametrize("old", RENAMED)
def test_a_former_name_works_with_one_line_of_notice(run, old: str) -> None:
    found, same = run(*old.split(), "--help"), run(*RENAMED[old].split(), "--help")
    assert found == same._replace(err=f"note: captious {old} is now captious {RENAMED[old]}.\n")
    assert found.code == 0


@pytest.mark.parametrize("group", ["campaign", "train", "get", "data", "judgments", "crowd"])
def test_the_list_of_commands_cuts_no_sentence(run, group: str) -> None:
    _, commands = run(group, "--help").out.split("Commands:\n")
    assert [line for line in commands.splitlines() if line.endswith("...")] == []
