"""A finished study says what was found in its first card, with files for a paper."""

from __future__ import annotations

import csv
import time
from html import unescape
from io import StringIO
from typing import Any

import pytest

from captious.campaigns.results.differences import differences
from captious.campaigns.work import assignment, reading, responses
from captious.charts.render import can_draw

# alpha's precision less beta's on 20 images: mean 1.45, as of 5 and 3 or 4 most of the time.
GAINS = [2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 0]
SAME = {"conciseness": "0", "inclusive_language": "0"}


@pytest.fixture
def finished(site: Any) -> Any:
    """A study of 20 images whose answers are in: heron is ahead in precision, and not in recall."""
    campaign = site.campaign("thumb", images=20, two_stages=False)
    _, rater = site.rater(campaign)
    for at in range(20):
        task = assignment.next_tasks(site.db, campaign, rater)[0]
        said: dict[str, object] = {}
        gain = GAINS[int(task.item.image[1:])]
        for caption in task.item.captions:
            ahead = task.item.sources[caption.key] == ("heron",)
            said |= {f"{caption.key}.{name}": value for name, value in SAME.items()}
            said[f"{caption.key}.precision"] = 5 if ahead else 5 - gain
            said[f"{caption.key}.recall"] = 3 + (at % 2 if ahead else (at // 2) % 2)
            if not ahead and gain:
                said[f"{caption.key}.errors"] = ["unsure"]
        done = responses.respond(site.db, rater, task.token, said, key=f"an-answer-of-{at}")
        assert not isinstance(done, list), done
    return campaign


def test_the_first_card_of_a_finished_study_says_what_was_found(
    site: Any, viewer: Any, finished: Any
) -> None:
    address = f"/admin/c/{finished.slug}"
    until = time.monotonic() + 60
    while viewer.twin(address)["verdict"]["pending"] and time.monotonic() < until:
        time.sleep(0.05)
    first, second, third, *_ = viewer.twin(address)["verdict"]["lines"]
    # 10 x 2 + 9 x 1 of 20 images.
    assert first["text"].startswith("heron is ahead of dodo in precision by 1.45 [")
    assert first["text"].endswith(", 20 images.")
    assert second["text"].startswith("Not told apart: ")
    assert third["text"].startswith("Finished: all 20 responses are in")
    text = unescape(viewer.text(address))
    assert text.index("What the study found") < text.index("Progress")
    assert text.index(first["text"]) < text.index("Progress")
    assert "always-valid" in text
    for form in ("tex", "pdf"):
        assert f"{address}/files/found/differences-between-systems.{form}" in text
    assert "What the study found" in viewer.text(f"{address}/results")
    assert "No rows." not in viewer.text(f"{address}/results")


def test_the_numbers_are_those_of_the_paired_images(site: Any, finished: Any) -> None:
    items, said = reading.latest_responses(site.db, finished)
    (found,) = [one for one in differences(finished.rules(), items, said) if one.aspect == "precision"]
    assert (found.better, found.worse, found.images) == ("heron", "dodo", 20)
    assert found.value == pytest.approx(1.45)
    assert 1.1 < found.low < 1.45 < found.high < 1.8
    assert found.p < 0.001 <= found.p_holm < 0.01 or found.p <= found.p_holm < 0.001
    # An interval for those who look every day holds the other one.
    assert found.always_low <= found.low
    assert found.high <= found.always_high


def test_tables_and_figures_are_files_for_a_paper(site: Any, viewer: Any, finished: Any) -> None:
    viewer.twin(f"/admin/c/{finished.slug}/results")
    own = f"/admin/c/{finished.slug}/files/found/differences-between-systems"
    viewer.text(f"/admin/c/{finished.slug}")
    until = time.monotonic() + 60
    while viewer.get(f"{own}.csv").status_code == 404 and time.monotonic() < until:
        time.sleep(0.05)
    rows = list(csv.DictReader(StringIO(viewer.get(f"{own}.csv").text)))
    assert {row["aspect"] for row in rows} >= {"precision", "recall"}
    assert float(rows[0]["difference"]) == pytest.approx(1.45)
    latex = viewer.get(f"{own}.tex")
    assert "\\begin{tabular}" in latex.text
    assert "attachment" in latex.headers["content-disposition"]
    assert viewer.get(f"{own}-x.tex").status_code == 404
    if can_draw():
        starts = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<svg"}
        for form, start in starts.items():
            assert viewer.get(f"{own}.{form}").content.startswith(start)
