"""JSON files: COCO results and annotations, maps from id to captions, lists of objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, repeat
from typing import Any

from captious.corpus.readers.detect import EXPECTED
from captious.corpus.readers.harnesses import of_vlmevalkit
from captious.corpus.readers.names import roles_of
from captious.corpus.readers.open import Source
from captious.corpus.readers.parse import array_blocks, line_blocks, parse_json, repeated_keys
from captious.corpus.readers.rows import Column, ColumnBuilder, Places, Problem, Rows, by_role
from captious.errors import InputError

ENTRY_SHAPE = 'Each entry needs "image_id" and "caption".'
MOST_AROUND = 10  # keys of an object around a list of results
MOST_COLUMNS = 100  # an object of more keys is a map from ids, not one row


def read_json_array(source: Source) -> Rows:
    """A list of objects: COCO results, rows of any names, or one-key objects."""
    builder = ColumnBuilder()
    for number, block in enumerate(array_blocks(source)):
        if number == 0 and _are_one_key_objects(block):
            return _read_one_key_objects(source)
        builder.extend(block)
    if not builder.length:
        raise InputError(f"{source.name}: the list is empty. {EXPECTED}")
    if len(builder.not_objects) == builder.length:
        raise InputError(f"{source.name}: a list of {_kind(block[0])}s. {EXPECTED}")
    return _rows_of_list(source, builder)


def _rows_of_list(source: Source, builder: ColumnBuilder) -> Rows:
    columns, keys = by_role(builder.columns)
    plain = keys.get("image") == "image_id" and keys.get("caption") == "caption"
    format_name = "coco-results" if plain else "json-rows"
    return Rows(
        source=source.name,
        stem=source.stem,
        format="vlmevalkit" if of_vlmevalkit(source, builder.columns) else format_name,
        columns=columns,
        keys=keys,
        places=Places("entry"),
        problems=[
            Problem("shape", f"entry {row + 1}", f"is {_a(_kind(item))}", ENTRY_SHAPE)
            for row, item in builder.not_objects
        ],
        broken=frozenset(row for row, _ in builder.not_objects),
    )


def read_json_object(source: Source) -> Rows:
    """One object: COCO annotations, a map from id to captions, or a single row."""
    document = parse_json(source)
    if not isinstance(document, dict):
        raise InputError(f"{source.name}: contains {_a(_kind(document))}. {EXPECTED}")
    if "annotations" in document:
        return _read_annotations(source, document)
    if _is_karpathy(document):
        return _read_karpathy(source, document["images"])
    if not document:
        raise InputError(f"{source.name}: the object is empty. {EXPECTED}")
    if (results := _results_within(document)) is not None:
        builder = ColumnBuilder()
        builder.extend(results)
        return _rows_of_list(source, builder)
    roles = roles_of(document) if len(document) <= MOST_COLUMNS else {}
    if "caption" in roles or {"image", "references"} <= roles.keys():
        return rows_from_objects(source, [document], "jsonl", Places("line", [1]))
    return _read_id_map(source, document)


def rows_from_objects(source: Source, objects: Sequence[Any], format_name: str, places: Places) -> Rows:
    """Rows of objects that are already parsed."""
    builder = ColumnBuilder()
    builder.extend(objects)
    columns, keys = by_role(builder.columns)
    return Rows(source.name, source.stem, format_name, columns, places, keys)


def _read_annotations(source: Source, document: dict[str, Any]) -> Rows:
    annotations = document["annotations"]
    if not isinstance(annotations, list):
        raise InputError(f'{source.name}: "annotations" is {_a(_kind(annotations))}, not a list.')
    builder = ColumnBuilder()
    builder.extend(annotations)
    columns, keys = by_role(builder.columns)
    if "caption" not in columns and any(isinstance(a, dict) for a in annotations):
        holds = " (it contains object instances)" if "categories" in document else ""
        raise InputError(
            f'{source.name}: no annotation has a "caption"{holds}. Give the captions_*.json file.'
        )
    return Rows(
        source=source.name,
        stem=source.stem,
        format="coco-annotations",
        columns=columns,
        keys=keys,
        places=Places("annotation"),
        problems=[
            Problem("shape", f"annotation {row + 1}", f"is {_a(_kind(item))}", ENTRY_SHAPE)
            for row, item in builder.not_objects
        ],
        broken=frozenset(row for row, _ in builder.not_objects),
        file_names=image_file_names(document.get("images")),
        grouped=True,
    )


def _is_karpathy(document: dict[str, Any]) -> bool:
    images = document.get("images")
    return (
        isinstance(images, list) and bool(images) and isinstance(images[0], dict) and "sentences" in images[0]
    )


def _read_karpathy(source: Source, images: list[Any]) -> Rows:
    """Karpathy's `dataset_*.json`: images with an id, a file name and raw sentences."""
    ids: Column = []
    captions: Column = []
    entries: list[int] = []
    file_names: dict[str, str] = {}
    for entry, image in enumerate(images, 1):
        row = image if isinstance(image, dict) else {}
        name = row.get("filename")
        # Flickr's files have no COCO id, and there the file name is what others call the image.
        image_id = row.get("cocoid", name if name is not None else row.get("imgid"))
        sentences = row.get("sentences")
        for sentence in sentences if isinstance(sentences, list) else [None]:
            ids.append(image_id)
            captions.append(sentence.get("raw") if isinstance(sentence, dict) else sentence)
            entries.append(entry)
        if isinstance(name, str):
            file_names[str(image_id)] = name
    return Rows(
        source=source.name,
        stem=source.stem,
        format="karpathy",
        columns={"image": ids, "caption": captions},
        places=Places("image", entries),
        file_names=file_names,
        grouped=True,
    )


