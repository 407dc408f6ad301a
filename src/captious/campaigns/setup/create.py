"""From files to a campaign: a draft that stores nothing, looked at first, then created."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select

from captious.campaigns.entry.training_files import (
    PreparedTraining,
    load_training,
    prepare_training,
    store_training,
)
from captious.campaigns.exchange.references import keep_references, references_in
from captious.campaigns.people import members
from captious.campaigns.quality.gold import Gold, check_gold, parse_gold
from captious.campaigns.records import Campaign, Draft, Settings
from captious.campaigns.store import log, schema
from captious.campaigns.store.columns import storable
from captious.campaigns.store.database import Database
from captious.campaigns.store.images import Stored, prepare, remember
from captious.campaigns.store.rows import add_items, campaign_of
from captious.corpus import Corpus, Findings
from captious.corpus.images import find_images
from captious.errors import FieldError, one_line
from captious.files import text_of
from captious.protocols import HumanProtocol, Item, described_by, kind_of, protocol, rules_of
from captious.protocols.capabilities import FromFile, Game
from captious.protocols.findings import with_suggestions
from captious.protocols.registry import checked_options

DEFAULT_SEED = 20220710
LONGEST_TITLE = 200
LONGEST_SLUG = 60
HIGHEST_SEED = 2**63 - 1  # what both database engines hold
_SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ImageFiles = str | Path | Mapping[str, str | Path]


def draft(
    protocol_name: str,
    corpus: Corpus,
    *,
    title: str,
    slug: str | None = None,
    options: Mapping[str, Any] | None = None,
    protocol_file: str | Path | None = None,
    images: ImageFiles | None = None,
    seed: int = DEFAULT_SEED,
    settings: Settings | None = None,
    gold: Path | Mapping[str, Mapping[str, Any]] | None = None,
    training: str | Path | None = None,
    findings: Findings | None = None,
) -> Draft:
    """Everything that a campaign will be, without storing it.

    A protocol that a file describes comes as the file's path or text, or as the protocol's name
    (`mine.yaml`). `images` is a folder, or the file of each image; without it the corpus's own
    paths are used. `gold` gives the right answers of items by key, or is the path of a file of them.
    `training` is the path of a training's file, or `sample` for the one that comes with the package.
    `findings` are marked in the captions from the start, for raters to confirm or change.

    >>> corpus = Corpus.from_lists(["A dog.", "A cat."], image_ids=["1", "2"])
    >>> made = draft("tagging", corpus, title="Five verdicts", options={"raters": 2})
    >>> made.slug, len(made.items), made.items[0].target
    ('five-verdicts', 2, 2)
    """
    described = described_by(protocol_name)
    if described is not None:
        protocol_name, protocol_file = described.name, Path(protocol_name)
    made = Draft(
        title=checked_title(title),
        slug=checked_slug(slug or slug_of(title)),
        protocol=protocol_name,
        options=_options(protocol_name, options or {}),
        protocol_file=_yaml(protocol_file),
        seed=checked_seed(seed),
        items=[],
        settings=settings or Settings(),
        references=references_in(corpus),
    )
    if isinstance(protocol_file, Path):  # so that errors in the file name it
        rules_of(made.protocol, made.options, made.protocol_file, source=str(protocol_file))
    items = with_scores(made.rules(), made.rules().items(corpus, seed=seed), corpus)
    items = with_suggestions(items, findings) if findings is not None else items
    known = made_gold(gold, items)
    extra = dict.fromkeys(item.image for item in items if item.practice)
    made = replace(made, items=items, images=image_files(corpus, images, extra), gold=known)
    if training is None:
        return made
    folders = sorted({path.parent for path in made.images.values()})
    return replace(made, training=load_training(training, made.rules(), folders))


def made_gold(gold: Path | Mapping[str, Mapping[str, Any]] | None, items: list[Item]) -> Gold:
    """Known answers as given or from a file, checked against the items."""
    if isinstance(gold, Path):
        return parse_gold(gold.read_bytes(), items, str(gold))
    check_gold({item.key: item for item in items}, gold or {})
    return {key: dict(answers) for key, answers in (gold or {}).items()}


def with_scores(rules: HumanProtocol, items: list[Item], corpus: Corpus) -> list[Item]:
    """The items with the scores that the protocol starts from."""
    metrics = Game.of(rules).first_metrics()
    if not metrics:
        return items
    from captious.scoring import score

    scores = score(corpus, metrics)
    texts = [
        (corpus.image_ids[image], text)
        for image, text in zip(corpus.image_of.tolist(), corpus.captions, strict=True)
    ]
    found = {name: dict(zip(texts, scores[name].values.tolist(), strict=True)) for name in scores}
    counted = [item for item in items if item.counts]
    return Game.of(rules).with_scores(
        items,
        {
            name: {item.key: own[item.image, item.captions[0].text] for item in counted}
            for name, own in found.items()
        },
    )


def preview(draft: Draft, n: int) -> list[Item]:
    """The first `n` items of a draft in the order that a first rater would meet kinds in."""
    kinds: dict[tuple[str, bool], list[Item]] = {}
    for item in draft.items:
        kinds.setdefault((item.balance, bool(item.check)), []).append(item)
    longest = max(map(len, kinds.values()), default=0)
    mixed = [own[row] for row in range(min(n, longest)) for own in kinds.values() if row < len(own)]
    return mixed[:n]


class DraftFiles(NamedTuple):
    """The pictures of a draft, in the folder of files; no row tells of them yet."""

    images: list[tuple[str, Stored]]
    training: PreparedTraining | None


def prepare_files(db: Database, draft: Draft) -> DraftFiles:
    """Put the pictures of a draft in place."""
    images = [(key, prepare(db, path, key)) for key, path in draft.images.items()]
    return DraftFiles(images, prepare_training(db, draft.training) if draft.training else None)


def create(db: Database, draft: Draft, *, actor: str, owner: int | None = None) -> Campaign:
    """Store a draft as a campaign in state `draft`: nobody can rate before it is opened.

    `owner` is the number of the account that owns it.
    """
    files = prepare_files(db, draft)
    with db.write() as connection:
        campaign = create_within(connection, draft, files, actor=actor, now=db.now())
        if owner is not None:
            members.put(connection, campaign, owner, "owner")
        return campaign


def create_within(
    connection: Connection, draft: Draft, files: DraftFiles, *, actor: str, now: float
) -> Campaign:
    """As `create`, in the caller's transaction."""
    prepared, training = files
    settings = replace(draft.settings, training=training.version if training else "")
    values = {
        "slug": draft.slug,
        "title": draft.title,
        "protocol": draft.protocol,
        "options": dict(draft.options),
        "protocol_file": draft.protocol_file,
        "seed": draft.seed,
        "state": "draft",
        "settings": settings.to_dict(),
        "created": now,
    }
    table = schema.campaign
    if connection.execute(select(table.c.id).where(table.c.slug == draft.slug)).first():
        raise FieldError("slug", f'"{draft.slug}" is the name of another campaign. Give another slug.')
    new = connection.execute(insert(table).values(**values).returning(table.c.id)).scalar_one()
    campaign = campaign_of(connection.execute(select(table).where(table.c.id == new)).one())
    add_items(connection, campaign, draft.items, gold=draft.gold)
    remember(connection, campaign, prepared)
    if training:
        store_training(connection, campaign, training)
    keep_references(connection, campaign, draft.references, now=now)
    log.record(
        connection,
        actor,
        "create",
        time=now,
        campaign_id=campaign.id,
        subject=campaign.slug,
        detail={"protocol": draft.protocol, "items": len(draft.items), "images": len(prepared)},
    )
    return campaign


