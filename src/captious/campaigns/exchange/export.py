"""A campaign as a data set on disk: responses, judgments, items, raters, and what describes them.

Raters appear under pseudonyms unless identities are asked for.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import orjson
from sqlalchemy import exists, select

from captious._version import __version__
from captious.campaigns.exchange import export_rows
from captious.campaigns.exchange.croissant import Column, DataSet, Described, croissant
from captious.campaigns.exchange.datasheet import datasheet, one_row
from captious.campaigns.exchange.export_files import FORMATS, RowValues, checked_formats, write_rows
from captious.campaigns.exchange.export_rows import entry_files, example_rows
from captious.campaigns.exchange.facts import facts_of
from captious.campaigns.exchange.references import references_of
from captious.campaigns.people import raters
from captious.campaigns.records import Campaign
from captious.campaigns.results import analysis, labels
from captious.campaigns.store import log, schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.recordings import recording_file
from captious.campaigns.work import responses
from captious.campaigns.work.aside import notes
from captious.charts.drawn import file_name
from captious.errors import InputError
from captious.files import atomically
from captious.protocols import Item, Response
from captious.protocols.base import Exported, as_judgments, counted_rows, matched, split_adjudicated
from captious.protocols.findings import asks_for_places, findings_of, suggestions_of
from captious.tables import Table

EXPORT_VERSION = 1
RECORDINGS = "recordings"
# Croissant reads a table from the first of its files: the one that most programs can read.
_MOST_READ = ("csv", "parquet", "jsonl")
_TABLES = ("responses", "judgments", "final", "raters", "findings", "final_findings", "suggestions")
# What every export writes, beside the files that depend on the campaign.
_WRITTEN = frozenset(
    [f"{name}.{end}" for name in _TABLES for end in FORMATS]
    + ["items.jsonl", "forms.jsonl", "campaign.json", "croissant.json", "datasheet.md", "README.md"]
)


class Citation(NamedTuple):
    """What only the owner knows: how to cite the data, and the address of their licence."""

    cite_as: str = ""
    license: str = ""


NOT_TOLD = Citation()
# Charts are drawn where the libraries are: tables that say how they are drawn, each as SVG.
Draw = Callable[[Sequence[Table]], Sequence[str]]


@dataclass(frozen=True)
class _Asked:
    """What an export works with."""

    db: Database
    campaign: Campaign
    out: Path
    formats: tuple[str, ...]
    identities: bool
    items: list[Item]
    counted: list[Response]
    citation: Citation
    draw: Draw | None


def export(
    db: Database,
    campaign: Campaign,
    out: Path,
    *,
    formats: Sequence[str] = FORMATS,
    identities: bool = False,
    actor: str = "",
    citation: Citation = NOT_TOLD,
    draw: Draw | None = None,
) -> list[Path]:
    """Write everything into the folder `out`, made where it is not there; returns the files.

    `responses`, `judgments`, `final` (the judgments that stand) and `raters` in each format,
    `items.jsonl`, `forms.jsonl`, `campaign.json`, what the protocol adds, `croissant.json`, `datasheet.md`
    and `README.md`. The log of the campaign says who exported, and whether with identities.
    """
    _refuse_names(campaign, identities)
    chosen = checked_formats(formats)
    if out.exists() and not out.is_dir():
        raise InputError(f"{out}: is not a folder. Name a folder for the export.")
    _refuse_foreign(out)
    out.mkdir(parents=True, exist_ok=True)
    items, counted = analysis.counting(db, campaign)
    asked = _Asked(db, campaign, out, chosen, identities, items, counted, citation, draw)
    files = [*_responses(asked), *_judgments(asked), *_labels(asked), *_raters(asked)]
    files += [*_items(asked), *_notes(asked)]
    files += [*_findings(asked), *_entry(asked)]
    files += [*_extra(asked), *_charts(asked)]
    files.append(_campaign(asked))
    files += _descriptions(asked, files)
    with db.write() as connection:
        log.record(
            connection,
            actor,
            "export",
            time=db.now(),
            campaign_id=campaign.id,
            subject=campaign.slug,
            detail={"formats": list(chosen), "identities": identities},
        )
    return [*(file.path for file in files), *_recordings(asked)]


def _refuse_names(campaign: Campaign, identities: bool) -> None:
    """Names leave only where the campaign's settings say so, whoever asks and from wherever."""
    if identities and not campaign.settings.identities_in_export:
        raise InputError(
            f"identities: the settings of {campaign.slug} keep names out of exports. "
            "Allow them on its Settings page (captious serve)."
        )


