"""Recordings of a campaign: told by content, stored under the SHA-256 of their bytes.

As with images, no name that a person gives ever becomes a path.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from sqlalchemy import select

from captious.campaigns.records import Campaign
from captious.campaigns.store import schema
from captious.campaigns.store.database import Database
from captious.campaigns.store.rows import insert_new
from captious.errors import InputError, one_line
from captious.files import atomically
from captious.protocols.questions import RECORDING

MOST_BYTES = 30_000_000
TYPES = {
    "webm": "audio/webm",
    "ogg": "audio/ogg",
    "wav": "audio/wav",
    "mp3": "audio/mpeg",
    "m4a": "audio/mp4",
}


class BadRecording(InputError):  # noqa: N818
    """A sound file that cannot be kept."""


def ending_of(content: bytes) -> str | None:
    """The ending that fits the first bytes of a sound file; None where it is none that is known.

    >>> ending_of(b"RIFF....WAVEfmt "), ending_of(b"<html>")
    ('wav', None)
    """
    if content[:4] == b"RIFF" and content[8:12] == b"WAVE":
        return "wav"
    if content[:4] == b"OggS":
        return "ogg"
    if content[:4] == b"\x1aE\xdf\xa3":
        return "webm"
    if content[4:8] == b"ftyp":
        return "m4a"
    return "mp3" if content[:3] == b"ID3" or content[:2] in (b"\xff\xfb", b"\xff\xf3") else None


def keep(db: Database, campaign: Campaign, content: bytes) -> str:
    """Store a recording and return its name, by which answers speak of it."""
    name = name_of(content)
    path = path_of(db, name)
    if path.exists():
        path.touch()  # nobody may take it for one that is left over
    else:
        path.parent.mkdir(parents=True, exist_ok=True)
        with atomically(path) as temporary:
            temporary.write_bytes(content)
    with db.write() as connection:
        row = {"campaign_id": campaign.id, "name": name, "bytes": len(content)}
        insert_new(connection, schema.recording, [row])
    return name


def name_of(content: bytes) -> str:
    """The name of a recording: the SHA-256 of its bytes with an ending; refused where it is none."""
    ending = ending_of(content)
    if ending is None:
        raise BadRecording("recording: this is not a known sound format. Give WAV, WebM, Ogg, MP3 or M4A.")
    if len(content) > MOST_BYTES:
        raise BadRecording(f"recording: {len(content):,} bytes are too many. Give {MOST_BYTES:,} at most.")
    return f"{hashlib.sha256(content).hexdigest()}.{ending}"


def recording_file(db: Database, campaign: Campaign, name: str) -> tuple[Path, str]:
    """The file of one of the campaign's recordings, and its type."""
    table = schema.recording
    if RECORDING.fullmatch(name):
        own = select(table.c.id).where(table.c.campaign_id == campaign.id, table.c.name == name)
        with db.read() as connection:
            known = connection.execute(own).first() is not None
        path = path_of(db, name)
        if known and path.is_file():
            return path, TYPES[name.rpartition(".")[2]]
    raise InputError(f'recording "{one_line(name, 20)}": this campaign has no such recording.')


def path_of(db: Database, name: str) -> Path:
    """Where a recording of that name lies, once it is kept."""
    return db.files / "recordings" / name[:2] / name
