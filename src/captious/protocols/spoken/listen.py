"""A recording is checked and written down, before it is stored."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from captious.errors import InputError
from captious.protocols.form import Answer

if TYPE_CHECKING:
    from captious.protocols.spoken.rules import SpokenCaptions


def heard(rules: SpokenCaptions, path: Path) -> dict[str, Answer]:
    """Seconds, transcript and recogniser of a recording; `problem` where it cannot be used."""
    from captious.models.speech import Limits, read_wav, recogniser, recording_problems, word_problems

    limits = Limits(shortest=rules.shortest, longest=rules.longest, fewest_words=rules.fewest_words)
    try:
        recording = read_wav(path.read_bytes())
    except InputError as error:
        return {"problem": str(error)}
    problems = recording_problems(recording, limits)
    if problems:
        return {"problem": " ".join(problems)}
    by = recogniser(rules.recogniser)
    transcript = by.transcribe(recording)
    problems = word_problems(transcript, limits)
    if problems:
        return {"problem": " ".join(problems)}
    return {
        "seconds": round(recording.seconds, 3),
        "transcript": transcript,
        "recogniser": by.label,
        "sha256": recording.sha256,
    }
