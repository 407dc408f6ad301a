from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from captious.benchmarks.data_files import (
    SOURCES,
    File,
    MissingDataError,
    Source,
    data_folder,
    folder_to_fill,
    golden_folder,
    obtain,
    state_of,
    wanted,
)
from captious.benchmarks.registry import BENCHMARKS, load_benchmark
from captious.errors import InputError, UnknownNameError


def test_every_benchmark_has_a_source_and_its_loader_wants_those_files(tmp_path: Path) -> None:
    """A loader names the files that it misses one by one; together they are those of its source."""
    assert set(SOURCES) == set(BENCHMARKS)
    for name, source in SOURCES.items():
        with pytest.raises(MissingDataError) as caught:
            load_benchmark(name, tmp_path)
        assert f"captious get benchmarks {source.name}" in str(caught.value) or name == "flickr8k-cf"
        assert str(caught.value).startswith(str(tmp_path / source.files[0].path))


def test_a_benchmark_says_what_to_do_where_an_address_is_missing() -> None:
    for source in SOURCES.values():
        assert source.licence and source.paper
        assert source.steps or all(file.url for file in source.files), source.name


def test_the_copies_with_which_values_were_reproduced_have_these_checksums(data: Path) -> None:
    states = {file.path: state_of(file, data) for source in SOURCES.values() for file in source.files}
    assert "another copy" not in states.values()
    assert states["thumb/mscoco_THumB-1.0.jsonl"] == "as tested"


def test_the_data_folder_of_the_user_comes_before_a_developers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CAPTIOUS_DATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    (tmp_path / "shared" / "data").mkdir(parents=True)
    (tmp_path / "main").mkdir()
    monkeypatch.chdir(tmp_path / "main")
    own = tmp_path / "home" / "captious" / "benchmarks"
    assert folder_to_fill() == own
    assert data_folder().resolve() == tmp_path / "shared" / "data"
    (own / "nebula").mkdir(parents=True)
    assert data_folder() == own


@pytest.fixture
def server(tmp_path: Path) -> Iterator[str]:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "rows.json").write_text("[]")

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *given: object) -> None:
            return

    web = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "web")))
    threading.Thread(target=web.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{web.server_address[1]}"
    web.shutdown()
    web.server_close()


def test_what_has_an_address_is_fetched_once_and_the_rest_is_told(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = (File("own/rows.json", "0" * 64, f"{server}/rows.json"), File("own/more.json"))
    monkeypatch.setitem(SOURCES, "own", Source("own", "us", "", "MIT", files, "Write more.json"))
    found = obtain("own", tmp_path / "data")
    assert found.states == {"own/rows.json": "another copy", "own/more.json": "missing"}
    assert (found.whole, found.fetched, found.steps) == (False, ("own/rows.json",), "Write more.json")
    (tmp_path / "data" / "own" / "rows.json").write_text("[1]")
    (tmp_path / "data" / "own" / "more.json").write_text("[]")
    again = obtain("own", tmp_path / "data")
    assert (again.whole, again.fetched, again.steps) == (True, (), "")
    assert (tmp_path / "data" / "own" / "rows.json").read_text() == "[1]"


def test_an_address_that_fails_and_a_name_that_is_none_are_one_line(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = (File("own/gone.json", "", f"{server}/gone.json"),)
    monkeypatch.setitem(SOURCES, "own", Source("own", "us", "", "MIT", files))
    with pytest.raises(InputError, match=r"gone\.json: cannot be downloaded \(File not found\)\. .*or save"):
        obtain("own", tmp_path)
    assert not (tmp_path / "own" / "gone.json").exists()
    with pytest.raises(UnknownNameError, match='Did you mean "nebula"'):
        obtain("nebulla", tmp_path)


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
