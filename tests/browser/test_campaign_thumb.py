"""THumB from the wizard to the export: by mouse, by keyboard alone, and without script."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.browser

# What the first annotator says of each system's captions.
SAID: dict[str, dict[str, Any]] = {
    "heron": {"precision": "5", "recall": "4", "conciseness": "0", "inclusive_language": "0"},
    "dodo": {
        "precision": "3",
        "errors": {"wrong": 0},
        "corrected": "A woman in an orange suit, 1 of g and u.",
        "recall": "2",
        "fluency": {"casing": 0, "awkward": 0.3},
        "conciseness": "0.5",
        "inclusive_language": "0.5",
    },
}
# (5 + 4) / 2; and (3 + 2) / 2 - (0.1 + 0.3) - 0.5 - 0.5, penalties being negative in the files.
VALUES = {
    "heron": {
        "precision": 5,
        "recall": 4,
        "fluency": 0,
        "conciseness": 0,
        "inclusive_language": 0,
        "total": 4.5,
    },
    "dodo": {
        "precision": 3,
        "recall": 2,
        "fluency": -0.4,
        "conciseness": -0.5,
        "inclusive_language": -0.5,
        "total": 1.1,
    },
}
CHANGED_RECALL, DECIDED_RECALL = "2", "3"


def rate_first(hand: Any, sample: Any) -> str:
    """Answer the page in hand as `SAID` has it; returns the image."""
    answers, images = {}, set()
    for letter, text in hand.captions().items():
        image, system = sample.source(text)
        images.add(image)
        answers |= {f"{letter}.{name}": value for name, value in SAID[system].items()}
    hand.answer(answers)
    hand.submit()
    (image,) = images
    return image


def check_second(hand: Any, sample: Any) -> str:
    """Confirm everything but the recall of image 1's caption by heron; returns the image."""
    assert "Another rater scored these captions before you." in hand.page.locator("main").inner_text()
    for letter, text in hand.captions().items():
        image, system = sample.source(text)
        prior = hand.page.locator(f'[data-question="{letter}.recall"] .prior').inner_text()
        assert prior.split("Earlier answer:")[1].split()[0] == SAID[system]["recall"]
        if (image, system) == ("1", "heron"):
            hand.answer({f"{letter}.recall": CHANGED_RECALL})
    if hand.way != "plain":
        hand.page.locator("[data-confirm-all]").click()
    hand.submit()
    return image


@pytest.mark.parametrize(
    "way",
    [
        "mouse",
        pytest.param("keyboard", marks=pytest.mark.long),
        pytest.param("plain", marks=pytest.mark.long),
    ],
)
def test_thumb_from_creation_to_export(
    studio, office, cut_sample, start, read_back, tmp_path: Path, way: str
) -> None:
    sample = cut_sample(3, "heron", "dodo")
    desk = office(studio.owner(way))
    desk.create("thumb", f"THumB by {way}", sample)
    links = desk.invite("Ann Lee, ann@example.org, native", "Bo")
    assert len(links) == 2

    first = start(studio.visitor(way), links[0])
    images = [rate_first(first, sample) for _ in sample.images]
    assert sorted(images) == ["1", "2", "3"]
    assert "done" in first.page.locator("h1").inner_text().lower()
    second = start(studio.visitor(way), links[1])
    assert sorted(check_second(second, sample) for _ in sample.images) == images_in(sample)

    expected = {
        (stage, rater, image, system, aspect): float(value)
        for stage, rater in (("first", "r001"), ("second", "r002"))
        for image in images
        for system, values in VALUES.items()
        for aspect, value in values.items()
    }
    expected["second", "r002", "1", "heron", "recall"] = float(CHANGED_RECALL)
    expected["second", "r002", "1", "heron", "total"] = (5 + float(CHANGED_RECALL)) / 2

    adjudicate(desk, sample)
    decided = {
        ("final", "adjudicator", "1", system, aspect): float(value)
        for system, values in VALUES.items()
        for aspect, value in values.items()
    }
    decided["final", "adjudicator", "1", "heron", "recall"] = float(DECIDED_RECALL)
    decided["final", "adjudicator", "1", "heron", "total"] = (5 + float(DECIDED_RECALL)) / 2

    agreement = desk.tab("Agreement")
    assert "kappa" in agreement.lower()
    assert "precision" in agreement
    results = desk.tab("Results")
    assert "heron" in results
    assert "dodo" in results

    folder = desk.export(tmp_path)
    found = read_back(folder)
    assert found.keys() == expected.keys()
    assert found == pytest.approx(expected)
    final = read_back(folder, "final.jsonl")
    assert len(final) == len(expected) / 2  # one of the two stages
    stands = {key: value for key, value in final.items() if key[1] == "adjudicator"}
    assert stands.keys() == decided.keys()
    assert stands == pytest.approx(decided)
    responses = [json.loads(line) for line in (folder / "responses.jsonl").read_text().splitlines()]
    assert len(responses) == len(images) * 2 + 1
    assert {row["rater"] for row in responses} == {"r001", "r002", ""}
    assert not any("Ann" in path.read_text(errors="ignore") for path in folder.iterdir())


def images_in(sample: Any) -> list[str]:
    return sorted({image for image, _ in sample.texts.values()})


def adjudicate(desk: Any, sample: Any) -> None:
    """Decide the one disagreement: the recall of heron's caption of image 1."""
    text = desk.tab("Disagreements")
    assert "r002 says 2, r001 says 4" in text
    hand = desk.hand
    hand.follow("Image 1")
    hand.unfold("Give a different answer")
    letter = next(key for key, caption in hand.captions().items() if sample.source(caption)[1] == "heron")
    hand.decide(f"{letter}.recall", DECIDED_RECALL)
    hand.push("Save this decision")
    assert "not yet" not in desk.tab("Disagreements")
