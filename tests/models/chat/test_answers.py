from __future__ import annotations

from pathlib import Path

import pytest

from captious.errors import InputError
from captious.models.chat.answers import Answers, Stored, request_key


def test_answers_are_found_by_what_was_asked(tmp_path: Path) -> None:
    store = Answers(str(tmp_path / "deep" / "answers.db"))
    assert store.read(["k"]) == {}
    keys = [request_key({"n": n}) for n in range(1200)]
    for key in keys[:3]:
        store.write(key, Stored("m", f"text of {key}", 10, 2))
    again = Answers(str(tmp_path / "deep" / "answers.db")).read(keys)
    assert set(again) == set(keys[:3])
    assert again[keys[1]] == Stored("m", f"text of {keys[1]}", 10, 2)


def test_a_later_answer_takes_the_place_of_an_earlier(tmp_path: Path) -> None:
    store = Answers(str(tmp_path / "answers.db"))
    store.write("k", Stored("m", "old", 1, 1))
    store.write("k", Stored("m", "new", 1, 1))
    assert store.read(["k"])["k"].text == "new"


def test_the_default_is_in_the_cache(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    assert Answers().path == tmp_path / "judge" / "answers.db"


def test_a_file_that_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "answers.db"
    path.write_bytes(b"certainly no database" * 100)
    with pytest.raises(InputError, match=r"answers\.db: cannot be used to store answers"):
        Answers(str(path)).read(["k"])
    with pytest.raises(InputError, match=r"answers\.db: cannot be used to store answers"):
        Answers(str(path)).write("k", Stored("m", "t", 1, 1))