def _refuse_foreign(out: Path) -> None:
    """An export replaces an earlier export, and no other file that has one of its names."""
    record = out / "campaign.json"
    if not out.is_dir() or (record.is_file() and b'"captious"' in record.read_bytes()):
        return
    taken = next((path.name for path in sorted(out.iterdir()) if path.name in _WRITTEN), None)
    if taken is not None:
        raise InputError(
            f"{out}: already has a {taken} that is not from an export, and it would be overwritten. "
            "Name an empty folder."
        )


def _recordings(asked: _Asked) -> list[Path]:
    """The recordings that count, in a folder of their own under the names that answers give."""
    names = {
        str(response.answers[name])
        for item, response in matched(asked.items, asked.counted)
        for name in item.form.recorded
        if item.counts and response.answers.get(name)  # an erased rater's is gone
    }
    found = []
    for name in sorted(names):
        path = asked.out / RECORDINGS / name
        with atomically(path) as temporary:
            shutil.copyfile(recording_file(asked.db, asked.campaign, name)[0], temporary)
        found.append(path)
    return found


def export_zip(
    db: Database,
    campaign: Campaign,
    path: Path | None = None,
    *,
    formats: Sequence[str] = FORMATS,
    identities: bool = False,
    actor: str = "",
    citation: Citation = NOT_TOLD,
    draw: Draw | None = None,
) -> Path:
    """Write the whole export into one zip file; without `path` a temporary one, for you to remove.

    The files lie in a folder of the campaign's name.
    """
    _refuse_names(campaign, identities)
    if path is None:
        with tempfile.NamedTemporaryFile(prefix=f"{campaign.slug}-", suffix=".zip", delete=False) as made:
            path = Path(made.name)
    with tempfile.TemporaryDirectory() as name, atomically(path) as temporary:
        files = export(
            db,
            campaign,
            Path(name),
            formats=formats,
            identities=identities,
            actor=actor,
            citation=citation,
            draw=draw,
        )
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for file in files:
                archive.write(file, f"{campaign.slug}/{file.relative_to(name).as_posix()}")
    return path


def _described(paths: Sequence[Path], about: str, columns: tuple[Column, ...] = ()) -> list[Described]:
    ordered = sorted(paths, key=lambda path: _MOST_READ.index(path.suffix[1:]))
    return [Described(path, about, columns) for path in ordered]


def _responses(asked: _Asked) -> list[Described]:
    columns: tuple[Column, ...] = export_rows.RESPONSE_COLUMNS
    columns += (export_rows.ACTOR,) if asked.identities else ()
    response = schema.response.c
    own = response.campaign_id == asked.campaign.id
    with asked.db.read() as connection:
        outcomes, untouched = connection.execute(
            select(
                exists().where(own, response.outcome.is_not(None)),
                exists().where(own, response.untouched.is_not(None)),
            )
        ).one()
    columns += (export_rows.OUTCOME,) if outcomes else ()
    columns += (export_rows.UNTOUCHED,) if untouched else ()
    stored = responses.stored(asked.db, asked.campaign)
    rows = export_rows.response_rows(
        stored, identities=asked.identities, outcomes=bool(outcomes), untouched=bool(untouched)
    )
    paths = write_rows(asked.out, "responses", rows, columns, asked.formats)
    return _described(paths, "Every response as it was given, including corrections.", columns)


