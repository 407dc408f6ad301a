"""The fields of a form: what was typed, which files were sent, numbers in their range."""

from __future__ import annotations

from starlette.datastructures import FormData, UploadFile

from captious.errors import FieldError, InputError
from captious.protocols import Problem
from captious.protocols.item import as_number
from captious.web import pages
from captious.web.pages import Texts


def texts_of(form: FormData) -> dict[str, str]:
    """The text fields of a form by name, the last of each."""
    return {name: value for name, value in form.multi_items() if isinstance(value, str)}


def files_of(form: FormData, name: str) -> list[UploadFile]:
    """The files that were sent under a name; a field that was left alone sends none."""
    found = [value for value in form.getlist(name) if isinstance(value, UploadFile)]
    return [upload for upload in found if upload.filename]


def whole_number(text: str, label: str, t: Texts, *, low: float, high: float) -> int:
    """The whole number of a field, or one line that says what the field takes."""
    number = as_number(text)
    if number is None or number != int(number) or not low <= number <= high:
        limits = {"least": f"{low:,.0f}", "most": f"{high:,.0f}"}
        raise InputError(t("admin.errors.whole", label=label, **limits))
    return int(number)


def problem_of(error: InputError, field: str = "") -> Problem:
    """An error at the field that it names, else at `field`."""
    return Problem(error.field if isinstance(error, FieldError) else field, str(error))


def field_id(name: str) -> str:
    """The id of a form field's element.

    >>> field_id("option.target")
    'f-option-target'
    """
    return "f-" + "".join(c if c.isalnum() and c.isascii() else "-" for c in name)


pages.environment().filters["field_id"] = field_id