def slug_of(title: str) -> str:
    """A name for addresses, from a title.

    >>> slug_of("Alt text: Äpfel & pears, 2026!")
    'alt-text-apfel-pears-2026'
    """
    plain = unicodedata.normalize("NFKD", title).encode("ascii", "ignore").decode().lower()
    return "-".join(re.findall(r"[a-z0-9]+", plain))[:LONGEST_SLUG].strip("-") or "campaign"


def checked_slug(slug: str) -> str:
    """The slug, refused where it would not do in an address."""
    if len(slug) > LONGEST_SLUG or not _SLUG.fullmatch(slug):
        raise FieldError(
            "slug",
            f'slug "{one_line(slug)}": use small letters, digits and single hyphens, {LONGEST_SLUG} at most.',
        )
    return slug


def checked_title(title: str) -> str:
    """The title on one line, refused where it is empty or too long."""
    shown = " ".join(storable(title, "title").split())
    if not shown or len(shown) > LONGEST_TITLE:
        raise FieldError("title", f"title: give 1 to {LONGEST_TITLE} characters; found {len(shown)}.")
    return shown


def checked_seed(seed: int) -> int:
    """The seed, refused where a database could not hold it."""
    if not 0 <= seed <= HIGHEST_SEED:
        raise FieldError(
            "seed", f"seed: {one_line(str(seed), 40)} is out of range. Give 0 to {HIGHEST_SEED}."
        )
    return seed


def _options(protocol_name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """The options as they are stored: checked here, for what cannot be stored fails unclearly."""
    if FromFile.kind(kind_of(protocol_name)).suffixes:
        return dict(options)
    checked = checked_options(protocol_name, options)
    protocol(protocol_name, **checked)
    return checked


def image_files(corpus: Corpus, images: ImageFiles | None, extra: Iterable[str] = ()) -> dict[str, Path]:
    """The file of each image of a corpus, and of `extra` ones beside them; all of them or none."""
    known = set(corpus.image_ids)
    others = [image for image in extra if image not in known]
    ids = [*corpus.image_ids, *others]
    if images is None:
        paths = list(corpus.image_paths or [None] * len(corpus.image_ids))
        first = next((path for path in paths if path), None)
        paths += find_images(Path(first).parent, others) if first else [None] * len(others)
    elif isinstance(images, Mapping):
        paths = [None if image not in images else str(images[image]) for image in ids]
    else:
        paths = find_images(images, ids)
    found = {image: Path(path) for image, path in zip(ids, paths, strict=True) if path}
    missing = [image for image in ids if image not in found]
    if missing and (found or images is not None):
        raise FieldError(
            "images",
            f"images: {len(missing)} of {len(ids)} have no file, for example "
            f'"{one_line(missing[0])}". Give their files, or leave them out.',
        )
    return found


def _yaml(given: str | Path | None) -> str | None:
    """The text of a generic protocol: a `str` is the text itself, never a path to be opened."""
    return text_of(given) if isinstance(given, Path) else given
