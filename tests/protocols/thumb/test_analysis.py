from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from captious.corpus import Judgments
from captious.corpus.judged import read_judgments
from captious.errors import InputError
from captious.protocols import Response
from captious.protocols.thumb.analysis import judgment_tables, stage_kappa, strictly_best, system_scores
from captious.protocols.thumb.rules import Thumb

# Kasai et al. 2022, Table 2: P, R, Flu. and total with its 90% interval's reach.
TABLE_2 = {
    "Human": (4.82, 4.35, 0.019, 4.56, 0.03),
    "VinVL-large": (4.54, 3.97, 0.005, 4.25, 0.04),
    "VinVL-base": (4.47, 3.95, 0.001, 4.21, 0.04),
    "Unified-VLP": (4.35, 3.77, 0.004, 4.06, 0.04),
    "Up-Down": (4.29, 3.50, 0.014, 3.88, 0.05),
}
# Kasai et al. 2022, Table 3, first row.
BEST = {"Human": 327, "VinVL-large": 180, "VinVL-base": 161, "Unified-VLP": 112, "Up-Down": 74}
# The rubric's rows that give the released fluency penalties.
AS_ERRORS = {
    0.0: {},
    0.1: {"grammar": 0.1},
    0.2: {"punctuation": 0.2},
    0.3: {"awkward": 0.3},
    0.4: {"awkward": 0.4},
    0.5: {"ambiguity": 0.5},
}
# Two systems wrote the same caption of this image, and the release gives them different recall.
SCORED_TWICE = "321195"


@pytest.fixture(scope="module")
def released(data: Path):  # type: ignore[no-untyped-def]
    return read_judgments(data / "thumb" / "mscoco_THumB-1.0.jsonl")


def test_table_2_of_the_released_judgments(released) -> None:  # type: ignore[no-untyped-def]
    rows = system_scores(released.judgments)
    assert [row.system for row in rows] == list(TABLE_2)
    for row in rows:
        p, r, flu, total, reach = TABLE_2[row.system]
        assert row.means["precision"] == pytest.approx(p, abs=0.0051)
        assert row.means["recall"] == pytest.approx(r, abs=0.0051)
        assert row.means["fluency"] == pytest.approx(flu, abs=0.00051)
        assert row.total.value == pytest.approx(total, abs=0.0051)
        # The paper drew its own resamples, so the ends may move in the second decimal.
        assert row.total.high - row.total.value == pytest.approx(reach, abs=0.0075)


def test_best_counts_of_table_3(released) -> None:  # type: ignore[no-untyped-def]
    found = {name: best for name, (best, _) in strictly_best(released.judgments).items()}
    assert found == BEST


def test_the_release_run_as_a_campaign_gives_the_same_tables(released) -> None:  # type: ignore[no-untyped-def]
    """Every image as an item, answered through the form with the released scores, then checked."""
    thumb = Thumb(clean=False)
    keys = released.judgments.keys
    kept = [row for row, (image, _) in enumerate(keys) if image != SCORED_TWICE]
    corpus = released.corpus
    rows = [row for row in range(len(corpus)) if corpus.example(row).image_id != SCORED_TWICE]
    items = thumb.items(corpus.select(np.array(rows)), seed=5)
    means = {a: released.judgments.means(a) for a in released.judgments.aspects}
    scores = {keys[row]: {a: abs(float(means[a][row])) for a in means} for row in kept}
    responses = []
    for item in items:
        sent: dict[str, object] = {}
        for key, _ in item.captions:
            own = scores[item.image, item.sources[key][0]]
            sent |= {f"{key}.precision": own["precision"], f"{key}.recall": own["recall"]}
            sent[f"{key}.errors"] = ["invented"]
            sent[f"{key}.fluency"] = AS_ERRORS[round(own["fluency"], 1)]
            sent[f"{key}.conciseness"] = f"{own['conciseness']:g}"
            sent[f"{key}.inclusive_language"] = f"{own['inclusive_language']:g}"
        found = thumb.validate(item, sent, rater="ann", time=1.0)
        assert isinstance(found, Response), found
        responses.append(found)
    seconds = [thumb.next_stage(item, r) for item, r in zip(items, responses, strict=True)]
    again = [Response(item.key, dict(item.prior), "bob", 2.0) for item in seconds]  # type: ignore[arg-type]
    tables = thumb.tables([*items, *seconds], [*responses, *again])
    expected = judgment_tables(_without(released.judgments, SCORED_TWICE))
    by_name = [{row[0]: row[1:] for row in table.rows} for table in tables[:2]]
    for table, got in zip(expected, by_name, strict=True):
        assert {row[0] for row in table.rows} == set(got)
        for name, *values in table.rows:
            np.testing.assert_allclose(
                np.array(got[name][:6], dtype=float), np.array(values[:6], dtype=float), atol=1e-9
            )
    kappa = stage_kappa([*items, *seconds], [*responses, *again], resamples=0)
    assert kappa["precision"].value == 1


def _without(judgments: Judgments, image: str) -> Judgments:
    frame = judgments.to_pandas()
    frame = frame[frame["image"] != image]
    return Judgments.from_columns(
        images=frame["image"].tolist(),
        systems=frame["system"].tolist(),
        aspects=frame["aspect"].tolist(),
        values=frame["value"].tolist(),
    )


def judged(values: dict[str, dict[str, float]]) -> Judgments:
    rows = [("1", system, a, v) for system, own in values.items() for a, v in own.items()]
    return Judgments.from_columns(
        images=[row[0] for row in rows],
        systems=[row[1] for row in rows],
        aspects=[row[2] for row in rows],
        values=[row[3] for row in rows],
    )


def test_weights_change_the_order() -> None:
    table = judged(
        {
            "precise": {"precision": 5, "recall": 3, "fluency": -0.1},
            "telling": {"precision": 3, "recall": 5, "fluency": 0.0},
        }
    )
    plain = system_scores(table, resamples=10)
    # 4 - 0.1 against 4; with recall at 3/4: 1.25 + 2.25 - 0.1 = 3.4 against 0.75 + 3.75 = 4.5.
    assert [row.total.value for row in plain] == pytest.approx([4.0, 3.9])
    social = system_scores(table, weights={"precision": 0.25, "recall": 0.75}, resamples=10)
    assert [(row.system, row.total.value) for row in social] == [
        ("telling", pytest.approx(4.5)),
        ("precise", pytest.approx(3.4)),
    ]


def test_judgments_of_another_kind_are_refused() -> None:
    with pytest.raises(InputError, match="none of recall"):
        system_scores(judged({"m": {"precision": 5}}))
