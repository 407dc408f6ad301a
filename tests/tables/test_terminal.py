"""Tables as text: as they stand in a file, whatever the terminal around it asks for."""

import pytest

from captious.tables import Table

LONG = "Importance: fall of the test Spearman where a feature is shuffled"


def test_a_title_is_one_line_however_narrow_the_table_is() -> None:
    assert str(Table(LONG, ["feature", "fall"], [["cider", 0.5]])).splitlines()[0] == LONG


def test_a_text_has_no_codes_for_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel of a notebook sets this, and text is what goes into a file."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in str(Table("T", ["metric", "r"], [["cider", 0.5]], "A note."))


def test_a_table_without_rows_has_its_header() -> None:
    assert "image" in str(Table("T", ["image", "caption"], [], "A note."))
