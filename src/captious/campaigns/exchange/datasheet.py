"""A datasheet for an exported data set, in the sections of Gebru et al. (2021).

What the database knows is filled in; what only people know is a line that they cannot overlook.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from captious._version import __version__
from captious.campaigns.exchange.croissant import day
from captious.tables import Table
from captious.tables.text import to_markdown

BLANK = "**TO BE FILLED IN BY THE OWNER:**"


class Facts(NamedTuple):
    """What a campaign's database knows of its data."""

    title: str
    slug: str
    protocol: str
    protocol_title: str
    options: tuple[str, ...]
    citation: str
    instructions: str
    contact: str
    images: int
    captions: int
    systems: tuple[str, ...]
    items: int
    stages: tuple[str, ...]
    responses: int
    standing: int
    corrections: int
    adjudications: int
    sources: tuple[str, ...]
    raters: int
    native: int
    removed: int
    consented: int
    withdrawn: int
    first_time: float | None
    last_time: float | None
    median_seconds: float | None
    payment_per_response: float | None
    currency: str
    hourly_wage: float | None
    identities: bool
    flags: tuple[tuple[str, int, int, int], ...]
    image_files: int
    written: float
    findings: bool = False


class Answered(NamedTuple):
    """A question of the datasheet with its answer."""

    question: str
    answer: str


def datasheet(facts: Facts, agreement: Sequence[Table] = (), files: Sequence[str] = ()) -> str:
    """Return the datasheet as Markdown."""
    sections = {
        "Motivation": _motivation(facts),
        "Composition": _composition(facts),
        "Collection process": _collection(facts),
        "Preprocessing, cleaning and labelling": _cleaning(facts, agreement),
        "Uses": _uses(facts),
        "Distribution": _distribution(files),
        "Maintenance": _maintenance(facts),
    }
    lines = [
        f"# Datasheet: {one_row(facts.title)}",
        "",
        f"Written by captious {__version__} on {day(facts.written)} from what the campaign's "
        "database holds, in the sections of Gebru et al. (2021), *Datasheets for Datasets*. "
        f'Passages marked "{BLANK.strip("*:")}" are for the people who ran it.',
    ]
    for name, answers in sections.items():
        lines += ["", f"## {name}"]
        for one in answers:
            lines += ["", f"**{one.question}**", "", one.answer]
    return "\n".join(lines) + "\n"


def one_row(text: str) -> str:
    """Text that people typed, on one line and without Markdown's block marks.

    >>> one_row("Two" + chr(10) + "# lines")
    'Two # lines'
    """
    return " ".join(text.split())


def _consent(facts: Facts) -> str:
    if not facts.consented:
        return _blank("what raters were told and agreed to.")
    return (
        f"{facts.consented:,} of {facts.raters:,} raters agreed to the consent text before they "
        "began. The text is in `campaign.json`, its version and the time in the table of raters."
    )


def _blank(what: str) -> str:
    return f"{BLANK} {what}"


def _motivation(facts: Facts) -> list[Answered]:
    return [
        Answered(
            "For what purpose was the data set made?",
            f"To collect human judgments of image captions under the protocol *{facts.protocol_title}*"
            + (f" ({facts.citation})" if facts.citation else "")
            + ". "
            + _blank("the question that the judgments should answer."),
        ),
        Answered("Who made it, and for whom?", _blank("people and institution.")),
        Answered("Who paid for it?", _blank("funding, grant numbers.")),
    ]


def _composition(facts: Facts) -> list[Answered]:
    systems = ", ".join(one_row(system) for system in facts.systems) or "none named"
    private = (
        "Raters' names and addresses, because the export was requested with identities. Do not "
        "publish them without the raters' consent."
        if facts.identities
        else "Raters appear under pseudonyms (r001, r002, ...) that only the campaign's "
        "database can resolve. Free texts that raters wrote, such as corrected captions and comments, are "
        "included as written. " + _blank("whether images or captions show or name persons.")
    )
    return [
        Answered(
            "What does an instance represent?",
            "One judgment: what one rater said about one caption of one image in one aspect. "
            "The raw responses, as the raters gave them, are included too."
            + (
                " Findings are places of captions that raters marked as wrong, with kind and severity; a row "
                "without a kind says that a rater marked nothing."
                if facts.findings
                else ""
            ),
        ),
        Answered(
            "How many instances are there?",
            f"{facts.standing:,} responses that count (of {facts.responses:,} stored) to "
            f"{facts.items:,} items on {facts.images:,} images with {facts.captions:,} different "
            f"captions. Sources of captions: {systems}. Stages: {', '.join(facts.stages)}.",
        ),
        Answered(
            "Is it a sample of something larger?",
            _blank("where the images and captions come from and how they were chosen."),
        ),
        Answered(
            "Is anything missing?",
            f"{facts.image_files:,} image files were in the campaign; they are not part of the "
            "export. Responses without a recorded time or duration have empty cells.",
        ),
        Answered(
            "Are there errors, noise or redundancies?",
            "Captions that several systems wrote were judged once and count for each. Corrections "
            f"are separate rows ({facts.corrections:,}); the answers that they replace are kept, with "
            "`standing` set to false.",
        ),
        Answered("Does it contain confidential or personal data?", private),
        Answered("Could it offend or harm?", _blank("content warnings, if any.")),
    ]


