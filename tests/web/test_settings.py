from __future__ import annotations

import stat
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="the web application needs captious[web]")

from captious.errors import InputError
from captious.web.settings import WebSettings, find_secret, from_environment, secret_file


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)  # the default database, and the secret beside it, are in the working folder
    for name in ("SECRET", "DATABASE", "FILES", "BASE_URL"):
        monkeypatch.delenv(f"CAPTIOUS_{name}", raising=False)


def test_the_secret_is_made_once_beside_the_database_for_its_owner_only(tmp_path: Path) -> None:
    database = str(tmp_path / "study.db")
    secret = find_secret(database)
    assert len(secret) >= 32
    assert find_secret(database) == secret
    assert stat.S_IMODE(secret_file(database).stat().st_mode) == 0o600
    assert find_secret(str(tmp_path / "other.db")) != secret


def test_the_environment_goes_before_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_SECRET", "x" * 40)
    assert find_secret(str(tmp_path / "study.db")) == b"x" * 40
    assert not secret_file(str(tmp_path / "study.db")).exists()


def test_postgresql_needs_the_secret_from_the_environment() -> None:
    with pytest.raises(InputError, match="CAPTIOUS_SECRET is not set"):
        find_secret("postgresql://me@host/study")


def test_a_broken_secret_file_is_refused(tmp_path: Path) -> None:
    secret_file(str(tmp_path / "study.db")).write_bytes(b"\n")
    with pytest.raises(InputError, match="the secret is incomplete"):
        find_secret(str(tmp_path / "study.db"))


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(InputError, match="has 5 bytes, too few"):
        WebSettings(database="a.db", secret=b"short")


def test_an_https_address_makes_cookies_secure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAPTIOUS_DATABASE", str(tmp_path / "a.db"))
    monkeypatch.setenv("CAPTIOUS_FILES", str(tmp_path / "pictures"))
    monkeypatch.setenv("CAPTIOUS_BASE_URL", "https://rate.example.org/")
    found = from_environment()
    assert (found.base_url, found.secure_cookies) == ("https://rate.example.org", True)
    assert found.files == tmp_path / "pictures"


@pytest.mark.parametrize(
    "address", ["nonsense", "ftp://a.example", "http://", "https://a b.example", "http://a:b", "javascript:x"]
)
def test_an_address_that_leads_nowhere_is_refused(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("CAPTIOUS_BASE_URL", address)
    with pytest.raises(InputError, match="is not the address of a site"):
        from_environment()
