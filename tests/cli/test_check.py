from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.cli.main import main


def run(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as caught:
        main(["data", "check", *map(str, arguments)])
    captured = capsys.readouterr()
    code = caught.value.code
    return (code if isinstance(code, int) else 0), captured.out, captured.err


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("good.json").write_text('{"1": "A dog.", "2": "A cat."}')
    Path("bad.json").write_text('{"1": "a dog", "2": "A cat."}')
    Path("refs.json").write_text('{"1": ["The dog."], "2": ["The cat."]}')


def test_clean_files(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--candidates", "good.json", "--references", "refs.json")
    assert code == 0
    assert "no problems found" in out


def test_faults_are_a_no(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "--candidates", "bad.json", "good.json", "-r", "refs.json")
    assert code == 1
    assert "lower-case" in out
    assert 'key "1": a dog' in out


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "-c", "bad.json", "-r", "refs.json", "--format", "json")
    found = json.loads(out)
    assert code == 1
    assert [f["code"] for f in found["findings"]] == ["lower-case", "no-period"]


def test_allow(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "-c", "bad.json", "--allow", "lower-case,no-period")
    assert code == 0
    assert "warning (allowed)" in out


def test_allow_of_an_unknown_code(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "-c", "bad.json", "--allow", "lowercase")
    assert (code, err) == (2, 'error: unknown finding "lowercase". Did you mean "lower-case"?\n')


def test_notes_count_only_when_strict(capsys: pytest.CaptureFixture[str]) -> None:
    Path("note.json").write_text('{"1": "A  dog."}')
    assert run(capsys, "-c", "note.json")[0] == 0
    assert run(capsys, "-c", "note.json", "--strict")[0] == 1


def test_fix(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, "-c", "bad.json", "--fix", "fixed.json")
    assert code == 1
    assert err == "note: wrote fixed.json (captions changed: 1).\n"
    assert json.loads(Path("fixed.json").read_text()) == {"1": "A dog.", "2": "A cat."}
    assert run(capsys, "-c", "fixed.json")[0] == 0


def test_bad_input_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = run(capsys, "-c", "gone.json")
    assert (code, out) == (2, "")
    assert err == "error: gone.json: there is no such file. Check the path.\n"
