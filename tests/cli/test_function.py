from __future__ import annotations

from pathlib import Path

import pytest

OWN = """
def length(captions):
    return [len(text.split()) for text in captions]

def fails(captions):
    raise ValueError("no model here")
"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "own_metric_file.py").write_text(OWN)
    (tmp_path / "own_broken_file.py").write_text("import nothing_of_this_name\n")
    monkeypatch.chdir(tmp_path)


def _common(files):
    return ["--candidates", files["good"], files["poor"], "--references", files["references"]]


def test_a_function_of_a_module_in_this_folder_is_a_metric(run, files) -> None:
    found = run("score", *_common(files), "--metrics", "bleu1,own_metric_file:length", "--format", "json")
    assert found.code == 0
    good = found.json["systems"]["good"]["length"]
    assert good["score"] == pytest.approx(14 / 3)  # five, five and four words with the dots: 5 + 5 + 4
    assert "|function:own_metric_file:length|source:" in good["signature"]
    compared = run("compare", *_common(files), "--metrics", "own_metric_file:length", "--format", "json")
    assert compared.json["length"]["pairs"][0]["a"] == "good"
    explained = run("explain", *_common(files), "--metrics", "own_metric_file:length", "--id", "1")
    assert (explained.code, "score without it" in explained.out) == (0, True)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("own_metric_file:nothing", 'own_metric_file:nothing: the module has no function "nothing".'),
        ("no_such_file:length", 'no_such_file:length: there is no module "no_such_file" in this folder'),
        ("own_broken_file:x", "own_broken_file:x: the module raised ModuleNotFoundError"),
        ("own_metric_file:fails", "fails raised ValueError: no model here (own_metric_file.py:6)"),
    ],
)
def test_what_is_wrong_is_one_line(run, files, name, said) -> None:
    found = run("score", *_common(files), "--metrics", name)
    assert found.code == 2
    assert said in found.err and found.err.count("\n") == 1


def test_names_as_papers_write_them(run, files) -> None:
    metrics = "CIDEr,BLEU-4,Rouge-L,CIDEr-D,bleu"
    found = run("score", *_common(files), "--metrics", metrics, "--format", "json").json["systems"]["good"]
    assert list(found) == ["cider", "bleu4", "rouge_l"]
