"""The form for title, rules and texts of a campaign: its fields, and the plan that is read from it."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Path, Request
from starlette.datastructures import FormData

from captious.campaigns.records import Account
from captious.campaigns.setup.create import DEFAULT_SEED, checked_title
from captious.campaigns.store.database import Database
from captious.errors import FieldError, InputError
from captious.protocols import HumanProtocol, Problem, known_protocols
from captious.protocols.capabilities import FromFile
from captious.protocols.item import as_number
from captious.protocols.options import ProtocolOption, options_of, read_options
from captious.web.admin.access import words
from captious.web.admin.form_fields import files_of, problem_of
from captious.web.admin.setup.wizard.drafts import Plan
from captious.web.admin.uploads import read_protocol_text, shown_name
from captious.web.refusals import Refusal

Protocol = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{1,60}$")]
LONGEST = {"instructions": 20_000, "consent": 20_000, "contact": 300}
HIGHEST_SEED = 2**53


def kind_named(protocol: str) -> type[HumanProtocol]:
    """A protocol by its name, or 404."""
    known = known_protocols()
    if protocol not in known:
        raise Refusal(404, "error.404")
    return known[protocol]


def fields_of(protocol: str) -> list[ProtocolOption]:
    """The options that the page asks for; those of a file stand in the file."""
    kind = kind_named(protocol)
    return [] if FromFile.kind(kind).suffixes else [one for one in options_of(kind) if one.shown]


def blank(protocol: str) -> dict[str, str]:
    """The form before anything is typed."""
    return {
        "title": "",
        "instructions": "",
        "consent": "",
        "contact": "",
        "common": "",
        "no_images": "",
        "protocol_text": "",
        "seed": str(DEFAULT_SEED),
        **{field.field: field.typed(field.default) for field in fields_of(protocol)},
    }


def typed(plan: Plan) -> dict[str, str]:
    """A plan as it was typed."""
    return {
        "title": plan.title,
        "instructions": plan.instructions,
        "consent": plan.consent,
        "contact": plan.contact,
        "common": "yes" if plan.common else "",
        "no_images": "yes" if plan.no_images else "",
        "protocol_text": plan.protocol_text,
        "seed": str(plan.seed),
        **{
            field.field: field.typed(plan.options.get(field.name, field.default))
            for field in fields_of(plan.protocol)
        },
    }


def read_plan(
    request: Request, account: Account, db: Database, protocol: str, given: dict[str, str], form: FormData
) -> tuple[Plan, list[Problem]]:
    """What was typed, and what is wrong with it: a line for each field."""
    problems: list[Problem] = []
    title = given.get("title", "")
    try:
        title = checked_title(title)
    except InputError as error:
        problems.append(problem_of(error, "title"))
    kind = kind_named(protocol)
    options: dict[str, Any] = {}
    read = read_options(kind, given) if not FromFile.kind(kind).suffixes else {}
    if isinstance(read, list):
        problems += read
    else:
        options, wrong = read, _unfit(kind, read)
        problems += wrong
    seed = as_number(given.get("seed", "") or str(DEFAULT_SEED))
    if seed is None or seed != int(seed) or not 0 <= seed <= HIGHEST_SEED:
        problems.append(Problem("seed", words(request)("admin.new.wrong_seed")))
        seed = 0
    for name, most in LONGEST.items():
        if len(given.get(name, "")) > most:
            message = words(request)("admin.errors.too_long", most=f"{most:,}")
            problems.append(Problem(name, message))
    text = ""
    if FromFile.kind(kind).suffixes:
        text, wrong = _protocol_text(kind, given, form)
        problems += wrong
    plan = Plan(
        account_id=account.id,
        created=db.now(),
        protocol=protocol,
        title=title,
        options=options,
        protocol_text=text,
        seed=int(seed),
        instructions=given.get("instructions", ""),
        consent=given.get("consent", "").strip(),
        contact=given.get("contact", ""),
        common=given.get("common") == "yes",
        no_images=given.get("no_images") == "yes",
    )
    return plan, problems


def _protocol_text(
    kind: type[HumanProtocol], given: dict[str, str], form: FormData
) -> tuple[str, list[Problem]]:
    sent = files_of(form, "protocol_file")
    try:
        text = read_protocol_text(sent[0]) if sent else given.get("protocol_text", "")
        if not text.strip() and FromFile.kind(kind).builds:
            text = FromFile.kind(kind).built_text(given)
            if not text:
                raise FieldError("build.1.ask", "question 1: it is empty. Write one, or give a file.")
        if "\x00" in text:
            raise InputError("protocol: holds a NUL character. Save it as plain text.")
        FromFile.kind(kind).from_text(text, shown_name(sent[0]) if sent else "protocol")
    except InputError as error:
        return "", [problem_of(error, "protocol_file" if sent else "protocol_text")]
    return text, []


def _unfit(kind: type[HumanProtocol], options: dict[str, Any]) -> list[Problem]:
    """What the protocol itself says against options that are each in their range."""
    if FromFile.kind(kind).suffixes:
        return []
    try:
        kind(**options)
    except InputError as error:
        return [Problem("title", str(error))]
    return []