def _notes(asked: _Asked) -> list[Described]:
    """What raters said of items that they could not answer, where they said anything."""
    found = notes(asked.db, asked.campaign)
    if not found:
        return []
    rows = export_rows.note_rows(found)
    paths = write_rows(asked.out, "notes", rows, export_rows.NOTE_COLUMNS, asked.formats)
    return _described(
        paths, "Items that raters skipped or could not judge, and why.", export_rows.NOTE_COLUMNS
    )


def _judgments(asked: _Asked) -> list[Described]:
    """What raters said, and what stands of it; an adjudicator is no rater."""
    rules, items = asked.campaign.rules(), asked.items
    known = references_of(asked.db, asked.campaign)
    said, _ = split_adjudicated(items, asked.counted)
    return [
        *_judged(
            asked,
            "judgments",
            export_rows.judgment_rows(counted_rows(rules, items, said), known),
            bool(known),
            "What raters said about each caption in each aspect, as numbers.",
        ),
        *_judged(
            asked,
            "final",
            export_rows.judgment_rows(rules.final_rows(items, asked.counted), known),
            bool(known),
            "The final judgments: later stages and decisions replace earlier answers.",
        ),
    ]


def _labels(asked: _Asked) -> list[Described]:
    """One label a caption by mean, vote and rater models; nothing where no model can be fitted."""
    rules = asked.campaign.rules()
    said, _ = split_adjudicated(asked.items, asked.counted)
    judgments = as_judgments(counted_rows(rules, asked.items, said))
    found = labels.labelled(judgments, list(rules.possible_scores()))
    fitted = {aspect: one for aspect, one in found.items() if not one.reason}
    if not fitted:
        return []
    files = []
    for name, rows, columns, about in (
        (
            "labels",
            labels.label_rows(judgments, fitted),
            export_rows.LABEL_COLUMNS,
            "One label for each caption: mean, vote, and what two models of the raters make of the ratings.",
        ),
        (
            "abilities",
            labels.ability_rows(fitted),
            export_rows.ABILITY_COLUMNS,
            "How able each rater is under those models.",
        ),
    ):
        files += _described(write_rows(asked.out, name, rows, columns, asked.formats), about, columns)
    return files


def _findings(asked: _Asked) -> list[Described]:
    """What raters marked in captions, what stands of it, and what became of suggestions.

    Never as CSV: the guard against spreadsheets would shift the offsets in captions that it changes.
    """
    if not asks_for_places(asked.items):
        return []
    removed = asked.campaign.rules().removed_raters(asked.items, asked.counted)
    own = [item for item in asked.items if item.counts]
    keys = {item.key for item in own}
    counted = [one for one in asked.counted if one.rater not in removed and one.item in keys]
    said, final = split_adjudicated(own, counted)
    formats = [one for one in asked.formats if one != "csv"] or ["jsonl"]
    known = references_of(asked.db, asked.campaign)
    columns = export_rows.FINDING_COLUMNS + ((export_rows.REFERENCES,) if known else ())
    files = []
    for name, given, about in (
        ("findings", said, "What each rater marked in each caption, and where."),
        ("final_findings", final, "The findings that stand: decisions replace what raters marked."),
    ):
        if name == "findings" or final is not said:
            rows = export_rows.finding_rows(findings_of(own, given), known)
            paths = write_rows(asked.out, name, rows, columns, formats)
            files += _described(paths, about, columns)
    suggested = suggestions_of(own, said)
    if suggested:
        shown_rows = (one._asdict() for one in suggested)
        shown = export_rows.SUGGESTION_COLUMNS
        paths = write_rows(asked.out, "suggestions", shown_rows, shown, asked.formats)
        files += _described(paths, "Marks that raters were shown, and what each did with them.", shown)
    return files


