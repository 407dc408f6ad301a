"""What a study needs of the account: workspace, group of participants, events; its state in our words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from captious.crowd.base import CallRefused
from captious.crowd.providers.prolific import fields, hooks
from captious.crowd.providers.prolific.client import Client
from captious.crowd.providers.prolific.fields import StudyRecord, Submission
from captious.crowd.values import Place, PlaceState, Remote, Study, StudyState


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
    client.subscribe(workspace, hooks.SUBMISSION_EVENT, target)


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
