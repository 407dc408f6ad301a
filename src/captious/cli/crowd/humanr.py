"""`captious crowd humanr`: human against machine in one command."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from captious.cli import options as shared
from captious.cli.campaign.create import DEFAULT_SEED
from captious.cli.campaign.options import DEFAULT_DATABASE, Database, Files, actor, require_database_library
from captious.cli.crowd import options
from captious.cli.crowd.publish import NOTHING_DONE, show_quote
from captious.cli.crowd.run import HalfWidth, KeepFlagged, NoApprove, Poll, TopUp, carry_through, rule_of
from captious.cli.output import Format
from captious.errors import InputError, UnknownNameError, one_line

if TYPE_CHECKING:
    from captious.campaigns.records import Draft
    from captious.campaigns.store.database import Database as OpenDatabase
    from captious.corpus import Corpus
    from captious.crowd.studies import Stored
    from captious.crowd.values import Study
    from captious.crowd.workers import Kind

HUMANR, SIMULATED = "humanr", "simulated"
STRAIGHT_LINE = 8  # of the ten answers of a place, the same in a row is no judgment
WORKERS = "good=30,lazy=4,left=3,slow=2,leaving=3"

Candidates = Annotated[
    list[Path] | None,
    typer.Option(
        "--candidates",
        "-c",
        metavar="FILE...",
        help="Files of model captions, one per system.",
        show_default=False,
    ),
]
References = Annotated[
    list[Path] | None,
    typer.Option(
        "--references", "-r", metavar="FILE...", help="File with the human captions.", show_default=False
    ),
]
Count = Annotated[
    int | None,
    typer.Option(
        "--number", "-n", metavar="N", min=2, help="Number of images, drawn at random. Default: all."
    ),
]
Sample = Annotated[bool, typer.Option("--sample", help="Use the bundled sample: 24 images, four systems.")]
ShortName = Annotated[
    str,
    typer.Option(
        "--slug", metavar="NAME", help="Name of the campaign. The same name resumes an earlier run."
    ),
]
Workers = Annotated[
    str,
    typer.Option(
        "--workers", metavar="KIND=N,...", help="With --provider simulated: number of workers of each kind."
    ),
]
Quality = Annotated[
    str,
    typer.Option(
        "--quality",
        metavar="SYSTEM=X,...",
        help="With --provider simulated: quality of each system from 0 to 1, as m2=0.6,m3=0.4. "
        "Default: 0.5; human captions have 0.9.",
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Also write an HTML report to this file.")
]


def humanr(
    candidates: Candidates = None,
    references: References = None,
    images: shared.Images = None,
    number: Count = None,
    sample: Sample = False,
    names: shared.Names = None,
    provider: options.Provider = "panel",
    option: options.Option = None,
    reward: options.Reward = None,
    minutes: options.Minutes = None,
    currency: options.Currency = "USD",
    budget: options.Budget = None,
    minimum_wage: options.MinimumWage = 15.0,
    base_url: options.BaseUrl = options.LOCAL,
    half_width: HalfWidth = None,
    level: shared.Level = shared.DEFAULT_LEVEL,
    poll: Poll = 60.0,
    top_up: TopUp = False,
    keep_flagged: KeepFlagged = False,
    no_approve: NoApprove = False,
    workers: Workers = WORKERS,
    quality: Quality = "",
    slug: ShortName = HUMANR,
    seed: shared.Seed = DEFAULT_SEED,
    out: Out = None,
    confirm: options.Confirm = False,
    database: Database = DEFAULT_DATABASE,
    files: Files = None,
    form: shared.OutputFormat = Format.table,
) -> None:
    """Compare a model's captions with human ones in a paid study.

    Prints the estimate and publishes only with --confirm. You can interrupt it at any time: run the same
    command again to resume.

    Example: captious crowd humanr -c git.json -r coco.json --images val2014 --provider prolific --budget 200
    """
    require_database_library()
    from captious.cli.output import note
    from captious.crowd.run import Plan

    candidates, references, images = _inputs(candidates, references, images, sample)
    draft, corpus = _draft(candidates, references, names, images, number, slug, seed)
    people = _people(workers, quality, corpus, sample) if provider == SIMULATED else None
    money = {
        "reward": reward,
        "minutes": minutes,
        "currency": currency,
        "budget": budget,
        "minimum_wage": minimum_wage,
    }
    chosen = _options(provider, option, database)
    if not confirm:
        show_quote(_planned(draft, base_url, **money), provider, chosen, form)
        note(NOTHING_DONE)
        return
    db, clock = _opened(database, files, simulated=people is not None)
    with db:
        stored = _stored(db, draft, corpus, provider, chosen, _planned(draft, base_url, **money))
        if form is not Format.json:
            show_quote(stored.study, stored.provider_name, dict(stored.options), form)
        from captious.campaigns.setup import lifecycle

        rule = rule_of(lifecycle.by_id(db, stored.campaign_id), half_width, level, "")
        plan = Plan(rule, approve=not no_approve, top_up=top_up, remove_flagged=not keep_flagged)
        wait = _waiting(db, stored, people, clock, poll, seed)
        carry_through(db, stored, plan, wait, form)
    _report(slug, out, database, form)


def _inputs(
    candidates: list[Path] | None, references: list[Path] | None, images: Path | None, sample: bool
) -> tuple[list[Path], list[Path], Path]:
    if sample:
        if candidates or references or images:
            raise InputError(
                "--sample has its own captions and images. Leave out --candidates, --references and --images."
            )
        from captious.data import demo_files

        found = demo_files()
        return list(found.systems), [found.references], found.images
    if not candidates or not references or images is None:
        raise InputError("give --candidates, --references (the human captions) and --images, or --sample.")
    return candidates, references, images


def _draft(
    candidates: list[Path],
    references: list[Path],
    names: list[str] | None,
    images: Path,
    count: int | None,
    slug: str,
    seed: int,
) -> tuple[Draft, Corpus]:
    from captious.campaigns.records import Settings
    from captious.campaigns.setup import create
    from captious.cli import inputs
    from captious.cli.campaign.options import require_found

    corpus = inputs.load(candidates, references, names, images)
    require_found(corpus, images)
    if count is not None:
        corpus = _drawn(corpus, count, seed)
    settings = Settings(straight_line=STRAIGHT_LINE)
    return create.draft(HUMANR, corpus, title="HUMANr", slug=slug, seed=seed, settings=settings), corpus


def _drawn(corpus: Corpus, count: int, seed: int) -> Corpus:
    """So many images at random, with all captions of them."""
    import numpy as np

    total = len(corpus.image_ids)
    if count > total:
        raise InputError(
            f"--number: asked for {count:,} images, but there are only {total:,}. Give a smaller number."
        )
    drawn = np.random.default_rng(seed).permutation(total)[:count]
    return corpus.select(np.flatnonzero(np.isin(corpus.image_of, drawn)))


def _planned(draft: Draft, base_url: str, **given: Any) -> Study:
    from captious.campaigns.setup.cost import first_stage
    from captious.crowd.planning import Work, plan
    from captious.web.settings import checked_base_url

    work = Work(first_stage(draft.items))
    return plan(
        draft, work, checked_base_url(base_url), title="Which caption goes best with the image?", **given
    )


def _options(provider: str, option: list[str] | None, database: str) -> dict[str, Any]:
    chosen = options.provider_options(option)
    if provider == SIMULATED:
        chosen.setdefault("market", options.market_beside(database))
    return chosen


def _opened(database: str, files: Path | None, *, simulated: bool) -> tuple[OpenDatabase, Any]:
    from captious.campaigns.simulate.run import Clock
    from captious.campaigns.store.database import Database as Opened

    clock = Clock(time.time()) if simulated else time.time
    return Opened.open(database, files=files, clock=clock), clock


def _stored(
    db: OpenDatabase, draft: Draft, corpus: Corpus, provider: str, chosen: dict[str, Any], study: Study
) -> Stored:
    """The study of this campaign: the one that was begun, else a new one."""
    from captious.campaigns.setup import create, lifecycle
    from captious.cli.output import note
    from captious.crowd import studies
    from captious.crowd.base import provider as provider_named

    known = {one.slug: one for one in lifecycle.listed(db)}
    if draft.slug in known:
        begun = studies.listed(db, known[draft.slug])
        if begun:
            note(f"resuming {draft.slug} with its original plan")
            return begun[-1]
        campaign = known[draft.slug]
    else:
        found = provider_named(provider, chosen)
        found.check(study)
        studies.affordable(found, study)
        found.ready()
        campaign = create.create(db, draft, actor=actor())
    if campaign.state == "draft":
        campaign = lifecycle.open_campaign(db, campaign, actor=actor())
    return studies.create(db, campaign, study, provider, chosen, actor=actor())


def _people(workers: str, quality: str, corpus: Corpus, sample: bool) -> list[Any]:
    from captious.campaigns.simulate.demo import demo_quality
    from captious.crowd.visits import SHORTEST_SECONDS
    from captious.crowd.workers import KINDS, crowd_of

    counts: dict[Kind, int] = {}
    for name, value in _pairs(workers, "--workers").items():
        kind = next((one for one in KINDS if one == name), None)
        if kind is None or value != int(value) or value < 0:
            raise InputError(f"--workers: {name}={value:g}: give whole numbers of {', '.join(KINDS)}.")
        counts[kind] = int(value)
    opinions: dict[str | tuple[str, str], float] = dict.fromkeys(corpus.systems, 0.5)
    if sample:
        opinions = demo_quality()
    for name, value in (_pairs(quality, "--quality") if quality else {}).items():
        if name not in corpus.systems:
            raise UnknownNameError("system of --quality", name, corpus.systems)
        if not 0 <= value <= 1:
            raise InputError(f"--quality: {name}={value:g}: give numbers from 0 to 1.")
        # An opinion of a single caption, as of the sample's, would go before that of its system.
        opinions = {key: one for key, one in opinions.items() if isinstance(key, str) or key[1] != name}
        opinions[name] = value
    return crowd_of(counts, opinions, noise=0.1, seconds=12.0, slow_seconds=SHORTEST_SECONDS / 4)


def _pairs(text: str, where: str) -> dict[str, float]:
    found = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            found[name.strip()] = float(value)
        except ValueError:
            raise InputError(
                f'{where} "{one_line(part, 40)}": write name=number, separated by commas.'
            ) from None
    return found


def _waiting(
    db: OpenDatabase, stored: Stored, people: list[Any] | None, clock: Any, poll: float, seed: int
) -> Any:
    """What passes the time: sleep, or the next simulated worker."""
    if people is None:

        def sleep() -> bool:
            time.sleep(poll)
            return True

        return sleep
    from captious.crowd.workers import Workforce

    return Workforce(db, stored, people, clock, seed=seed).step


def _report(slug: str, out: Path | None, database: str, form: Format) -> None:
    from captious.cli.campaign.data import report

    if form is not Format.json:
        report(slug, out, database, form)
    elif out is not None:
        from captious.campaigns.results import analysis
        from captious.campaigns.setup import lifecycle
        from captious.cli.campaign.options import opened
        from captious.report.campaign import write_page

        with opened(database) as db:
            campaign = lifecycle.find(db, slug)
            write_page(db, campaign, analysis.result_tables(db, campaign), [], out)
