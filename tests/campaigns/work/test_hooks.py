"""What protocols may ask of a campaign: each hook in a small protocol of its own."""

from __future__ import annotations

import io
import wave
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from captious.campaigns.exchange.export import export
from captious.campaigns.exchange.importing import import_file
from captious.campaigns.people import raters
from captious.campaigns.records import Campaign, NewRater, Rater, Receipt
from captious.campaigns.results import analysis
from captious.campaigns.setup.create import create, draft
from captious.campaigns.setup.lifecycle import open_campaign
from captious.campaigns.store import recordings
from captious.campaigns.store.database import Database
from captious.campaigns.work import assignment, responses
from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols import (
    Caption,
    Field,
    Form,
    Guide,
    HumanProtocol,
    Item,
    Problem,
    Response,
    Row,
    register,
    registry,
    row_of,
)
from captious.protocols.base import UNLIMITED, Outcome, Past, captions_of, matched
from captious.protocols.capabilities import Game, Recordings
from captious.tables import Table

CORPUS = Corpus.from_lists(["A dog.", "A cat.", "A cow."], image_ids=["1", "2", "3"])
STARS = Form((Field("stars", "number", "Stars", low=1, high=5, step=1),))


@dataclass(frozen=True)
class Stars(HumanProtocol):
    """A number for each caption; the common part of the protocols below."""

    title: ClassVar[str] = "Stars"
    form: ClassVar[Form] = STARS

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        return [
            Item(f"i{image}", image, (Caption("A", text),), self.form, {"A": tuple(systems)}, target=2)
            for image, texts in captions_of(corpus).items()
            for text, systems in texts.items()
        ]

    def guide(self, stage: str = "first") -> tuple[Guide, ...]:
        return (Guide("What you do", "Give stars."),)

    def rows(self, items: Iterable[Item], answered: Iterable[Response]) -> Iterable[Row]:
        for item, response in matched(items, answered):
            value = float(str(response.answers["stars"]))
            yield row_of(item, response, item.captions[0], item.sources["A"][0], "stars", value)

    def tables(self, items: Sequence[Item], answered: Sequence[Response]) -> list[Table]:
        return []


@dataclass(frozen=True)
class Guessing(Stars, Game):
    """Points for guessing what others said, after a practice item; one look, five seconds long."""

    reads_past: ClassVar[bool] = True

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        first, *rest = super().items(corpus, seed=seed)
        return [replace(first, practice=True, target=UNLIMITED), *rest]

    def may_take(self, item: Item, record: Mapping[str, Any]) -> bool:
        return item.practice != bool(record.get("trained"))

    def minimum_seconds(self, item: Item) -> float:
        return 5.0

    def may_correct(self, item: Item) -> bool:
        return False

    def outcome(self, item: Item, response: Response, past: Past) -> Outcome | list[Problem]:
        if response.answers["stars"] == 5.0:
            return [Problem("stars", "Nothing is perfect.")]
        right = sum(one.answers == response.answers for one in past.earlier)
        points = past.record.get("points", 0) + right
        record = {"trained": True, "points": points}
        lines = (f"{right} of {len(past.earlier)} said the same.",)
        target = 3 if past.earlier and not right else None
        return Outcome(lines, record, target, noted={"right": float(right)})

    def record_lines(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        return (f"{record['points']} points",) if record else ()


@dataclass(frozen=True)
class Spoken(Stars, Recordings):
    """A recording, which a machine writes down and another rater corrects."""

    form: ClassVar[Form] = Form((Field("said", "audio", "Say what you see"),))

    def derive(self, item: Item, response: Response, file: Callable[[str], Path]) -> Mapping[str, str]:
        if "said" not in response.answers:
            return {}
        with wave.open(str(file(str(response.answers["said"])))) as sound:
            return {"transcript": f"{sound.getnframes()} frames"}

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        if item.recording:
            return []
        form = Form((Field("transcript", "text", "What was said"),))
        return [
            replace(
                item,
                key=f"transcript/{item.key}/{response.rater}",
                stage="transcript",
                form=form,
                target=1,
                not_for=frozenset({response.rater}),
                recording=str(response.answers["said"]),
                prior=dict(response.derived),
            )
        ]


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry.PROTOCOLS, "known", dict(registry.known_protocols()))
    register("guessing")(Guessing)
    register("spoken-test")(Spoken)
    yield


def made(db: Database, protocol: str, names: Sequence[str]) -> tuple[Campaign, list[Rater]]:
    campaign = open_campaign(
        db, create(db, draft(protocol, CORPUS, title=protocol), actor="lea"), actor="lea"
    )
    return campaign, raters.add(db, campaign, [NewRater(name) for name in names], actor="lea")


def answer(
    db: Database, clock: Any, campaign: Campaign, rater: Rater, stars: float, key: str, wait: float = 6.0
) -> Any:
    (task,) = assignment.next_tasks(db, campaign, rater)
    clock.move(wait)
    return task.item, responses.respond(db, rater, task.token, {"stars": stars}, key=key)


