"""The minimal clean-up that THumB asks of every caption before it is judged or scored."""

from __future__ import annotations

import re

from captious.text.languages import script_of

_OPENING = re.compile(r"[\"'“‘«(\[]*")
_CLOSING = "\"'”’»)]"
ENDINGS = (".", "!", "?", "…", "。", "！", "？", "؟", "۔", "।", "։", "።", "។", "။")
_WITHOUT_ENDINGS = ("Thai", "Lao")  # scripts whose sentences end without a mark
_SPACE_BEFORE_FINAL_PERIOD = re.compile(r"\s+(\.+)$")


def thumb_normalise(text: str) -> str:
    """A caption as clean text: trimmed, first letter upper case, a period at the end.

    The three steps of Kasai et al. (2022), section 2.2: remove spaces at the start and the end;
    upper-case the first letter; add a period at the end if there is none, and remove a space
    before it. Two cases that the paper leaves open: a caption that ends in another sentence end
    (`?`, `!`, `…`) is left so, because `?.` is no clean text; and the first letter counts only
    where it stands first or after an opening quote or bracket ("2 dogs" stays, as in the published
    data). An empty caption stays empty. Normalising twice changes nothing.

    >>> thumb_normalise(" a dog on a beach . ")
    'A dog on a beach.'
    >>> thumb_normalise("2 dogs"), thumb_normalise("is it a dog?"), thumb_normalise("")
    ('2 dogs.', 'Is it a dog?', '')
    """
    text = text.strip()
    if not text:
        return text
    text = _SPACE_BEFORE_FINAL_PERIOD.sub(r"\1", text)
    opening = _OPENING.match(text)
    first = opening.end() if opening else 0
    upper = text[first : first + 1].upper()
    if len(upper) == 1:
        text = text[:first] + upper + text[first + 1 :]
    return text if ends_a_sentence(text) else text + "."


def ends_a_sentence(text: str) -> bool:
    """Whether a text ends in a sentence end, closing quotes and brackets apart.

    >>> ends_a_sentence('A sign says "stop."'), ends_a_sentence("a dog on a")
    (True, False)
    """
    end = text.rstrip().rstrip(_CLOSING)
    return end.endswith(ENDINGS) or (not end.isascii() and script_of(end) in _WITHOUT_ENDINGS)


def same_text_key(text: str) -> str:
    """What two captions share that differ in case, spacing and final marks only.

    >>> same_text_key("A dog , running .") == same_text_key("a dog, running")
    True
    """
    folded = " ".join(text.casefold().split())
    for mark in ".,;:!?":
        if mark in folded:
            folded = folded.replace(f" {mark}", mark)
    return folded.rstrip(" .!?")
