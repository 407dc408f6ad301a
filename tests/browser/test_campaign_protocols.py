"""HUMANr, tagging, error audit and one's own questions: a campaign each, from wizard to export.

In each campaign one rater uses the mouse, one the keyboard alone and one a browser without script.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from captious.campaigns.setup import lifecycle
from captious.campaigns.store import images
from captious.protocols.audit import QUESTIONS
from captious.protocols.tagging import SIX_WEEKS

pytestmark = pytest.mark.browser

WAYS = ("mouse", "keyboard", "plain")
RATER = {"mouse": "r001", "keyboard": "r002", "plain": "r003"}
DAY = 24 * 3600.0
OWN_QUESTIONS = """
name: helpfulness
kind: likert
raters: 3
comment: true
questions:
  - aspect: helpful
    ask: Would it help someone who cannot see the image?
    labels: {1: Not at all, 5: Very much}
  - aspect: natural
    ask: Would a person write it so?
    low: 0
    high: 10
"""
# ObjectNet Captions, 4.3: the answers that are no errors.
FAULTLESS = {one.name: "no" if one.error == "yes" else "yes" for one in QUESTIONS}
VERDICTS = {
    "first": {
        "mouse": {"1": "complete", "2": "minor", "3": "unrelated"},
        "keyboard": {"1": "complete", "2": "unrelated", "3": "unrelated"},
        "plain": {"1": "incomplete", "2": "minor", "3": "unrelated"},
    },
    "second": {
        "mouse": {"1": "complete", "2": "serious", "3": "unrelated"},
        "keyboard": {"1": "complete", "2": "unrelated", "3": "unrelated"},
        "plain": {"1": "incomplete", "2": "minor", "3": "serious"},
    },
}
# Ruiz et al. 2024, 2.1.
WORTH = {"complete": 1.0, "incomplete": 0.75, "minor": 0.5, "serious": 0.25, "unrelated": 0.0}


class Shown(NamedTuple):
    """A rater's page: whose it is, the round, the image, the captions and who wrote them."""

    way: str
    stage: str
    image: str
    captions: dict[str, str]
    sources: dict[str, tuple[str, str]]


# What is filled in, and what the data must then hold: a value for each (system, aspect).
Answered = tuple[dict[str, Any], dict[tuple[str, str], float]]


def compare(shown: Shown) -> Answered:
    """The candidate at 7, 6 and 3 of 9 where it stands on the right, mirrored on the left."""
    systems = {side: system for side, (_, system) in shown.sources.items()}
    if set(systems.values()) == {"human"}:  # an attention check: one caption is another image's
        own = next(side for side, (image, _) in shown.sources.items() if image == shown.image)
        return {"preference": "1" if own == "left" else "9"}, {}
    points = {"mouse": 7, "keyboard": 6, "plain": 3}[shown.way]
    given = points if systems["right"] == "heron" else 10 - points
    # (7 - 5) / 4 and so on: from -1, the human caption, to 1, the candidate.
    score = {"mouse": 0.5, "keyboard": 0.25, "plain": -0.5}[shown.way]
    return {"preference": str(given)}, {("heron", "preference"): score}


def tag(shown: Shown) -> Answered:
    verdict = VERDICTS[shown.stage][shown.way][shown.image]
    return {"verdict": verdict}, {("heron", "verdict"): WORTH[verdict]}


def audit(shown: Shown) -> Answered:
    """No error but one: by keyboard, heron names a thing of image 1 wrongly."""
    given, values = {}, {}
    for letter, (image, system) in shown.sources.items():
        for name, answer in FAULTLESS.items():
            wrong = (shown.way, image, system, name) == ("keyboard", "1", "heron", "misclassified")
            given[f"{letter}.{name}"] = "yes" if wrong else answer
            values[system, name] = float(wrong)
    return given, values


def rate(shown: Shown) -> Answered:
    helpful = {"mouse": 5, "keyboard": 4, "plain": 2}[shown.way] - (shown.image == "2")
    given = {"helpful": str(helpful), "natural": "7"}
    if shown.way != "mouse":
        given["comment"] = f"1 of 3, by {shown.way}"
    return given, {("heron", "helpful"): float(helpful), ("heron", "natural"): 7.0}


class Case(NamedTuple):
    """A campaign: what the wizard is told, what raters say, what is decided about `image`."""

    answer: Callable[[Shown], Answered]
    options: dict[str, Any]
    images: int
    field: str
    decision: str
    decided: float
    about: tuple[str, str]


CASES = {
    "humanr": Case(
        compare,
        {"target": "3", "baseline": False, "group_size": "2"},
        4,
        "preference",
        "5",
        0.0,
        ("heron", "preference"),
    ),
    "tagging": Case(tag, {"raters": "3"}, 3, "verdict", "serious", 0.25, ("heron", "verdict")),
    "audit": Case(audit, {"target": "3"}, 3, "misclassified", "yes", 1.0, ("heron", "misclassified")),
    "generic": Case(rate, {}, 3, "helpful", "3", 3.0, ("heron", "helpful")),
}


