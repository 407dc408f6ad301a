from __future__ import annotations

import pytest

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import Item, Response
from captious.protocols.base import RoundData
from captious.protocols.thumb.analysis import stage_kappa, thumb_tables
from captious.protocols.thumb.rounds import (
    audit_items,
    audit_result,
    final_judgments,
    final_scores,
    fluency_items,
    needs_native_speaker,
)
from captious.protocols.thumb.rules import Thumb

THUMB = Thumb()


def first_items(images: int) -> list[Item]:
    return THUMB.items(
        Corpus.from_lists(
            [f"Words of {s} on {i}." for i in range(images) for s in "mn"],
            image_ids=[str(i) for i in range(images) for _ in "mn"],
            systems=["m", "n"] * images,
        ),
        seed=1,
    )


def scored(item: Item, rater: str, precision: float, fluency: float = 0.0) -> Response:
    """Everything 5 but precision, the same for all captions of the item."""
    sent: dict[str, object] = {}
    for key, _ in item.captions:
        sent |= {f"{key}.precision": precision, f"{key}.recall": 5}
        sent |= {f"{key}.conciseness": "0", f"{key}.inclusive_language": "0"}
        if fluency:
            sent[f"{key}.fluency"] = {"awkward": fluency}
        if precision < 5:
            sent[f"{key}.errors"] = ["invented"]
    known = {field.name for field in item.form.fields}
    found = THUMB.validate(item, {k: v for k, v in sent.items() if k in known}, rater=rater)
    assert isinstance(found, Response), found
    return found


def two_stages(first: list[float], second: list[float]) -> tuple[list[Item], list[Response]]:
    items = first_items(len(first))
    given = [scored(item, "ann", p) for item, p in zip(items, first, strict=True)]
    seconds = [THUMB.next_stage(i, r) for i, r in zip(items, given, strict=True)]
    checked = [scored(item, "bob", p) for item, p in zip(seconds, second, strict=True)]
    return items + seconds, given + checked


def test_the_second_stage_stands() -> None:
    items, responses = two_stages([5, 4], [5, 3])
    found = {one.caption.image: one for one in final_scores(items, responses)}
    assert found["1"].scores["precision"] == 3
    assert found["1"].raters == ("ann", "bob")
    judged = final_judgments(items, responses)
    # Image 1: (3 + 5) / 2 = 4 for both systems.
    assert judged.means("total")[judged.keys.index(("1", "m"))] == 4
    assert judged.stages == ["final"]


def test_kappa_between_the_stages() -> None:
    # Four images of two captions: 5 5 4 4 against 5 5 4 3, so 6 of 8 captions agree;
    # by chance 1/2*1/2 + 1/2*1/4 = 3/8; kappa = (3/4 - 3/8) / (5/8) = 0.6.
    items, responses = two_stages([5, 5, 4, 4], [5, 5, 4, 3])
    found = stage_kappa(items, responses, resamples=50)
    assert found["precision"].value == pytest.approx(0.6)
    assert found["precision"].n_items == 8
    titles = [table.title for table in thumb_tables(items, responses)]
    assert titles[-1] == "Kappa between first and second stage"


def test_captions_that_no_native_speaker_saw_need_one() -> None:
    items, responses = two_stages([5, 5], [5, 5])
    assert needs_native_speaker(items, responses, ["bob"]) == []
    found = needs_native_speaker(items, responses, ["cat"])
    assert {one.image for one in found} == {"0", "1"}
    assert len(found) == 4
    assert needs_native_speaker(items[:2], responses[:2], ["cat"]) == []


def test_the_extra_round_asks_a_native_speaker_for_fluency_only() -> None:
    items, responses = two_stages([5], [4])
    extra = THUMB.fluency_round(items[0], responses[1].answers, frozenset({"cat"}))
    assert {field.name.split(".")[1] for field in extra.form.fields} == {"fluency"}
    ask = [THUMB.next_items([extra], _nothing(), rater, now=0, seed=1) for rater in ("ann", "cat")]
    assert ask == [[], [extra]]
    checked = [*responses, scored(extra, "cat", 5, fluency=0.3)]
    assert needs_native_speaker([*items, extra], checked, ["cat"]) == []
    scores = final_scores([*items, extra], checked)[0].scores
    # Precision is the second annotator's, fluency the native speaker's.
    assert (scores["precision"], scores["fluency"]) == (4, 0.3)


def _nothing():  # type: ignore[no-untyped-def]
    from captious.protocols import Progress

    return Progress()


def test_an_audit_samples_captions_and_changes_nothing() -> None:
    items, responses = two_stages([5] * 10, [5] * 10)
    audit = audit_items(items, responses, seed=1, captions=7)
    assert sum(len(item.captions) for item in audit) == 7
    assert audit == audit_items(items, responses, seed=1, captions=7)
    assert all({"ann", "bob"} <= item.not_for for item in audit)
    looked = [scored(item, "cat", 4 if at == 0 else 5) for at, item in enumerate(audit)]
    found = audit_result([*items, *audit], [*responses, *looked])
    changed = len(audit[0].captions)
    assert (found.captions, found.changed, found.by_aspect["precision"]) == (7, changed, changed)
    before = final_judgments(items, responses)
    after = final_judgments([*items, *audit], [*responses, *looked])
    assert before.values.tolist() == after.values.tolist()


def test_an_audit_needs_a_second_stage() -> None:
    with pytest.raises(InputError, match="no caption has been through the second stage"):
        audit_items(first_items(1), [], seed=1)


def test_a_fluency_round_asks_for_what_no_native_speaker_saw_and_says_when_there_is_none() -> None:
    items, responses = two_stages([5, 5], [5, 5])

    def asked(*native: str) -> list[Item]:
        return fluency_items(THUMB, RoundData(items, responses, native=frozenset(native)))

    assert {item.image for item in asked("cat")} == {"0", "1"}
    with pytest.raises(InputError, match="no caption needs it"):
        asked("bob")
    with pytest.raises(InputError, match="no rater is marked as a native speaker"):
        asked()
