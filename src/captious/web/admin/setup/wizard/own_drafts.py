"""The draft that an address names: for the account that began it, and for nobody else."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path as FilePath
from typing import Annotated

from fastapi import Path

from captious.campaigns.records import Account
from captious.campaigns.store.database import Database
from captious.errors import InputError
from captious.web.admin.setup.wizard.drafts import Drafts, Plan
from captious.web.refusals import Refusal

Token = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$")]


@lru_cache(maxsize=8)
def _drafts(folder: FilePath) -> Drafts:
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