def _judged(
    asked: _Asked, name: str, rows: Iterator[RowValues], with_references: bool, about: str
) -> list[Described]:
    references = (export_rows.REFERENCES,) if with_references else ()
    columns = export_rows.JUDGMENT_COLUMNS + references
    paths = write_rows(asked.out, name, rows, columns, asked.formats)
    # A list of references is no cell of CSV.
    return [
        Described(
            path, about, tuple(c for c in columns if path.suffix != ".csv" or c is not export_rows.REFERENCES)
        )
        for path in sorted(paths, key=lambda path: _MOST_READ.index(path.suffix[1:]))
    ]


def _raters(asked: _Asked) -> list[Described]:
    columns: tuple[Column, ...] = export_rows.RATER_COLUMNS
    columns += export_rows.IDENTITY_COLUMNS if asked.identities else ()
    people = raters.listed(asked.db, asked.campaign)
    records = any(one.record is not None for one in people)
    columns += (export_rows.RECORD,) if records else ()
    consents = any(one.consent_version for one in people)
    columns += export_rows.CONSENT_COLUMNS if consents else ()
    rows = export_rows.rater_rows(people, identities=asked.identities, records=records, consents=consents)
    paths = write_rows(asked.out, "raters", rows, columns, asked.formats)
    return _described(paths, "The raters, by pseudonym.", columns)


def _items(asked: _Asked) -> list[Described]:
    table = schema.item
    names = ("gold", "closed", "from_response")
    wanted = select(table.c.key, *(table.c[name] for name in names)).where(
        table.c.campaign_id == asked.campaign.id,
        table.c.gold.is_not(None) | table.c.closed | table.c.from_response.is_not(None),
    )
    with asked.db.read() as connection:
        beside: dict[str, dict[str, Any]] = {
            key: {name: value for name, value in zip(names, values, strict=True) if value}
            for key, *values in connection.execute(wanted)
        }
    forms, numbers = export_rows.form_rows(asked.items)
    rows = export_rows.item_rows(asked.items, numbers, beside)
    paths = write_rows(asked.out, "items", rows, (), ("jsonl",))
    paths += write_rows(asked.out, "forms", forms, (), ("jsonl",))
    return [
        Described(paths[0], "What raters were shown, and which systems wrote it."),
        Described(paths[1], "What raters were asked: the forms of the items, by number."),
    ]


def _entry(asked: _Asked) -> list[Described]:
    """What raters answered before and after the work, where they were asked."""
    found = []
    for name, about, columns, rows in entry_files(asked.db, asked.campaign):
        paths = write_rows(asked.out, name, rows, columns, asked.formats)
        found += _described(paths, about, columns)
    if asked.campaign.settings.training:
        rows = example_rows(asked.db, asked.campaign)
        paths = write_rows(asked.out, "training_examples", rows, (), ("jsonl",))
        found.append(Described(paths[0], "The examples of the training: captions, known answers, and why."))
    return found


def _extra(asked: _Asked) -> list[Described]:
    """The files that the protocol adds."""
    table = schema.image
    wanted = select(table.c.key, table.c.type).where(table.c.campaign_id == asked.campaign.id)
    with asked.db.read() as connection:
        names = {key: _file_name(key, kind) for key, kind in connection.execute(wanted)}
    known = references_of(asked.db, asked.campaign)
    found = []
    for one in asked.campaign.rules().extra_files(Exported(asked.items, asked.counted, known, names)):
        path = asked.out / Path(one.name).name
        with atomically(path) as temporary, temporary.open("w", encoding="utf-8") as file:
            file.writelines(f"{line}\n" for line in one.lines)
        found.append(Described(path, one.about))
    return found


