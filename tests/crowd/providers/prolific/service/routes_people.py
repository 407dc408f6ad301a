"""The documented requests about groups of participants, messages and hooks."""

from typing import Any

from . import schemas
from .routes import BY_OFFSET, ID, Answer, Ask, paged, route
from .world import No, World


@route("GET", "participant-groups/", query=(*BY_OFFSET, "workspace_id", "project_id", "active"))
def groups(world: World, ask: Ask) -> Answer:
    if not {"workspace_id", "project_id"} & set(ask.query):
        raise No(400, "Give a workspace_id or a project_id.")
    names = ("id", "name", "workspace_id")
    return paged([{name: one[name] for name in names} for one in world.groups.values()], ask.query)


@route("POST", "participant-groups/", schemas.Group)
def create_group(world: World, ask: Ask) -> Answer:
    members = {name: world.now() for name in ask.body.pop("participant_ids", [])}
    found = {"id": world.new(), **ask.body}
    world.groups[found["id"]] = found | {"members": members}
    return 201, found, {}


def membership(world: World, group: dict[str, Any]) -> Answer:
    rows = [
        {"participant_id": name, "datetime_created": world.stamp(at)} for name, at in group["members"].items()
    ]
    return 200, {"results": rows}, {}


@route("GET", f"participant-groups/{ID}/participants/")
def members(world: World, ask: Ask) -> Answer:
    return membership(world, world.group(ask.ids[0]))


@route("POST", f"participant-groups/{ID}/participants/", schemas.Participants)
def add_members(world: World, ask: Ask) -> Answer:
    group = world.group(ask.ids[0])
    for name in ask.body["participant_ids"]:
        group["members"].setdefault(name, world.now())
    return membership(world, group)


@route("GET", "messages/", query=("user_id", "created_after"))
def messages(world: World, ask: Ask) -> Answer:
    if not ask.query:
        raise No(400, "Give a user_id or created_after.")
    found = [one for one in world.messages if one["recipient"] == ask.query.get("user_id", one["recipient"])]
    return 200, {"results": [{k: v for k, v in one.items() if k != "recipient"} for one in found]}, {}


@route("POST", "messages/", schemas.Message)
def send(world: World, ask: Ask) -> Answer:
    message = {"id": world.new(), "sender_id": world.researcher, "body": ask.body["body"], "type": "message"}
    message |= {
        "sent_at": world.stamp(world.now()),
        "channel_id": world.new(),
        "recipient": ask.body["recipient_id"],
    }
    world.messages.append(message | {"data": {"study_id": world.study(ask.body["study_id"])["id"]}})
    return 204, None, {}


@route("GET", "hooks/secrets/", query=("workspace_id",))
def secrets(world: World, ask: Ask) -> Answer:
    one = {"id": world.workspace, "value": world.secret, "workspace_id": world.workspace}
    return 200, {"results": [one] if world.secret else []}, {}


@route("POST", "hooks/secrets/", schemas.Secret)
def create_secret(world: World, ask: Ask) -> Answer:
    world.secret = f"hook-{world.new()}"
    return 201, {"id": world.new(), "value": world.secret, **ask.body}, {}


@route("GET", "hooks/subscriptions/", query=(*BY_OFFSET, "workspace_id", "is_enabled"))
def hooks(world: World, ask: Ask) -> Answer:
    found = [one for one in world.hooks.values() if one["is_enabled"]]
    return paged([{k: v for k, v in one.items() if k != "confirm"} for one in found], ask.query)


@route("POST", "hooks/subscriptions/", schemas.Subscription)
def subscribe(world: World, ask: Ask) -> Answer:
    if not world.secret:
        raise No(400, "Create a secret for the workspace first.")
    hook = {"id": world.new(), "is_enabled": False, **ask.body}
    world.hooks[hook["id"]] = hook | {"confirm": world.new()}
    return 201, hook, {"X-Hook-Secret": world.hooks[hook["id"]]["confirm"]}


@route("POST", f"hooks/subscriptions/{ID}/", schemas.Confirmation)
def confirm(world: World, ask: Ask) -> Answer:
    hook = world.hooks.get(ask.ids[0])
    if hook is None or hook["confirm"] != ask.body["secret"]:
        raise No(400, "The secret does not match.")
    hook["is_enabled"] = True
    return 200, {k: v for k, v in hook.items() if k != "confirm"}, {}


@route("DELETE", f"hooks/subscriptions/{ID}/")
def unsubscribe(world: World, ask: Ask) -> Answer:
    world.hooks.pop(ask.ids[0], None)
    return 204, None, {}


ROUTED = True
