"""Requests to the judge: one for each image and caption, with its key and size."""

from __future__ import annotations

import base64
import json
import math
from dataclasses import dataclass
from functools import cached_property
from io import BytesIO
from typing import Any

from captious.errors import InputError
from captious.metrics.vlm_judge.rubric import instructions, schema
from captious.models.chat import request_key
from captious.models.images import decode_image, digest, read_file

STRUCTURES = ("json_schema", "json_object", "text")
_QUALITY = 90  # of the JPEG that is sent
_CHARACTERS_A_TOKEN = 4  # of English, a common rule of thumb
_TOKENS_OUT = 120  # a form without a long corrected caption
_TILE, _TOKENS_A_TILE, _TOKENS_AN_IMAGE = 512, 170, 85  # as OpenAI counts images


@dataclass(frozen=True)
class Settings:
    """What shapes every request of a run."""

    host: str
    model: str
    temperature: float
    max_side: int
    structured: str
    spans: bool = False


@dataclass(frozen=True)
class Request:
    """One caption with its image, as the judge gets it."""

    settings: Settings
    row: int
    image_id: str
    image_path: str
    caption: str

    def readable(self, broken: dict[str, str]) -> bool:
        """Whether the image's file can be read; else the reason goes to `broken`."""
        try:
            if not self.image_path:
                raise InputError(f'image "{self.image_id}": no file was found for it. Check the folder.')
            _ = self.key
        except InputError as error:
            broken[self.image_id] = str(error)
        return self.image_id not in broken

    @cached_property
    def key(self) -> str:
        """The name by content: everything that is sent, the image by its digest."""
        body = self._body(digest(read_file(self.image_path)).hex())
        return request_key(body | {"host": self.settings.host, "max_side": self.settings.max_side})

    def body(self) -> dict[str, Any]:
        """The request as JSON for the endpoint, the image inside."""
        content = base64.b64encode(_as_jpeg(self.image_path, self.settings.max_side)).decode()
        return self._body(f"data:image/jpeg;base64,{content}")

    def tokens(self) -> tuple[int, int]:
        """About how many tokens go out and come back; an image counts as its largest form."""
        tiles = math.ceil(self.settings.max_side / _TILE) ** 2
        image = _TOKENS_AN_IMAGE + _TOKENS_A_TILE * tiles
        marks = self.settings.spans
        text = len(instructions(marks)) + len(json.dumps(schema(marks))) + len(self.caption)
        return image + text // _CHARACTERS_A_TOKEN, _TOKENS_OUT

    def _body(self, image: str) -> dict[str, Any]:
        question = f"The caption: {json.dumps(self.caption, ensure_ascii=False)}"
        body: dict[str, Any] = {
            "model": self.settings.model,
            "temperature": self.settings.temperature,
            "messages": [
                {"role": "system", "content": instructions(self.settings.spans)},
                {
                    "role": "user",
                    "content": [
                        {"type": "image_url", "image_url": {"url": image}},
                        {"type": "text", "text": question},
                    ],
                },
            ],
        }
        if self.settings.structured == "json_schema":
            wanted = {"name": "thumb", "strict": True, "schema": schema(self.settings.spans)}
            body["response_format"] = {"type": "json_schema", "json_schema": wanted}
        elif self.settings.structured == "json_object":
            body["response_format"] = {"type": "json_object"}
        return body


def _as_jpeg(path: str, max_side: int) -> bytes:
    """The photograph, upright, its longer side at most `max_side`, as JPEG."""
    pixels = decode_image(read_file(path), path)
    from PIL import Image

    picture = Image.fromarray(pixels)
    picture.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    content = BytesIO()
    picture.save(content, "JPEG", quality=_QUALITY)
    return content.getvalue()
