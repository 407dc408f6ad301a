from __future__ import annotations

import pytest

from captious.benchmarks.data_files.locate import MissingDataError, data_folder, golden_folder, wanted


def test_the_option_comes_first(tmp_path, monkeypatch) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    monkeypatch.setenv("CAPTIOUS_DATA", str(tmp_path / "b"))
    assert data_folder(tmp_path / "a") == tmp_path / "a"
    assert data_folder() == tmp_path / "b"


def test_beside_the_project_where_nothing_is_named(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("CAPTIOUS_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "main").mkdir()
    monkeypatch.chdir(tmp_path / "main")
    assert data_folder().resolve() == tmp_path / "shared" / "data"


def test_nothing_anywhere(tmp_path, monkeypatch) -> None:
    monkeypatch.delenv("CAPTIOUS_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(MissingDataError, match=r"data=DIR or \$CAPTIOUS_DATA"):
        data_folder()


def test_a_folder_that_is_not_there(tmp_path, monkeypatch) -> None:
    with pytest.raises(MissingDataError, match="no such folder"):
        data_folder(tmp_path / "none")
    monkeypatch.setenv("CAPTIOUS_DATA", str(tmp_path / "none"))
    with pytest.raises(MissingDataError, match="is not a folder"):
        data_folder()


def test_the_file_that_is_wanted_is_named(tmp_path) -> None:
    with pytest.raises(MissingDataError, match=r"thumb/x\.jsonl: there is no such file"):
        wanted(tmp_path, "thumb/x.jsonl", "formats/x.head.jsonl")


def test_golden_values_are_where_they_are_named_or_beside_the_data(tmp_path, monkeypatch) -> None:
    for name in ("data", "golden", "elsewhere", "named"):
        (tmp_path / name).mkdir()
    monkeypatch.delenv("CAPTIOUS_GOLDEN", raising=False)
    assert golden_folder(tmp_path / "data") == tmp_path / "golden"
    monkeypatch.setenv("CAPTIOUS_GOLDEN", str(tmp_path / "named"))
    assert golden_folder(tmp_path / "data") == tmp_path / "named"
    assert golden_folder(tmp_path / "data", tmp_path / "elsewhere") == tmp_path / "elsewhere"


def test_no_golden_values(tmp_path, monkeypatch) -> None:
    (tmp_path / "data").mkdir()
    monkeypatch.delenv("CAPTIOUS_GOLDEN", raising=False)
    with pytest.raises(MissingDataError, match=r"golden=DIR or \$CAPTIOUS_GOLDEN"):
        golden_folder(tmp_path / "data")
    with pytest.raises(MissingDataError, match=r"no such folder\. Check golden="):
        golden_folder(tmp_path / "data", tmp_path / "none")
    monkeypatch.setenv("CAPTIOUS_GOLDEN", str(tmp_path / "none"))
    with pytest.raises(MissingDataError, match="is not a folder"):
        golden_folder(tmp_path / "data")
