"""The documented requests, each with its path, query, body and what it does."""

from collections.abc import Callable
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from . import schemas
from .world import No, Submission, World

ID = r"([0-9a-f]{24})"
PAGED = ("page", "page_size")
BY_OFFSET = ("limit", "offset")
STATUSES = (
    "ACTIVE",
    "APPROVED",
    "AWAITING REVIEW",
    "REJECTED",
    "RESERVED",
    "RETURNED",
    "TIMED-OUT",
    "PARTIALLY APPROVED",
    "SCREENED OUT",
)
Answer = tuple[int, Any, dict[str, str]]


class Ask(NamedTuple):
    """The ids of a request's path, its query and its body."""

    ids: tuple[str, ...]
    query: dict[str, str]
    body: Any


Act = Callable[[World, Ask], Answer]


class Route(NamedTuple):
    method: str
    path: str
    query: tuple[str, ...]
    body: type[schemas.Body] | TypeAdapter[Any] | None
    act: Act


ROUTES: list[Route] = []


def route(method: str, path: str, body: Any = None, query: tuple[str, ...] = ()) -> Callable[[Act], Act]:
    def add(act: Act) -> Act:
        ROUTES.append(Route(method, "/api/v1/" + path, query, body, act))
        return act

    return add


def paged(entries: list[Any], query: dict[str, str]) -> Answer:
    """One page of a list, with the count of all and the address of the next."""
    size = int(query.get("page_size") or query.get("limit") or "20")
    page = int(query["page"]) if "page" in query else int(query.get("offset", "0")) // size + 1
    if not 1 <= size <= 100 or page < 1:
        raise No(400, "Invalid page.")
    if page > 1 and (page - 1) * size >= len(entries) and "offset" not in query:
        raise No(404, "Invalid page.")
    more = page * size < len(entries)
    content = {
        "results": entries[(page - 1) * size : page * size],
        "meta": {"count": len(entries)},
        "_links": {"next": {"href": f"?page={page + 1}" if more else None, "title": "Next"}},
    }
    return 200, content, {}


def shown(world: World, study: dict[str, Any]) -> dict[str, Any]:
    cost = world.cost(study["reward"], study["total_available_places"])
    return study | {"places_taken": world.taken(study["id"]), "total_cost": float(cost)}


def short(world: World, study: dict[str, Any]) -> dict[str, Any]:
    names = ("id", "name", "internal_name", "status", "total_available_places", "reward", "published_at")
    return {name: study.get(name) for name in names} | {"places_taken": world.taken(study["id"])}


def detail(world: World, place: Submission) -> dict[str, Any]:
    return {
        "id": place.id,
        "study_id": place.study,
        "participant": place.participant,
        "status": place.status,
        "started_at": world.stamp(place.started),
        "completed_at": world.stamp(place.completed),
        "entered_code": place.code,
        "bonus_payments": [float(amount) for amount in place.bonuses],
        "return_requested": world.stamp(place.return_requested),
    }


def listed(world: World, place: Submission) -> dict[str, Any]:
    return {
        "id": place.id,
        "participant_id": place.participant,
        "status": place.status,
        "started_at": world.stamp(place.started),
        "completed_at": world.stamp(place.completed),
        "has_siblings": False,
        "study_code": place.code,
        "return_requested": world.stamp(place.return_requested),
    }


@route("GET", "users/me/")
def me(world: World, ask: Ask) -> Answer:
    return 200, {"id": world.researcher, "email": "lea@example.org", "currency_code": world.currency}, {}


@route("GET", "workspaces/", query=BY_OFFSET)
def workspaces(world: World, ask: Ask) -> Answer:
    return paged([{"id": world.workspace, "title": "My workspace"}], ask.query)


@route("GET", f"workspaces/{ID}/projects/", query=BY_OFFSET)
def projects(world: World, ask: Ask) -> Answer:
    return paged([{"id": world.project, "title": "Project", "type": "PRIVATE"}], ask.query)


@route("GET", f"workspaces/{ID}/balance/")
def balance(world: World, ask: Ask) -> Answer:
    found = {
        "currency_code": world.currency,
        "total_balance": world.balance,
        "available_balance": world.balance,
    }
    return 200, found, {}