def _charts(asked: _Asked) -> list[Described]:
    """The results that ask for a chart, drawn as SVG."""
    if asked.draw is None:
        return []
    found = []
    drawn = analysis.results(asked.db, asked.campaign).charted()
    for table, picture in zip(drawn, asked.draw(drawn), strict=True):
        path = asked.out / f"{file_name(table.title)}.svg"
        with atomically(path) as temporary:
            temporary.write_text(picture, encoding="utf-8")
        found.append(Described(path, f"{table.title}, as a chart."))
    return found


def _file_name(key: str, kind: str) -> str:
    """An image's file name as a data set would give it: its key, with an ending."""
    ending = kind.rpartition("/")[2].replace("jpeg", "jpg")
    return key if Path(key).suffix else f"{key}.{ending}"


def _campaign(asked: _Asked) -> Described:
    one = asked.campaign
    content = {
        "captious": __version__,
        "export": EXPORT_VERSION,
        "slug": one.slug,
        "title": one.title,
        "protocol": one.protocol,
        "options": dict(one.options),
        "protocol_file": one.protocol_file,
        "seed": one.seed,
        "state": one.state,
        "settings": one.settings.to_dict(),
        "created": one.created,
        "opened": one.opened,
        "closed": one.closed,
        "identities": asked.identities,
        "references": references_of(asked.db, one),
    }
    path = asked.out / "campaign.json"
    with atomically(path) as temporary:
        temporary.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return Described(path, "The campaign's protocol and settings, by which it can be read back.")


def _descriptions(asked: _Asked, files: Sequence[Described]) -> list[Described]:
    campaign, db = asked.campaign, asked.db
    facts = facts_of(db, campaign, asked.items, identities=asked.identities)
    agreement = analysis.agreement(db, campaign).tables()
    names = [file.path.name for file in files]
    sheet = asked.out / "datasheet.md"
    with atomically(sheet) as temporary:
        temporary.write_text(datasheet(facts, agreement, names), encoding="utf-8")
    readme = asked.out / "README.md"
    with atomically(readme) as temporary:
        temporary.write_text(_readme(campaign, files), encoding="utf-8")
    described = [
        Described(sheet, "Datasheet: how the data were collected, and what is still to be filled in."),
        Described(readme, "Which file holds what."),
    ]
    about = DataSet(
        name=campaign.slug,
        title=campaign.title,
        about=f"Judgments of image captions by people under the protocol "
        f"{campaign.rules().title}: {facts.standing} responses that count by {facts.raters} "
        f"raters on {facts.images} images.",
        published=db.now(),
        cite_as=asked.citation.cite_as,
        license=asked.citation.license,
        keywords=("image captioning", "human evaluation", campaign.protocol),
    )
    path = asked.out / "croissant.json"
    with atomically(path) as temporary:
        content = croissant(about, [*files, *described])
        temporary.write_bytes(orjson.dumps(content, option=orjson.OPT_INDENT_2) + b"\n")
    return [*described, Described(path, "Croissant 1.0 description of the files.")]


def _readme(campaign: Campaign, files: Sequence[Described]) -> str:
    lines = [f"# {one_row(campaign.title)}", "", f"Exported by captious {__version__}.", ""]
    lines += ["| file | what |", "|---|---|"]
    lines += [f"| `{file.path.name}` | {file.about} |" for file in files]
    lines += [
        "| `datasheet.md` | How the data were collected, and what is still to be filled in. |",
        "| `croissant.json` | Croissant 1.0 description of the files, with checksums. |",
        "",
        "In CSV, a text that a spreadsheet might run as a formula (its first visible character is "
        "= + - or @, also in full width) has a quote before it. JSONL and Parquet hold every text as it is.",
        "",
        "```text",
        "captious judgments agreement judgments.jsonl --aspect ASPECT   # how well the raters agree",
        "captious meta final.jsonl                            # how well metrics correlate with them",
        "captious train NAME --judgments final.jsonl          # a metric that predicts them",
        "captious campaign import .                           # read it back into a database",
        "```",
    ]
    return "\n".join(lines) + "\n"
