"""The answers among the fields of a submitted page, sound files among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from starlette.datastructures import FormData, UploadFile

from captious.campaigns.work.responses import Seen
from captious.protocols import Item

# A dot in front, for questions have names of their own.
REPLACES, UNTOUCHED, FINE, ASIDE, NOTE = ".replaces", ".untouched", ".fine", ".aside", ".note"
CONFIRMED = ".confirmed"  # a preset that is right as it is, where no script can tell
OWN_FIELDS = frozenset({"csrf", "key", REPLACES, UNTOUCHED, CONFIRMED, FINE, ASIDE, NOTE})
Keep = Callable[[bytes], str]


def answers_to(item: Item, form: FormData, keep: Keep | None = None) -> dict[str, object]:
    """What was answered to an item, ready for `Form.check`.

    A recording is handed to `keep`, which returns the name that is the answer; without it, and for
    fields that ask for no recording, files are passed over.
    """
    pairs: list[tuple[str, str]] = []
    for name, value in form.multi_items():
        if name in OWN_FIELDS:
            continue
        if isinstance(value, str):
            pairs.append((name, value))
        elif isinstance(value, UploadFile) and value.size and name in item.form.recorded and keep is not None:
            value.file.seek(0)
            pairs.append((name, keep(value.file.read())))
    return item.form.read(pairs)


def touched(answers: Mapping[str, object], form: FormData) -> dict[str, object]:
    """The answers without presets that the rater has left: they are preset again on the next page."""
    left = _left(form)
    return {name: value for name, value in answers.items() if name not in left}


def _left(form: FormData) -> frozenset[str]:
    """The questions whose preset the rater has neither changed nor confirmed."""
    return frozenset(map(str, form.getlist(UNTOUCHED))) - frozenset(map(str, form.getlist(CONFIRMED)))


def all_fine(item: Item, answers: Mapping[str, object], caption: str) -> dict[str, object]:
    """The answers, and for what is not answered of a caption that there is nothing wrong."""
    own = {field.name: field.fine for field in item.form.fields if field.fine and field.caption == caption}
    return {**own, **answers}


def seen_by(form: FormData) -> Seen:
    """What the page had shown: the answer that it replaces, and the presets that were left."""
    replaces = form.get(REPLACES)
    known = isinstance(replaces, str) and replaces.isascii() and replaces.isdigit() and len(replaces) < 19
    return Seen(int(str(replaces)) if known else None, _left(form))
