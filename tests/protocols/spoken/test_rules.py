"""Spoken captions as a protocol: recordings checked and heard for real, transcripts corrected."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from captious.corpus import Corpus
from captious.models.speech import RATE, read_wav, to_wav
from captious.protocols.base import Exported, Item, Outcome, Past, Response
from captious.protocols.spoken import SpokenCaptions
from captious.protocols.spoken.dataset import coco_lines, spoken_tables

CAPTION = "There is a brown dog running through the grass with a red ball in its mouth."
NAME = "ab" * 32 + ".wav"


@pytest.fixture
def corpus() -> Corpus:
    return Corpus.from_lists(["x"] * 6, image_ids=[str(number) for number in range(6)])


@pytest.fixture
def rules() -> SpokenCaptions:
    return SpokenCaptions(per_image=2)


def first(rules: SpokenCaptions, corpus: Corpus, stage: str = "first") -> Item:
    return next(item for item in rules.items(corpus, seed=1) if item.stage == stage)


def recorded(item: Item, derived: dict) -> Response:
    return Response(item.key, {"recording": NAME}, "speaker", 1.0, derived=derived)


def transcription(rules: SpokenCaptions, corpus: Corpus, heard: str) -> Item:
    item = first(rules, corpus)
    (found,) = rules.follow_ups(item, recorded(item, {"transcript": heard, "seconds": 4.2}))
    return found


def test_groups_of_four_and_several_captions_an_image(rules: SpokenCaptions, corpus: Corpus) -> None:
    assert rules.group_size == 4
    items = [item for item in rules.items(corpus, seed=1) if item.stage == "first"]
    assert [item.target for item in items] == [2] * 6
    assert SpokenCaptions().per_image == 5


def test_a_real_voice_is_heard(
    rules: SpokenCaptions, corpus: Corpus, speak: Callable[[str], bytes], tmp_path: Path
) -> None:
    pytest.importorskip("pocketsphinx")
    (tmp_path / NAME).write_bytes(speak(CAPTION))
    item = first(rules, corpus)
    found = rules.derive(item, recorded(item, {}), lambda name: tmp_path / name)
    assert "problem" not in found
    assert len(str(found["transcript"]).split()) >= 4
    assert found["sha256"] == read_wav((tmp_path / NAME).read_bytes()).sha256
    assert isinstance(rules.outcome(item, recorded(item, dict(found)), Past()), Outcome)


@pytest.mark.parametrize(
    ("samples", "message"),
    [
        (np.zeros(3 * RATE), "Nothing can be heard"),
        (np.ones(RATE) * 0.1, "1.0 s long"),
        (np.sign(np.sin(np.arange(3 * RATE))) * 2, "too loud"),
    ],
)
def test_a_bad_recording_is_refused_with_the_reason(
    rules: SpokenCaptions, corpus: Corpus, tmp_path: Path, samples: np.ndarray, message: str
) -> None:
    (tmp_path / NAME).write_bytes(to_wav(samples.astype(np.float32)))
    item = first(rules, corpus)
    derived = rules.derive(item, recorded(item, {}), lambda name: tmp_path / name)
    refused = rules.outcome(item, recorded(item, dict(derived)), Past())
    assert isinstance(refused, list)
    assert refused[0].field == "recording" and message in refused[0].message


def test_trial_recordings_come_first(rules: SpokenCaptions, corpus: Corpus) -> None:
    items = rules.items(corpus, seed=1)
    trial = first(rules, corpus, "qualification")
    assert {item.stage for item in items if rules.may_take(item, {})} == {"qualification"}
    good = recorded(trial, {"transcript": "a b c d", "seconds": 3.0})
    once = rules.outcome(trial, good, Past())
    assert isinstance(once, Outcome) and once.record == {"passed": 1}
    twice = rules.outcome(trial, good, Past(record=once.record))
    assert isinstance(twice, Outcome) and "recordings count from now on" in twice.feedback[0]
    assert {item.stage for item in items if rules.may_take(item, twice.record or {})} == {"first"}
    # Trial recordings are not transcribed, and are no data.
    assert rules.follow_ups(trial, good) == [] and not trial.counts


def test_another_rater_corrects_and_may_not_send_it_unchanged(rules: SpokenCaptions, corpus: Corpus) -> None:
    item = transcription(rules, corpus, "a dock on grass")
    assert item.recording == NAME and item.not_for == {"speaker"}
    for unchanged in ("a dock on grass", "  a dock  on grass "):
        refused = rules.validate(item, {"transcript": unchanged})
        assert isinstance(refused, list) and "unchanged" in refused[0].message
    assert isinstance(rules.validate(item, {"transcript": "A dog on grass."}), Response)


def test_export_in_cocos_format_names_nobody(rules: SpokenCaptions, corpus: Corpus) -> None:
    speaking = first(rules, corpus)
    item = transcription(rules, corpus, "a dock on grass")
    said = recorded(speaking, {"transcript": "a dock on grass", "seconds": 4.2})
    corrected = Response(item.key, {"transcript": "A dog on the grass."}, "writer", 2.0)
    data = Exported([speaking, item], [said, corrected], file_names={item.image: "dog.jpg"})
    text = "".join(coco_lines(data))
    found = json.loads(text)
    assert found["images"] == [{"id": item.image, "file_name": "dog.jpg"}]
    (annotation,) = found["annotations"]
    assert annotation["caption"] == "A dog on the grass."
    assert annotation["audio"] == f"recordings/{NAME}" and annotation["seconds"] == 4.2
    assert "speaker" not in text and "writer" not in text
    # "dock" is wrong and "the" left out: 2 of 5 words.
    (table,) = spoken_tables(data.items, data.responses)
    assert dict(row[:2] for row in table.rows)["word error rate of the recogniser"] == pytest.approx(0.4)
    values = {row.aspect: row.value for row in rules.rows(data.items, data.responses)}
    assert values == {"words": 5.0, "word error rate": pytest.approx(0.4)}


def test_no_trial_where_none_is_wanted(corpus: Corpus) -> None:
    rules = replace(SpokenCaptions(), qualification=0)
    assert {item.stage for item in rules.items(corpus, seed=1) if rules.may_take(item, {})} == {"first"}
