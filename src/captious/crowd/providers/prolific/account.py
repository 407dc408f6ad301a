"""What a study needs of the account: its workspace, a group of participants, a subscription to events."""

from __future__ import annotations

from captious.crowd.base import CallRefused
from captious.crowd.providers.prolific import hooks
from captious.crowd.providers.prolific.client import Client
from captious.crowd.values import Study


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
