"""Questions of one's own by a form instead of a file, shown at once as raters will see them."""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import APIRouter, Request
from starlette.responses import Response

from captious.errors import InputError
from captious.protocols import HumanProtocol
from captious.protocols.capabilities import FromFile
from captious.web import forms
from captious.web.admin.access import PAGE, Manager, Written, show, words
from captious.web.admin.form_fields import texts_of
from captious.web.admin.setup.wizard.plan_form import Protocol, kind_named
from captious.web.openapi import form_body
from captious.web.refusals import Refusal

router = APIRouter()
EXAMPLES = ("A brown dog runs over a wet beach.", "A dog.")


@router.post(
    "/admin/new/{protocol}/questions",
    **PAGE,
    openapi_extra=form_body({"build.1.ask": "The first question"}, required=["csrf"], open_ended=True),
)
def questions(request: Request, account: Manager, protocol: Protocol, form: Written) -> Response:
    """The questions that were typed, as raters will see them, and their file; nothing is stored."""
    kind = kind_named(protocol)
    if not FromFile.kind(kind).builds:
        raise Refusal(404, "error.404")
    view, text, wrong = _view(request, kind, texts_of(form))
    return show(
        request, "question_sample.html", account, form=view, file=text, wrong=wrong, protocol=protocol
    )


def _view(
    request: Request, kind: type[HumanProtocol], given: Mapping[str, str]
) -> tuple[forms.FormView | None, str, str]:
    text = ""
    try:
        text = FromFile.kind(kind).built_text(given)
        if not text:
            return None, "", ""
        rules = FromFile.kind(kind).from_text(text)
        for captions in (EXAMPLES[:1], EXAMPLES):
            try:
                return forms.view(rules.example_item("1", captions), words(request)), text, ""
            except InputError:
                if captions is EXAMPLES:
                    raise
    except InputError as error:
        return None, text, str(error)
    return None, text, ""
