"""The advice beside THumB's form, in our words (definitions and rules: Kasai et al. 2022, 2.2)."""

from __future__ import annotations

from captious.protocols.base import Guide
from captious.protocols.item import Picture

_OTTERS = "An otter lies on a rock; behind it another one swims."
_DRINK = "A red iced drink with a straw on a sandy beach, with a turquoise sea behind it."
_BALLOON = "A hot-air balloon in many colours floats in front of clouds."
_ASTRONAUT = "A smiling woman in an orange space suit in front of a flag and a model of a space shuttle."

# The points of the two scales in short, on the form and in the guide.
PRECISION_WORDS = {
    "1": "All wrong",
    "2": "Mostly wrong",
    "3": "Partly wrong",
    "4": "Minor issue",
    "5": "All true",
}
RECALL_WORDS = {"1": "Hardly any", "2": "A little", "3": "Half", "4": "Most", "5": "All of it"}


def _point(words: dict[str, str], point: str) -> str:
    return f"{point}: {words[point]}"


# One photograph for all levels of a scale, so that only the caption differs.
_PRECISION_LEVELS = (
    Picture("otters.jpg", _OTTERS, "An otter lies on a rock beside the water.", _point(PRECISION_WORDS, "5")),
    Picture(
        "otters.jpg",
        _OTTERS,
        "An otter lies on a rock beside a lake.",
        _point(PRECISION_WORDS, "4"),
        "The image does not show whether it is a lake, a river or a pool.",
    ),
    Picture(
        "otters.jpg",
        _OTTERS,
        "A beaver lies on a rock beside the water.",
        _point(PRECISION_WORDS, "3"),
        "The animal is an otter. The rest is right.",
    ),
    Picture(
        "otters.jpg",
        _OTTERS,
        "A beaver plays with a red ball in the water.",
        _point(PRECISION_WORDS, "2"),
        "The animal, its action and the ball are wrong. The water is right.",
    ),
    Picture("otters.jpg", _OTTERS, "A bus waits at a station.", _point(PRECISION_WORDS, "1")),
)
_RECALL_LEVELS = (
    Picture(
        "cocktail.jpg",
        _DRINK,
        "A red iced drink with a straw stands on a sandy beach in front of a turquoise sea.",
        _point(RECALL_WORDS, "5"),
        "Nothing important is missing.",
    ),
    Picture(
        "cocktail.jpg",
        _DRINK,
        "A red drink with a straw stands on the sand.",
        _point(RECALL_WORDS, "4"),
        "The sea is missing.",
    ),
    Picture(
        "cocktail.jpg",
        _DRINK,
        "A drink on a beach.",
        _point(RECALL_WORDS, "3"),
        "It names the drink and the place, but does not describe them.",
    ),
    Picture(
        "cocktail.jpg",
        _DRINK,
        "A drink in a glass.",
        _point(RECALL_WORDS, "2"),
        "It does not say where the drink is.",
    ),
    Picture(
        "cocktail.jpg",
        _DRINK,
        "Something to enjoy.",
        _point(RECALL_WORDS, "1"),
        "It would fit almost any image.",
    ),
)
_FLUENCY_EXAMPLES = (
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A hot-air ballon in front of clouds.",
        "0.1: spelling",
        "The meaning is still clear.",
    ),
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A balloon and a hot-air balloon in the sky.",
        "0.5: duplication",
        "It mentions the same thing twice, as if there were two.",
    ),
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A colourful balloon sky clouds below.",
        "0.5 or more: broken sentence",
        "The words do not make a sentence.",
    ),
)
_CONCISENESS_EXAMPLES = (
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A hot-air balloon of yellow, blue, red and green squares floats in front of white clouds.",
        "0: long, but every word adds information",
    ),
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A balloon with a yellow square and a blue square and a red square and a green square and clouds on "
        "the left and clouds on the right and a sky above the clouds.",
        "0.5: too detailed or repetitive",
        "It lists every square and every cloud.",
    ),
)
_INCLUSIVE_EXAMPLES = (
    Picture("astronaut.jpg", _ASTRONAUT, "A smiling woman in an orange space suit.", "0: no problem"),
    Picture(
        "astronaut.jpg",
        _ASTRONAUT,
        "A pretty woman in an orange space suit.",
        "0.5: comment on appearance",
        "“Pretty” is an opinion about her appearance.",
    ),
)