def image_file_names(images: object) -> dict[str, str]:
    """Image id -> file name, from the `images` list of COCO annotations."""
    if not isinstance(images, list):
        return {}
    return {
        str(image["id"]): image["file_name"]
        for image in images
        if isinstance(image, dict) and isinstance(image.get("file_name"), str) and "id" in image
    }


def _read_id_map(source: Source, document: dict[str, Any]) -> Rows:
    if all(isinstance(value, str) for value in document.values()):
        strings = 2 * len(document)
        rows = Rows(
            source=source.name,
            stem=source.stem,
            format="captions-by-id",
            columns={"image": list(document), "caption": list(document.values())},
            places=Places("key", keys=list(document)),
        )
    else:
        rows, strings = _read_lists_by_id(source, document)
    for key, count in repeated_keys(source, strings).items():
        place = Places("key", keys=[key])[0]
        what = f"occurs {count} times in the object"
        mend = "A JSON object keeps only the last one; give each image one key."
        rows.problems.append(Problem("duplicate-id", place, what, mend, key))
    return rows


def _results_within(document: dict[str, Any]) -> list[Any] | None:
    """The list of results in an object such as `{"results": […]}`, whose key is no image's id."""
    if len(document) > MOST_AROUND:
        return None
    found = [value for key, value in document.items() if _have_own_ids(key, value)]
    return found[0] if len(found) == 1 else None


def _have_own_ids(key: str, value: object) -> bool:
    first = value[0] if isinstance(value, list) and value else None
    roles = roles_of(first) if isinstance(first, dict) else {}
    return {"image", "caption"} <= roles.keys() and str(first[roles["image"]]) != key  # type: ignore[index]


def _read_lists_by_id(source: Source, document: dict[str, Any]) -> tuple[Rows, int]:
    lists, strings = _lists_of_texts(list(document.values()))
    counts = list(map(len, lists))
    ids = list(chain.from_iterable(map(repeat, document, counts)))
    captions: Column = list(chain.from_iterable(lists))
    mend = "Give at least one caption, or leave the image out."
    problems = [
        Problem("empty-list", Places("key", keys=[key])[0], "the list is empty", mend, key)
        for key, count in zip(document, counts, strict=True)
        if not count
    ]
    if len(problems) == len(document):
        raise InputError(f"{source.name}: every list is empty. {mend}")
    if not any(isinstance(text, str) for text in captions):
        found = _kind(next(iter(document.values())))
        raise InputError(f"{source.name}: the object maps its keys to {found}s, not to captions. {EXPECTED}")
    rows = Rows(
        source=source.name,
        stem=source.stem,
        format="references-by-id",
        columns={"image": list(ids), "caption": captions},
        places=Places("key", keys=ids),
        problems=problems,
        grouped=max(counts) > 1,
    )
    return rows, len(document) + strings


