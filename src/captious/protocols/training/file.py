"""Read a training from its file (YAML): pictures, captions, known answers and explanations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from captious.errors import InputError
from captious.protocols.base import HumanProtocol
from captious.protocols.item import Item
from captious.protocols.known import check_known, question_named
from captious.protocols.training.example import WHOLE, Example
from captious.protocols.yaml_file import At, YamlFile

TOP = ("examples", "protocol")
EXAMPLE = ("image", "caption", "captions", "answers", "why")
CAPTION = ("caption", "answers", "why")
MOST_EXAMPLES = 100


def read_examples(text: str, rules: HumanProtocol, source: str = "training") -> list[Example]:
    """The examples of a training, on the form of a protocol; what is wrong is one line.

    >>> from captious.protocols import protocol
    >>> (one,) = read_examples('''
    ... examples:
    ...   - image: tabby.jpg
    ...     caption: A cat.
    ...     answers: {verdict: incomplete}
    ...     why: It says neither what the cat looks like nor what it does.
    ... ''', protocol("tagging"))
    >>> one.item.captions[0].text, one.known
    ('A cat.', {'verdict': 'incomplete'})
    """
    file = YamlFile(text, source)
    top = file.mapping((), file.data, TOP)
    wanted = file.text((), top, "protocol", "", required=False)
    if wanted and wanted != rules.name:
        raise file.error(("protocol",), f"this training is for {wanted}, but the protocol is {rules.name}.")
    listed = file.sequence((), top, "examples")
    if not 1 <= len(listed) <= MOST_EXAMPLES:
        raise file.error(("examples",), f"{len(listed)} examples. Give 1 to {MOST_EXAMPLES}.")
    return [_example(file, rules, at, raw) for at, raw in enumerate(listed)]


def _example(file: YamlFile, rules: HumanProtocol, at: int, raw: object) -> Example:
    where: At = ("examples", at)
    own = file.mapping(where, raw, EXAMPLE)
    image = file.name(where, own, "image", "Name the file of the picture.")
    parts = _captions(file, where, own)
    try:
        item = rules.example_item(image, [text for text, _, _ in parts])
    except InputError as error:
        raise file.error(where, str(error)) from error
    known = _answers(file, where, own, item)
    why = _why(file, where, own, item)
    for caption, (_, place, part) in zip(item.captions, parts, strict=True):
        known |= _answers(file, place, part, item, caption.key)
        why |= _why(file, place, part, item, caption.key)
    if not known:
        raise file.error(where, "no answers are known. Give some, such as {question: answer}.")
    try:
        check_known(item, known, f"example {at + 1}")
    except InputError as error:
        raise file.error((*where, "answers"), str(error)) from error
    return Example(item, known, why, image)


def _captions(
    file: YamlFile, where: At, own: Mapping[str, object]
) -> list[tuple[str, At, Mapping[str, object]]]:
    """Each caption with its place in the file and what stands beside it."""
    if "captions" not in own:
        return [(file.text(where, own, "caption", "Write the caption."), where, {})]
    found: list[tuple[str, At, Mapping[str, object]]] = []
    for row, raw in enumerate(file.sequence(where, own, "captions")):
        place: At = (*where, "captions", row)
        part = {"caption": raw} if isinstance(raw, str) else file.mapping(place, raw, CAPTION)
        found.append((file.text(place, part, "caption", "Write the caption."), place, part))
    if not found:
        raise file.error((*where, "captions"), '"captions" is empty. Give at least one.')
    return found


def _answers(
    file: YamlFile, where: At, own: Mapping[str, object], item: Item, caption: str = ""
) -> dict[str, Any]:
    raw = own.get("answers") or {}
    if not isinstance(raw, dict):
        raise file.error((*where, "answers"), '"answers" must be questions with answers: {verdict: minor}.')
    return {question_named(item, str(name), caption): answer for name, answer in raw.items()}


def _why(
    file: YamlFile, where: At, own: Mapping[str, object], item: Item, caption: str = ""
) -> dict[str, str]:
    raw = own.get("why")
    if not isinstance(raw, dict):
        text = file.text(where, own, "why", "", required=False)
        return {caption or WHOLE: text} if text else {}
    place: At = (*where, "why")
    return {question_named(item, str(name), caption): file.text(place, raw, str(name), "") for name in raw}
