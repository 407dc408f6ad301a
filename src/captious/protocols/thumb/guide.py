"""The advice beside THumB's form, in our words (definitions and rules: Kasai et al. 2022, 2.2)."""

from __future__ import annotations

from captious.protocols.base import Guide
from captious.protocols.item import Picture

_OTTERS = "An otter lies on a rock; behind it another one swims."
_DRINK = "A red iced drink with a straw stands on a sandy beach, behind it a turquoise sea."
_BALLOON = "A hot-air balloon of many colours floats in front of clouds."
_ASTRONAUT = "A smiling woman in an orange space suit in front of a flag and a model of a space shuttle."

# The points of the two scales in short, on the form and in the guide.
PRECISION_WORDS = {
    "1": "All wrong",
    "2": "Mostly wrong",
    "3": "Partly wrong",
    "4": "Small slip",
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
        "Not sure counts like a small slip: it may be a lake, a river or a pool.",
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
        "The animal, what it does and the ball are wrong. The water is there.",
    ),
    Picture("otters.jpg", _OTTERS, "A bus waits at a station.", _point(PRECISION_WORDS, "1")),
)
_RECALL_LEVELS = (
    Picture(
        "cocktail.jpg",
        _DRINK,
        "A red iced drink with a straw stands on a sandy beach in front of a turquoise sea.",
        _point(RECALL_WORDS, "5"),
        "You could almost paint the picture from it.",
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
        "The drink and the place are there, and nothing of what they are like.",
    ),
    Picture(
        "cocktail.jpg",
        _DRINK,
        "A drink in a glass.",
        _point(RECALL_WORDS, "2"),
        "Where it stands is not said at all.",
    ),
    Picture(
        "cocktail.jpg", _DRINK, "Something to enjoy.", _point(RECALL_WORDS, "1"), "Any picture would fit."
    ),
)
_FLUENCY_EXAMPLES = (
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A hot-air ballon in front of clouds.",
        "0.1: spelling",
        "Everybody knows what is meant.",
    ),
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A balloon and a hot-air balloon in the sky.",
        "0.5: duplication",
        "The same thing is said twice, as if there were two.",
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
        "0: long, and every word tells something",
    ),
    Picture(
        "balloon.jpg",
        _BALLOON,
        "A balloon with a yellow square and a blue square and a red square and a green square and clouds on "
        "the left and clouds on the right and a sky above the clouds.",
        "0.5: goes on and on",
        "Square by square, cloud by cloud.",
    ),
)
_INCLUSIVE_EXAMPLES = (
    Picture("astronaut.jpg", _ASTRONAUT, "A smiling woman in an orange space suit.", "0: no problem"),
    Picture(
        "astronaut.jpg",
        _ASTRONAUT,
        "A pretty woman in an orange space suit.",
        "0.5: an opinion on someone's looks",
        "Nobody asked how she looks.",
    ),
)

PRECISION = Guide(
    "Precision",
    "Is what the caption says true of this image? Look at things, their properties, where they "
    "are, what is going on and how things stand to each other. 5: nothing is wrong. 4: a small "
    "slip, such as a colour that is nearly right, or a claim that the image neither shows nor "
    "rules out. 3 and below: wrong things, the more and the more serious, the lower. Things that "
    "are not there at all cost precision too.",
    (
        "An otter called a dog: wrong.",
        "A red case called pink: nearly right, 4.",
        "A couch that may be outside the frame: not sure, 4.",
        '"In the case" where the cat lies on it: wrong relation.',
    ),
    _PRECISION_LEVELS,
    "Is everything it says true?",
)
RECALL = Guide(
    "Recall",
    "How much of what matters in the image does the caption tell? Close your eyes and imagine a "
    "picture from the caption alone: if many quite different pictures would do, recall is low. "
    "Colours, actions and relations that catch the eye count. A word that is true but vague "
    '("small animal" for an otter) costs recall, not precision. What a reader would assume '
    "anyway need not be said.",
    (
        "A woman sells doughnuts; the caption only has her stand at a counter: something is lost.",
        "A double-decker bus in London that is not called red: nothing is lost.",
    ),
    _RECALL_LEVELS,
    "Does it say what matters?",
)
FLUENCY = Guide(
    "Fluency",
    "Judge the caption as English, without the image. Mark every kind of error that it has. What "
    "a spelling and grammar checker would mend costs 0.1; what leads the reader astray, 0.5 or "
    "more.",
    ('"A otter": grammar, 0.1.', '"A table with donuts and doughnuts": duplication, 0.5.'),
    _FLUENCY_EXAMPLES,
    "Is it good English?",
)
CONCISENESS = Guide(
    "Conciseness",
    "Take 0.5 off a caption that lists everything in sight or goes on and on. Long is not wrong "
    "in itself: it is wrong where it hides what matters.",
    ("A beach scene told towel by towel, stripe by stripe, up to the sky: 0.5.",),
    _CONCISENESS_EXAMPLES,
    "Is it short enough?",
)
INCLUSIVE = Guide(
    "Inclusive language",
    "Take 0.5 off for an opinion on someone's looks, 2 for something that would hurt or demean.",
    ('"A very pretty girl": 0.5.',),
    _INCLUSIVE_EXAMPLES,
    "Could it hurt someone?",
)
NO_DOUBLE_PENALTY = Guide(
    "Rule 1: one mistake, one penalty",
    "What you took off under precision is put right before you judge recall: write the caption as "
    "it should be, then ask how much that corrected caption tells. Only what corresponds to "
    "something in the image can be put right. An invented thing cannot: leave it out.",
    (
        '"A dog with a frisbee" (an otter with two): precision 3; judge the recall of "an otter '
        'with two frisbees".',
    ),
)
COUNTS = Guide(
    "Rule 2: a number is a property",
    "A wrong number costs precision. A vague one, where the number is plain to see, costs recall.",
    ('Two frisbees: "three frisbees" costs precision, "some frisbees" recall.',),
)
BLACK_AND_WHITE = Guide(
    "Rule 3: black and white",
    "It makes no difference whether a caption mentions that a photograph is black and white.",
)
CLEAN_TEXT = Guide(
    "Rule 4: clean text",
    "All captions were cleaned the same way before you saw them: spaces at the ends removed, first "
    "letter in upper case, a full stop at the end. Nothing else was touched.",
)
SECOND_STAGE = Guide(
    "You are the second reader",
    "Someone scored these captions before you. Read the image and the caption first, then their "
    "scores; confirm what is right and change what is not.",
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
