"""A question that is answered by a recording, and feedback after an answer, on the rater's page."""

from __future__ import annotations

import io
import wave
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import pytest

from captious.campaigns.work import responses
from captious.corpus import Corpus
from captious.protocols import (
    Caption,
    Field,
    Form,
    Guide,
    HumanProtocol,
    Item,
    Response,
    Row,
    Table,
    register,
    registry,
)
from captious.protocols.base import Outcome, Past, captions_of
from captious.protocols.capabilities import KnownPast

SAY = Form((Field("said", "audio", "Say what you see"), Field("note", "text", "Note", required=False)))


@dataclass(frozen=True)
class Aloud(HumanProtocol, KnownPast):
    """Say something about an image; another rater hears it."""

    title: ClassVar[str] = "Aloud"

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        return [
            Item(f"i{image}", image, (Caption("A", next(iter(texts))),), SAY, {"A": ()})
            for image, texts in captions_of(corpus).items()
        ]

    def guide(self, stage: str = "first") -> tuple[Guide, ...]:
        return ()

    def outcome(self, item: Item, response: Response, past: Past) -> Outcome:
        spoken = past.record.get("spoken", 0) + 1
        return Outcome((f"Thank you, number {spoken}.",), {"spoken": spoken})

    def record_lines(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        return (f"{record['spoken']} spoken",) if record else ()

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        if item.recording:
            return []
        form = Form((Field("heard", "text", "What was said"),))
        key = f"heard/{item.key}"
        said = str(response.answers["said"])
        return [replace(item, key=key, form=form, recording=said, stage="heard", balance="heard")]

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        return ()

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        return []


@pytest.fixture(autouse=True)
def _registered(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(registry.PROTOCOLS, "known", dict(registry.known_protocols()))
    register("aloud")(Aloud)
    yield


def sound() -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(8_000)
        file.writeframes(b"\0\0" * 80)
    return out.getvalue()


def test_a_recording_is_sent_kept_played_and_answered(site: Any) -> None:
    campaign = site.campaign("aloud", images=1)
    visitor, _ = site.rater(campaign)
    address = f"/work/{campaign.slug}"
    page = visitor.page(address)
    ((_, form),) = [one for one in page.tags if one[1].get("enctype") == "multipart/form-data"]
    fields = {"csrf": page.hidden("csrf"), "key": page.hidden("key"), "note": "a dog"}
    wrong = visitor.post(form["action"], data=fields, files={"said": ("x.wav", b"<html>", "audio/wav")})
    assert wrong.status_code == 422
    assert "not a known sound format" in wrong.text
    sent = visitor.post(form["action"], data=fields, files={"said": ("x.wav", sound(), "audio/wav")})
    assert sent.status_code == 303, sent.text
    (kept,) = responses.stored(site.db, campaign)
    name = kept.answers["said"]
    assert (len(name), name[-4:], kept.answers["note"]) == (68, ".wav", "a dog")
    following = visitor.page(address)
    assert "Thank you, number 1." in following.text
    assert "1 spoken" in following.text
    ((_, played),) = [one for one in following.tags if one[0] == "audio"]
    heard = visitor.get(played["src"])
    assert (heard.content, heard.headers["content-type"]) == (sound(), "audio/wav")
    assert site.visitor().get(played["src"]).status_code == 401
    assert visitor.get(f"/recordings/{campaign.slug}/{'0' * 64}.wav").status_code == 404