PRECISION = Guide(
    "Precision",
    "Is what the caption says true of this image? Check the objects, their properties, their "
    "locations, the occasion and the relations between objects. 5: nothing is wrong. 4: a minor "
    "issue, such as a property that is almost correct, or a claim that the image neither confirms "
    "nor contradicts. 3 and below: the more errors there are and the more serious they are, the "
    "lower the score. Objects that are not in the image at all lower precision too.",
    (
        "An otter called a dog: wrong.",
        "A red case called pink: almost correct, 4.",
        "A girl on a couch, if the image does not show what she sits on: uncertain, 4.",
        '"In a red suitcase" for a cat that lies on it: a wrong relation.',
    ),
    _PRECISION_LEVELS,
    "Is everything it says true?",
)
RECALL = Guide(
    "Recall",
    "How much of the important information in the image does the caption cover? Imagine a picture "
    "from the caption alone: if many very different pictures would fit, recall is low. Objects, "
    "colours, actions and relations that stand out count. A word that is true but vague "
    '("small animal" for an otter) lowers recall, not precision. Do not take points off for what '
    "a reader would expect anyway.",
    (
        "A woman sells doughnuts; the caption only says that she stands behind a counter: lower recall.",
        "A double-decker bus is not called red: no lower recall, because such buses are usually red.",
    ),
    _RECALL_LEVELS,
    "Does it say what matters?",
)
FLUENCY = Guide(
    "Fluency",
    "Judge the caption as English text, without the image. Mark every kind of error that it has. "
    "Errors that a spelling or grammar checker can easily correct cost 0.1; errors that mislead the "
    "reader or break the sentence cost 0.5 or more.",
    ('"A otter": grammar, 0.1.', '"A table with donuts and doughnuts": duplication, 0.5.'),
    _FLUENCY_EXAMPLES,
    "Is it good English?",
)
CONCISENESS = Guide(
    "Conciseness",
    "Take off 0.5 if the caption describes every detail or is overly repetitive. Length alone is not "
    "a problem: take points off if the details hide what matters.",
    (
        '"A woman lying on her back with knees bent on a beach towel under a multicolored, striped beach '
        'umbrella, surrounded by sand, and with clear blue sky above": 0.5.',
    ),
    _CONCISENESS_EXAMPLES,
    "Is it concise?",
)
INCLUSIVE = Guide(
    "Inclusive language",
    "Take off 0.5 for a subjective comment about someone's appearance, and 2 for language that demeans or "
    "offends.",
    ('"A very pretty girl": 0.5.',),
    _INCLUSIVE_EXAMPLES,
    "Could it offend someone?",
)
NO_DOUBLE_PENALTY = Guide(
    "Rule 1: one mistake, one penalty",
    "If an error lowers precision, correct it before you judge recall: write the caption as it "
    "should be, then judge how much the corrected caption covers. You can only correct something "
    "that corresponds to a part of the image. Leave out objects that are not in the image.",
    (
        '"A dog with a frisbee" for an otter with two frisbees: precision 3; judge the recall of '
        '"an otter with two frisbees".',
    ),
)
COUNTS = Guide(
    "Rule 2: counts are properties",
    "A wrong number lowers precision. A vague number, if the exact number is clear from the image, lowers "
    "recall.",
    ('Two frisbees: "three frisbees" lowers precision, "some frisbees" lowers recall.',),
)
BLACK_AND_WHITE = Guide(
    "Rule 3: black and white",
    "It makes no difference whether a caption says that a photograph is black and white.",
)
CLEAN_TEXT = Guide(
    "Rule 4: clean text",
    "All captions were cleaned in the same way before you saw them: spaces at the start and end "
    "removed, first letter capitalised, full stop at the end. Nothing else was changed.",
)
SECOND_STAGE = Guide(
    "You are the second rater",
    "Another rater scored these captions before you. Look at the image and read the caption first, "
    "then their scores. Confirm the scores that are right and change those that are not.",
)

GUIDES = (
    PRECISION,
    RECALL,
    FLUENCY,
    CONCISENESS,
    INCLUSIVE,
    NO_DOUBLE_PENALTY,
    COUNTS,
    BLACK_AND_WHITE,
    CLEAN_TEXT,
)
