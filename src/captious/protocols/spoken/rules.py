"""Spoken captions as a protocol (ObjectNet Captions, section 3; Spoken ObjectNet).

A speaker records a description of each of four images. A recogniser writes down what it hears;
recordings that are silent, distorted, too short or without words are refused at once. Another
rater then listens and corrects the transcript, which cannot be sent unchanged.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from captious.corpus import Corpus
from captious.errors import InputError
from captious.protocols.assign import Progress
from captious.protocols.base import (
    FIRST,
    UNLIMITED,
    Asked,
    Exported,
    ExportFile,
    ExportNote,
    Guide,
    HumanProtocol,
    Item,
    Outcome,
    Past,
    Pay,
    Response,
    Row,
    Table,
    Words,
    matched,
    opaque,
    option,
)
from captious.protocols.capabilities import KnownPast, Recordings
from captious.protocols.item import Answer, Answers, Field, Form, Problem
from captious.protocols.registry import register
from captious.protocols.simulation import Someone
from captious.text.word_error import word_errors


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


QUALIFICATION, TRANSCRIPTION = "qualification", "transcription"
RECORDING, TRANSCRIPT = "recording", "transcript"
GROUP = 4  # ObjectNet Captions, section 3: a task contains 4 images
PER_IMAGE = 5  # ObjectNet Captions, section 3: 5 captions per image
PAY_PER_GROUP = 0.25  # USD, ObjectNet Captions, section 3, for speaking and for transcribing
SPEAKER = "human"

SPEAKING = Form((Field(RECORDING, "audio", "Describe the image aloud"),))
TRANSCRIBING = Form(
    (Field(TRANSCRIPT, "text", "What is said", help="Correct wrong words. Add capitals and punctuation."),)
)


@register("spoken")
@dataclass(frozen=True)
class SpokenCaptions(HumanProtocol, Recordings, KnownPast):
    """Captions that are spoken, transcribed by machine and corrected by hand."""

    title: ClassVar[str] = "Spoken captions"
    citation: ClassVar[str] = "ObjectNet Captions, section 3; Palmer et al. 2021, Spoken ObjectNet"
    words: ClassVar[Words] = Words(
        name="Spoken captions",
        what="Raters describe images aloud in the browser. A speech recogniser transcribes the recordings, "
        "and other raters correct the transcripts.",
        needs="Images, and a microphone for every speaker.",
        cost="One recording and one correction for each caption.",
        gives="Captions in COCO format with their recordings, and the recogniser's word error rate.",
        invitation="You will describe photographs aloud, or listen to descriptions and correct their "
        "automatic transcripts.",
    )
    stages: ClassVar[Mapping[str, str]] = {
        QUALIFICATION: "Trial recordings",
        FIRST: "Recording",
        TRANSCRIPTION: "Transcription",
    }
    export_files: ClassVar[tuple[ExportNote, ...]] = (
        ExportNote("captions.json", "corrected captions in COCO format with links to the recordings"),
    )
    raters_option: ClassVar[str] = "per_image"
    group_size: int = GROUP

    per_image: int = option(PER_IMAGE, "Captions for each image", low=1, high=1000)
    qualification: int = option(2, "Trial recordings before recordings count", low=0, high=20)
    shortest: float = option(2.0, "Shortest recording in seconds", low=0, high=60)
    longest: float = option(60.0, "Longest recording in seconds", low=1, high=300)
    fewest_words: int = option(4, "Minimum number of recognised words", low=0, high=100)
    recogniser: str = option("pocketsphinx", "Speech recogniser", choices=("pocketsphinx", "whisper"))

    def items(self, corpus: Corpus, *, seed: int) -> list[Item]:
        """A recording task for each image, and images to practise on."""
        images = list(dict.fromkeys(corpus.image_ids))
        practice = [
            Item(
                key=opaque(seed, QUALIFICATION, image),
                image=image,
                captions=(),
                form=SPEAKING,
                sources={},
                stage=QUALIFICATION,
                target=UNLIMITED,
                balance=QUALIFICATION,
                practice=True,
            )
            for image in (images[: self._trials] if self.qualification else [])
        ]
        return practice + [
            Item(
                key=opaque(seed, FIRST, image),
                image=image,
                captions=(),
                form=SPEAKING,
                sources={},
                target=self.per_image,
                balance=RECORDING,
            )
            for image in images
        ]

    @property
    def _trials(self) -> int:
        """Images for trial recordings: a few more than must succeed."""
        return 2 * self.qualification

    def guide(self, stage: str = FIRST) -> tuple[Guide, ...]:
        """For speakers, or for those who correct."""
        if stage == TRANSCRIPTION:
            return CORRECT
        return QUALIFY if stage == QUALIFICATION else SPEAK

    def asked(self, first: int) -> Asked:
        """Each recording is transcribed once."""
        return Asked(first, later=first)

    def usual_pay(self, asked: Asked) -> Pay | None:
        """The paper's 0.25 USD for four images, spoken or transcribed."""
        groups = asked.responses / GROUP
        return Pay(PAY_PER_GROUP * groups, "USD", f"{PAY_PER_GROUP:g} USD for {GROUP} images")

    # A rater at work

    def next_items(
        self, items: Sequence[Item], progress: Progress, rater: str, *, now: float, seed: int
    ) -> list[Item]:
        """Four images to speak about, or four recordings to correct; trial recordings one by one."""
        first = super().next_items(items, progress, rater, now=now, seed=seed)[:1]
        if first and first[0].practice:
            return first
        same = [item for item in items if first and item.stage == first[0].stage]
        return super().next_items(same, progress, rater, now=now, seed=seed)

    def may_take(self, item: Item, record: Mapping[str, Any]) -> bool:
        """Trial recordings first; those who have passed are given everything else."""
        passed = bool(record.get("passed", 0) >= self.qualification)
        return (item.stage == QUALIFICATION) != passed

    def may_correct(self, item: Item) -> bool:
        """A transcript may be changed; a recording that somebody may be hearing may not."""
        return item.stage == TRANSCRIPTION

    def problems(self, item: Item, answers: Answers) -> list[Problem]:
        """A transcript must differ from the machine's."""
        if item.stage != TRANSCRIPTION:
            return []
        machine, given = str(item.prior.get(TRANSCRIPT, "")), str(answers.get(TRANSCRIPT, ""))
        if " ".join(machine.split()) == " ".join(given.split()):
            return [
                Problem(
                    TRANSCRIPT, "The transcript is unchanged. Correct it, and add capitals and punctuation."
                )
            ]
        return []

    def derive(self, item: Item, response: Response, file: Callable[[str], Path]) -> Mapping[str, Answer]:
        """The recording checked and written down by a machine."""
        if item.stage == TRANSCRIPTION:
            return {}
        return heard(self, file(str(response.answers[RECORDING])))

    def outcome(self, item: Item, response: Response, past: Past) -> Outcome | list[Problem]:
        """Refuse a recording that cannot be used; count trial recordings that can."""
        if item.stage == TRANSCRIPTION:
            return Outcome()
        problem = str(response.derived.get("problem", ""))
        if problem:
            return [Problem(RECORDING, problem)]
        if item.stage != QUALIFICATION:
            return Outcome()
        passed = past.record.get("passed", 0) + 1
        left = self.qualification - passed
        after = f"{left} more for practice." if left > 0 else "Your recordings count from now on."
        return Outcome(feedback=(f"That was clear. {after}",), record={**past.record, "passed": passed})

    def record_lines(self, record: Mapping[str, Any]) -> tuple[str, ...]:
        """How many trial recordings are left."""
        left = self.qualification - record.get("passed", 0)
        return (f"Trial recordings left: {left}",) if left > 0 else ()

    def follow_ups(self, item: Item, response: Response) -> list[Item]:
        """Somebody else listens and corrects what the machine wrote."""
        if item.stage != FIRST:
            return []
        name = str(response.answers[RECORDING])
        return [
            Item(
                key=f"{TRANSCRIPTION}/{name.split('.', maxsplit=1)[0][:40]}",
                image=item.image,
                captions=(),
                form=TRANSCRIBING,
                sources={},
                stage=TRANSCRIPTION,
                not_for=frozenset({response.rater}),
                prior={TRANSCRIPT: str(response.derived.get(TRANSCRIPT, ""))},
                recording=name,
                balance=TRANSCRIPTION,
            )
        ]

    # What becomes of responses

    def rows(self, items: Iterable[Item], responses: Iterable[Response]) -> Iterable[Row]:
        """Length of each corrected caption, and the machine's word error rate against it."""
        for item, response in matched(items, responses):
            if item.stage != TRANSCRIPTION:
                continue
            caption = str(response.answers[TRANSCRIPT])
            errors = word_errors(str(item.prior.get(TRANSCRIPT, "")), caption)
            for aspect, value in (("words", float(errors.words)), ("word error rate", errors.rate)):
                yield Row(
                    item.image,
                    SPEAKER,
                    caption,
                    response.rater,
                    aspect,
                    value,
                    item.stage,
                    response.time,
                    example=item.key,
                )

    def tables(self, items: Sequence[Item], responses: Sequence[Response]) -> list[Table]:
        """What was collected: captions, lengths, seconds, word error rate."""
        from captious.protocols.spoken.dataset import spoken_tables

        return spoken_tables(items, responses)

    def extra_files(self, data: Exported) -> list[ExportFile]:
        """Captions with links to their recordings; nothing about who spoke or wrote."""
        from captious.protocols.spoken.dataset import coco_lines

        note = self.export_files[0]
        return [ExportFile(note.name, note.about, coco_lines(data))]

    def simulated(self, item: Item, someone: Someone) -> dict[str, Any]:
        """A tone in place of speech; a transcript with a capital and a full stop."""
        if item.stage != TRANSCRIPTION:
            return {RECORDING: someone.record(self.shortest)}
        machine = str(item.prior.get(TRANSCRIPT, "")) or "nothing was said"
        return {TRANSCRIPT: f"{machine[:1].upper()}{machine[1:]}."}

    def simulated_derive(self, item: Item, response: Response) -> Mapping[str, Answer]:
        """A transcript that says that nobody spoke."""
        if item.stage == TRANSCRIPTION:
            return {}
        said = " ".join(["simulated caption without words"] * max(1, -(-self.fewest_words // 4)))
        return {"seconds": self.shortest, TRANSCRIPT: said, "recogniser": "simulated"}
