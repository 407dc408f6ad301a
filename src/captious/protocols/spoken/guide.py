"""What speakers and transcribers are told (ObjectNet Captions, section 3)."""

from __future__ import annotations

from captious.protocols.item import Guide

SPEAK = (
    Guide(
        "Describe the image aloud",
        "Look at the image. Then describe it as you would to someone who cannot see it: the main things, "
        "what they look like, and where they are. Speak naturally, in one or a few sentences.",
    ),
    Guide(
        "Record",
        "Press Record, speak, then press Stop. Listen to your recording, and record again if you like. Find "
        "a quiet place and stay close to the microphone.",
    ),
)
QUALIFY = (
    Guide(
        "A short trial first",
        "These images are for practice. You continue when your recordings are clear and long enough.",
    ),
    *SPEAK,
)
CORRECT = (
    Guide(
        "Correct the transcript",
        "Play the recording as often as you like. The transcript was made automatically: correct every wrong "
        "word, and leave out sounds such as um.",
    ),
    Guide(
        "Capitals and punctuation",
        "The automatic transcript has none. Add them as well as you can: every transcript needs some change.",
        ("a dog um runs on the gras → A dog runs on the grass.",),
    ),
)
