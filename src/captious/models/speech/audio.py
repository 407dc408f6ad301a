"""A recording as numbers: WAV files read with nothing but the standard library and SciPy."""

from __future__ import annotations

import hashlib
import io
import math
import wave
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from captious.errors import InputError

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

    >>> from captious.models.speech.audio import read_wav, to_wav
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
