"""A number may only change together with the version in its signature."""

from __future__ import annotations

import json
import sys
from copy import deepcopy
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
QUICK = {"bleu1", "bleu4", "rouge_l", "cider", "cider_original", "sacrebleu", "spice", "spider", "vcr_recall"}
# Our own, or the reference does not run here; their pages and tests tell what they were held against.
WITHOUT_A_REFERENCE = {
    "alttext",
    "bertscore",
    "captious",
    "captious_free",
    "chair",
    "chair_objects",
    "chair_recall",
    "chair_s",
    "cider_original",
    "invented",
    "lm",
    "rulegrammar",
    "sentsim",
    "spice",
    "spider",
    "vcr_precision",
    "vcr_recall",
    "vifidel",
    "vifidel_plus",
    "wmd",
}


@pytest.fixture(scope="module")
def golden() -> ModuleType:
    spec = spec_from_file_location("golden_scores", ROOT / "scripts" / "golden_scores.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def stored(golden: ModuleType) -> dict[str, Any]:
    return json.loads(golden.FILE.read_text("utf-8"))


def test_numbers_are_as_they_were_under_their_signature(golden: ModuleType, stored: dict[str, Any]) -> None:
    now = golden.compute(QUICK)
    assert QUICK <= set(now) <= set(stored)
    assert golden.problems(stored, now) == []


@pytest.mark.long
def test_so_are_those_that_run_models_or_large_tables(golden: ModuleType, stored: dict[str, Any]) -> None:
    now = golden.compute()
    assert golden.problems(stored, now) == []
    assert set(now) <= set(stored), "store the new metrics: python scripts/golden_scores.py --write"


def test_stored_numbers_are_those_of_the_reference_implementations(stored: dict[str, Any]) -> None:
    held = {name: row for name, row in stored.items() if "reference" in row}
    assert set(stored) - set(held) == WITHOUT_A_REFERENCE
    for name, row in held.items():
        assert row["scores"] == pytest.approx(row["reference"]["scores"], abs=1e-12), name


def test_a_change_without_a_new_version_is_told_with_what_to_do(golden: ModuleType, stored: Any) -> None:
    changed = deepcopy(stored)
    changed["cider"]["scores"]["heron"] += 0.001
    (line,) = golden.problems(stored, changed)
    assert line.startswith("cider: the number changed and its signature did not (heron 1.162")
    assert "raise the version in src/captious/_version.py" in line
    changed["cider"]["signature"] = changed["cider"]["signature"].replace("|v:0.1.0", "|v:0.2.0")
    (line,) = golden.problems(stored, changed)
    assert "stored under another signature" in line
    changed["cider"]["scores"] = stored["cider"]["scores"]
    assert golden.problems(stored, changed) == []  # a new version that changes nothing


def test_what_is_stored_is_not_written_over_in_silence(
    golden: ModuleType, stored: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(golden, "FILE", tmp_path / "golden.json")
    monkeypatch.setattr(golden, "references", dict)
    golden.FILE.write_text(json.dumps(stored))
    changed = deepcopy(stored)
    changed["bleu4"]["scores"]["dodo"] = 0.5
    assert len(golden.write(changed)) == 1
    assert json.loads(golden.FILE.read_text())["bleu4"] == stored["bleu4"]
    changed["bleu4"]["signature"] += "-next"
    assert golden.write(changed) == []
    assert json.loads(golden.FILE.read_text())["bleu4"]["scores"]["dodo"] == 0.5
