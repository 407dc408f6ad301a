"""What a study needs of the account: workspace, group of participants, events; its state in our words.

Events are signed: `X-Prolific-Request-Signature` is the base64 of HMAC-SHA256 with the workspace's secret
over `X-Prolific-Request-Timestamp` and the body (docs.prolific.com/api-reference/webhooks/verifying).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Mapping

from captious.crowd.base import CallRefused
from captious.crowd.providers.prolific import fields
from captious.crowd.providers.prolific.client import Client
from captious.crowd.providers.prolific.fields import StudyRecord, Submission
from captious.crowd.values import Place, PlaceState, Remote, Study, StudyState

TIMESTAMP = "x-prolific-request-timestamp"
SIGNATURE = "x-prolific-request-signature"
SUBMISSION_EVENT = "submission.status.change"
# An old event that somebody sends again is refused; clocks may differ by this much.
TOLERANCE = 300.0
KEPT = 60.0


def is_signed(headers: Mapping[str, str], body: bytes, secrets: Iterable[str], now: float) -> bool:
    """Whether an event was signed with one of the workspace's secrets, and not long ago.

    >>> signed = {TIMESTAMP: "1000", SIGNATURE: signature("s3cret", "1000", b"{}")}
    >>> [is_signed(signed, b"{}", ["old", "s3cret"], now) for now in (1010.0, 2000.0)]
    [True, False]
    >>> is_signed(signed, b"{ }", ["s3cret"], 1010.0)
    False
    """
    named = {name.lower(): value for name, value in headers.items()}
    stamp, given = named.get(TIMESTAMP, ""), named.get(SIGNATURE, "")
    if not is_timely(headers, now):
        return False
    made = (signature(secret, stamp, body) for secret in secrets if secret)
    return any(hmac.compare_digest(one.encode(), given.encode()) for one in made)


def is_timely(headers: Mapping[str, str], now: float) -> bool:
    """Whether an event says that it was sent just now."""
    stamp = {name.lower(): value for name, value in headers.items()}.get(TIMESTAMP, "")
    return stamp.isascii() and stamp.isdigit() and len(stamp) < 12 and abs(now - int(stamp)) <= TOLERANCE


class Secrets:
    """The secrets of workspaces, kept in memory only, so that a flood of fakes is no flood of requests."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[float, list[str]]] = {}
        self._lock = threading.Lock()

    def of(self, workspace: str, ask: Callable[[], list[str]], now: float) -> list[str]:
        """The secrets of a workspace, asked for again after a while: they may be replaced.

        >>> kept = Secrets()
        >>> [kept.of("w", lambda: [f"asked at {now}"], now) for now in (0.0, 30.0, 90.0)]
        [['asked at 0.0'], ['asked at 0.0'], ['asked at 90.0']]
        """
        with self._lock:
            asked, found = self._kept.get(workspace, (0.0, []))
            if workspace not in self._kept or not 0 <= now - asked < KEPT:
                found = ask()
                self._kept[workspace] = now, found
            return found


def signature(secret: str, stamp: str, body: bytes) -> str:
    """What Prolific writes in the header."""
    digest = hmac.new(secret.encode(), stamp.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode()


def submission_named(body: bytes) -> str:
    """The submission whose status has changed; empty where the event speaks of something else.

    >>> submission_named(b'{"resource_id": "s1", "event_type": "submission.status.change"}')
    's1'
    >>> submission_named(b'{"resource_id": "x", "event_type": "study.status.change"}')
    ''
    """
    try:
        event = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(event, dict) or event.get("event_type") != SUBMISSION_EVENT:
        return ""
    return str(event.get("resource_id") or "")


def workspace_of(client: Client, named: str) -> str:
    """The workspace that was named, else the only one of the account."""
    if named:
        return named
    found = client.workspaces()
    if len(found) != 1:
        names = ", ".join(f"{one['id']} ({one.get('title', '')})" for one in found)
        raise CallRefused(f"workspace: the account has {len(found)}. Name one: {names}.")
    return str(found[0]["id"])


def blocked_group(client: Client, study: Study, workspace: str) -> str:
    """The group of those whom the study is not shown to, made where there is none yet."""
    name = group_name(study)
    for one in client.groups(workspace):
        if one["name"] == name:
            return str(one["id"])
    return client.create_group(workspace, name, "Participants who may not take part again (captious).")


def group_name(study: Study) -> str:
    """Studies that must not share participants share a group: a campaign's, or all of ours."""
    named = {
        "campaign": f"captious: {study.campaign}",
        "everywhere": "captious: everybody who took part",
        "allowed": f"captious: {study.campaign} ({study.key[:8]})",
    }
    return named[study.repeat]


def hook_address(study: Study) -> str:
    """Where Prolific sends the events of a study."""
    return f"{study.address}/events"


def subscribe(client: Client, study: Study, workspace: str) -> None:
    """Have changes of places sent here; a secret that the workspace has stays as it is."""
    target = hook_address(study)
    if any(one["target_url"] == target for one in client.hooks(workspace)):
        return
    if not client.hook_secrets(workspace):
        client.create_hook_secret(workspace)
    client.subscribe(workspace, SUBMISSION_EVENT, target)


def unsubscribe(client: Client, study: Study, workspace: str) -> None:
    """Have no more events of the study sent."""
    target = hook_address(study)
    for one in client.hooks(workspace):
        if one["target_url"] == target:
            client.unsubscribe(str(one["id"]))


_STUDY_STATES: dict[str, StudyState] = {
    "UNPUBLISHED": "draft",
    "SCHEDULED": "draft",
    "PUBLISHING": "open",
    "ACTIVE": "open",
    "AWAITING REVIEW": "open",
    "PAUSED": "paused",
    "COMPLETED": "closed",
}
# A status that is new to us takes up a place and is neither paid nor given away.
_PLACE_STATES: dict[str, PlaceState] = {
    fields.RESERVED: "active",
    fields.ACTIVE: "active",
    fields.AWAITING: "submitted",
    fields.APPROVED: "approved",
    fields.PARTIALLY_APPROVED: "approved",
    fields.REJECTED: "rejected",
    fields.RETURNED: "returned",
    fields.TIMED_OUT: "timed_out",
    fields.SCREENED_OUT: "screened_out",
}


def study_state(status: str) -> StudyState:
    """The state of a study; one that is new to us counts as open."""
    return _STUDY_STATES.get(status, "open")


def place_state(status: str) -> PlaceState:
    """The state of a place; one that is new to us takes up the place and is neither paid nor given away."""
    return _PLACE_STATES.get(status, "active")


def counted(numbers: Mapping[str, int]) -> dict[PlaceState, int]:
    """Numbers of submissions by status, as numbers of places by state."""
    found: Counter[PlaceState] = Counter()
    for status, number in numbers.items():
        if status != "TOTAL":
            found[place_state(status)] += number
    return dict(found)


def place_of(found: Submission) -> Place:
    """A submission as a place."""
    state = place_state(found.status)
    return Place(found.id, found.participant, state, found.started, found.completed, found.code)


def remote_of(record: StudyRecord, group: str = "") -> Remote:
    """A study at Prolific, with the group of those who do not see it."""
    return Remote(record.id, f"{fields.RESEARCHER}/{record.id}", {"group": group} if group else {})
