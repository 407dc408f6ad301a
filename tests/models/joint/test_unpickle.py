"""Pickles of strangers: data is read, programs are refused, damage is told."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from captious.errors import InputError
from captious.models.joint.unpickle import read_npy, read_pickle

FILE = Path("given.pkl")
DATA = {
    "text": "dög",
    "numbers": [1, -2.5, None, True],
    "pair": (1, "b"),
    "set": {1, 2},
    "bytes": b"\x00\xff",
    "array": np.arange(6, dtype=np.float32).reshape(2, 3),
    "column order": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "number": np.int64(7),
    "objects": np.array([{"deep": np.ones(2)}, "text"], dtype=object),
}


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_plain_data_comes_out_as_it_went_in(protocol: int) -> None:
    plain = {name: value for name, value in DATA.items() if name != "set" or protocol >= 4}
    found = read_pickle(pickle.dumps(plain, protocol), FILE)
    assert list(found) == list(plain)
    for name, value in plain.items():
        if name == "objects":
            np.testing.assert_array_equal(found[name][0]["deep"], [1.0, 1.0])
        elif isinstance(value, np.ndarray):
            np.testing.assert_array_equal(found[name], value)
            assert found[name].dtype == value.dtype
        else:
            assert found[name] == value


class Calls:
    """An object whose pickle calls something when it is read."""

    def __init__(self, what: Callable[..., Any], *arguments: Any) -> None:
        self._parts = what, arguments

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self._parts


@pytest.mark.parametrize(
    "evil",
    [
        Calls(os.system, "touch evil-was-here"),
        Calls(eval, "open('evil-was-here', 'w')"),
        Calls(getattr, "text", "upper"),
        Calls(np.save, "evil-was-here", 1),
        Calls(__import__, "os"),
        Calls(bytearray, 10),
        os.system,
        np.load,
    ],
)
@pytest.mark.parametrize("protocol", [0, 2, 5])
def test_whatever_could_be_code_is_refused(evil: object, protocol: int, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        InputError, match=r"given\.pkl: is a pickle that asks for .* Only plain data is read\."
    ):
        read_pickle(pickle.dumps({"features": evil}, protocol), FILE)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "content",
    [
        b"cos\nsystem\n(S'touch evil-was-here'\ntR.",  # GLOBAL and REDUCE, as text
        b"(S'touch evil-was-here'\nios\nsystem\n.",  # INST
        b"\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x13touch evil-was-here\x85R.",  # STACK_GLOBAL
        b"Pobject-of-elsewhere\n.",  # a persistent object
        b"\x82\x01.",  # an extension of the registry
    ],
)
def test_pickles_made_by_hand(content: bytes, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"given\.pkl"):
        read_pickle(content, FILE)
    assert not list(tmp_path.iterdir())


@given(st.binary(max_size=200))
def test_no_bytes_raise_anything_else(content: bytes) -> None:
    try:
        read_pickle(content, FILE)
    except InputError as error:
        assert "\n" not in str(error)


@given(st.integers(0, 400), st.integers(0, 255))
def test_a_flipped_byte_raises_nothing_else(place: int, value: int) -> None:
    content = bytearray(pickle.dumps({"features": np.ones((3, 4)), "n": 3}, 2))
    content[place % len(content)] = value
    try:
        read_pickle(bytes(content), FILE)
    except InputError as error:
        assert "\n" not in str(error)


def test_arrays_in_npy_files(tmp_path: Path) -> None:
    np.save(tmp_path / "plain.npy", np.arange(4))
    np.testing.assert_array_equal(read_npy(tmp_path / "plain.npy"), np.arange(4))
    np.save(tmp_path / "dictionary.npy", {"a": np.ones(2)})  # type: ignore[arg-type]
    np.testing.assert_array_equal(read_npy(tmp_path / "dictionary.npy")["a"], np.ones(2))
    with pytest.raises(InputError, match=r"nowhere\.npy: cannot be read"):
        read_npy(tmp_path / "nowhere.npy")