class Diary:
    """All that raters said in a campaign, as the data must hold it."""

    def __init__(self, studio: Any, slug: str, sample: Any, case: Case) -> None:
        campaign = lifecycle.find(studio.db, slug)
        self.of_digest = {
            images.digest_of(studio.db, campaign, key): key
            for key in sorted({image for image, _ in sample.texts.values()})
        }
        self.sample, self.case = sample, case
        self.said: dict[tuple[str, str, str, str, str], float] = {}

    def work(self, hand: Any, stage: str = "first") -> int:
        """Answer until nothing is left; returns how many pages there were."""
        pages = 0
        while hand.page.locator("[data-answers]").count():
            digest = str(hand.page.locator(".picture img").get_attribute("src")).rpartition("/")[2]
            captions = hand.captions()
            sources = {key: self.sample.source(text) for key, text in captions.items()}
            shown = Shown(hand.way, stage, self.of_digest[digest], captions, sources)
            given, values = self.case.answer(shown)
            hand.answer(given)
            hand.submit()
            for (system, aspect), value in values.items():
                self.said[stage, RATER[hand.way], shown.image, system, aspect] = value
            pages += 1
        return pages


def adjudicate(desk: Any, diary: Diary) -> None:
    """Decide the widest disagreement; the decision is data of its own."""
    case, hand = diary.case, desk.hand
    assert "not yet" in desk.tab("Disagreements")
    row = hand.page.locator("main tbody tr").first
    hand.activate(row.get_by_role("link"))
    image = hand.page.locator("main h2").first.inner_text().removeprefix("Image ")
    field = case.field
    hand.unfold("Give a different answer")
    captions = hand.captions()
    if "misclassified" in field:
        of_heron = [key for key, text in captions.items() if diary.sample.source(text)[1] == "heron"]
        field = f"{of_heron[0]}.{field}"
    hand.decide(field, case.decision)
    if field == "helpful":
        hand.decide("natural", "7")
    hand.push("Save this decision")
    assert "yes" in hand.page.locator("main").inner_text()
    about = {key[3:]: value for key, value in diary.said.items() if key[:3] == ("first", "r001", image)}
    for (system, aspect), value in about.items():
        diary.said["adjudication", "adjudicator", image, system, aspect] = value
    diary.said["adjudication", "adjudicator", image, *case.about] = case.decided


def finish(desk: Any, diary: Diary, read_back: Any, folder: Path) -> None:
    adjudicate(desk, diary)
    assert "heron" in desk.tab("Results")
    assert desk.hand.page.locator("main table").count() > 0
    desk.tab("Agreement")
    assert desk.hand.page.locator("main table").count() > 0
    exported = desk.export(folder)
    decided = {key: value for key, value in diary.said.items() if key[0] == "adjudication"}
    said = {key: value for key, value in diary.said.items() if key not in decided}
    found = read_back(exported)
    assert found.keys() == said.keys()
    assert found == pytest.approx(said)
    final = read_back(exported, "final.jsonl")
    stands = {key: value for key, value in final.items() if key[0] == "adjudication"}
    assert stands.keys() == decided.keys()
    assert stands == pytest.approx(decided)


@pytest.mark.parametrize(
    "protocol",
    [
        "humanr",
        pytest.param("audit", marks=pytest.mark.long),
        pytest.param("generic", marks=pytest.mark.long),
    ],
)
def test_a_campaign_by_mouse_by_keyboard_and_without_script(
    studio, office, cut_sample, start, read_back, tmp_path: Path, protocol: str
) -> None:
    case = CASES[protocol]
    sample = cut_sample(case.images, "heron")
    options = dict(case.options)
    if protocol == "generic":
        options["protocol_file"] = tmp_path / "own.yaml"
        options["protocol_file"].write_text(OWN_QUESTIONS)
    desk = office(studio.owner())
    desk.create(protocol, f"About {protocol}", sample, **options)
    links = desk.invite("Ann", "Bo", "Cem")
    diary = Diary(studio, desk.slug, sample, case)
    for way, link in zip(WAYS, links, strict=True):
        hand = start(studio.visitor(way), link)
        assert diary.work(hand) == case.images
        assert "done" in hand.page.locator("h1").inner_text().lower()
    finish(desk, diary, read_back, tmp_path)


@pytest.mark.long
def test_tagging_in_two_rounds_six_weeks_apart(
    studio, office, cut_sample, start, read_back, tmp_path: Path
) -> None:
    case = CASES["tagging"]
    sample = cut_sample(case.images, "heron")
    desk = office(studio.owner())
    desk.create("tagging", "Two rounds", sample, **case.options)
    links = desk.invite("Ann", "Bo", "Cem")
    diary = Diary(studio, desk.slug, sample, case)
    for way, link in zip(WAYS, links, strict=True):
        hand = start(studio.visitor(way), link)
        assert diary.work(hand) == case.images
        assert hand.page.locator("time").count() == 1  # when the second round begins

    studio.clock.ahead += SIX_WEEKS + DAY
    desk = office(studio.owner())
    desk.hand.follow("Two rounds")
    for place, way in enumerate(WAYS):
        desk.tab("Raters")
        desk.hand.activate(desk.hand.page.get_by_role("button", name="Create a link").nth(place))
        hand = start(studio.visitor(way), desk.links()[0])
        assert not hand.page.locator("[data-answers] input:checked").count()  # nothing given away
        assert diary.work(hand, "second") == case.images
    finish(desk, diary, read_back, tmp_path)
