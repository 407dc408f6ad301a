from __future__ import annotations

import pytest

from captious.crowd.providers.panel import Panel
from captious.errors import InputError


def test_an_address_may_hold_the_participant_and_the_code() -> None:
    Panel(completed="https://panel.example/done?id={participant}&code={code}")


def test_what_stands_for_nothing_in_an_address_is_refused() -> None:
    with pytest.raises(InputError, match=r"^full: \{pid\} is not a known placeholder\. Known: \{part"):
        Panel(full="https://panel.example/full?id={pid}")
