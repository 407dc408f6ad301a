"""Quotas that several server processes share."""

from __future__ import annotations

from pathlib import Path

import pytest

from captious.web.service.tokens import Meter, OverQuota, TokenStore

MANY = 1_000_000  # of which a minute's bucket regains 17,000 in a second


def two_meters(folder: Path) -> tuple[Meter, Meter]:
    """The meters of two server processes that have read the same tokens."""
    one, two = Meter(TokenStore(folder)), Meter(TokenStore(folder))
    one.refresh()
    two.refresh()
    return one, two


def test_a_quota_per_minute_is_one_for_all_server_processes(tmp_path: Path) -> None:
    _, token = TokenStore(tmp_path).create("website", per_minute=MANY)
    one, two = two_meters(tmp_path)
    one.spend(token, MANY)
    one.refresh()
    two.refresh()
    with pytest.raises(OverQuota, match="per minute are left") as over:
        two.spend(token, MANY // 2)
    assert 0 < over.value.wait_seconds <= 61


def test_what_a_process_spent_itself_is_counted_once(tmp_path: Path) -> None:
    _, token = TokenStore(tmp_path).create("website", per_minute=MANY)
    one, two = two_meters(tmp_path)
    one.spend(token, MANY // 4)
    for _ in range(3):
        one.refresh()
        two.refresh()
    one.spend(token, MANY // 2)
    two.spend(token, MANY // 2)
