"""What is wrong with a field of a request or the value of an option: plain words for those of pydantic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

# What pydantic finds wrong with a value, in plain words; `{ge}` and the like are its limits.
_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is unknown; leave it out",
    "int_type": "give a whole number",
    "int_parsing": "give a whole number",
    "int_from_float": "give a whole number",
    "float_type": "give a number",
    "float_parsing": "give a number",
    "bool_type": "give true or false",
    "bool_parsing": "give true or false",
    "string_type": "give a text",
    "list_type": "give a list",
    "dict_type": "give an object",
    "model_type": "give an object",
    "model_attributes_type": "give an object",
    "json_invalid": "is no JSON: {error}",
    "greater_than": "give more than {gt}",
    "greater_than_equal": "give at least {ge}",
    "less_than": "give less than {lt}",
    "less_than_equal": "give at most {le}",
    "string_too_short": "give at least {min_length} characters",
    "string_too_long": "give at most {max_length} characters",
    "too_short": "give at least {min_length}",
    "too_long": "give at most {max_length}",
    "literal_error": "give one of {expected}",
    "enum": "give one of {expected}",
    "finite_number": "give a finite number",
    "int_parsing_size": "give a smaller number",
    "none_required": "leave it out",
    "value_error": "{error}",
}


def in_words(found: Mapping[str, Any]) -> str:
    """What is wrong with a field.

    >>> in_words({"type": "int_parsing", "msg": "Input should be a valid integer"})
    'give a whole number'
    >>> in_words({"type": "greater_than_equal", "msg": "…", "ctx": {"ge": 1}})
    'give at least 1'
    >>> in_words({"type": "uuid_parsing", "msg": "Input should be a valid UUID"})
    'give a valid UUID'
    """
    said = _WORDS.get(found["type"])
    if said:
        return said.format_map(found.get("ctx") or {})
    return re.sub(r"^Input should be ", "give ", str(found["msg"]))
