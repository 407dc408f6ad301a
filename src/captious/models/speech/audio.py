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
