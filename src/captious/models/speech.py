"""Spoken captions: recordings read and checked, and turned into text by a recogniser."""

from __future__ import annotations

import hashlib
import io
import math
import re
import wave
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError, MissingDependencyError, UnknownNameError
from captious.models import locate

__all__ = ["RECOGNISERS", "Recogniser", "Recording", "read_wav", "recogniser", "recording_problems"]


_WORDS = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")


class Recogniser(ABC):
    """Turns a recording into lower-case words without punctuation, as the paper's did."""

    label: str

    @abstractmethod
    def hear(self, recording: Recording) -> str:
        """What was said, as the model writes it."""

    def transcribe(self, recording: Recording) -> str:
        """What was said: lower-case words, one space between them, no punctuation.

        ObjectNet Captions (section 3) showed such transcripts to correct: each needs at least
        capitals and punctuation, so none can be sent as it is.
        """
        return bare_words(self.hear(recording))


class PocketsphinxRecogniser(Recogniser):
    """CMU's small model of American English, inside the package; works offline anywhere."""

    def __init__(self) -> None:
        try:
            from pocketsphinx import Decoder, get_model_path
        except ImportError:
            raise MissingDependencyError(
                "offline transcripts come with the package pocketsphinx", "speech"
            ) from None
        self._decoder = Decoder(samprate=RATE, loglevel="FATAL")
        self.label = f"pocketsphinx-en-us/{locate.digest(Path(get_model_path('en-us/en-us/mdef')))}"

    def hear(self, recording: Recording) -> str:
        """The best path through the words of its dictionary; "" where nothing is recognised."""
        # It adapts to the noise that it hears; each recording is heard as if it were the first.
        self._decoder.reinit_feat()
        self._decoder.start_utt()
        self._decoder.process_raw(recording.pcm(), no_search=False, full_utt=True)
        self._decoder.end_utt()
        found = self._decoder.hyp()
        return found.hypstr if found is not None else ""


class WhisperRecogniser(Recogniser):
    """A Whisper model by faster-whisper: the one a package carries, or a folder of another."""

    def __init__(self, name: str = locate.WHISPER) -> None:
        folder = locate.local(name)
        try:
            from faster_whisper import WhisperModel
        except ImportError:
            raise MissingDependencyError("Whisper needs the package faster-whisper", "whisper") from None
        source = str(folder) if folder is not None else name
        self._model = WhisperModel(source, device="cpu", compute_type="int8", cpu_threads=1)
        self.label = f"whisper/{locate.digest(folder / 'model.bin')}" if folder is not None else name

    def hear(self, recording: Recording) -> str:
        """Whisper's own text, with its capitals and punctuation."""
        pieces, _ = self._model.transcribe(recording.samples, language="en", beam_size=5)
        return " ".join(piece.text.strip() for piece in pieces)


RECOGNISERS: dict[str, type[Recogniser]] = {
    "pocketsphinx": PocketsphinxRecogniser,
    "whisper": WhisperRecogniser,
}


@lru_cache(maxsize=4)
def recogniser(name: str = "pocketsphinx") -> Recogniser:
    """The recogniser of a name, loaded once.

    >>> recogniser("sphinx")
    Traceback (most recent call last):
    captious.errors.UnknownNameError: unknown recogniser "sphinx". ...
    """
    if name not in RECOGNISERS:
        raise UnknownNameError("recogniser", name, RECOGNISERS)
    return RECOGNISERS[name]()


def bare_words(text: str) -> str:
    """Lower-case words without punctuation.

    >>> bare_words("There's a dog, I think. A well-fed one!")
    "there's a dog i think a well-fed one"
    """
    return " ".join(_WORDS.findall(text.lower()))


Samples = NDArray[np.float32]
RATE = 16_000  # what recognisers expect
WIDTH = 2  # bytes of a sample: 16 bits
LARGEST_BYTES = 30_000_000  # five minutes at 48 kHz, 16 bits


@dataclass(frozen=True, eq=False)
class Recording:
    """Sound from -1 to 1 at `RATE` samples a second, one channel.

    `peak_share` is the share of samples at the loudest value that the file can hold.
    """

    samples: Samples
    peak_share: float
    sha256: str

    @property
    def seconds(self) -> float:
        """How long it is."""
        return len(self.samples) / RATE

    def pcm(self) -> bytes:
        """The samples as 16-bit little-endian integers."""
        return (np.clip(self.samples, -1, 1) * 32767).astype("<i2").tobytes()


