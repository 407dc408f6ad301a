"""Every text that the pages ask for is in the catalogue, and every text is used."""

from __future__ import annotations

import json
import re
from pathlib import Path

import captious.web
from captious.campaigns.quality.rules import RULES
from captious.protocols import known_protocols
from captious.web.admin.overview.actions import STEPS
from captious.web.admin.raters.training_page import SURVEYS
from captious.web.admin.setup.settings_page import GROUPS, KINDS

WEB = Path(captious.web.__file__).parent
CATALOGUES = sorted((WEB / "locales").glob("en.*.json"))
TEXTS = {
    key: text for path in CATALOGUES for key, text in json.loads(path.read_text(encoding="utf-8")).items()
}
SOURCES = [*(WEB / "templates" / "admin").glob("*.html"), *(WEB / "admin").rglob("*.py")]
NAMED = re.compile(r"""["'](admin\.[a-z0-9_.\-]+)["']""")


def test_every_text_that_is_named_is_there() -> None:
    for source in SOURCES:
        for key in NAMED.findall(source.read_text(encoding="utf-8")):
            if not key.endswith((".", "_", ".css", ".js")):
                assert key in TEXTS, f"{source.name}: {key}"


def test_texts_that_are_put_together_are_there() -> None:
    keys = [f"admin.rule.{rule}{end}" for rule in RULES for end in ("", ".means")]
    keys += [f"admin.do.{action}{end}" for action in STEPS for end in ("", ".means")]
    keys += [f"admin.flash.{action}" for action in STEPS]
    keys += [f"admin.settings.{name}{end}" for name in KINDS for end in ("", "_help")]
    keys += [f"admin.settings.group.{name}" for name, _ in GROUPS]
    assert [key for key in keys if key not in TEXTS] == []


def test_the_catalogue_knows_no_protocol_by_name() -> None:
    names = "|".join(known_protocols())
    assert [key for key in TEXTS if re.search(rf"\.({names})(\.|$)", key)] == []
    assert all(all(kind.words._replace(one_rater="any")) for kind in known_protocols().values())


def test_settings_that_exist_are_all_on_the_page() -> None:
    from dataclasses import fields

    from captious.campaigns.records import Settings

    own_page = {*SURVEYS, "training", "training_pass", "training_tries", "after_failing"}
    assert set(KINDS) | own_page == {one.name for one in fields(Settings)}
    page = (WEB / "templates" / "admin" / "training.html").read_text(encoding="utf-8")
    assert [name for name in own_page - set(SURVEYS) if name not in page] == []
    assert {name for _, names in GROUPS for name in names} == set(KINDS)
