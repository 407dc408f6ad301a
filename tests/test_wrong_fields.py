from __future__ import annotations

from typing import Literal

import pytest

pytest.importorskip("fastapi")
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from captious.wrong_fields import in_words


class Part(BaseModel):
    name: str


class Asked(BaseModel):
    model_config = ConfigDict(extra="forbid")

    raters: int = Field(ge=1, le=9)
    share: float = Field(default=0.5, gt=0, lt=1, allow_inf_nan=False)
    title: str = Field(default="it", min_length=2, max_length=5)
    kind: Literal["a", "b"] = "a"
    open: bool = False
    parts: list[Part] = Field(default=[], max_length=1)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("raters", "two", "give a whole number"),
        ("raters", 2.5, "give a whole number"),
        ("raters", 0, "give at least 1"),
        ("raters", 10, "give at most 9"),
        ("share", "x", "give a number"),
        ("share", 0, "give more than 0.0"),
        ("share", 1, "give less than 1.0"),
        ("share", float("nan"), "give a finite number"),
        ("title", 7, "give a text"),
        ("title", "a", "give at least 2 characters"),
        ("title", "abcdef", "give at most 5 characters"),
        ("kind", "c", "give one of 'a' or 'b'"),
        ("open", "perhaps", "give true or false"),
        ("parts", 3, "give a list"),
        ("parts", [{"name": "x"}] * 2, "give at most 1"),
        ("parts", [{}], "is missing"),
        ("parts", [7], "give an object"),
        ("colour", "red", "is unknown; leave it out"),
    ],
)
def test_what_is_wrong_with_a_field_is_said_in_our_words(field: str, value: object, said: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Asked.model_validate({"raters": 2, field: value})
    assert [in_words(found) for found in caught.value.errors()] == [said]
