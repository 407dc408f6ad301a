"""Campaigns being made: their files wait in a folder of their own until they are created."""

from __future__ import annotations

import re
import secrets
import shutil
import threading
from collections import OrderedDict
from dataclasses import asdict, dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import fastapi
import orjson

from captious.campaigns.records import Account, Draft, Settings
from captious.campaigns.setup import create
from captious.campaigns.store.database import Database
from captious.corpus import Corpus, Findings
from captious.corpus.finding_files import read_findings
from captious.corpus.load import load_with_notes
from captious.errors import FieldError, InputError
from captious.protocols import HumanProtocol, rules_of
from captious.web.refusals import Refusal

KEPT_SECONDS = 7 * 24 * 3600.0
TOKEN = re.compile(r"[0-9a-f]{32}")
CACHED = 4


@dataclass(frozen=True)
class Plan:
    """What was typed about a campaign that is being made."""

    account_id: int
    created: float
    protocol: str
    title: str
    options: dict[str, Any] = field(default_factory=dict)
    protocol_text: str = ""
    seed: int = 0
    instructions: str = ""
    consent: str = ""
    contact: str = ""
    common: bool = False
    no_images: bool = False


class Built(NamedTuple):
    """A draft and what there is to say about how its files met."""

    draft: Draft
    systems: list[str]
    images: int
    notes: tuple[str, ...]


class Drafts:
    """The folder of campaigns being made. Several processes may use it at once."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._built: OrderedDict[tuple[str, int], Built] = OrderedDict()
        self._lock = threading.Lock()

    def begin(self) -> str:
        """Make an empty place for a draft and return its token."""
        token = secrets.token_hex(16)
        (self.folder / token).mkdir(parents=True, mode=0o700)
        return token

    def place(self, token: str, part: str = "") -> Path:
        """Where a draft's files are; `part` is candidates, references, findings or images."""
        if not TOKEN.fullmatch(token):
            raise InputError("this draft does not exist. Start a new campaign.")
        return self.folder / token / part

    def save(self, token: str, plan: Plan) -> None:
        """Keep what was typed."""
        place = self.place(token, "plan.json")
        fresh = place.with_name(f"plan-{secrets.token_hex(4)}.part")
        fresh.write_bytes(orjson.dumps(asdict(plan)))
        fresh.replace(place)

    def plan(self, token: str, account_id: int) -> Plan:
        """What was typed, for the account that typed it; nobody else's draft can be told apart
        from one that does not exist.
        """
        try:
            stored = orjson.loads(self.place(token, "plan.json").read_bytes())
            plan = Plan(**stored)
        except (OSError, orjson.JSONDecodeError, TypeError):
            plan = None
        if plan is None or plan.account_id != account_id:
            raise InputError("this draft does not exist. Start a new campaign.")
        return plan

    def own(self, account_id: int) -> list[tuple[str, Plan]]:
        """The drafts that an account has begun, the newest first."""
        found = []
        for place in self.folder.iterdir() if self.folder.is_dir() else ():
            if TOKEN.fullmatch(place.name) and (place / "plan.json").is_file():
                try:
                    found.append((place.name, self.plan(place.name, account_id)))
                except InputError:
                    continue
        return sorted(found, key=lambda pair: pair[1].created, reverse=True)

    def discard(self, token: str) -> None:
        """Delete a draft and its files."""
        shutil.rmtree(self.place(token), ignore_errors=True)

    def sweep(self, now: float) -> int:
        """Delete drafts that nobody finished; return how many."""
        found = 0
        for place in self.folder.iterdir() if self.folder.is_dir() else ():
            if TOKEN.fullmatch(place.name) and now - place.stat().st_mtime > KEPT_SECONDS:
                self.discard(place.name)
                found += 1
        return found

    def build(self, token: str, plan: Plan) -> Built:
        """The draft of a campaign, as it would be created. The last few are remembered."""
        key = (token, self.place(token, "plan.json").stat().st_mtime_ns)
        with self._lock:
            if key in self._built:
                self._built.move_to_end(key)
                return self._built[key]
        built = build(plan, self.place(token))
        with self._lock:
            self._built[key] = built
            while len(self._built) > CACHED:
                self._built.popitem(last=False)
        return built


