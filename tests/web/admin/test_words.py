"""Every text that the pages ask for is in the catalogue, and every text is used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import captious.web
from captious.campaigns.quality.rules import RULES
from captious.web.admin.actions import ASKED, PLAIN
from captious.web.admin.protocol_options import FIELDS
from captious.web.admin.settings_page import GROUPS, KINDS

WEB = Path(captious.web.__file__).parent
TEXTS = json.loads((WEB / "locales" / "en.admin.json").read_text(encoding="utf-8"))
SOURCES = [*(WEB / "templates" / "admin").glob("*.html"), *(WEB / "admin").glob("*.py")]
NAMED = re.compile(r"""["'](admin\.[a-z0-9_.\-]+)["']""")


def test_every_text_that_is_named_is_there() -> None:
    for source in SOURCES:
        for key in NAMED.findall(source.read_text(encoding="utf-8")):
            if not key.endswith((".", "_", ".css", ".js")):
                assert key in TEXTS, f"{source.name}: {key}"


def test_texts_that_are_put_together_are_there() -> None:
    keys = [f"admin.rule.{rule}{end}" for rule in RULES for end in ("", ".means")]
    keys += [f"admin.do.{action}{end}" for action in (*PLAIN, *ASKED) for end in ("", ".means")]
    keys += [f"admin.flash.{action}" for action in (*PLAIN, *ASKED)]
    keys += [f"admin.settings.{name}{end}" for name in KINDS for end in ("", "_help")]
    keys += [f"admin.settings.group.{name}" for name, _ in GROUPS]
    for protocol, fields in FIELDS.items():
        keys += [f"admin.protocol.{protocol}.{part}" for part in ("name", "what", "needs", "cost", "gives")]
        keys += [f"admin.option.{protocol}.{f.name}{end}" for f in fields for end in ("", ".help")]
    assert [key for key in keys if key not in TEXTS] == []


def test_settings_that_exist_are_all_on_the_page() -> None:
    from dataclasses import fields

    from captious.campaigns.records import Settings

    assert set(KINDS) == {one.name for one in fields(Settings)}
    assert {name for _, names in GROUPS for name in names} == set(KINDS)