def read_wav(content: bytes, where: str = "recording") -> Recording:
    """Read a WAV file of 16-bit samples: any rate, any number of channels.

    >>> silence = to_wav(np.zeros(RATE, dtype=np.float32))
    >>> read_wav(silence).seconds
    1.0
    """
    if len(content) > LARGEST_BYTES:
        raise InputError(f"{where}: {len(content):,} bytes is too large. Record at most five minutes.")
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            frames = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise InputError(f"{where}: is not a WAV file ({error}). Send 16-bit PCM WAV.") from error
    if width != WIDTH or not channels or not 4_000 <= rate <= 192_000:
        raise InputError(f"{where}: {8 * width} bits at {rate} Hz cannot be read. Send 16-bit PCM WAV.")
    whole = len(frames) - len(frames) % (WIDTH * channels)
    numbers = np.frombuffer(frames[:whole], dtype="<i2").reshape(-1, channels)
    peaks = float(np.mean((numbers >= 32767) | (numbers <= -32768))) if len(numbers) else 0.0
    samples = (numbers.astype(np.float32) / 32768).mean(axis=1, dtype=np.float32)
    return Recording(_resampled(samples, rate), peaks, hashlib.sha256(content).hexdigest())


def to_wav(samples: Samples, rate: int = RATE) -> bytes:
    """The samples as a WAV file of 16 bits and one channel."""
    target = io.BytesIO()
    with wave.open(target, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(WIDTH)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())
    return target.getvalue()


def _resampled(samples: Samples, rate: int) -> Samples:
    if rate == RATE or not len(samples):
        return samples
    from scipy.signal import resample_poly

    common = math.gcd(rate, RATE)
    return np.asarray(resample_poly(samples, RATE // common, rate // common), dtype=np.float32)


# Is a recording worth keeping? Length, silence, clipping, and words that can be recognised.
# Spoken ObjectNet checked every recording before a worker could go on (Palmer et al. 2021, followed
# by ObjectNet Captions, section 3). The limits are ours and can be set.


FRAME = RATE // 50  # 20 ms


@dataclass(frozen=True)
class Limits:
    """What a recording must have: seconds, share of sound, loudness, words."""

    shortest: float = 2.0
    longest: float = 120.0
    quietest: float = 0.01  # root mean square of a frame with sound, of full scale: -40 dB
    least_sound: float = 0.1  # share of frames with sound
    most_clipped: float = 0.01  # share of samples at full scale
    fewest_words: int = 4


DEFAULT = Limits()


def recording_problems(recording: Recording, limits: Limits = DEFAULT) -> list[str]:
    """What is wrong with a recording, a line each, in words for the person who made it.

    >>> from captious.models.speech import read_wav, to_wav
    >>> recording_problems(read_wav(to_wav(np.zeros(3 * RATE, dtype=np.float32))))
    ['Nothing can be heard. Check the microphone and record again.']
    """
    if recording.seconds < limits.shortest:
        return [f"The recording is {recording.seconds:.1f} s long. Speak for {limits.shortest:g} s at least."]
    found = []
    if recording.seconds > limits.longest:
        found.append(f"The recording is {recording.seconds:.0f} s long. Use {limits.longest:g} s at most.")
    if sound_share(recording, limits.quietest) < limits.least_sound:
        found.append("Nothing can be heard. Check the microphone and record again.")
    if recording.peak_share > limits.most_clipped:
        found.append("The recording is too loud and distorted. Move away from the microphone.")
    return found


def word_problems(transcript: str, limits: Limits = DEFAULT) -> list[str]:
    """What is wrong with what was recognised in a recording.

    >>> word_problems("a dog runs over grass"), len(word_problems("um"))
    ([], 1)
    """
    words = len(transcript.split())
    if words >= limits.fewest_words:
        return []
    return [f"{words} words were recognised, {limits.fewest_words} are needed. Speak clearly and say more."]


def sound_share(recording: Recording, quietest: float) -> float:
    """Share of frames of 20 ms whose root mean square is above `quietest`."""
    frames = len(recording.samples) // FRAME
    if not frames:
        return 0.0
    power = np.square(recording.samples[: frames * FRAME], dtype=np.float64).reshape(frames, FRAME)
    return float(np.mean(np.sqrt(power.mean(axis=1)) > quietest))
