"""Ask a chat model until it gives an answer of the right form: retries with growing waits."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any, Generic, NamedTuple, TypeVar

from captious.models.chat.endpoint import Endpoint, EndpointError, TransientError

Read = TypeVar("Read")
_LONGEST_WAIT = 60.0  # seconds, whatever the endpoint asks for


class Patience(NamedTuple):
    """How often to try again, the first wait, and how long to wait for an answer, in seconds."""

    retries: int = 5
    wait: float = 1.0
    timeout: float = 60.0


class Completion(NamedTuple, Generic[Read]):
    """An answer: its text, what was read from it, the model that gave it, tokens in and out."""

    text: str
    value: Read
    model: str
    tokens_in: int
    tokens_out: int


class UnreadableError(ValueError):
    """An answer that has not the form that was asked for; says what is wrong."""


def ask(
    endpoint: Endpoint, body: dict[str, Any], read: Callable[[str], Read], patience: Patience
) -> Completion[Read]:
    """Send `body`; what `read` makes of the answer's text.

    A busy or broken endpoint is asked again after `wait`, twice that, and so on, with some chance
    in it so that many askers do not come back at once, or when it says. An answer that `read`
    refuses goes back to the model with the reason.
    """
    messages = list(body["messages"])
    for attempt in range(patience.retries + 1):
        try:
            reply = endpoint.post(body | {"messages": messages}, patience.timeout)
            text = _text(endpoint, reply)
        except TransientError as error:
            if attempt == patience.retries:
                raise TransientError(f"{str(error).rstrip('.')}, {attempt + 1} times in a row.") from None
            pause = patience.wait * 2**attempt * random.uniform(0.75, 1.25)
            time.sleep(min(_LONGEST_WAIT, pause if error.after is None else error.after))
            continue
        try:
            value = read(text)
        except UnreadableError as error:
            if attempt == patience.retries:
                raise EndpointError(f"{body['model']} did not give a valid answer: {error}") from None
            complaint = f"That answer is not valid: {error} Answer again, in the form that was asked for."
            messages = [
                *body["messages"],
                {"role": "assistant", "content": text},
                {"role": "user", "content": complaint},
            ]
            continue
        usage = reply.get("usage")
        usage = usage if isinstance(usage, dict) else {}
        return Completion(
            text,
            value,
            str(reply.get("model") or body["model"]),
            _count(usage.get("prompt_tokens")),
            _count(usage.get("completion_tokens")),
        )
    raise AssertionError("the last attempt returns or raises")


def _text(endpoint: Endpoint, reply: dict[str, Any]) -> str:
    try:
        message = reply["choices"][0]["message"]
        text = message["content"]
    except (KeyError, IndexError, TypeError):
        raise TransientError(f"{endpoint.host} answered without a message.") from None
    if isinstance(message.get("refusal"), str) and not text:
        return ""  # a model that declines gives an empty answer, which no form allows
    if not isinstance(text, str):
        raise TransientError(f"{endpoint.host} answered without text.")
    return text


def _count(found: object) -> int:
    return found if isinstance(found, int) and not isinstance(found, bool) and found >= 0 else 0
