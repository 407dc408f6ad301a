"""Is a recording worth keeping? Length, silence, clipping, and words that can be recognised.

Spoken ObjectNet checked every recording before a worker could go on (Palmer et al. 2021, followed
by ObjectNet Captions, section 3). The limits are ours and can be set.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from captious.models.speech.audio import RATE, Recording

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
