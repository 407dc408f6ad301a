"""Speech recognisers behind one interface: pocketsphinx offline, Whisper where it is installed."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from functools import lru_cache
from pathlib import Path

from captious.errors import MissingDependencyError, UnknownNameError
from captious.models import locate
from captious.models.speech.audio import RATE, Recording

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