def _collection(facts: Facts) -> list[Answered]:
    when = "No response yet."
    if facts.first_time is not None and facts.last_time is not None:
        when = f"From {day(facts.first_time)} to {day(facts.last_time)} (UTC)."
    time = ""
    if facts.median_seconds is not None:
        time = f" The median response took {facts.median_seconds:.1f} seconds."
    simulated = (
        " Some responses are simulated, as their source states." if "simulated" in facts.sources else ""
    )
    asked = one_row(facts.instructions)
    return [
        Answered(
            "How were the data collected?",
            f"Through captious, protocol `{facts.protocol}`"
            + (f" with {', '.join(facts.options)}" if facts.options else "")
            + ". Sources of responses: "
            f"{', '.join(facts.sources) or 'none'}.{simulated}{time}"
            + (f" Raters were also told: {asked}" if asked else ""),
        ),
        Answered(
            "Who took part, and how were they paid?",
            f"{facts.raters:,} raters, {facts.native:,} of them marked as native speakers. "
            f"{_pay(facts)} " + _blank("who the raters were and how they were recruited."),
        ),
        Answered("Over what time?", when),
        Answered("Was there an ethical review?", _blank("board, decision, number.")),
        Answered(
            "Did the raters consent, and can they withdraw their consent?",
            f"{facts.withdrawn:,} raters have withdrawn. " + _consent(facts),
        ),
    ]


def _pay(facts: Facts) -> str:
    if facts.payment_per_response is not None:
        each = f"{facts.payment_per_response:g} {facts.currency}".strip()
        wage = ""
        if facts.hourly_wage is not None:
            wage = f" (intended to amount to {facts.hourly_wage:g} {facts.currency} per hour)"
        return f"Each response was paid {each}{wage}."
    return _blank("pay, or that the work was unpaid.")


def _cleaning(facts: Facts, agreement: Sequence[Table]) -> list[Answered]:
    flags = "Quality control flagged no raters."
    if facts.flags:
        rows = "; ".join(
            f"{rule}: {found} flagged, {upheld} upheld, {dismissed} dismissed"
            for rule, found, upheld, dismissed in facts.flags
        )
        flags = f"Raters flagged by quality control: {rows}."
    answers = [
        Answered(
            "Was anything removed or cleaned?",
            f"{facts.removed:,} raters were removed; their responses are in the raw file with "
            f"`standing` set to false, and in no judgment. {flags} {facts.adjudications:,} disagreements "
            "were decided by an adjudicator, in a separate stage.",
        ),
        Answered("Are the raw data included?", "Yes: every response as given, including corrections."),
    ]
    for table in agreement:
        answers.append(
            Answered(f"Agreement: {table.title}", to_markdown(Table("", table.columns, table.rows)).rstrip())
        )
    return answers


def _uses(facts: Facts) -> list[Answered]:
    return [
        Answered("What has it been used for?", _blank("papers, models.")),
        Answered(
            "What else can it be used for?",
            "To measure how well automatic metrics correlate with human judgments (`captious meta`) and how "
            "well raters agree (`captious judgments agreement`), and to train metrics (`captious train`).",
        ),
        Answered("What should it not be used for?", "To judge the raters. " + _blank("other limits.")),
    ]


def _distribution(files: Sequence[str]) -> list[Answered]:
    listed = "\n".join(f"- `{name}`" for name in files) or "- none yet"
    return [
        Answered("Which files are there?", listed),
        Answered("Under which licence, and from when?", _blank("licence, date, DOI.")),
        Answered("Do others have rights in it?", _blank("licences of the images and captions.")),
    ]


def _maintenance(facts: Facts) -> list[Answered]:
    contact = one_row(facts.contact) or _blank("a contact.")
    return [
        Answered("Who maintains it, and how can they be contacted?", contact),
        Answered("Will it be updated? Where are errors announced?", _blank("plan.")),
        Answered("Can others extend it?", _blank("how to contribute.")),
    ]
