"""`captious reproduce spice`: a slice of it here, the whole of it in the long tests."""

from __future__ import annotations

import gzip
from itertools import islice
from pathlib import Path

import pytest

from captious.benchmarks.published.reproduce import Reproduction, reproduce
from captious.errors import InputError

CHECK_WEIGHTS = (
    Path(__file__).resolve().parents[4]
    / "training"
    / "caption_parser"
    / "weights"
    / "benchmarks-held-out.npz"
)
HEAD = 3000


def verdicts(found: Reproduction, table: str) -> dict[str, str]:
    return {
        f"{check.published.row}/{check.published.column}": check.verdict
        for check in found.checks
        if check.published.table == table
    }


@pytest.fixture(scope="module")
def only_thumb(data: Path, golden: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with THumB alone, and beside it the head of the golden parses."""
    root = tmp_path_factory.mktemp("slice")
    (root / "data").mkdir()
    (root / "golden" / "spice").mkdir(parents=True)
    (root / "data" / "thumb").symlink_to(data.resolve() / "thumb")
    items = golden.resolve() / "spice" / "thumb.jsonl.gz"
    (root / "golden" / "spice" / "thumb.jsonl.gz").symlink_to(items)
    with gzip.open(golden / "spice" / "parses.jsonl.gz") as lines:
        head = b"".join(islice(lines, HEAD))
    (root / "golden" / "spice" / "parses.jsonl.gz").write_bytes(gzip.compress(head))
    return root / "data"


@pytest.fixture(scope="module")
def sliced(only_thumb: Path) -> Reproduction:
    return reproduce(["spice"], only_thumb, golden=only_thumb.parent / "golden")


def test_thumb_holds_from_the_first_layer_to_the_last(sliced: Reproduction) -> None:
    assert sliced.holds and sliced.count("not reproduced") == 0
    assert verdicts(sliced, "score, from its tuples")["THumB/items equal"] == "equal"
    assert verdicts(sliced, "scene graph, from its dependencies") == {"all captions/tuples equal": "equal"}
    assert verdicts(sliced, "items from text")["THumB/Pearson r"] == "equal"
    assert set(verdicts(sliced, "Table 2, metrics").values()) <= {"equal", "near"}
    assert set(verdicts(sliced, "Table 4, without Human").values()) <= {"equal", "near"}


def test_what_lacks_its_data_is_skipped_with_the_file_that_is_wanted(sliced: Reproduction) -> None:
    skipped = [check for check in sliced.checks if check.verdict == "skipped"]
    rows = {check.published.row for check in skipped}
    assert {"Flickr8k-Expert", "M2 on Karpathy", "Nebula", "CapEval1k", "kept images"} <= rows
    assert all("there is no such file" in check.note for check in skipped)


def test_without_golden_values_the_published_figures_are_still_checked(
    only_thumb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CAPTIOUS_GOLDEN", raising=False)
    (tmp_path / "thumb").symlink_to(only_thumb / "thumb")
    found = reproduce(["spice"], tmp_path)
    # Nothing says that the official program gives the printed figure, so that none is near.
    assert set(verdicts(found, "Table 2, metrics").values()) <= {"equal", "not reproduced"}
    notes = {check.published.table: check.note for check in found.checks}
    assert "--golden DIR" in notes["scene graph, from its dependencies"]
    assert verdicts(found, "items from text")["THumB/Pearson r"] == "skipped"


def test_other_weights_are_named_and_wrong_ones_refused(data: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        reproduce(["spice"], data, parser=tmp_path / "none.npz")
    with pytest.raises(InputError, match="parser= is an option of spice"):
        reproduce(["thumb"], data, parser=CHECK_WEIGHTS)


@pytest.mark.long
def test_every_figure_holds(data: Path, golden: Path) -> None:
    found = reproduce(["spice"], data, golden=golden)
    assert found.count("not reproduced") == found.count("skipped") == 0
    assert len(found.checks) == 35


@pytest.mark.long
def test_every_figure_holds_for_a_parser_that_never_saw_the_benchmarks(data: Path, golden: Path) -> None:
    if not CHECK_WEIGHTS.is_file():
        pytest.skip("the second parser's weights are not here")
    found = reproduce(["spice"], data, golden=golden, parser=CHECK_WEIGHTS)
    assert found.count("not reproduced") == 0
    items = verdicts(found, "items from text")
    assert set(items.values()) == {"equal"}
    skipped = {check.published.row for check in found.checks if check.verdict == "skipped"}
    assert skipped == {"kept images", "all captions", "over 20 words"}  # goals for other weights