def _lists_of_texts(values: list[Any]) -> tuple[list[list[object]], int]:
    """The captions under each id, and how many strings there are."""
    if set(map(type, values)) == {list}:
        flat = list(chain.from_iterable(values))
        if set(map(type, flat)) <= {str}:
            return values, len(flat)
    pairs = [_texts_of(value) for value in values]
    return [texts for texts, _ in pairs], sum(strings for _, strings in pairs)


def _texts_of(value: object) -> tuple[list[object], int]:
    """Captions under one id, and how many strings (keys of objects included) there are."""
    items = value if isinstance(value, list) else [value]
    texts, strings = [], 0
    for item in items:
        if isinstance(item, dict):
            key = roles_of(item).get("caption")
            strings += len(item) + sum(isinstance(cell, str) for cell in item.values())
            texts.append(item[key] if key is not None else item)
        else:
            strings += isinstance(item, str)
            texts.append(item)
    return texts, strings


def _are_one_key_objects(block: Sequence[object]) -> bool:
    """`[{"391895": "a man …"}, …]`; a single key that is a known column name does not count."""
    head = block[:100]
    return bool(head) and all(
        isinstance(item, dict)
        and len(item) == 1
        and not roles_of(item)
        and all(isinstance(value, (str, list)) for value in item.values())
        for item in head
    )


def _read_one_key_objects(source: Source) -> Rows:
    ids: Column = []
    captions: Column = []
    entries: list[int] = []
    problems: list[Problem] = []
    for entry, (key, value) in enumerate(_pairs(source, problems), 1):
        texts, _ = _texts_of(value)
        if not texts and key is not None:
            mend = "Give at least one caption, or leave the image out."
            problems.append(Problem("empty-list", f"entry {entry}", "the list is empty", mend, key))
        if key is not None:
            ids.extend(repeat(key, len(texts)))
            captions.extend(texts)
            entries.extend(repeat(entry, len(texts)))
    return Rows(
        source=source.name,
        stem=source.stem,
        format="one-key-objects",
        columns={"image": ids, "caption": captions},
        places=Places("entry", entries),
        problems=problems,
        grouped=len(set(entries)) < len(entries),
    )


def _pairs(source: Source, problems: list[Problem]) -> Iterator[tuple[str | None, object]]:
    for entry, item in enumerate(chain.from_iterable(array_blocks(source)), 1):
        if isinstance(item, dict) and len(item) == 1:
            yield next(iter(item.items()))
            continue
        keys = f"an object of {len(item)} keys" if isinstance(item, dict) else _a(_kind(item))
        mend = "Each entry needs one key, the image id, and its caption."
        problems.append(Problem("shape", f"entry {entry}", f"is {keys}", mend))
        yield None, None


def _kind(value: object) -> str:
    """What JSON calls a value."""
    kinds = {dict: "object", list: "list", str: "text", bool: "truth value", type(None): "null"}
    return kinds.get(type(value), "number")


def _a(kind: str) -> str:
    if kind in ("null", "text"):
        return kind
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def read_json_lines(source: Source, *, every_column: bool = False, first: int = 1) -> Rows:
    """Rows of a JSON-lines file; blank lines are passed over.

    With `every_column` all columns are kept, under their own names. `first` is the number of the
    first line, where the source is a part of a file.
    """
    builder = ColumnBuilder(bool) if every_column else ColumnBuilder()
    numbers: list[int] = []
    for values, lines in line_blocks(source, first):
        builder.extend(values)
        numbers.extend(lines)
    columns, keys = (builder.columns, {}) if every_column else by_role(builder.columns)
    whole = numbers == list(range(1, len(numbers) + 1))
    return Rows(
        source=source.name,
        stem=source.stem,
        format="jsonl",
        columns=columns,
        keys=keys,
        places=Places("line", None if whole else numbers),
        problems=[
            Problem("shape", f"line {numbers[row]}", "is not an object", "Each line needs one object.")
            for row, _ in builder.not_objects
        ],
        broken=frozenset(row for row, _ in builder.not_objects),
    )
