"""`captious campaign create` and `import`: from files to a campaign."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.cli import options
from captious.cli.campaign.options import (
    DEFAULT_DATABASE,
    Database,
    Files,
    actor,
    opened,
    require_database_library,
    require_found,
)
from captious.cli.output import Format
from captious.errors import InputError, UnknownNameError, one_line
from captious.files import text_of

if TYPE_CHECKING:
    from captious.campaigns.records import Draft
    from captious.protocols.training import AfterFailing as AfterFailingChoice

DEFAULT_SEED = 20220710
LONGEST_CONSENT = 20_000  # as the pages have it


Title = Annotated[str, typer.Option("--title", metavar="TEXT", help="Title that raters see.")]
ShortName = Annotated[
    str,
    typer.Option(
        "--slug", metavar="NAME", help="Short name in commands and addresses. Default: from the title."
    ),
]
Protocol = Annotated[
    str,
    typer.Argument(
        metavar="PROTOCOL",
        help="Name of a protocol (see `captious campaign protocols`), or your own YAML file.",
        show_default=False,
    ),
]
RatersEach = Annotated[
    int | None, typer.Option("--raters", metavar="N", min=1, help="Raters per item. Default: the protocol's.")
]
ProtocolOption = Annotated[
    list[str] | None,
    typer.Option("--option", metavar="NAME=VALUE", help="Option of the protocol, as name=value; repeatable."),
]
Gold = Annotated[
    Path | None,
    typer.Option(
        "--gold",
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="JSON file of known answers: {item: {question: answer}}.",
    ),
]
TrainingFile = Annotated[
    str | None,
    typer.Option(
        "--training",
        metavar="FILE",
        help="YAML file of training examples with known answers; `sample` uses the bundled ones.",
    ),
]
FindingsFile = Annotated[
    Path | None,
    typer.Option(
        "--findings",
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="Findings (JSONL, CSV, Parquet) that raters start from: marked until they change them.",
    ),
]
PassMark = Annotated[
    float,
    typer.Option(
        "--pass-mark",
        metavar="X",
        min=0.01,
        max=1,
        help="Share of right answers needed to pass the training, 0 to 1.",
    ),
]
Tries = Annotated[
    int, typer.Option("--tries", metavar="N", min=1, max=100, help="Number of tries at the training.")
]
AfterFailing = Annotated[
    str,
    typer.Option(
        "--after-failing",
        metavar="stop|uncounted|again",
        help="After the last failed try: stop (no work), uncounted (work does not count) or again.",
    ),
]
SurveyBefore = Annotated[
    Path | None,
    typer.Option("--survey-before", metavar="FILE", help="YAML file of questions before the first task."),
]
SurveyAfter = Annotated[
    Path | None,
    typer.Option("--survey-after", metavar="FILE", help="YAML file of questions after the last task."),
]
Pay = Annotated[float | None, typer.Option("--pay", metavar="AMOUNT", min=0, help="Pay per response.")]
Wage = Annotated[float | None, typer.Option("--wage", metavar="AMOUNT", min=0, help="Target hourly wage.")]
Currency = Annotated[
    str, typer.Option("--currency", metavar="CODE", help="Currency of --pay and --wage, such as USD.")
]
Instructions = Annotated[
    str, typer.Option("--instructions", metavar="TEXT", help="Text shown to raters above the guide.")
]
Consent = Annotated[
    Path | None,
    typer.Option("--consent", metavar="FILE", help="Text file that raters must agree to before they start."),
]
Contact = Annotated[str, typer.Option("--contact", metavar="TEXT", help="Contact that raters can ask.")]
MinimumSeconds = Annotated[
    float,
    typer.Option(
        "--minimum-seconds", metavar="X", min=0, help="Flag answers that took fewer seconds than this."
    ),
]
NoImages = Annotated[bool, typer.Option("--no-images", help="Show no images; raters see them elsewhere.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show items and costs without storing anything.")]
Begin = Annotated[bool, typer.Option("--open", help="Open the campaign at once.")]


def create(
    protocol: Protocol,
    candidates: options.Candidates,
    references: options.KeptReferences = None,
    images: options.Images = None,
    no_images: NoImages = False,
    names: options.Names = None,
    title: Title = "",
    slug: ShortName = "",
    raters: RatersEach = None,
    option: ProtocolOption = None,
    gold: Gold = None,
    pay: Pay = None,
    wage: Wage = None,
    currency: Currency = "",
    instructions: Instructions = "",
    consent: Consent = None,
    training: TrainingFile = None,
    findings: FindingsFile = None,
    pass_mark: PassMark = 0.8,
    tries: Tries = 2,
    after_failing: AfterFailing = "stop",
    survey_before: SurveyBefore = None,
    survey_after: SurveyAfter = None,
    contact: Contact = "",
    minimum_seconds: MinimumSeconds = 2.0,
    seed: options.Seed = DEFAULT_SEED,
    dry_run: DryRun = False,
    begin: Begin = False,
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
    form: options.OutputFormat = Format.table,
) -> None:
    """Create a campaign from files of captions.

    Example: captious campaign create thumb -c m2.json vinvl.json --images val2014 --raters 2
    """
    require_database_library()
    from captious.campaigns.records import Settings
    from captious.campaigns.setup import create as making
    from captious.cli import inputs
    from captious.cli.campaign.drafts import draft_payload, draft_tables
    from captious.cli.output import emit_guarded, note
    from captious.corpus.finding_files import read_findings

    if images and no_images:
        raise InputError("--images and --no-images: give only one of them.")
    chosen = protocol_options(protocol, raters, option or [])
    settings = Settings(
        payment_per_response=pay,
        hourly_wage=wage,
        currency=currency,
        instructions=instructions,
        consent=text_file(consent),
        survey_before=text_file(survey_before),
        survey_after=text_file(survey_after),
        training_pass=pass_mark,
        training_tries=tries,
        after_failing=checked_choice(after_failing),
        contact=contact,
        minimum_seconds=minimum_seconds,
    )
    corpus = inputs.load(candidates, references, names, images)
    require_found(corpus, images)
    draft = making.draft(
        protocol,
        corpus,
        title=title or _usual_title(protocol),
        slug=slug or None,
        options=chosen,
        seed=seed,
        settings=settings,
        gold=gold,
        training=training,
        findings=read_findings(findings) if findings else None,
    )
    if not (images or no_images) and "images" in draft.rules().needs:
        raise InputError(
            f"{protocol}: raters would see no images. Give --images DIR, or --no-images if they "
            "see them elsewhere."
        )
    if not dry_run:
        _store(draft, begin, database, files)
    emit_guarded(draft_tables(draft), draft_payload(draft), form)
    if dry_run:
        note("nothing was stored. Leave out --dry-run to create it.")


def _store(draft: Draft, begin: bool, database: str, files: Path | None) -> None:
    from captious.campaigns.setup import create as making
    from captious.campaigns.setup import lifecycle
    from captious.cli.output import note

    with opened(database, files, new=True) as db:
        made = making.create(db, draft, actor=actor())
        if begin:
            made = lifecycle.open_campaign(db, made, actor=actor())
    note(f"created {made.slug} ({made.state})")
    if not begin:
        note(f"to let raters start, run: captious campaign open {made.slug}")


def protocol_options(protocol: str, raters: int | None, given: list[str]) -> dict[str, Any]:
    """The options of a protocol as typed; `--raters` means what the protocol calls it.

    >>> protocol_options("humanr", 2, ["baseline=false"])
    {'target': 2, 'baseline': False}
    """
    import json

    from captious.protocols import described_by, kind_of

    found: dict[str, Any] = {}
    if raters is not None:
        kind = described_by(protocol) or kind_of(protocol)
        found |= kind.options_for(raters)
    for text in given:
        name, separator, value = text.partition("=")
        if not separator or not name.strip():
            raise InputError(f'--option "{one_line(text, 40)}": write name=value.')
        try:
            found[name.strip()] = json.loads(value.strip().lower())
        except ValueError:  # no JSON, or more digits than Python reads
            found[name.strip()] = value.strip()
    return found


def _usual_title(protocol: str) -> str:
    return Path(protocol).stem if "." in protocol else protocol


def checked_choice(after_failing: str) -> AfterFailingChoice:
    """What follows failing, as it was typed."""
    from captious.protocols.training import AFTER_FAILING

    for one in AFTER_FAILING:
        if one == after_failing:
            return one
    raise UnknownNameError("value of --after-failing", after_failing, AFTER_FAILING)


def text_file(path: Path | None) -> str:
    """The text of a file that raters will read, "" without one."""
    if path is None:
        return ""
    found = text_of(path).strip()
    if not found or len(found) > LONGEST_CONSENT:
        raise InputError(f"{path}: the text must have 1 to {LONGEST_CONSENT:,} characters.")
    return found


def import_(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="THumB's released file, a captious export (folder, "
            "zip or table), or judgments as JSONL, CSV or Parquet.",
            show_default=False,
        ),
    ],
    title: Title = "",
    slug: ShortName = "",
    candidates: Annotated[
        list[Path] | None,
        typer.Option(
            "--candidates", "-c", metavar="FILE...", help="Files of captions, if the judgments contain none."
        ),
    ] = None,
    references: options.KeptReferences = None,
    images: options.Images = None,
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
) -> None:
    """Create a campaign from existing judgments.

    Example: captious campaign import mscoco_THumB-1.0.jsonl --title "THumB 1.0"
    """
    from captious.cli.output import note

    if not source.exists():
        raise InputError(f"{source}: there is no such file or folder.")
    with opened(database, files, new=True) as db:
        from captious.campaigns.exchange.importing import import_file
        from captious.campaigns.results import analysis

        made = import_file(
            db,
            source,
            actor=actor(),
            title=title or None,
            slug=slug or None,
            images=images,
            references=references or (),
            candidates=candidates or (),
        )
        view = analysis.overview(db, made)
    note(
        f"imported {view.responses:,} responses (raters: {view.raters}) as {made.slug} "
        f"({made.protocol}, {made.state})"
    )
