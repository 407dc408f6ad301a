"""Who may be served is decided before the server starts; tokens on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from captious.cli.main import main
from captious.cli.scoring import settled
from captious.errors import InputError
from captious.web.service.settings import from_environment
from captious.web.service.tokens import TokenStore, digest


@pytest.fixture(autouse=True)
def own_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("", "_FOLDER", "_OPEN", "_ONLY"):
        monkeypatch.setenv(f"CAPTIOUS_SCORING{name}", "")


def is_open(folder: Path, host: str = "127.0.0.1", base_url: str = "", *, anyone: bool = False) -> bool:
    found = settled("bleu1", folder, host, base_url, open_to_all=anyone, alone=True)
    assert found is not None
    assert from_environment() == found  # what the server processes read
    return found.open_to_all


def test_beyond_this_machine_a_token_is_needed(tmp_path: Path) -> None:
    assert is_open(tmp_path)
    for host, base_url in (("0.0.0.0", ""), ("127.0.0.1", "https://score.example.org")):
        with pytest.raises(
            InputError, match=r"there is no token\. Create one with captious serve token create"
        ):
            is_open(tmp_path, host, base_url)
        assert is_open(tmp_path, host, base_url, anyone=True)
    store = TokenStore(tmp_path)
    _, token = store.create("site")
    assert not is_open(tmp_path, "0.0.0.0")
    assert not is_open(tmp_path)
    store.revoke(token.id)
    assert not is_open(tmp_path)  # revoking the last token opens nothing
    with pytest.raises(InputError, match="there is no token"):
        is_open(tmp_path, "0.0.0.0")


def test_what_cannot_be_offered_is_refused_first(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="unknown metric"):
        settled("blue1", tmp_path, "127.0.0.1", "", open_to_all=False, alone=False)
    with pytest.raises(InputError) as refused:
        settled("", tmp_path, "127.0.0.1", "", open_to_all=False, alone=True)
    assert refused.value.typed.startswith("--scoring-only needs --scoring METRICS")
    assert settled("", tmp_path, "127.0.0.1", "", open_to_all=False, alone=False) is None


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    with pytest.raises(SystemExit) as end:
        main(["serve", "token", *words])
    found = capsys.readouterr()
    return int(end.value.code or 0), found.out, found.err


def test_a_token_is_shown_once_and_its_digest_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--scoring-folder", str(tmp_path)]
    code, secret, said = run(capsys, "create", "website", "--per-day", "100", *where)
    assert code == 0
    assert secret.startswith("captious_")
    assert "Save it now: it is not shown again" in said
    stored = (tmp_path / "tokens.db").read_bytes()
    assert secret.strip().encode() not in stored
    assert digest(secret.strip()).encode() in stored
    assert (tmp_path / "tokens.db").stat().st_mode & 0o077 == 0
    _, listed, _ = run(capsys, "list", "-f", "json", *where)
    (token,) = json.loads(listed)["tokens"]
    assert (token["name"], token["per day"], token["state"]) == ("website", 100, "active")
    assert run(capsys, "revoke", "website", *where)[0] == 0
    assert json.loads(run(capsys, "list", "-f", "json", *where)[1])["tokens"][0]["state"] == "revoked"
    assert run(capsys, "revoke", "website", *where)[0] == 2