def test_practice_comes_first_and_never_counts(db: Database, clock: Any) -> None:
    campaign, (ada, bob) = made(db, "guessing", ["Ada", "Bob"])
    for rater in (ada, bob):
        item, receipt = answer(db, clock, campaign, rater, 3, "p")
        assert (item.practice, isinstance(receipt, Receipt)) == (True, True)
        item, _ = answer(db, clock, campaign, rater, 3, "q")
        assert not item.practice
    assert analysis.overview(db, campaign).done == 2
    assert {one.item for one in analysis.counting(db, campaign)[1]} <= {"i2", "i3"}
    assert len(list(responses.stored(db, campaign))) == 4


def test_an_answer_reads_what_others_said_and_keeps_a_record(db: Database, clock: Any) -> None:
    campaign, (ada, bob) = made(db, "guessing", ["Ada", "Bob"])
    for rater in (ada, bob):
        answer(db, clock, campaign, rater, 3, "p")
    first, said = answer(db, clock, campaign, ada, 4, "q")
    assert said.feedback == ("0 of 0 said the same.",)
    # Bob meets Ada's item first: it is the nearest to its target. He says something else, and the
    # item wants a third opinion.
    second, said = answer(db, clock, campaign, bob, 2, "q")
    assert (second.key, said.feedback) == (first.key, ("0 of 1 said the same.",))
    assert {one.key: one.target for one in responses.items(db, campaign)}[first.key] == 3
    # The practice item of both was answered alike: Bob had a point from that.
    people = {one.name: one.record for one in raters.listed(db, campaign)}
    assert people == {"Ada": {"trained": True, "points": 0}, "Bob": {"trained": True, "points": 1}}
    assert assignment.desk(db, bob).feedback == ("0 of 1 said the same.",)
    _, found = analysis.counting(db, campaign)
    assert [one.noted for one in found] == [{"right": 0.0}, {"right": 0.0}]


def test_too_early_not_allowed_and_not_to_be_changed(db: Database, clock: Any) -> None:
    campaign, (ada,) = made(db, "guessing", ["Ada"])
    (task,) = assignment.next_tasks(db, campaign, ada)
    clock.move(2.0)
    (early,) = responses.respond(db, ada, task.token, {"stars": 3}, key="a")
    assert early.message == "Look at it for at least 5 seconds, then answer."
    clock.move(4.0)
    assert responses.respond(db, ada, task.token, {"stars": 5}, key="b") == [
        Problem("stars", "Nothing is perfect.")
    ]
    assert isinstance(responses.respond(db, ada, task.token, {"stars": 3}, key="c"), Receipt)
    (late,) = responses.respond(db, ada, task.token, {"stars": 2}, key="d")
    assert late.message == "This answer can no longer be changed."
    assert assignment.previous_task(db, ada) is None


def sound(frames: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(b"\0\0" * frames)
    return out.getvalue()


def test_a_recording_is_kept_by_its_hash_and_its_transcript_is_corrected(db: Database, clock: Any) -> None:
    campaign, (ada, _) = made(db, "spoken-test", ["Ada", "Bob"])
    (task,) = assignment.next_tasks(db, campaign, ada)
    name = recordings.keep(db, campaign, sound(320))
    assert name.endswith(".wav")
    assert recordings.recording_file(db, campaign, name)[0].read_bytes() == sound(320)
    (wrong,) = responses.respond(db, ada, task.token, {"said": "../../etc/passwd"}, key="a")
    assert "is not a recording" in wrong.message
    (lost,) = responses.respond(db, ada, task.token, {"said": f"{'0' * 64}.wav"}, key="c")
    assert lost == Problem("said", "The recording did not arrive. Send it again.")
    assert isinstance(responses.respond(db, ada, task.token, {"said": name}, key="b"), Receipt)
    made_of = [one for one in responses.items(db, campaign) if one.stage == "transcript"]
    assert [(one.recording, dict(one.prior)) for one in made_of] == [(name, {"transcript": "320 frames"})]
    handed = {task.item.key for task in assignment.next_tasks(db, campaign, ada)}
    assert made_of[0].key not in handed
    with pytest.raises(InputError, match="not a known sound format"):
        recordings.keep(db, campaign, b"<html>")


def test_a_class_without_the_required_methods_is_refused() -> None:
    class Half(HumanProtocol):
        title = "Half"

    with pytest.raises(InputError, match='protocol "half" lacks guide, items, rows, tables'):
        register("half")(Half)


def test_records_and_outcomes_survive_an_export(db: Database, clock: Any, tmp_path: Path) -> None:
    campaign, (ada, bob) = made(db, "guessing", ["Ada", "Bob"])
    for rater in (ada, bob):
        answer(db, clock, campaign, rater, 3, "p")
        answer(db, clock, campaign, rater, 4, "q")
    for form in ("jsonl", "csv", "parquet"):
        export(db, campaign, tmp_path / form, formats=[form])
        back = import_file(db, tmp_path / form, actor="ben", slug=f"back-{form}")
        assert [one.record for one in raters.listed(db, back)] == [
            one.record for one in raters.listed(db, campaign)
        ]
        assert [one.outcome for one in responses.stored(db, back)] == [
            one.outcome for one in responses.stored(db, campaign)
        ]
        assert responses.items(db, back) == responses.items(db, campaign)
