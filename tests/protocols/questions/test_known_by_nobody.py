"""A question kind is one file: nobody outside the room compares its name or imports its module."""

from __future__ import annotations

import re
from pathlib import Path

import captious
from captious.protocols.questions import question_kinds

ROOT = Path(captious.__file__).parent
ROOMS = ("protocols/questions/", "web/forms/")
NAMES = "|".join(question_kinds())
COMPARED = [
    re.compile(r"\b(?:field|f|q|question|asked|\])\.(?:kind|style|block)\s*(?:==|!=|not in\b|in\b)"),
    re.compile(rf"\.(?:kind|style|block) (?:==|!=|in|not in) [(\[]?[\"'](?:{NAMES})[\"'].*\bfield"),
    re.compile(r"dataset\.(?:kind|style|block)\s*[!=]=="),
]
IMPORTED = re.compile(rf"captious\.protocols\.questions\.(?:{NAMES})\b")


def sources() -> list[tuple[str, str]]:
    paths = [path for ending in ("py", "html", "js") for path in ROOT.rglob(f"*.{ending}")]
    placed = [(path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")) for path in paths]
    return [(place, text) for place, text in placed if not place.startswith(ROOMS)]


def test_nobody_compares_the_name_of_a_kind() -> None:
    found = [place for place, text in sources() for pattern in COMPARED if pattern.search(text)]
    # `kind` of a protocol's option, which the wizard draws.
    assert found == ["web/templates/admin/new_files.html"]


def test_only_protocols_use_a_particular_kind() -> None:
    found = [place for place, text in sources() if IMPORTED.search(text)]
    assert [place for place in found if not place.startswith("protocols/")] == []


def test_every_kind_has_a_template_of_its_own_or_another_s() -> None:
    templates = {path.stem for path in (ROOT / "web" / "templates" / "questions").glob("*.html")}
    from captious.protocols import Field

    for name, kind in question_kinds().items():
        assert kind.block(Field("x", name, "X")) in templates