class LoadedFiles(NamedTuple):
    """The files of a draft, read."""

    corpus: Corpus
    notes: tuple[str, ...]


def load(plan: Plan, place: Path, rules: HumanProtocol) -> LoadedFiles:
    """Read the files of a draft; images are demanded where the protocol asks about them."""
    references = readable(place / "references")
    images = place / "images"
    folder = images if images.is_dir() else None
    if folder is None and not plan.no_images and "images" in rules.needs:
        raise FieldError(
            "images",
            "images: raters would see none. Give the images, or tick that raters see them elsewhere.",
        )
    try:
        loaded = load_with_notes(
            readable(place / "candidates"), references or None, images=folder, common=plan.common
        )
    except InputError as error:
        # A reader names files by their path, which is no business of the person at the browser.
        raise InputError(_without_folder(str(error), place)) from error
    corpus = loaded.corpus
    if folder is None:
        # A file of captions may name paths of images. Nobody reads this machine's through it.
        corpus = replace(corpus, image_paths=None)
    return LoadedFiles(corpus, tuple(loaded.notes.lines()))


def build(plan: Plan, place: Path) -> Built:
    """Read the files of a draft and apply its protocol to them."""
    loaded = load(plan, place, rules_of(plan.protocol, plan.options, plan.protocol_text or None))
    try:
        made = create.draft(
            plan.protocol,
            loaded.corpus,
            title=plan.title,
            options=plan.options,
            protocol_file=plan.protocol_text or None,
            seed=plan.seed,
            settings=Settings(instructions=plan.instructions, consent=plan.consent, contact=plan.contact),
            findings=_findings(place / "findings"),
        )
    except InputError as error:
        said = _without_folder(str(error), place)
        if said.startswith("findings: "):
            raise FieldError("findings", said) from error
        raise (
            FieldError(error.field, said) if isinstance(error, FieldError) else InputError(said)
        ) from error
    corpus = loaded.corpus
    return Built(made, corpus.systems, len(corpus.image_ids), loaded.notes)


def _findings(folder: Path) -> Findings | None:
    """What raters start from: all files of findings together."""
    found = [read_findings(path) for path in readable(folder)]
    return found[0].merge(*found[1:]) if found else None


def readable(folder: Path) -> list[Path]:
    """The files in a folder of a draft, by name."""
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _without_folder(text: str, place: Path) -> str:
    for part in ("candidates", "references", "findings", "images"):
        text = text.replace(f"{place / part}/", "").replace(str(place / part), part)
    return for_the_form(text)


def for_the_form(text: str) -> str:
    """What a reader says, for a person at a form: its box in place of an argument, and no other arguments.

    >>> for_the_form('Keep one for each image, or load them with duplicates="first" or "all".')
    'Keep one for each image.'
    """
    text = text.replace("describes: load_corpus(…, common=True)", "describes (tick the box below)")
    return text.replace(', or load them with duplicates="first" or "all".', ".")


Token = Annotated[str, fastapi.Path(pattern=r"^[0-9a-f]{32}$")]


@lru_cache(maxsize=8)
def _drafts(folder: Path) -> Drafts:
    return Drafts(folder)


def drafts_of(db: Database) -> Drafts:
    """The campaigns being made beside a database."""
    return _drafts(db.files / "drafts")


def plan_of(db: Database, token: str, account: Account) -> Plan:
    """One's own draft, or 404."""
    try:
        return drafts_of(db).plan(token, account.id)
    except InputError:
        raise Refusal(404, "admin.errors.no_draft") from None
