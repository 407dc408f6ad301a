"""The answers among the fields of a submitted page, sound files among them."""

from __future__ import annotations

from collections.abc import Callable

from starlette.datastructures import FormData, UploadFile

from captious.protocols import Item

OWN_FIELDS = frozenset({"csrf", "key", "save"})
Keep = Callable[[bytes], str]


def answers_to(item: Item, form: FormData, keep: Keep | None = None) -> dict[str, object]:
    """What was answered to an item, ready for `Form.check`.

    A recording is handed to `keep`, which returns the name that is the answer; without it, and for
    fields that ask for no recording, files are passed over.
    """
    spoken = {field.name for field in item.form.fields if field.kind == "audio"}
    pairs: list[tuple[str, str]] = []
    for name, value in form.multi_items():
        if name in OWN_FIELDS:
            continue
        if isinstance(value, str):
            pairs.append((name, value))
        elif isinstance(value, UploadFile) and value.size and name in spoken and keep is not None:
            value.file.seek(0)
            pairs.append((name, keep(value.file.read())))
    return item.form.read(pairs)