@route("POST", "study-cost-calculator/", schemas.Cost)
def calculate(world: World, ask: Ask) -> Answer:
    return 200, {"total_cost": float(world.cost(ask.body["reward"], ask.body["total_available_places"]))}, {}


@route("POST", "studies/", schemas.CreateStudy)
def create(world: World, ask: Ask) -> Answer:
    return 201, shown(world, world.create(ask.body)), {}


@route("GET", "studies/", query=("page", "state"))
def studies(world: World, ask: Ask) -> Answer:
    return paged([short(world, one) for one in world.studies.values()], ask.query)


@route("GET", f"projects/{ID}/studies/", query=(*PAGED, "ordering"))
def project_studies(world: World, ask: Ask) -> Answer:
    found = [short(world, one) for one in world.studies.values() if one["project"] == ask.ids[0]]
    return paged(found, ask.query)


@route("GET", f"studies/{ID}/")
def study(world: World, ask: Ask) -> Answer:
    return 200, shown(world, world.study(ask.ids[0])), {}


@route("PATCH", f"studies/{ID}/", schemas.StudyFields)
def update(world: World, ask: Ask) -> Answer:
    found = world.study(ask.ids[0])
    fixed = set(ask.body) - set(schemas.PublishedStudy.model_fields)
    if found["status"] != "UNPUBLISHED" and fixed:
        raise No(400, f"{', '.join(sorted(fixed))}: cannot be changed once published.")
    world.update(found, ask.body)
    return 200, shown(world, found), {}


@route("POST", f"studies/{ID}/transition/", schemas.StudyTransition)
def transition(world: World, ask: Ask) -> Answer:
    found = world.study(ask.ids[0])
    world.transition(found, ask.body["action"])
    return 200, shown(world, found), {}


@route("GET", f"studies/{ID}/cost/", query=("is_projected",))
def cost(world: World, ask: Ask) -> Answer:
    own = {one.id for one in world.of(world.study(ask.ids[0])["id"])}
    found = {}
    for kind, names in (("rewards", ("reward", "screen out")), ("bonuses", ("bonus",))):
        entries = [one for one in world.ledger if one.kind in names and one.submission in own]
        sums = (sum(one.amount for one in entries), sum(one.fee for one in entries), 0)
        amounts = [{"amount": float(one), "currency": world.currency} for one in sums]
        found[kind] = dict(zip(("rewards", "fees", "tax"), amounts, strict=True))
    return 200, found, {}


@route("GET", f"studies/{ID}/submissions/counts/")
def counts(world: World, ask: Ask) -> Answer:
    own = [one.status for one in world.of(world.study(ask.ids[0])["id"])]
    return 200, {status: own.count(status) for status in STATUSES} | {"TOTAL": len(own)}, {}


@route("GET", "submissions/", query=(*PAGED, "study", "status", "ordering"))
def submissions(world: World, ask: Ask) -> Answer:
    if "study" not in ask.query:
        raise No(400, "study: This query parameter is required.")
    return paged([listed(world, one) for one in world.of(world.study(ask.query["study"])["id"])], ask.query)


@route("GET", f"submissions/{ID}/")
def submission(world: World, ask: Ask) -> Answer:
    return 200, detail(world, world.submission(ask.ids[0])), {}


@route("POST", f"submissions/{ID}/transition/", schemas.SubmissionTransition)
def review(world: World, ask: Ask) -> Answer:
    place = world.submission(ask.ids[0])
    if ask.body["action"] == "APPROVE":
        world.approve(place)
    else:
        world.reject(place, ask.body["message"])
    return 200, detail(world, place), {}


@route("POST", "submissions/bonus-payments/", schemas.Bonuses)
def prepare(world: World, ask: Ask) -> Answer:
    payment, amount, fees = world.prepare(ask.body["study_id"], ask.body["csv_bonuses"])
    found = {
        "id": payment,
        "study": ask.body["study_id"],
        "amount": float(amount),
        "fees": float(fees),
        "vat": 0.0,
    }
    return 201, found | {"total_amount": float(amount + fees)}, {}


@route("POST", f"bulk-bonus-payments/{ID}/pay/")
def pay(world: World, ask: Ask) -> Answer:
    world.pay_prepared(ask.ids[0])
    return 202, "Successfully received bonus payments request.", {}
