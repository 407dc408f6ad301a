"""What speakers and transcribers are told (ObjectNet Captions, section 3)."""

from __future__ import annotations

from captious.protocols.item import Guide

SPEAK = (
    Guide(
        "Describe the image aloud",
        "Look at the image, then say what you see as you would tell someone who cannot see it: the main "
        "things, what they look like, and where they are. Speak naturally, in one or a few sentences.",
    ),
    Guide(
        "Record",
        "Press Record, speak, press Stop. Listen to it, and record again if you want to. Find a quiet place "
        "and stay near the microphone.",
    ),
)
QUALIFY = (
    Guide(
        "A short trial first",
        "These images are for practice. Once your recordings are clear and long enough, you go on.",
    ),
    *SPEAK,
)
CORRECT = (
    Guide(
        "Correct the transcript",
        "Play the recording, as often as you like. A machine has written down what it heard: mend every word "
        "that is wrong, and leave out sounds such as um.",
    ),
    Guide(
        "Capitals and punctuation",
        "The machine writes none. Add them as well as you can: every transcript needs some change.",
        ("a dog um runs on the gras → A dog runs on the grass.",),
    ),
)
